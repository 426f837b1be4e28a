#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small cases, derived by hand from the rules, that the reference must get right."""

import fractions
import os
import random
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "support")]

import blocking_sizes
import composition
import generate
import matching
import metrics
import scenario_file
import severities
import share
import timeline


def calls(loc, *specs):
    """Lines of calls: each spec is (region, enter, leave, record...)."""
    lines = []
    for region, enter, leave, *records in specs:
        lines.append("%s %s enter %s" % (enter, loc, region))
        lines += ["%s %s %s" % (leave, loc, record) for record in records]
        lines.append("%s %s leave %s" % (leave, loc, region))
    return lines


def program(header, *locations):
    return "\n".join(["unit 1"] + header + [line for lines in locations for line in lines])


class ReferenceTest(unittest.TestCase):
    def evaluate(self, header, *locations):
        scenario = scenario_file.parse_scenario(program(header, *locations))
        self.result = severities.compute(timeline.Timeline(scenario)).values

    def value(self, metric, path="*", loc="*"):
        total = 0
        for (cell_path, cell_loc), value in self.result.get(metric, {}).items():
            if path in ("*", "/".join(cell_path)) and (
                    loc == "*" or scenario_file.parse_location(str(loc)) == cell_loc):
                total += value
        return total if metric in metrics.COUNT_METRICS else total / scenario_file.TICKS_PER_UNIT

    def assert_value(self, expected, metric, path="*", loc="*"):
        self.assertEqual(expected, self.value(metric, path, loc), (metric, path, loc))


class CollectiveTest(ReferenceTest):
    def test_barrier_wait_and_completion(self):
        end = "coll_end barrier world - 0 0"
        self.evaluate(["ranks 3"], calls(0, ("MPI_Barrier", 1, 6, end)),
                      calls(1, ("MPI_Barrier", 4, 7, end)), calls(2, ("MPI_Barrier", 2, 9, end)))
        for loc, wait, completion, own in ((0, 3, 0, 2), (1, 0, 1, 2), (2, 2, 3, 2)):
            self.assert_value(wait, "mpi_barrier_wait", "*", loc)
            self.assert_value(completion, "mpi_barrier_completion", "*", loc)
            self.assert_value(own, "mpi_sync_collective", "*", loc)
        self.assert_value(3, "syncs_coll")

    def test_a_rank_that_left_before_did_not_wait(self):
        end = "coll_end allreduce world - 8 8"
        self.evaluate(["ranks 2"], calls(0, ("MPI_Allreduce", 1, 3, end)),
                      calls(1, ("MPI_Allreduce", 4, 6, end)))
        self.assert_value(0, "mpi_wait_nxn")
        self.assert_value(2, "mpi_nxn_completion", "*", 1)
        self.assert_value(2, "comms_cxch")

    def test_rooted_collectives(self):
        self.evaluate(["ranks 3", "comm c 2 0"],
                      calls(0, ("MPI_Bcast", 1, 6, "coll_end bcast c 0 0 8"),
                            ("MPI_Gather", 6, 7, "coll_end gather c 0 8 0")),
                      calls(2, ("MPI_Bcast", 4, 5, "coll_end bcast c 0 8 0"),
                            ("MPI_Gather", 5, 8, "coll_end gather c 0 0 8")))
        self.assert_value(3, "mpi_latebroadcast", "*", 0)
        self.assert_value(1, "mpi_earlyreduce", "*", 2)
        self.assert_value(1, "comms_cdst", "MPI_Bcast", 0)
        self.assert_value(8, "bytes_cin", "MPI_Gather", 2)

    def test_rooted_collectives_of_no_bytes_wait_for_nobody_where_bytes_are_counted(self):
        for size, expected in ((8, 0), (0, 3)):
            alone = "coll_end allreduce self - %d 0" % size
            self.evaluate(["ranks 2"], calls(0, ("MPI_Allreduce", 0, 0, alone),
                                             ("MPI_Bcast", 1, 6, "coll_end bcast world 1 0 0")),
                          calls(1, ("MPI_Bcast", 4, 5, "coll_end bcast world 1 0 0")))
            self.assert_value(expected, "mpi_latebroadcast")
            self.assert_value(2 if size else 3, "syncs_coll")

    def test_scan_waits_for_lower_ranks_only(self):
        end = "coll_end scan world - 8 8"
        self.evaluate(["ranks 3"], calls(0, ("MPI_Scan", 3, 9, end)),
                      calls(1, ("MPI_Scan", 1, 9, end)), calls(2, ("MPI_Scan", 6, 9, end)))
        self.assert_value(0, "mpi_earlyscan", "*", 0)
        self.assert_value(2, "mpi_earlyscan", "*", 1)
        self.assert_value(0, "mpi_earlyscan", "*", 2)

    def test_non_blocking_barrier_waits_in_the_completing_call(self):
        def rank(loc, start, wait, leave):
            return calls(loc, ("MPI_Ibarrier", start, start, "nb_coll_request 1"),
                         ("MPI_Wait", wait, leave, "nb_coll_complete barrier world - 0 0 1"))
        self.evaluate(["ranks 2"], rank(0, 0, 2, 6), rank(1, 5, 7, 8))
        self.assert_value(3, "mpi_barrier_wait", "MPI_Wait", 0)
        self.assert_value(1, "mpi_point2point", "MPI_Wait", 0)
        self.assert_value(0, "mpi_barrier_completion")
        self.assert_value(1, "syncs_coll", "MPI_Wait", 1)

    def test_instances_are_counted_at_the_start_call(self):
        bcast = "coll_end bcast world 1 0 8"
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Ibarrier", 0, 0, "nb_coll_request 1"),
                            ("MPI_Bcast", 1, 6, bcast),
                            ("MPI_Wait", 6, 7, "nb_coll_complete barrier world - 0 0 1")),
                      calls(1, ("MPI_Ibarrier", 3, 3, "nb_coll_request 1"),
                            ("MPI_Wait", 3, 4, "nb_coll_complete barrier world - 0 0 1"),
                            ("MPI_Bcast", 5, 6, "coll_end bcast world 1 8 0")))
        self.assert_value(4, "mpi_latebroadcast", "*", 0)
        self.assert_value(0, "mpi_barrier_wait")

    def test_create_group_does_not_count_on_the_parent(self):
        end = "coll_end create_handle c - 0 0"
        barrier = "coll_end barrier c - 0 0"
        self.evaluate(["ranks 2", "comm c 0 1"],
                      calls(0, ("MPI_Barrier", 0, 2, barrier),
                            ("MPI_Comm_create_group", 2, 6, end)),
                      calls(1, ("MPI_Comm_create_group", 3, 6, end),
                            ("MPI_Barrier", 7, 8, barrier)))
        self.assert_value(1, "mpi_comm_wait", "MPI_Comm_create_group", 0)

    def test_overlap_is_strict(self):
        end = "coll_end create_handle world - 0 0"
        for leave, expected in ((4, 0), (4.5, 3)):
            self.evaluate(["ranks 2"], calls(0, ("MPI_Comm_dup", 1, leave, end)),
                          calls(1, ("MPI_Comm_dup", 4, 6, end)))
            self.assert_value(expected, "mpi_comm_wait")

    def test_missing_partners_are_left_out(self):
        end = "coll_end barrier world - 0 0"
        self.evaluate(["ranks 3"], calls(0, ("MPI_Barrier", 1, 6, end)),
                      calls(1, ("MPI_Barrier", 4, 6, end)), ["5 2 enter MPI_Barrier"])
        self.assert_value(0, "mpi_barrier_wait", "*", "*")

    def test_one_process_gives_nothing(self):
        self.evaluate(["ranks 2"], calls(0, ("MPI_Barrier", 1, 6, "coll_end barrier self - 0 0")),
                      calls(1, ("MPI_Barrier", 4, 6, "coll_end barrier self - 0 0")))
        self.assert_value(7, "mpi_sync_collective")

    def test_init_and_finalize(self):
        end = "coll_end create_handle world - 0 0"
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Init", 0, 4, end), ("MPI_Finalize", 5, 9, end)),
                      calls(1, ("MPI_Init", 3, 6, end), ("MPI_Finalize", 7, 9, end)))
        self.assert_value(3, "mpi_init_wait", "*", 0)
        self.assert_value(2, "mpi_init_completion", "*", 1)
        self.assert_value(2, "mpi_finalize_wait", "*", 0)
        self.assert_value(0, "mpi_barrier_completion")

    def test_init_and_finalize_are_matched_by_their_calls(self):
        barrier = "coll_end barrier world - 0 0"
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Init", 0, 4, "coll_end create_handle world - 0 0"),
                            ("MPI_Barrier", 4, 6, barrier), ("MPI_Finalize", 7, 9)),
                      calls(1, ("MPI_Init_thread", 3, 4), ("MPI_Barrier", 5, 6, barrier),
                            ("MPI_Finalize", 8, 9)))
        self.assert_value(3, "mpi_init_wait", "*", 0)
        self.assert_value(1, "mpi_barrier_wait", "*", 0)
        self.assert_value(1, "mpi_finalize_wait", "*", 0)
        self.evaluate(["ranks 3"], calls(0, ("MPI_Init", 0, 4)), calls(1, ("MPI_Init", 3, 4)))
        self.assert_value(0, "mpi_init_wait")

    def test_neighbourhood_collectives_without_topology_have_no_wait_state(self):
        end = "coll_end allgather world - 8 8"
        self.evaluate(["ranks 2"], calls(0, ("MPI_Neighbor_allgather", 1, 6, end)),
                      calls(1, ("MPI_Neighbor_allgather", 4, 9, end)))
        self.assert_value(10, "mpi_collective")


class OneSidedTest(ReferenceTest):
    HEADER = ["ranks 3", "window w world"]

    def test_fence_and_early_fence(self):
        end = "rma_coll_end barrier w"
        self.evaluate(self.HEADER,
                      calls(0, ("MPI_Win_fence", 2, 9, end)),
                      calls(1, ("MPI_Put", 1, 4, "put w 0 8 1"), ("MPI_Put", 5, 5, "put w 2 8 2"),
                            ("MPI_Win_fence", 7, 9, end)),
                      calls(2, ("MPI_Win_fence", 6, 9, end)))
        self.assert_value(2, "mpi_rma_early_fence", "*", 0)
        self.assert_value(3, "mpi_rma_wait_at_fence", "*", 0)
        self.assert_value(0, "mpi_rma_early_fence", "*", 2)
        self.assert_value(1, "mpi_rma_wait_at_fence", "*", 2)
        self.assert_value(6, "mpi_rma_pairsync_count")
        self.assert_value(1, "mpi_rma_pairsync_unneeded_count", "*", 0)
        self.assert_value(0, "mpi_rma_pairsync_unneeded_count", "*", 1)
        self.assert_value(0, "mpi_rma_fence_partial")
        self.assert_value(3, "syncs_rma_active")

    def test_fence_that_did_not_synchronize(self):
        end = "rma_coll_end barrier w"
        self.evaluate(self.HEADER, calls(0, ("MPI_Win_fence", 2, 7, end)),
                      calls(1, ("MPI_Win_fence", 7, 9, end)),
                      calls(2, ("MPI_Win_fence", 6, 9, end)))
        self.assert_value(0, "mpi_rma_wait_at_fence")
        self.assert_value(3, "mpi_rma_fence_partial")
        self.assert_value(6, "mpi_rma_pairsync_unneeded_count")

    def test_epochs_end_with_each_fence_and_without_other_epochs(self):
        end = "rma_coll_end barrier w"
        self.evaluate(["ranks 2", "window w world"],
                      calls(0, ("MPI_Win_fence", 0, 9, end), ("MPI_Win_fence", 10, 20, end)),
                      calls(1, ("MPI_Put", 1, 4, "put w 0 8 1"), ("MPI_Win_fence", 7, 9, end),
                            ("MPI_Win_lock", 9, 11, "lock_request w 0 0 x"),
                            ("MPI_Put", 11, 12, "put w 0 8 2"),
                            ("MPI_Win_unlock", 12, 13, "lock_release w 0 0"),
                            ("MPI_Win_fence", 15, 20, end)))
        self.assert_value(4, "mpi_rma_early_fence", "*", 0)
        self.assert_value(8, "mpi_rma_wait_at_fence", "*", 0)
        self.assert_value(2, "mpi_rma_pairsync_unneeded_count", "MPI_Win_fence")
        self.assert_value(0, "mpi_rma_pairsync_unneeded_count", "MPI_Win_unlock")
        self.assert_value(1, "mpi_rma_pairsync_count", "MPI_Win_unlock", 1)

    def test_create_and_free(self):
        create, free = "rma_coll_end create_handle w", "rma_coll_end destroy_handle w"
        self.evaluate(["ranks 2", "window w world"],
                      calls(0, ("MPI_Win_create", 0, 4, "win_create w", create),
                            ("MPI_Win_free", 5, 9, "win_destroy w", free)),
                      calls(1, ("MPI_Win_create", 3, 4, "win_create w", create),
                            ("MPI_Win_free", 7, 9, "win_destroy w", free)))
        self.assert_value(3, "mpi_rma_wait_at_create", "*", 0)
        self.assert_value(2, "mpi_rma_wait_at_free", "*", 0)
        self.assert_value(0, "syncs_coll")

    def access(self, start, operation, complete, target="1 2"):
        return calls(0, ("MPI_Win_start",) + start + ("group_sync w " + target,),
                     ("MPI_Put",) + operation + ("put w 1 8 1",),
                     ("MPI_Win_complete",) + complete + ("group_sync w " + target,))

    def exposure(self, loc, post, wait, *more):
        return calls(loc, ("MPI_Win_post", post, post, "group_sync w 0"),
                     ("MPI_Win_wait",) + wait + ("group_sync w 0",), *more)

    def test_late_post_in_start(self):
        self.evaluate(self.HEADER, self.access((1, 6), (6, 7), (7, 8)),
                      self.exposure(1, 3, (3, 9)), self.exposure(2, 5, (5, 9)))
        self.assert_value(4, "mpi_rma_sync_late_post", "MPI_Win_start", 0)
        self.assert_value(0, "mpi_rma_comm_late_post")

    def test_late_post_in_an_operation_takes_its_target(self):
        self.evaluate(self.HEADER, self.access((1, 1), (1, 4), (4, 8)),
                      self.exposure(1, 3, (3, 9)), self.exposure(2, 5, (5, 9)))
        self.assert_value(2, "mpi_rma_comm_late_post", "MPI_Put", 0)
        self.assert_value(1, "mpi_rma_sync_late_post", "MPI_Win_complete", 0)
        self.assert_value(0, "mpi_rma_sync_late_post", "MPI_Win_start", 0)

    def test_missing_target(self):
        self.evaluate(self.HEADER, self.access((1, 1), (1, 4), (4, 8)),
                      self.exposure(1, 3, (3, 9)))
        self.assert_value(2, "mpi_rma_comm_late_post", "MPI_Put", 0)
        self.assert_value(0, "mpi_rma_sync_late_post")
        self.evaluate(self.HEADER, self.access((1, 4), (4, 4), (4, 8)),
                      self.exposure(1, 3, (3, 9)))
        self.assert_value(2, "mpi_rma_sync_late_post", "MPI_Win_start", 0)

    def test_early_wait_and_late_complete(self):
        self.evaluate(self.HEADER, self.access((1, 1), (2, 4), (7, 8)),
                      self.exposure(1, 0, (3, 9)), self.exposure(2, 0, (5, 9)))
        self.assert_value(3, "mpi_rma_late_complete", "MPI_Win_wait", 1)
        self.assert_value(1, "mpi_rma_early_wait", "MPI_Win_wait", 1)
        self.assert_value(2, "mpi_rma_late_complete", "MPI_Win_wait", 2)
        self.assert_value(0, "mpi_rma_early_wait", "MPI_Win_wait", 2)
        self.assert_value(2, "mpi_rma_pairsync_count", "MPI_Win_complete")
        self.assert_value(1, "mpi_rma_pairsync_unneeded_count", "MPI_Win_complete")
        self.assert_value(1, "mpi_rma_pairsync_unneeded_count", "MPI_Win_wait", 2)
        self.assert_value(0, "mpi_rma_pairsync_unneeded_count", "MPI_Win_wait", 1)

    def test_epochs_match_by_their_ordinal_for_the_pair(self):
        first = self.access((0, 0), (0, 0), (0, 0), "2")
        second = [line.replace("put w 1", "put w 2")
                  for line in self.access((1, 5), (5, 5), (5, 6))]
        self.evaluate(self.HEADER, first + second, self.exposure(1, 3, (7, 8)),
                      self.exposure(2, 0, (0, 1), ("MPI_Win_post", 4, 4, "group_sync w 0")))
        self.assert_value(3, "mpi_rma_sync_late_post", "MPI_Win_start", 0)

    def test_lock_all_counts_every_rank(self):
        self.evaluate(self.HEADER,
                      calls(0, ("MPI_Win_lock_all", 0, 1, "lock_request w all 0 s"),
                            ("MPI_Get", 1, 2, "get w 2 8 1"), ("MPI_Put", 2, 2, "put w 0 8 2"),
                            ("MPI_Win_unlock_all", 2, 3, "lock_release w all 0"),
                            ("MPI_Win_lock", 3, 3), ("MPI_Win_unlock", 3, 4, "lock_release w 1 0")))
        self.assert_value(3, "mpi_rma_pairsync_count", "MPI_Win_unlock_all")
        self.assert_value(1, "mpi_rma_pairsync_unneeded_count")
        self.assert_value(0, "mpi_rma_pairsync_count", "MPI_Win_unlock")
        self.assert_value(4, "syncs_rma_passive")
        self.assert_value(8, "bytes_get")


class WorkedExampleTest(ReferenceTest):
    """Three processes between two barriers that lock one window in turn (hermanns-2017, fig. 4.11):
    the rows of the barrier, the locks and the pair-wise synchronizations."""

    def test_contention_chain(self):
        barrier = "coll_end barrier world - 0 0"
        # rank: end of the first computation, Leave of the unlock, Enter of the last barrier
        times = {0: (2, 5, 5.5), 1: (2, 6, 6.5), 2: (2.5, 7, 7)}
        self.evaluate(["ranks 3", "window w world"], *[
            ["0 %d enter main" % rank]
            + calls(rank, ("MPI_Barrier", 1, 1, barrier), ("foo", 1, first),
                    ("MPI_Win_lock", first, first + 1, "lock_request w 0 0 x"),
                    ("MPI_Put", first + 1, first + 2, "put w 0 8 1"),
                    ("MPI_Win_unlock", first + 2, unlocked, "lock_release w 0 0"),
                    ("foo", unlocked, last), ("MPI_Barrier", last, 7, barrier))
            + ["8 %d leave main" % rank] for rank, (first, unlocked, last) in times.items()])
        self.assert_value(1.5, "mpi_barrier_wait", "main/MPI_Barrier", 0)
        self.assert_value(0.5, "mpi_barrier_wait", "main/MPI_Barrier", 1)
        self.assert_value(0, "mpi_barrier_wait", "main/MPI_Barrier", 2)
        self.assert_value(1, "mpi_rma_sync_lock_competition", "main/MPI_Win_unlock", 1)
        self.assert_value(1.5, "mpi_rma_sync_lock_competition", "main/MPI_Win_unlock", 2)
        self.assert_value(2.5, "mpi_rma_sync_lock_competition")
        self.assert_value(0, "mpi_rma_sync_wait_for_progress")
        self.assert_value(3, "mpi_rma_pairsync_count")
        self.assert_value(0, "mpi_rma_pairsync_unneeded_count")


class OwnNodeTest(unittest.TestCase):
    def test_nodes(self):
        for region, node in (
                ("foo", "comp"), ("!$omp parallel", "comp"), ("MPI_Init_thread", "mpi_init_exit"),
                ("MPI_Ibarrier", "mpi_sync_collective"), ("MPI_Win_test", "mpi_rma_sync_active"),
                ("MPI_Win_flush_local_all", "mpi_rma_sync_passive"),
                ("MPI_Win_sync", "mpi_rma_sync_passive"), ("MPI_Win_free", "mpi_mgmt_win"),
                ("MPI_Raccumulate", "mpi_rma_communication"),
                ("MPI_File_write_all", "mpi_io_collective"),
                ("MPI_File_read_at", "mpi_io_individual"),
                ("MPI_File_seek_shared", "mpi_io_collective"),
                ("MPI_File_read_shared", "mpi_io_individual"), ("MPI_File_open", "mpi_mgmt_file"),
                ("MPI_Request_free", "mpi_point2point"), ("MPI_Startall", "mpi_point2point"),
                ("MPI_Ineighbor_alltoallw", "mpi_collective"), ("MPI_Iscan", "mpi_collective"),
                ("MPI_Group_incl", "mpi_mgmt_comm"), ("MPI_Info_create", "mpi"),
                ("MPI_Reduce_local", "mpi"), ("MPI_Type_commit", "mpi"),
                ("MPIX_Bcast_init", "mpi_collective"),
                ("MPIX_Barrier_init", "mpi_sync_collective"), ("MPIX_Other", "mpi")):
            self.assertEqual(node, metrics.own_node(region), region)


class ParserTest(unittest.TestCase):
    def test_every_event_of_the_language(self):
        events = """enter a region with blanks
            send 0 0 0|recv 0 0 0 world|isend 0 0 0 1|isend_complete 1|irecv_request 2
            irecv 0 0 0 2 self|request_cancelled 3|coll_begin|coll_end bcast world 0 0 0
            nb_coll_request 4|nb_coll_complete reduce world - 0 0 4|win_create w|win_destroy w
            rma_coll_begin|rma_coll_end barrier w|rma_coll_end bcast w 0 1 2|group_sync w 0
            put w 0 8 1|get w 0 8 2|atomic w 0 8 3|done_blocking w 1|done_nonblocking w 2
            done_remote w 3|lock_request w 0 0 x|lock_acquire w all 0 s|lock_try w 0 0
            lock_release w 0 0|sync w 0|wait_change w|fork 2|join|acquire_lock 1 2
            release_lock 1 2|leave a region with blanks"""
        lines = [line.strip() for line in re.split(r"[|\n]", events)]
        text = "unit 1\nranks 1\nwindow w world\n# comment\n" + "\n".join(
            "%d 0.0 %s # comment" % (time, line) for time, line in enumerate(lines))
        self.assertEqual(len(lines), len(scenario_file.parse_scenario(text).events[0, 0]))

    def test_bad_lines_are_named(self):
        for line in ("1 0 sendd 1 0 8", "1 0 send x 0 8", "-1 0 enter a", "1.0001 0 enter a",
                     "1 7 enter a", "1 0 enter", "0 0 leave a"):
            with self.assertRaises(scenario_file.ScenarioError):
                timeline.Timeline(scenario_file.parse_scenario(line))


class RandomTest(unittest.TestCase):
    """Properties of the rules on random scenarios."""

    def scenarios(self, count):
        for index in range(count):
            yield scenario_file.parse_scenario("\n".join(generate.generate("p", index, (2, 6))))

    @staticmethod
    def transformed(scenario, function):
        scenario.change_times(function)
        return severities.compute(timeline.Timeline(scenario)).values

    def test_shift_and_scale(self):
        for scenario in self.scenarios(share.count(50)):
            before = self.transformed(scenario, lambda time: time)
            self.assertEqual(before, self.transformed(scenario, lambda time: time + 12345))
            if composition.is_sampled(scenario):
                continue  # what samples tell is in whole ticks
            scenario.unit = str(fractions.Fraction(scenario.unit) / 3)  # the rules know microseconds
            scaled = self.transformed(scenario, lambda time: (time - 12345) * 3)
            for metric, cells in before.items():
                factor = 1 if metric in metrics.COUNT_METRICS else 3
                self.assertEqual({key: value * factor for key, value in cells.items()},
                                 scaled[metric], metric)

    def test_generation_is_deterministic_and_covers_the_metrics(self):
        seen = set()
        empty_by_design = {"time", "execution", "mpi_management", "mpi_synchronization",
                           "mpi_rma_synchronization", "mpi_communication", "mpi_latesender_wo",
                           "mpi_io", "shmem", "shmem_communication", "armci", "caf",
                           "caf_communication", "omp_time", "omp_synchronization", "omp_barrier",
                           "pthread_time", "overhead",
                           "c10d", "c10d_wait_nxn"}  # of imported traces: tests/formats/kineto
        everything = (set(metrics.TIME_METRICS) | set(metrics.COUNT_METRICS)
                      | set(metrics.INFO_METRICS))
        for index in range(820):
            focus = "cuda" if index < 20 else None
            lines = generate.generate("q", index, (2, 8), focus)
            if index % 20 < 5 and index < 40:
                self.assertEqual(lines, generate.generate("q", index, (2, 8), focus))
            scenario = scenario_file.parse_scenario("\n".join(lines))
            result = severities.compute(timeline.Timeline(scenario)).values
            seen |= {metric for metric, cells in result.items() if cells}
            if everything - seen == empty_by_design:
                break
        self.assertEqual(empty_by_design, everything - seen)

    def test_generation_covers_the_rules(self):
        """Sends beside receives above and below the size from which sends wait; flushes that name
        their targets by RmaSync; known acquisitions of locks; Init without records; deep queues for
        locks and long chains of waits."""
        seen = set()
        for index in range(300):
            scenario = scenario_file.parse_scenario(
                "\n".join(generate.generate("c", index, (2, 16))))
            times = timeline.Timeline(scenario)
            messages = matching.PointToPoint(times).messages
            sizes = blocking_sizes.BlockingSizes(messages, scenario.nodes)
            for message in messages:
                call, posted = message.send.complete, message.receive.posted
                if call and posted and blocking_sizes.completes_receives(call):
                    limit = sizes.smallest(message)
                    seen.add("no size" if limit is None else
                             "above" if message.send.size >= limit else "below")
            for calls_of in times.calls.values():
                for call in calls_of:
                    seen |= {record.name for record in call.records} & {"sync", "lock_acquire"}
                    if call.name == "Init" and not call.records:
                        seen.add("no record")
            of_run = severities.intervals_of(times, severities.compute(times))
            for wait in of_run.wait_states:
                if wait.is_contention and len(wait.contention.holds) >= 8:
                    seen.add("deep queue")
            if len(of_run.wait_states) and self.longest_chain(of_run) >= 8:
                seen.add("long chain")
            if len(seen) == 8:
                break
        self.assertEqual({"no size", "above", "below", "sync", "lock_acquire", "no record",
                          "deep queue", "long chain"}, seen)

    @staticmethod
    def longest_chain(of_run):
        """Wait states, each of whose causing locations waited at the end of its waiting."""
        longest = {}
        for wait in of_run.wait_states:
            before = [longest[other] for other in of_run.locations[wait.causing].waits
                      if other in longest and wait.begin < other.time <= wait.time]
            longest[wait] = 1 + max(before, default=0)
        return max(longest.values())


if __name__ == "__main__":
    unittest.main()
