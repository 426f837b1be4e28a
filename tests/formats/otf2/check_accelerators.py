# SPDX-License-Identifier: BSD-3-Clause
"""Archives in the form in which Score-P records accelerators, by several programming models. Copies are one-sided
operations of a stream, outside of regions: no communication, but time and bytes of copies. Nothing tells which launch has
made which kernel: a synchronization waits for the last kernel that ends in it. Calls of the model are neither computation
nor communication. A stream is idle until the first launch meanwhile, at least. The critical path covers the run.

usage: check_accelerators.py FERMATA"""

import json
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import GroupType, LocationGroupType, LocationType, Paradigm

COPIES, SIZE = 4, 1 << 20
COPIED = 100_000, 400_000  # on the stream, from the begin of the call on
BACK = 58_000_000, 58_250_000, SIZE // 2  # likewise, from the accelerator; its completion is not recorded: until the next
COPY, END, KERNEL_END = 500_000, 60_000_000, 57_000_000
LAUNCH, SYNCHRONIZE = (6_000_000, 6_100_000), (6_200_000, 57_100_000)
# Model: the functions that copy, launch, and wait.
MODELS = {
    "CUDA": (Paradigm.CUDA, "cuMemcpyHtoD_v2", "cuLaunchKernel", "cuCtxSynchronize"),
    "CUDA's runtime": (Paradigm.CUDA, "cudaMemcpy", "cudaLaunchKernel", "cudaDeviceSynchronize"),
    "HIP": (Paradigm.HIP, "hipMemcpy", "hipLaunchKernel", "hipDeviceSynchronize"),
    "HIP's streams": (Paradigm.HIP, "hipMemcpyAsync", "hipModuleLaunchKernel", "hipStreamSynchronize"),
    "OpenCL": (Paradigm.OPENCL, "clEnqueueWriteBuffer", "clEnqueueNDRangeKernel", "clFinish"),
    "OpenCL's events": (Paradigm.OPENCL, "clEnqueueReadBuffer", "clEnqueueNDRangeKernel", "clWaitForEvents"),
    "OpenACC": (Paradigm.OPENACC, "acc_upload@a.c:3", "acc_launch_kernel@a.c:4", "acc_wait@a.c:5"),
}


def write(place, paradigm, *names):
    with otf2.writer.open(place, timer_resolution=10**9) as trace:
        definitions = trace.definitions
        node = definitions.system_tree_node("node0", parent=definitions.system_tree_node("machine"))
        process = definitions.location_group("Process", location_group_type=LocationGroupType.PROCESS,
                                             system_tree_parent=node)
        host = definitions.location("Master thread", type=LocationType.CPU_THREAD, group=process)
        streams = [definitions.location(f"stream {i}", type=LocationType.ACCELERATOR_STREAM, group=process)
                   for i in range(2)]
        main = definitions.region("main")
        copy, launch, synchronize, force, other = (
            definitions.region(name, paradigm=paradigm) for name in (*names, "force", "other"))
        definitions.group("locations", group_type=GroupType.COMM_LOCATIONS, paradigm=paradigm,
                          members=[host, *streams])
        group = definitions.group("group", group_type=GroupType.COMM_GROUP, paradigm=paradigm, members=[0, 1, 2])
        window = definitions.rma_win("", definitions.comm("", group))
        of_host, of_stream, of_other = map(trace.event_writer_from_location, (host, *streams))
        of_host.enter(0, main)
        for i in range(COPIES):
            begin = 1_000_000 * (i + 1)
            of_host.enter(begin, copy)
            of_host.leave(begin + COPY, copy)
            of_stream.rma_get(begin + COPIED[0], window, 0, SIZE + i, 42)
            of_stream.rma_op_complete_blocking(begin + COPIED[1], window, 42)
        for region, (begin, end) in ((launch, LAUNCH), (synchronize, SYNCHRONIZE)):
            of_host.enter(begin, region)
            of_host.leave(end, region)
        of_stream.enter(6_050_000, force)
        of_stream.leave(KERNEL_END, force)
        # Ends before the other one; another kernel, without a launch meanwhile, ends behind the call.
        for begin, end in ((6_060_000, 40_000_000), (41_000_000, END - 1_000_000)):
            of_other.enter(begin, other)
            of_other.leave(end, other)
        of_stream.rma_put(BACK[0], window, 0, BACK[2], 43)
        of_stream.rma_put(BACK[1], window, 0, 0, 44)
        of_stream.rma_op_complete_non_blocking(BACK[1], window, 44)
        of_host.leave(END, main)


def check(place, paradigm, *names):
    write(place, paradigm, *names)
    subprocess.run([sys.argv[1], "analyze", "-q", "--check", place], check=True)
    report = json.loads(subprocess.run([sys.argv[1], "report", "--format=json", place], check=True,
                                       capture_output=True, text=True).stdout)
    found = {row["metric"] for row in report["severities"]}
    assert not any(name.startswith(("mpi", "bytes", "comms", "syncs")) for name in found), found
    assert any("which launches have made which work of streams" in warning for warning in report["warnings"])
    assert len(report["warnings"]) == 1, report["warnings"]

    def time(metric, location=0):
        return sum(row["value"] for row in report["severities"]
                   if row["metric"] == metric and row["location"] == location)

    calls = {"cuda_copy": COPIES * COPY, "cuda_launch": LAUNCH[1] - LAUNCH[0],
             "cuda_stream_wait": KERNEL_END - SYNCHRONIZE[0], "cuda_synchronization": SYNCHRONIZE[1] - KERNEL_END}
    for metric, ticks in calls.items():
        assert abs(time(metric) - ticks / 1e9) < 1e-12, (metric, time(metric), ticks)
    # Idle from the end of each copy to the next call; the last idle time ends without work.
    late = (COPIES - 1) * (1_000_000 - COPIED[1]) + LAUNCH[0] - (COPIES * 1_000_000 + COPIED[1])
    assert abs(time("cuda_late_launch", 1) - late / 1e9) < 1e-12, (time("cuda_late_launch", 1), late)
    assert time("cuda_late_launch", 2) == 0, time("cuda_late_launch", 2)
    path = sum(row["value"] for row in report["severities"] if row["metric"] in ("critical_path", "critical_path_imbalance"))
    assert abs(path - END / 1e9) < 1e-12, path
    copied = COPIES * (COPIED[1] - COPIED[0]) + BACK[1] - BACK[0]
    assert abs(time("cuda_copy", 1) - copied / 1e9) < 1e-12, time("cuda_copy", 1)
    assert time("accelerator_bytes_to", 1) == COPIES * SIZE + sum(range(COPIES)), time("accelerator_bytes_to", 1)
    assert time("accelerator_bytes_from", 1) == BACK[2], time("accelerator_bytes_from", 1)
    computed = END - sum(calls.values())
    assert abs(time("comp") - computed / 1e9) < 1e-12, time("comp")
    efficiency = report["efficiency"]
    for name, value in {"parallel_efficiency": computed / END, "load_balance": 1, "communication_efficiency": 1,
                        "offload_efficiency": computed / END}.items():
        assert abs(efficiency[name] - value) < 1e-9, (name, efficiency[name], value)


def main():
    for model, description in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder + "/archive", *description)
            except AssertionError as failure:
                sys.exit(f"{model}: {failure}")


main()
