#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cases of passive-target communication, derived by hand from the rules, and the scenarios that
were made by hand: the reference must get all of them right."""

import glob
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "reference"))

import metrics
import scenario_file
import severities
import timeline
from test_reference import ReferenceTest, calls

HEADER = ["ranks 4", "window w world"]
REQUEST, RELEASE = "lock_request w 3 0 x", "lock_release w 3 0"


def exclusive(loc, lock, unlock):
    """An epoch on rank 3."""
    return calls(loc, ("MPI_Win_lock",) + lock + (REQUEST,),
                 ("MPI_Win_unlock",) + unlock + (RELEASE,))


class LockContentionTest(ReferenceTest):
    def test_latest_release_activity_before_the_own_one(self):
        self.evaluate(HEADER, exclusive(0, (0, 1), (2, 4)), exclusive(1, (0, 1), (3, 6)),
                      exclusive(2, (0, 1), (5, 8)))
        self.assert_value(1, "mpi_rma_sync_lock_competition", "MPI_Win_unlock", 1)
        self.assert_value(1, "mpi_rma_sync_lock_competition", "MPI_Win_unlock", 2)
        self.assert_value(2, "mpi_rma_sync_lock_competition")

    def test_window_of_candidates(self):
        # Release activity 2..4. A lock call that ends at 2 is none, one that ends behind it is.
        for leave, expected in ((2, 0), (2.001, 1.001), (3, 2), (4, 3), (5, 3)):
            self.evaluate(HEADER, exclusive(0, (0, 1), (2, 4)), exclusive(1, (1, leave), (6, 7)))
            self.assert_value(expected, "mpi_rma_sync_lock_competition", "MPI_Win_lock", 1)

    def test_what_the_predecessor_waited_for_itself_is_not_passed_on(self):
        # Rank 1's release activity 2..6 waits until 4.
        for leave, expected in ((4, 0), (4.001, 3.001)):
            self.evaluate(HEADER, exclusive(0, (0, 1), (2, 4)), exclusive(1, (0, 1), (2, 6)),
                          exclusive(2, (1, leave), (7, 8)))
            self.assert_value(expected, "mpi_rma_sync_lock_competition", "MPI_Win_lock", 2)

    def test_what_a_lock_all_waits_for_is_not_passed_on_whichever_target_it_is(self):
        # Rank 1's unlock_all 2..6 waits until 5 for the lock of rank 2, rank 0's. Rank 3 wants that
        # of rank 3; its lock ends before 5.
        self.evaluate(HEADER,
                      calls(0, ("MPI_Win_lock", 0, 1, "lock_request w 2 0 x"),
                            ("MPI_Win_unlock", 4, 5, "lock_release w 2 0")),
                      calls(1, ("MPI_Win_lock_all", 0, 1, "lock_request w all 0 s"),
                            ("MPI_Win_unlock_all", 2, 6, "lock_release w all 0")),
                      exclusive(3, (1, 4), (6, 7)))
        self.assert_value(3, "mpi_rma_sync_lock_competition", "MPI_Win_unlock_all", 1)
        self.assert_value(0, "mpi_rma_sync_lock_competition", "MPI_Win_lock", 3)

    def test_epochs_of_one_owner_at_one_tick_the_earlier_event_decides(self):
        # Both epochs of rank 0 end at 4: release activities 2..4 and 4..4.
        self.evaluate(HEADER,
                      exclusive(0, (0, 1), (2, 4)) + exclusive(0, (4, 4), (4, 4)),
                      exclusive(1, (1, 3), (6, 7)))
        self.assert_value(2, "mpi_rma_sync_lock_competition", "MPI_Win_lock", 1)

    def test_threads_of_one_process_are_one_owner(self):
        self.evaluate(["ranks 4 threads 2", "window w world"], exclusive(0, (0, 1), (2, 6)),
                      exclusive("0.1", (5, 7), (7, 8)))
        self.assert_value(0, "mpi_rma_sync_lock_competition")

    def test_only_the_acquiring_call_waits_where_it_is_known(self):
        self.evaluate(HEADER, exclusive(0, (0, 1), (2, 6)),
                      calls(1, ("MPI_Win_lock", 1, 3, REQUEST, "lock_acquire w 3 0 x"),
                            ("MPI_Win_unlock", 3, 7, RELEASE)))
        self.assert_value(2, "mpi_rma_sync_lock_competition", "MPI_Win_lock", 1)
        self.assert_value(0, "mpi_rma_sync_lock_competition", "MPI_Win_unlock", 1)


class WaitForProgressTest(ReferenceTest):
    def unlock(self, *calls_of_target, ranks="ranks 2"):
        self.evaluate([ranks, "window w world", "analyze --progress=target"],
                      calls(0, ("MPI_Win_lock", 0, 0.5, "lock_request w 1 0 x"),
                            ("MPI_Win_unlock", 3, 6, "lock_release w 1 0")),
                      *[calls(loc, (region, enter, leave))
                        for loc, region, enter, leave in calls_of_target])
        return self.value("mpi_rma_sync_wait_for_progress", "MPI_Win_unlock", 0)

    def test_first_call_that_overlaps(self):
        self.assertEqual(2, self.unlock((1, "MPI_Test", 5, 9)))
        self.assertEqual(3, self.unlock((1, "MPI_Test", 2, 3), (1, "MPI_Test", 6, 7)))
        self.assertEqual(0, self.unlock((1, "MPI_Test", 6.001, 7)))
        self.assertEqual(0, self.unlock((1, "MPI_Test", 2, 3.001), (1, "MPI_Test", 5, 6)))
        self.assertEqual(2, self.unlock((1, "MPI_Test", 3, 3), (1, "MPI_Test", 5, 6)))  # occupies nothing

    def test_which_calls_progress(self):
        for region, progresses in (
                ("MPI_Comm_rank", 0), ("MPI_Wtime", 0), ("MPI_Group_incl", 0), ("foo", 0),
                ("MPI_Type_commit", 0), ("MPI_Comm_dup", 1), ("MPI_Cart_create", 1),
                ("MPI_Comm_get_name", 0), ("MPI_Comm_free_keyval", 0), ("MPI_File_open", 1),
                ("MPI_File_read", 1), ("MPI_Win_free", 1), ("MPI_Win_flush", 1), ("MPI_Bcast", 1),
                ("MPI_Init", 1), ("MPI_Wait", 1), ("MPI_Iprobe", 1), ("shmem_quiet", 0),
                ("MPI_Iprobe_c", 1), ("MPI_Send_init", 0), ("MPI_Bcast_init", 0),
                ("MPI_Initialized", 0), ("MPI_Finalized", 0), ("MPI_Request_c2f", 0),
                ("MPI_Reduce_local", 0), ("MPI_Request_get_status", 1)):
            self.assertEqual(2 * progresses, self.unlock((1, region, 5, 9)), region)

    def test_the_earliest_of_all_threads(self):
        self.assertEqual(1, self.unlock((1, "MPI_Test", 5, 6), ("1.1", "MPI_Test", 4, 5),
                                        ranks="ranks 2 threads 2"))

    def test_lower_bound(self):
        def test(loc, enter, leave):
            return calls(loc, ("MPI_Test", enter, leave))
        origin = calls(0, ("MPI_Win_lock_all", 0, 0, "lock_request w all 0 s"),
                       ("MPI_Put", 0, 0, "put w 1 8 1"), ("MPI_Get", 0, 0, "get w 2 8 2"),
                       ("MPI_Accumulate", 0, 0, "atomic w 3 8 3"),
                       ("MPI_Win_unlock_all", 1, 9, "lock_release w all 0"))
        for first, second, third, wait, lower in (
                ((2, 3), (3, 4), (8, 9), 7, 5), ((0, 5), (4, 6), (8, 9), 7, 2),
                ((0, 9), (4, 6), (8, 9), 7, 0), ((2, 7), (3, 4), (6, 9), 5, 1)):
            self.evaluate(HEADER, origin, test(1, *first), test(2, *second), test(3, *third))
            self.assert_value(wait, "mpi_rma_sync_wait_for_progress", "MPI_Win_unlock_all")
            self.assert_value(lower, "mpi_rma_sync_wait_for_progress_lower", "MPI_Win_unlock_all")

    def completed_by(self, operation, *records):
        """Wait of a shared epoch's unlock 4..9 for the target's call at 7, after a call 2..3 with
        completion records."""
        call, record = operation
        self.evaluate(["ranks 2", "window w world"],
                      calls(0, ("MPI_Win_lock", 0, 0, "lock_request w 1 0 s"),
                            (call, 1, 1, record), ("MPI_Win_flush", 2, 3) + records,
                            ("MPI_Win_unlock", 4, 9, "done_remote w 1", "lock_release w 1 0")),
                      calls(1, ("MPI_Test", 7, 8)))
        return self.value("mpi_rma_sync_wait_for_progress", "MPI_Win_unlock", 0)

    def test_operations_completed_before(self):
        put, get = ("MPI_Put", "put w 1 8 1"), ("MPI_Get", "get w 1 8 1")
        atomic = ("MPI_Fetch_and_op", "atomic w 1 8 1")
        for operation, record, expected in (
                (put, "done_remote w 1", 0), (put, "done_nonblocking w 1", 3),
                (put, "done_blocking w 1", 3), (atomic, "done_nonblocking w 1", 3),
                (atomic, "done_remote w 1", 0), (get, "done_nonblocking w 1", 0),
                (get, "done_remote w 1", 0), (put, "done_remote w 2", 3)):
            self.assertEqual(expected, self.completed_by(operation, record), (operation, record))

    def flush(self, region, lock, *records):
        """Wait of a flush 2..5 with the records, behind a get from rank 1 that a call before it has
        completed, for rank 1's call at 4."""
        self.evaluate(["ranks 2", "window w world"],
                      calls(0, ("MPI_Win_lock", 0, 0, "lock_request w 1 0 " + lock),
                            ("MPI_Get", 0, 0, "get w 1 8 1"), ("MPI_Put", 0, 0, "put w 1 8 2"),
                            ("MPI_Win_flush_local", 1, 1, "done_nonblocking w 1",
                             "done_nonblocking w 2"),
                            (region, 2, 5) + records,
                            ("MPI_Win_unlock", 6, 6, "lock_release w 1 0")),
                      calls(1, ("MPI_Test", 4, 5)))
        return self.value("mpi_rma_sync_wait_for_progress", region, 0)

    def test_flushes_name_targets_by_completions_also_of_completed_operations_or_by_rma_sync(self):
        for region, lock, records, expected in (
                ("MPI_Win_flush", "s", ("done_remote w 2",), 2),
                ("MPI_Win_flush", "s", ("done_remote w 1",), 2),
                ("MPI_Win_flush", "s", ("sync w 1",), 2), ("MPI_Win_flush", "s", ("sync w 0",), 0),
                ("MPI_Win_flush", "x", (), 0), ("MPI_Win_flush", "x", ("done_remote w 1",), 2),
                ("MPI_Win_flush_all", "s", ("sync w 0",), 2),
                ("MPI_Win_flush_local_all", "x", ("done_nonblocking w 1",), 2),
                ("MPI_Win_flush_local_all", "s", ("done_nonblocking w 1",), 0),
                ("MPI_Win_sync", "x", ("sync w 1",), 0)):
            self.assertEqual(expected, self.flush(region, lock, *records), (region, lock, records))

    def test_rma_sync_makes_a_flush_part_of_its_epoch(self):
        for record, expected in (((), 0), (("sync w 3",), 2)):
            self.evaluate(HEADER, exclusive(0, (0, 1), (2, 4)),
                          calls(1, ("MPI_Win_lock", 1, 1, REQUEST),
                                ("MPI_Win_flush", 2, 5) + record,
                                ("MPI_Win_unlock", 6, 7, RELEASE)))
            self.assert_value(expected, "mpi_rma_sync_lock_competition", "MPI_Win_flush", 1)

    def test_wait_of_a_request_based_operation_until_its_remote_completion(self):
        for kind, region, record, expected in (("put", "MPI_Rput", "done_nonblocking w 1", 2),
                                               ("put", "MPI_Rput", "done_remote w 1", 0),
                                               ("get", "MPI_Rget", "done_nonblocking w 1", 0)):
            self.evaluate(["ranks 2", "window w world"],
                          calls(0, ("MPI_Win_lock", 0, 0, "lock_request w 1 0 s"),
                                (region, 0, 0, kind + " w 1 8 1"),
                                ("MPI_Win_flush_local", 1, 1, record),
                                ("MPI_Wait", 2, 5, "done_nonblocking w 1"),
                                ("MPI_Win_unlock", 6, 6, "done_remote w 1", "lock_release w 1 0")),
                          calls(1, ("MPI_Test", 4, 5)))
            self.assert_value(expected, "mpi_rma_comm_wait_for_progress", "MPI_Wait", 0)

    def test_unlock_without_release_record_is_known_by_its_completion_records(self):
        self.evaluate(["ranks 2", "window w world"],
                      calls(0, ("MPI_Win_lock", 0, 0, "lock_request w 1 0 s"),
                            ("MPI_Put", 1, 1, "put w 1 8 1"),
                            ("MPI_Win_unlock", 2, 6, "done_remote w 1")),
                      calls(1, ("MPI_Test", 5, 6)))
        self.assert_value(3, "mpi_rma_sync_wait_for_progress", "MPI_Win_unlock", 0)


class HandMadeScenariosTest(unittest.TestCase):
    """All values in scope that a scenario made by hand expects."""

    @staticmethod
    def expectation(words):
        """(metric, path, location, value, tolerance) of an `expect` line; paths may have blanks."""
        has_tolerance = len(words) == 5 and (words[2] == "*" or words[2].replace(".", "").isdigit())
        tolerance = float(words[-1]) if has_tolerance else 1e-9
        rest = words[:-1] if has_tolerance else words
        return rest[0], " ".join(rest[1:-2]), rest[-2], float(rest[-1]), tolerance

    @staticmethod
    def value(values, metric, path, loc):
        total = sum(value for (cell_path, cell_loc), value in values.get(metric, {}).items()
                    if path in ("*", "/".join(cell_path))
                    and (loc == "*" or scenario_file.parse_location(loc) == cell_loc))
        return total if metric in metrics.COUNT_METRICS else total / scenario_file.TICKS_PER_UNIT

    def test_expectations(self):
        in_scope = (set(metrics.TIME_METRICS) | set(metrics.COUNT_METRICS)
                    | set(metrics.INFO_METRICS))
        # The reference has no values of parameters and knows no pauses of the recording.
        paths = [path for path in sorted(glob.glob(os.path.join(HERE, "scenarios", "*", "*.scn")))
                 if "/parameters/" not in path and "/pauses-" not in path]
        self.assertGreater(len(paths), 100)
        for path in paths:
            scenario = scenario_file.read_scenario(path)
            values = severities.compute(timeline.Timeline(scenario)).values
            for words in scenario.expects:
                metric, call_path, loc, expected, tolerance = self.expectation(words)
                if metric in in_scope:
                    self.assertAlmostEqual(expected, self.value(values, metric, call_path, loc),
                                           delta=tolerance, msg="%s: %s" % (path, words))


if __name__ == "__main__":
    unittest.main()
