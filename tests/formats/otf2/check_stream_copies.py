# SPDX-License-Identifier: BSD-3-Clause
"""An archive in the form in which Score-P records accelerators: copies are one-sided operations of a stream, outside of
regions. They are no communication; the report states what it leaves out.

usage: check_stream_copies.py FERMATA"""

import json
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import GroupType, LocationGroupType, LocationType, Paradigm

COPIES, SIZE = 4, 1 << 20


def write(place):
    with otf2.writer.open(place, timer_resolution=10**9) as trace:
        definitions = trace.definitions
        node = definitions.system_tree_node("node0", parent=definitions.system_tree_node("machine"))
        process = definitions.location_group("Process", location_group_type=LocationGroupType.PROCESS,
                                             system_tree_parent=node)
        host = definitions.location("Master thread", type=LocationType.CPU_THREAD, group=process)
        stream = definitions.location("CUDA[0:7]", type=LocationType.ACCELERATOR_STREAM, group=process)
        main = definitions.region("main")
        copy, kernel = (definitions.region(name, paradigm=Paradigm.CUDA) for name in ("cuMemcpyHtoD_v2", "force"))
        members = definitions.group("CUDA", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.CUDA,
                                    members=[host, stream])
        group = definitions.group("CUDA_GROUP", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.CUDA, members=[0, 1])
        window = definitions.rma_win("", definitions.comm("", group))
        assert members is not None
        of_host, of_stream = map(trace.event_writer_from_location, (host, stream))
        of_host.enter(1, main)
        for i in range(COPIES):
            begin = 1000000 * (i + 1)
            of_host.enter(begin, copy)
            of_host.leave(begin + 500000, copy)
            of_stream.rma_get(begin + 100000, window, 0, SIZE, 42)
            of_stream.rma_op_complete_blocking(begin + 400000, window, 42)
        of_stream.enter(6050000, kernel)
        of_stream.leave(7000000, kernel)
        of_host.leave(8000000, main)


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = folder + "/archive"
        write(place)
        subprocess.run([sys.argv[1], "analyze", "-q", place], check=True)
        report = json.loads(subprocess.run([sys.argv[1], "report", "--format=json", place], check=True,
                                           capture_output=True, text=True).stdout)
    found = {row["metric"] for row in report["severities"]}
    assert "cuda_copy" in found, found
    assert not any(name.startswith(("mpi", "bytes", "comms", "syncs")) for name in found), found
    assert any(warning.startswith(f"{COPIES} copies of accelerators are recorded as one-sided operations")
               for warning in report["warnings"]), report["warnings"]
    assert not any("outside of all communication" in warning for warning in report["warnings"]), report["warnings"]


main()
