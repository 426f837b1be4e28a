# SPDX-License-Identifier: BSD-3-Clause
"""fermata export of archives: nothing is lost, and what comes to them is where it belongs."""

import collections
import json
import os
import re
import shutil
import subprocess
import unittest

from support import TESTS, Experiments, fermata, late_sender

ONE_SIDED = """
unit 1
ranks 3
window w world
"""


def on(rank, *lines):
    """Events of one rank: 'time event...' with tuples for calls that last: (from, to, name, ...)."""
    events = []
    for line in lines:
        if isinstance(line, tuple):
            begin, end, name, *inside = line
            events.append(f"{begin} {rank} enter {name}")
            events += [f"{time} {rank} {event}" for time, event in inside]
            events.append(f"{end} {rank} leave {name}")
        else:
            events.append(line.replace("@", str(rank), 1))
    return "\n".join([f"0 {rank} enter main", *events, f"50 {rank} leave main"]) + "\n"


def fence(begin, end):
    return (begin, end, "MPI_Win_fence", (begin, "rma_coll_begin"), (end, "rma_coll_end barrier w"))


FENCES = ONE_SIDED + on(
    0,
    fence(1, 2),
    (3, 4, "MPI_Put", (3, "put w 1 8 1")),
    (4, 5, "MPI_Get", (4, "get w 2 16 2")),
    fence(6, 9),
) + on(1, fence(1, 2), fence(7, 10)) + on(2, fence(1, 2), fence(8, 11))

LIBRARIES = """
unit 0.001
ranks 2
window heap world
0 0 enter main
1 0 enter shmem_putmem
1 0 put heap 1 8 1
2 0 done_blocking heap 1
2 0 leave shmem_putmem
3 0 enter shmem_getmem
3 0 get heap 1 16 2
4 0 done_blocking heap 2
4 0 leave shmem_getmem
5 0 enter shmem_quiet
6 0 done_remote heap 1
6 0 leave shmem_quiet
20 0 leave main
0 1 enter main
7 1 enter caf put
7 1 put heap 0 32 3
9 1 done_blocking heap 3
9 1 done_remote heap 3
9 1 leave caf put
20 1 leave main
"""

GENERAL = ONE_SIDED + on(
    0,
    (1, 2, "MPI_Win_start", (1, "group_sync w 1")),
    (3, 4, "MPI_Put", (3, "put w 1 8 1")),
    (5, 6, "MPI_Win_complete", (6, "group_sync w 1")),
    (7, 8, "MPI_Win_start", (7, "group_sync w 1")),
    (8, 9, "MPI_Put", (8, "put w 1 32 2")),
    (10, 11, "MPI_Win_complete", (11, "group_sync w 1")),
) + on(
    1,
    (1, 2, "MPI_Win_post", (1, "group_sync w 0")),
    (5, 7, "MPI_Win_wait", (7, "group_sync w 0")),
    (7.5, 8, "MPI_Win_post", (7.5, "group_sync w 0")),
    (9, 12, "MPI_Win_wait", (12, "group_sync w 0")),
) + on(2)

LOCKS = ONE_SIDED + on(
    0,
    (1, 2, "MPI_Win_lock", (1, "lock_request w 1 0 x")),
    (3, 4, "MPI_Put", (3, "put w 1 8 1")),
    (4, 5, "MPI_Win_flush", (5, "done_remote w 1")),
    (5, 6, "MPI_Accumulate", (5, "atomic w 1 24 2")),
    (7, 8, "MPI_Win_unlock", (8, "done_remote w 2"), (8, "lock_release w 1 0 x")),
) + on(1) + on(2)


@unittest.skipUnless(shutil.which("otf2-print"), "otf2-print is not installed")
class Archives(Experiments):
    def events(self, place):
        """[(record, location, time, text)] as otf2-print tells them; it must have no complaint."""
        anchor = os.path.join(place, "traces.otf2")
        done = subprocess.run(["otf2-print", anchor], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [
            (match[1], int(match[2]), int(match[3]), match[4])
            for match in re.finditer(r"^([A-Z][A-Z_0-9]+) +(\d+) +(\d+) *(.*)$", done.stdout, re.M)
        ]

    @staticmethod
    def findings(place):
        """What is inconsistent: a scenario may be, its copies are no more so."""
        done = subprocess.run([os.environ["FERMATA"], "check", place], capture_output=True, text=True)
        return sorted(done.stdout.splitlines()[:-1])

    def export(self, form, scenario):
        place = self.experiment("a", scenario)
        copy = self.path("copy")
        fermata("export", "--to", form, "-o", copy, place)
        self.assertEqual(self.findings(copy), self.findings(place))
        return self.events(place), self.events(copy)

    def test_wait_states_are_regions_inside_of_calls(self):
        before, after = self.export("otf2", late_sender(2))
        added = collections.Counter(after) - collections.Counter(before)
        waits = sorted((e[0], e[1], e[2]) for e in added if e[0] in ("ENTER", "LEAVE"))
        self.assertEqual(waits, [("ENTER", 1, 1000), ("LEAVE", 1, 3000)])
        self.assertFalse(collections.Counter(before) - collections.Counter(after))
        inside = [e for e in after if e[1] == 1 and e[0] in ("ENTER", "LEAVE")]
        names = [re.search(r'"(.*)"', e[3])[1] for e in inside]
        self.assertEqual(names, ["main", "MPI_Recv", "Late Sender", "Late Sender", "MPI_Recv", "main"])

    def test_the_recorder_is_named(self):
        """What a copy can be relied on for is what its recorder noted."""
        place = self.path("recorded")
        shutil.copytree(os.path.join(TESTS, "traces", "scorep-waits"), place)
        fermata("analyze", "-q", place)
        fermata("export", "--to", "otf2", "-o", self.path("copy"), place)
        fermata("analyze", "-q", self.path("copy"))
        recorder, copy = (json.loads(fermata("report", "--format", "json", each))["experiment"]
                          for each in (place, self.path("copy")))
        self.assertIn("Score-P", recorder["creator"])
        self.assertEqual(copy["creator"], recorder["creator"])

    def test_the_critical_path_is_a_metric(self):
        _, after = self.export("otf2", late_sender(2))
        path = sorted((e[2], e[1], int(re.search(r"UINT64; (\d)", e[3])[1]))
                      for e in after if e[0] == "METRIC")
        # Both end at 20; the path begins at the end of rank 0 and stays there.
        self.assertEqual(path, [(0, 0, 1), (20000, 0, 0)])

    def transfers(self, scenario):
        _, after = self.export("otf2-extended", scenario)
        found = []
        for record, location, time, text in after:
            if record in ("MPI_SEND", "MPI_RECV"):
                peer = int(re.search(r"(?:Receiver|Sender): (\d+)", text)[1])
                tag = int(re.search(r"Tag: (\d+)", text)[1]) - 0x10000001
                size = int(re.search(r"Length: (\d+)", text)[1])
                found.append((time, record, location, peer, ["put", "get", "atomic"][tag], size))
        return sorted(found)

    def test_fences(self):
        self.assertEqual(self.transfers(FENCES), [
            (3000, "MPI_SEND", 0, 1, "put", 8),
            (4000, "MPI_SEND", 2, 0, "get", 16),
            (9000, "MPI_RECV", 0, 2, "get", 16),
            (10000, "MPI_RECV", 1, 0, "put", 8),
        ])

    def test_general_active_target(self):
        self.assertEqual(self.transfers(GENERAL), [
            (3000, "MPI_SEND", 0, 1, "put", 8),
            (7000, "MPI_RECV", 1, 0, "put", 8),
            (8000, "MPI_SEND", 0, 1, "put", 32),
            (12000, "MPI_RECV", 1, 0, "put", 32),
        ])

    def test_locks(self):
        self.assertEqual(self.transfers(LOCKS), [
            (3000, "MPI_SEND", 0, 1, "put", 8),
            (5000, "MPI_RECV", 1, 0, "put", 8),
            (5000, "MPI_SEND", 0, 1, "atomic", 24),
            (8000, "MPI_RECV", 1, 0, "atomic", 24),
        ])

    def check_completions(self, put, get, atomic, quiet, barrier, lock, unlock):
        """The target makes no call for a transfer: the records of completion decide, not barriers, locks or
        completions of other operations."""
        scenario = ONE_SIDED + on(
            0,
            (3, 4, put, (3, "put w 1 8 1"), (4, "done_blocking w 1")),
            (5, 6, put, (5, "put w 1 16 1"), (6, "done_blocking w 1")),
            (6, 7, get, (6, "get w 2 32 2")),
            (8, 9, atomic, (8, "atomic w 1 4 3"), (9, "done_blocking w 3"), (9, "done_remote w 3")),
            (10, 11, lock, (11, "lock_acquire w all 64")),
            (12, 13, unlock, (12, "lock_release w all 64")),
            (14, 15, quiet, (15, "done_remote w 1"), (15, "done_nonblocking w 2")),
            (16, 17, put, (16, "put w 1 64 4"), (17, "done_blocking w 4")),
            (18, 19, barrier, (19, "rma_coll_end barrier w")),
        ) + on(1, (16, 19, barrier, (19, "rma_coll_end barrier w"))) + on(
            2, (16, 19, barrier, (19, "rma_coll_end barrier w")))
        self.assertEqual(self.transfers(scenario), [
            (3000, "MPI_SEND", 0, 1, "put", 8),
            (5000, "MPI_SEND", 0, 1, "put", 16),
            (6000, "MPI_SEND", 2, 0, "get", 32),
            (8000, "MPI_SEND", 0, 1, "atomic", 4),
            (9000, "MPI_RECV", 1, 0, "atomic", 4),
            (15000, "MPI_RECV", 0, 2, "get", 32),
            (15000, "MPI_RECV", 1, 0, "put", 8),
            (15000, "MPI_RECV", 1, 0, "put", 16),
        ])

    def test_shmem(self):
        self.check_completions("shmem_put8", "shmem_get8_nbi", "shmem_int_atomic_inc", "shmem_quiet",
                               "shmem_barrier_all", "shmem_set_lock", "shmem_clear_lock")

    def test_armci(self):
        self.check_completions("ARMCI_Put", "ARMCI_NbGet", "ARMCI_Rmw", "ARMCI_AllFence", "ARMCI_Barrier",
                               "ARMCI_Lock", "ARMCI_Unlock")

    def test_coarrays(self):
        self.check_completions("caf put", "caf get", "caf atomic", "caf sync memory", "caf sync all", "caf lock",
                               "caf unlock")

    def test_operations_that_never_complete_are_left_out(self):
        scenario = ONE_SIDED + on(0, (3, 4, "MPI_Put", (3, "put w 1 8 1"))) + on(1) + on(2)
        self.assertEqual(self.transfers(scenario), [])


class Requests(Experiments):
    def test_existing_directories_and_standard_output(self):
        place = self.experiment("a", late_sender(2))
        os.mkdir(self.path("there"))
        self.assertIn("File exists", fermata("export", "--to=otf2", "-o", self.path("there"), place, status=2))
        self.assertIn("standard output", fermata("export", "--to=otf2", "-o", "-", place, status=2))
        fermata("export", "--to=otf2", "--ranks=0", place, status=2)
        fermata("export", "--to=otf2", place)
        self.assertTrue(os.path.exists(os.path.join(place, "otf2-waits", "traces.otf2")))

    def test_a_file_size_limit_leaves_nothing(self):
        import resource

        place = self.experiment("a", late_sender(2))
        done = subprocess.run(
            [os.environ["FERMATA"], "export", "--to=otf2", "-o", self.path("copy"), place],
            capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertFalse(os.path.exists(self.path("copy")))


if __name__ == "__main__":
    unittest.main()
