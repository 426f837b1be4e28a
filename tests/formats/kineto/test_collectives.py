# SPDX-License-Identifier: BSD-3-Clause
"""Traces of PyTorch's profiler of several ranks: which kernels are one collective, who waits in it for whom, how much of it
is not overlapped, and clocks that differ."""

from support import Traces, call, event, kernel, operator, step, trace

COMMUNICATE = "CUDA stream 20"
REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
REGION = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"


def collective(begin, duration, correlation, sequence=None, name="allreduce", group="0", ranks="[0, 1]", kind=REDUCE):
    made = kernel(kind, begin, duration, correlation, 20)
    if sequence is not None:
        made["args"].update({"Collective name": name, "Process Group Name": group, "Process Group Ranks": ranks,
                             "Seq": sequence, "In msg nelems": 1000, "Out msg nelems": 1000, "dtype": "Float"})
    return made


def rank(late, shift=0, sequence=1, **members):
    """One rank: a loader, a kernel, and an allreduce that the loader delays, in each of three steps of 1000 us. The
    allreduce ends at 600 on both ranks; 100 us of it are overlapped on the rank that is not late."""
    events = []
    for number in range(3):
        at, key = 1000 * number + shift, 10 * (number + 1)
        begin = at + 100 + late
        events += [step(number, at, 1000), operator("load", at, 100 + late),
                   call("cudaLaunchKernel", begin, 10, key), kernel("void gemm<4>(int)", begin + 20, 160, key),
                   operator("c10d::allreduce_", begin + 50, 40),
                   call("cudaLaunchKernelExC", begin + 60, 10, key + 1),
                   collective(begin + 80, at + 600 - (begin + 80), key + 1,
                              sequence and sequence + number, **members)]
    return events


class Collectives(Traces):
    def test_late_rank(self):
        """Rank 1 loads 200 us longer: rank 0 waits in its kernel for that of rank 1."""
        self.write("rank0.json", trace(rank(0), 0, 2))
        self.write("rank1.json.gz", trace(rank(200), 1, 2))
        report = self.report()
        self.assertEqual(report.value("c10d_wait_nxn", REGION, (0, COMMUNICATE)), 3 * 200)
        self.assertEqual(report.value("c10d_wait_nxn", REGION, (1, COMMUNICATE)), 0)
        self.assertEqual(report.value("c10d", REGION, (0, COMMUNICATE)), 3 * (420 - 200))
        # The gemm lasts from 120 to 280, the allreduce from 180 to 600; 200 us later on rank 1.
        self.assertEqual(report.value("c10d_exposed", REGION, (0, COMMUNICATE)), 3 * (420 - 100))
        self.assertEqual(report.value("c10d_exposed", REGION, (1, COMMUNICATE)), 3 * (220 - 100))
        self.assertIn("end up to 0.000 us apart", report.warnings)
        # Meanwhile, from 180 to 300 us of a step, rank 1 loads. Before its first kernel a stream has no past to follow.
        self.assertEqual(report.value("blame_c10d_n2n", "ProfilerStep/load", (1, "Main thread 100")), 2 * 120)

    def test_sentence(self):
        self.write("rank0.json", trace(rank(0), 0, 2))
        self.write("rank1.json", trace(rank(200), 1, 2))
        self.report()
        self.assertIn("of the communication of accelerators", self.text())

    def test_clocks(self):
        """The clock of rank 1 is 5 ms ahead: the ends of the kernels show it."""
        self.write("rank0.json", trace(rank(0), 0, 2))
        self.write("rank1.json", trace(rank(200, 5000), 1, 2))
        report = self.report()
        self.assertEqual(report.value("c10d_wait_nxn", REGION, (0, COMMUNICATE)), 3 * 200)
        self.assertIn("The clocks of 1 of 2 ranks are moved by up to 5000.000 us", report.warnings)

    def test_numbers_of_groups(self):
        """Rank 0 has one operation more: the others are matched by their numbers."""
        more = [call("cudaLaunchKernelExC", 3100, 10, 99), collective(3120, 50, 99, 4)]
        self.write("rank0.json", trace(rank(0) + more, 0, 2))
        self.write("rank1.json", trace(rank(200), 1, 2))
        report = self.report()
        self.assertEqual(report.value("c10d_wait_nxn"), 3 * 200)
        self.assertIn("1 kernels of collectives have no counterpart", report.warnings)

    def test_order(self):
        """Older profilers: an annotation around the launch states operation and size."""
        for number, late in ((0, 0), (1, 200)):
            events = rank(late, sequence=None)
            for operation in [made for made in events if made["name"] == "c10d::allreduce_"]:
                operation.update(name="nccl:all_reduce", cat="user_annotation")
                operation["args"]["Input Dims"] = [[1000]]
            self.write(f"rank{number}.json", trace(events, number, 2))
        report = self.report()
        self.assertEqual(report.value("c10d_wait_nxn"), 3 * 200)
        self.assertIn("6 kernels of collectives do not state their process group and sequence number", report.warnings)

    def test_order_that_cannot_be(self):
        """Kernels that do not overlap are not one operation."""
        for number, late in ((0, 0), (1, 200)):
            events = rank(late, 700 * number, sequence=None)
            for operation in [made for made in events if made["name"] == "c10d::allreduce_"]:
                operation.update(name="nccl:all_reduce", cat="user_annotation")
            self.write(f"rank{number}.json", trace(events, number, 2))
        report = self.report()
        self.assertEqual(report.value("c10d_wait_nxn"), 0)
        self.assertIn("6 kernels of collectives have no counterpart", report.warnings)
        self.assertIn("No collectives of different ranks are matched", report.warnings)

    def test_operations_with_roots(self):
        for number, late in ((0, 0), (1, 200)):
            self.write(f"rank{number}.json", trace(rank(late, name="broadcast"), number, 2))
        report = self.report()
        self.assertEqual(report.value("c10d_wait_nxn"), 0)
        self.assertIn("6 kernels are of operations whose root the traces do not state", report.warnings)

    def test_groups_in_the_job(self):
        """The kernel states not all members, but distributedInfo does."""
        info = {"backend": "nccl", "world_size": 4,
                "pg_config": [{"pg_name": "0", "ranks": [0, 1, 2, 3]}, {"pg_name": "5", "ranks": [0, 2]}]}
        for number, late in ((0, 0), (1, 50), (2, 200)):
            content = trace(rank(late, group="5" if number != 1 else "6", ranks="[0, ..., 2]"))
            content["distributedInfo"] = {**info, "rank": number}
            self.write(f"rank{number}.json", content)
        report = self.report()
        self.assertEqual(report.value("c10d_wait_nxn", REGION, (0, COMMUNICATE)), 3 * 200)
        self.assertEqual(report.value("c10d_wait_nxn"), 3 * 200)

    def test_gloo(self):
        self.write("rank0.json", trace([event("user_annotation", "gloo:all_reduce", 0, 50, 101)], 0))
        self.assertEqual(self.report().value("c10d", "gloo:all_reduce"), 50)
