# SPDX-License-Identifier: BSD-3-Clause
"""Traces of PyTorch's profiler that state what one rank does: times, launches, copies, synchronizations, steps; and
traces that are damaged, or do not state something."""

import json
import os

from support import Traces, call, copy, event, kernel, operator, step, trace

MAIN = (0, "Main thread 100")
STREAM = (0, "CUDA stream 7")

# Step 5: the kernel waits for its launch; the host waits for the kernel. Times in us, with three digits at most.
EVENTS = [
    step(5, 1000, 1000),
    operator("aten::mm", 1100.25, 100),
    call("cudaLaunchKernel", 1150.5, 10.125, 11),
    kernel("void gemm<float, 4>(int)", 1170, 200, 11),
    operator("aten::add", 1500, 100),
    call("cudaLaunchKernel", 1550, 20, 12),
    kernel("void at::native::(anonymous namespace)::add<2>(float*)", 1575, 100, 12),
    call("cudaDeviceSynchronize", 1600, 75, 13),
    step(6, 2000, 500),
    operator("aten::copy_", 2100, 200),
    call("cudaMemcpyAsync", 2110, 20, 14),
    copy("HtoD (Pageable -> Device)", 2140, 30, 14, 4096),
    event("gpu_user_annotation", "ProfilerStep#5", 1170, 505, 7, 0),
    {"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 0, "args": {"name": "python"}},
    {"ph": "s", "id": 11, "pid": 100, "tid": 100, "ts": 1150.5, "cat": "ac2g", "name": "ac2g"},
]


class OneRank(Traces):
    def test_times(self):
        report = self.report(self.write("worker0.pt.trace.json", trace(EVENTS, 0)),
                             os.path.join(self.folder, "worker0.fermata"))
        self.assertEqual({(place["rank"], place["name"], place["type"]) for place in report.locations.values()},
                         {(*MAIN, "thread"), (*STREAM, "stream")})
        self.assertEqual(report.value("comp", "ProfilerStep/aten::mm"), 100 - 10.125)
        self.assertEqual(report.value("cuda_launch", "ProfilerStep/aten::mm/cudaLaunchKernel"), 10.125)
        self.assertEqual(report.value("comp", "kernel gemm"), 200)
        self.assertEqual(report.value("comp", "kernel at::native::(anonymous namespace)::add"), 100)
        self.assertEqual(report.value("cuda_copy", "cuda copy to device", STREAM), 30)
        self.assertEqual(report.value("accelerator_bytes_to"), 4096)
        # Idle from 1370 to the launch at 1550, and from 1675 to that at 2110.
        self.assertEqual(report.value("cuda_late_launch", "cuda idle", STREAM), 180 + 435)
        self.assertEqual(report.value("cuda_idle", "cuda idle", STREAM), 25 + 30)
        self.assertEqual(report.value("cuda_stream_wait", "ProfilerStep/cudaDeviceSynchronize", MAIN), 75)
        phase = report.json["phases"][0]
        self.assertEqual((phase["region"], phase["iterations"]), ("ProfilerStep", 2))
        self.assertEqual([round(row["duration"] * 1e6, 3) for row in phase["rows"]], [1000, 500])
        self.assertIn("Iteration 0 of the phase ProfilerStep is ProfilerStep#5.", report.warnings)

    def test_large_times_are_exact(self):
        """Microseconds since 1970 with three digits have more digits than a double."""
        text = json.dumps(trace([operator("a", 0, 0), operator("b", 0, 0)], 0)).encode()
        text = text.replace(b'"ts": 0', b'"ts": 1682725898236567.123', 1).replace(b'"dur": 0', b'"dur": 3.001', 1)
        text = text.replace(b'"ts": 0', b'"ts": 1682725898236567.125').replace(b'"dur": 0', b'"dur": 0.999')
        self.write("rank0.json", text)
        report = self.report()
        self.assertEqual((report.value("time", "a"), report.value("comp", "a"), report.value("comp", "a/b")),
                         (0, 2.002, 0.999))

    def test_compressed(self):
        self.write("rank0.json.gz", trace(EVENTS, 0))
        self.assertEqual(self.report().value("comp", "kernel gemm"), 200)

    def test_base_time(self):
        """Ranks whose clocks have different bases."""
        base = 1735632360000000000
        self.write("a.json", trace([operator("a", 10, 5)], 0, 2, baseTimeNanoseconds=base))
        self.write("b.json", trace([operator("b", 10, 5)], 1, 2, baseTimeNanoseconds=base + 20_000))
        report = self.report()
        self.assertEqual(round(report.json["experiment"]["duration"] * 1e6, 3), 25)

    def test_synchronizations(self):
        """cuda_sync events state the stream: the kernel of stream 8 ends later, and is not waited for."""
        events = [call("cudaLaunchKernel", 0, 5, 1), call("cudaLaunchKernel", 5, 5, 2),
                  kernel("a", 10, 40, 1), kernel("b", 10, 60, 2, 8), call("cudaStreamSynchronize", 20, 80, 3)]
        self.write("rank0.json", trace(events, 0))
        report = self.report()
        self.assertEqual(report.value("cuda_stream_wait"), 50)
        self.assertIn("1 synchronizations do not state which stream", report.warnings)
        events.append(event("cuda_sync", "Stream Synchronize", 20, 80, 7, 0, correlation=3, stream=7, device=0))
        self.write("rank0.json", trace(events, 0))
        report = self.report()
        self.assertEqual(report.value("cuda_stream_wait"), 30)
        self.assertNotIn("do not state which stream", report.warnings)

    def test_events_of_streams(self):
        """Stream 8 waits for an event behind the kernel of stream 7."""
        events = [call("cudaLaunchKernel", 0, 2, 1), kernel("a", 4, 40, 1), call("cudaLaunchKernel", 2, 2, 2),
                  kernel("b", 6, 4, 2, 8), call("cudaEventRecord", 5, 2, 3), call("cudaStreamWaitEvent", 8, 2, 4),
                  call("cudaLaunchKernel", 10, 2, 5), kernel("b", 45, 5, 5, 8)]
        sync = event("cuda_sync", "Stream Wait Event", 8, 2, 8, 0, correlation=4, stream=8, device=0)
        sync["args"].update(wait_on_stream=7, wait_on_cuda_event_record_corr_id=3)
        self.write("rank0.json", trace([*events, sync], 0))
        self.assertEqual(self.report().value("cuda_event_wait", "cuda idle", (0, "CUDA stream 8")), 34)


class Mended(Traces):
    def test_events_that_do_not_nest(self):
        self.write("rank0.json", trace([operator("a", 0, 10), operator("b", 5, 10), operator("c", 12, 3)], 0))
        report = self.report()
        self.assertEqual([report.value("comp", path) for path in ("a", "a/b", "c")], [5, 5, 3])
        self.assertIn("1 events of threads end after the event that contains them", report.warnings)

    def test_kernels_that_overlap(self):
        self.write("rank0.json", trace([kernel("a", 0, 10), kernel("b", 5, 10), kernel("c", 6, 4)], 0))
        report = self.report()
        self.assertEqual([report.value("comp", f"kernel {name}") for name in "abc"], [10, 5, 0])
        self.assertIn("2 kernels and copies overlap", report.warnings)
        self.assertIn("1 without such a time are left out", report.warnings)

    def test_launches_that_are_missing(self):
        self.write("rank0.json", trace([operator("a", 0, 40), kernel("a", 10, 10), kernel("b", 30, 10, 77)], 0))
        report = self.report()
        self.assertEqual(report.value("cuda_late_launch"), 0)
        self.assertIn("The launches of 2 kernels and copies are not in the traces", report.warnings)

    def test_events_without_times(self):
        damaged = operator("a", 0, 5)
        del damaged["dur"]
        self.write("rank0.json", trace([damaged, operator("b", 0, 5), event("npu", "c", 0, 5)], 0))
        report = self.report()
        self.assertIn("1 events without usable times are left out", report.warnings)
        self.assertIn("1 events of categories that are not known are left out (npu)", report.warnings)


class Ranks(Traces):
    def test_ranks_of_names(self):
        self.write("run_rank-1.json", trace([operator("b", 0, 5)]))
        self.write("run_rank-0.json", trace([operator("a", 0, 5)]))
        report = self.report()
        self.assertEqual(report.value("comp", "a", MAIN), 5)
        self.assertEqual(report.value("comp", "b", (1, MAIN[1])), 5)
        self.assertIn("2 of 2 profiler traces do not state their rank", report.warnings)

    def test_ranks_of_order(self):
        self.write("b.json", trace([operator("b", 0, 5)]))
        self.write("a.json", trace([operator("a", 0, 5)]))
        self.assertIn("ranks are numbered in the order of the names", self.report().warnings)

    def test_some_ranks(self):
        self.write("a.json", trace([operator("a", 0, 5)], 34, 300))
        warnings = self.report().warnings
        self.assertIn("There are traces of 1 of the 300 ranks of the job", warnings)
        self.assertIn("Rank 0 of this report is rank 34 of the job.", warnings)

    def test_equal_ranks(self):
        self.write("a.json", trace([operator("a", 0, 5)], 1, 2))
        self.write("b.json", trace([operator("a", 0, 5)], 1, 2))
        self.refused(None, "both are traces of rank 1")


class Refused(Traces):
    def test_truncated(self):
        text = json.dumps(trace(EVENTS, 0)).encode()
        for length in (len(text) - 1, len(text) // 2, len(text) // 3):
            self.refused(self.write("rank0.json", text[:length]), "rank0.json: byte ")

    def test_truncated_file_of_gzip(self):
        path = self.write("rank0.json.gz", trace(EVENTS * 50, 0))
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[: len(data) // 2])
        self.refused(path, "the compressed file is damaged or truncated")

    def test_damaged(self):
        text = json.dumps(trace(EVENTS, 0)).encode()
        for old, new, reason in ((b'"ts": 1000', b'"ts" 1000', "a colon is expected"),
                                 (b'"ts": 1000', b'"ts": ?', "a value is expected"),
                                 (b'"ts": 1000, ', b'"ts": 1000 ', "a comma is expected")):
            self.refused(self.write("rank0.json", text.replace(old, new)), reason)

    def test_without_events(self):
        self.refused(self.write("rank0.json", {"schemaVersion": 1}), "no array traceEvents")
        self.refused(self.write("rank0.json", trace([], 0)), "the profiler traces have no events")

    def test_other_directory_in_the_way(self):
        self.write("rank0.json", trace(EVENTS, 0))
        os.mkdir(self.folder + ".fermata")
        done = self.analyze()
        self.assertEqual(done.returncode, 2)
        self.assertIn("exists: remove it, or name another directory", done.stderr)
        done = self.analyze(None, "-o", os.path.join(self.place.name, "experiment"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_analyzed_again(self):
        self.write("rank0.json", trace(EVENTS, 0))
        self.report()
        self.write("rank0.json", trace([operator("other", 0, 5)], 0))
        self.assertEqual(self.report().value("comp", "other"), 5)
