#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The reference's problems and their occasions: cases derived by hand from the rules, properties on
random scenarios."""

import os
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference"))

import generate
import occasions
import problems
import scenario_file
import severities
import timeline
from test_reference import calls, program


def problems_of(scenario):
    times = timeline.Timeline(scenario)
    return severities.compute_problems(times, severities.compute(times))


def found(header, *locations):
    """{(kind, call path, locations): cost in units}."""
    scenario = scenario_file.parse_scenario(program(header, *locations))
    return {(problem.kind, "/".join(problem.path or ()),
             tuple(rank for rank, _ in problem.locations)):
            problem.cost / scenario_file.TICKS_PER_UNIT for problem in problems_of(scenario)}


def lock(enter, leave, record="lock_request w 0 0 x"):
    return "MPI_Win_lock", enter, leave, record


def unlock(enter, leave):
    return "MPI_Win_unlock", enter, leave, "lock_release w 0 0"


class CostTest(unittest.TestCase):
    HEADER = ["ranks 4", "window w world"]

    def test_who_holds_a_lock_is_charged_for_what_it_did_meanwhile(self):
        self.assertEqual(
            {("serialization", "update", (1, 2)): 13},
            found(self.HEADER,
                  calls(1, ("compute", 0, 10), lock(10, 10), ("update", 10, 16), unlock(16, 16)),
                  calls(2, ("compute", 0, 11), lock(11, 16.001), ("update", 16.001, 20),
                        unlock(20, 20)),
                  calls(3, ("compute", 0, 12), lock(12, 20.001), ("update", 20.001, 22),
                        unlock(22, 22))))

    def test_what_waits_for_a_wait_for_a_lock_stems_from_the_holder_too(self):
        # Rank 3 waits 2..7 for rank 2: D = 0.5 (its lock call) + 5 (its waiting 1..6).
        self.assertEqual(
            {("serialization", "update", (1,)): Fraction(105, 11),
             ("transfer", "MPI_Win_lock", (2,)): Fraction(5, 11)},
            found(self.HEADER, calls(1, lock(0, 0), ("update", 0, 6), unlock(6, 6)),
                  calls(2, ("work", 0, 1), lock(1, 6.5), unlock(6.5, 6.5), ("work", 6.5, 7),
                        ("MPI_Send", 7, 8, "send 3 0 8")),
                  calls(3, ("work", 0, 2), ("MPI_Recv", 2, 8, "recv 2 0 8"))))

    def test_a_lock_is_a_cause_if_library_calls_are_blamed(self):
        # Rank 2 waits 1..10: 5 for the put, 1 for the unlock and 3 for `update`, which has less than half.
        put, program = ("MPI_Put", 0, 6, "put w 0 8 1"), calls(2, lock(1, 10), unlock(11, 11))
        self.assertEqual(
            {("contention", "MPI_Put", (1,)): 6, ("serialization", "update", (1,)): 3},
            found(self.HEADER, calls(1, lock(0, 0), put, ("update", 6, 9), unlock(9, 10)), program))

    def test_nobody_is_blamed_for_a_hand_over_but_who_waits(self):
        # Rank 2 waits 1..13; 2..8 nobody holds the lock, as rank 3 asks for it at 8. Its own call is inside its epoch.
        self.assertEqual(
            {("contention", "MPI_Win_lock", (1, 2, 3)): 12},
            found(self.HEADER, calls(1, lock(0, 1), unlock(1, 2)),
                  calls(2, lock(1, 13), unlock(14, 14)),
                  calls(3, ("compute", 0, 8), lock(8, 9), unlock(9, 13))))

    def test_delays_are_imbalance_and_calls_of_the_library_files_transfer_or_startup(self):
        # Rank 0 waits 1..9; rank 1's work takes 3 longer, its file takes 2, its send 1, its init 2.
        self.assertEqual(
            {("imbalance", "work", (1,)): 3, ("io", "MPI_File_open", (1,)): 2,
             ("startup", "MPI_Init", (1,)): 2, ("transfer", "MPI_Send", (1,)): 1},
            found(["ranks 2"],
                  calls(0, ("work", 0, 1), ("MPI_Recv", 1, 9, "recv 1 0 8"),
                        ("MPI_Recv", 9, 9, "recv 1 9 8")),
                  calls(1, ("MPI_Init", 0, 2), ("MPI_File_open", 2, 4), ("work", 4, 8),
                        ("MPI_Send", 8, 9, "send 0 9 8"), ("MPI_Send", 9, 9, "send 0 0 8"))))

    def test_progress_is_what_the_target_did(self):
        self.assertEqual(
            {("progress", "work", (1,)): 2, ("progress", "MPI_Comm_rank", (1,)): 1,
             ("unattributed", "", ()): 1},
            found(["ranks 2", "window w world"],
                  calls(0, ("MPI_Win_lock", 0, 0, "lock_request w 1 0 x"),
                        ("MPI_Win_unlock", 1, 6, "lock_release w 1 0")),
                  calls(1, ("work", 2, 4), ("MPI_Comm_rank", 4, 5), ("MPI_Test", 5, 6))))

    def test_unattributed_delays(self):
        self.assertEqual(
            {("unattributed", "", ()): 3},
            found(["ranks 2"], calls(0, ("MPI_Init", 0, 4)), calls(1, ("MPI_Init", 3, 4))))

    def test_locations_with_a_tenth_of_the_largest_are_one_problem(self):
        group = [(Fraction(cost), problems.Cause("imbalance", ("main",), (rank, 0)))
                 for rank, cost in enumerate((1, 100, 10, 9, Fraction(1, 2)))]
        self.assertEqual([([(1, 0), (2, 0)], 110), ([(0, 0), (3, 0)], 10),
                          ([(4, 0)], Fraction(1, 2))],
                         [(problem.locations, problem.cost)
                          for problem in problems.group_locations(group)])


class OccasionTest(unittest.TestCase):
    def runs(self, number, *costs, limit=None):
        return occasions.shortest_runs(list(costs), number, sum(costs),
                                       len(costs) if limit is None else limit)

    def test_fewest_iterations_with_nine_tenths(self):
        self.assertEqual([(2, 3)], self.runs(1, 0, 1, 5, 4, 0))
        self.assertEqual([(0, 2)], self.runs(1, 1, 1, 1))
        self.assertEqual([(1, 1)], self.runs(1, 1, 9, 0))
        self.assertEqual([(0, 1)], self.runs(1, 9, 9, 1))
        self.assertEqual([(0, 0)], self.runs(1, 10, 0, 0))

    def test_two_and_three_runs(self):
        self.assertEqual([(0, 0), (4, 4)], self.runs(2, 5, 0, 0, 0, 5))
        self.assertEqual([(0, 1), (5, 5)], self.runs(2, 5, 5, 0, 0, 0, 5))
        self.assertIsNone(self.runs(2, 5, 0, 5, 0, 5, limit=3))
        self.assertEqual([(0, 0), (2, 2), (4, 4)], self.runs(3, 5, 0, 5, 0, 5))
        self.assertIsNone(self.runs(2, 5, 5, 0, 0, 0, 5, limit=2))
        # Ties: the first run begins earliest (18 of 20 are needed), then the larger cost.
        self.assertEqual([(0, 0), (2, 3)], self.runs(2, 5, 0, 5, 8, 0, 0, 1, 1))
        self.assertEqual([(0, 1), (3, 3)], self.runs(2, 1, 8, 0, 9, 1, 1))
        self.assertEqual([(0, 0), (3, 4)], self.runs(2, 8, 1, 0, 9, 2))

    def test_widened_by_neighbours_of_half_the_mean(self):
        self.assertEqual((1, 4), occasions.widened((2, 3), [1, 2, 4, 4, 2, 1, 2]))
        self.assertEqual((2, 3), occasions.widened((2, 3), [9, 1, 4, 4, 1, 9]))

    def iterations(self, costs, phases=("step",), extra=()):
        """Occasions of one location's waiting costs[i] in its iterations, of 10 each."""
        receiver, sender = [], []
        for number, cost in enumerate(costs):
            begin = 10 * number
            receiver += ["%s 0 enter step" % begin, "%s 0 enter MPI_Recv" % begin,
                         "%s 0 recv 1 0 8" % (begin + cost), "%s 0 leave MPI_Recv" % (begin + cost),
                         "%s 0 leave step" % (begin + 10)]
            sender += calls(1, ("work", begin, begin + cost),
                            ("MPI_Send", begin + cost, begin + cost, "send 0 0 8"))
        scenario = scenario_file.parse_scenario(program(
            ["ranks 2"] + ["phase " + phase for phase in phases], receiver, sender, *extra))
        return [(problem.occasions[0], [tuple(occasion) for occasion in problem.occasions[1]])
                for problem in problems_of(scenario) if problem.kind == "imbalance"]

    def test_iterations_of_the_waiting_location(self):
        [(region, [occasion])] = self.iterations([1, 0, 8, 8, 4, 0, 0, 0, 0, 0])
        # 20 of 21: the run 2..4; its neighbours 1 and 5 cost nothing.
        self.assertEqual("step", region)
        self.assertEqual((2, 4, 20000, 50000, 3, Fraction(20, 21)), occasion)

    def test_spread_over_the_run(self):
        self.assertEqual([("step", [])], self.iterations([4, 4, 4, 4, 4]))
        self.assertEqual([("step", [])], self.iterations([4, 4, 4, 4, 0]))

    def test_two_runs_instead_of_one(self):
        [(_, both)] = self.iterations([8, 0, 0, 0, 0, 8, 0, 0, 0, 0])
        self.assertEqual([(0, 0), (5, 5)], [occasion[:2] for occasion in both])

    def test_parts_of_a_run_without_phases(self):
        [(region, [occasion])] = self.iterations([0, 8, 0, 0, 0], phases=())
        # The run is 50 long, the waiting 10..18: nine tenths of it are 7.2, 15 parts of 0.5.
        self.assertIsNone(region)
        self.assertEqual((20, 35, 10000, 18000, 16, 1), occasion)

    def test_a_phase_that_does_not_hold_the_cost(self):
        extra = calls(0, ("other", 60, 61))
        self.assertEqual([(None, [])], self.iterations([0, 8, 0], phases=("other",),
                                                       extra=[extra]))


class RandomTest(unittest.TestCase):
    """Every evaluation asserts that all problems are all waiting, by two ways of adding up."""

    def test_every_kind_occurs_and_iterations_are_reported(self):
        kinds, reported = set(), set()
        for index in range(60):
            lines = generate.generate("k", index, (2, 6), "iterations")
            for problem in problems_of(scenario_file.parse_scenario("\n".join(lines))):
                kinds.add(problem.kind)
                if problem.occasions:
                    reported.add((problem.occasions[0] is not None, len(problem.occasions[1])))
        self.assertEqual({"imbalance", "serialization", "contention", "progress", "transfer", "startup",
                          "unattributed", "variation"}, kinds)
        self.assertLessEqual({(True, 0), (True, 1), (True, 2), (False, 1)}, reported)


if __name__ == "__main__":
    unittest.main()
