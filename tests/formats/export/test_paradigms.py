# SPDX-License-Identifier: BSD-3-Clause
"""Exports of one-sided paradigms: processes and locks are called what the paradigm calls them, in all formats."""

import csv
import io
import json
import os
import unittest

import cubex_reader
from support import TESTS, Experiments, fermata

# Process 1 waits for the lock of process 0 and puts into its memory.
LOCKS = """
unit 1
ranks 2
window global world
0 0 enter main
1 0 enter {lock}
2 0 lock_acquire global 0 {id}
2 0 leave {lock}
6 0 enter {unlock}
6 0 lock_release global 0 {id}
7 0 leave {unlock}
20 0 leave main
0 1 enter main
3 1 enter {lock}
8 1 lock_acquire global 0 {id}
8 1 leave {lock}
9 1 enter {put}
9 1 put global 0 64 1
10 1 done_remote global 1
10 1 leave {put}
11 1 enter {unlock}
11 1 lock_release global 0 {id}
12 1 leave {unlock}
20 1 leave main
"""
CALLS = {
    "caf": {"lock": "caf lock", "unlock": "caf unlock", "put": "caf put"},
    "armci": {"lock": "ARMCI_Lock", "unlock": "ARMCI_Unlock", "put": "ARMCI_Put"},
    "shmem": {"lock": "shmem_set_lock", "unlock": "shmem_clear_lock", "put": "shmem_putmem"},
    "mpi": {"lock": "MPI_Win_lock", "unlock": "MPI_Win_unlock", "put": "MPI_Put"},
}
NOUNS = {"caf": ("Image", 1), "armci": ("Rank", 0), "shmem": ("PE", 0)}


class Paradigms(Experiments):
    def locks(self, paradigm, lock):
        return self.experiment(f"{paradigm}-{lock}", LOCKS.format(id=lock, **CALLS[paradigm]))

    def test_locks(self):
        for paradigm, lock, name in [
            ("caf", 64, "coarray lock 0x40 of image 1"),
            ("armci", 3, "ARMCI mutex 3 of process 0"),
            ("armci", (2 << 32) + 3, "ARMCI mutex 3 of set 2 of process 0"),
            ("shmem", 64, "SHMEM lock 0x40"),
        ]:
            with self.subTest(paradigm, lock=lock):
                place = self.locks(paradigm, lock)
                self.assertEqual([found["name"] for found in self.report(place)["locks"]], [name])
                self.assertIn(name, fermata("report", "--locks", place).decode())
                text = fermata("report", place).decode()
                self.assertIn(f"the {name}", " ".join(text.split()))

    def test_cubex(self):
        for paradigm, (noun, first) in NOUNS.items():
            with self.subTest(paradigm):
                place = self.locks(paradigm, 0)
                cube = cubex_reader.read(fermata("export", "--to=cubex", "-o", "-", place))
                self.assertEqual([location.process for location in cube.locations],
                                 [f"{noun} {first}", f"{noun} {first + 1}"])
                self.assertEqual([location.rank for location in cube.locations], [0, 1])
                regions = {cnode.region["name"]: cnode.region["paradigm"] for cnode in cube.cnodes.values()}
                self.assertEqual(regions, {"main": "user",
                                           **{name: paradigm for name in CALLS[paradigm].values()}})
                waiting, = (metric for metric in cube.metrics if metric.name == f"{paradigm}_lock_contention")
                found = {(cube.cnodes[cnode].region["name"], location): value
                         for (cnode, location), value in cube.exclusive(waiting).items() if value != 0}
                self.assertEqual(found, {(CALLS[paradigm]["lock"], 1): 4})

    def test_timelines(self):
        for paradigm, (noun, first) in NOUNS.items():
            with self.subTest(paradigm):
                place = self.locks(paradigm, 0)
                document = json.loads(fermata("export", "--to=perfetto-json", "-o", "-", place))
                events = document["traceEvents"]
                names = {event["pid"]: event["args"]["name"] for event in events
                         if event.get("name") == "process_name"}
                self.assertEqual(names, {0: f"{noun} {first}", 1: f"{noun} {first + 1}"})
                wait, = (event for event in events if event.get("cat") == "wait state")
                self.assertEqual(wait["args"], {"metric": f"{paradigm}_lock_contention",
                                                f"caused by {noun if noun == 'PE' else noun.lower()}": first})
                put = [(event["ph"], event["pid"], event["ts"]) for event in events if event.get("name") == "put"]
                self.assertEqual(sorted(put), [("f", 0, 10e6), ("s", 1, 9e6)])
                own = fermata("export", "--to=perfetto", "-o", "-", place)
                for text in (f"{noun} {first}", f"{noun} {first + 1}", CALLS[paradigm]["put"]):
                    self.assertIn(text.encode(), own)
                graph = fermata("export", "--to=graphviz", "-o", "-", place).decode()
                self.assertIn(f"{noun if noun == 'PE' else noun.lower()} {first + 1}", graph)

    def test_data_count_processes_from_0(self):
        place = self.locks("caf", 0)
        rows = list(csv.DictReader(io.StringIO(fermata("export", "--to=csv", "-o", "-", place).decode())))
        waiting = [row for row in rows if row["metric"] == "caf_lock_contention"]
        self.assertEqual([(row["callpath"], row["rank"], float(row["value"])) for row in waiting],
                         [("main/caf lock", "1", 4.0)])
        report = self.report(place)
        self.assertEqual([location["rank"] for location in report["locations"]], [0, 1])
        self.assertEqual([victim["rank"] for victim in report["locks"][0]["victims"]], [1])
        self.assertEqual(json.loads(fermata("export", "--to=json", "-o", "-", place)), report)

    def test_all_statements_of_coarrays(self):
        """The scenario of all rules: its cube has their values, and each image its statements."""
        with open(os.path.join(TESTS, "rules", "scenarios", "libraries", "caf.scn"), encoding="utf-8") as file:
            place = self.experiment("caf", file.read())
        cube = cubex_reader.read(fermata("export", "--to=cubex", "-o", "-", place))
        self.assertEqual([location.process for location in cube.locations], ["Image 1", "Image 2", "Image 3"])
        values = {metric.name: sum(cube.exclusive(metric).values()) for metric in cube.metrics}
        for name, seconds in {"caf_barrier_wait": 3, "caf_sync_images_wait": 5, "caf_event_wait": 2,
                              "caf_comm_wait_for_progress": 1}.items():
            self.assertEqual(values[name], seconds, name)


if __name__ == "__main__":
    unittest.main()
