#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The reference of wait-state formation: scenarios derived by hand, properties on random ones."""

import glob
import itertools
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "support")]

import check_expectations
import blame
import critical_path
import composition
import formation
import generate
import imbalance
import intervals
import scenario_file
import severities
import share
import timeline

SCENARIOS = os.path.join(HERE, "scenarios")


def formation_of(scenario):
    times = timeline.Timeline(scenario)
    return severities.compute_formation(times, severities.compute(times))


class HandMadeTest(unittest.TestCase):
    def test_reference_finds_what_was_derived_by_hand(self):
        paths = [path for folder in ("formation", "blame", "problems")
                 for path in glob.glob(os.path.join(SCENARIOS, folder, "*.scn"))]
        self.assertGreater(len(paths), 55)
        for path in paths:
            scenario = scenario_file.read_scenario(path)
            self.assertTrue(scenario.expects or scenario.problem_expects, path)
            self.assertEqual([], check_expectations.failures(scenario), path)

    def test_a_wrong_expectation_is_found(self):
        path = os.path.join(SCENARIOS, "formation", "chain-of-three.scn")
        scenario = scenario_file.read_scenario(path)
        scenario.expects = [["delay_latesender", "main/foo", "0", "3.001"],
                            ["delay_latesender", "main/foo", "0", "3.001", "0.01"]]
        self.assertEqual(1, len(check_expectations.failures(scenario)))


class RandomTest(unittest.TestCase):
    """Conservation, length of the path and sum of the impact are asserted in every evaluation."""

    def scenarios(self, seed, count, focus=None):
        for index in range(count):
            yield scenario_file.parse_scenario("\n".join(generate.generate(seed, index, (2, 7), focus)))

    def test_shift_and_scale(self):
        for scenario in self.scenarios("f", share.count(60)):
            before = formation_of(scenario)
            scenario.change_times(lambda time: time + 12345)
            self.assertEqual(before, formation_of(scenario))
            if composition.is_sampled(scenario):
                continue  # what samples tell is in whole ticks
            scenario.change_times(lambda time: (time - 12345) * 3)
            scaled = formation_of(scenario)
            for metric, cells in before.items():
                factor = 1 if metric.startswith("wait_count") else 3
                self.assertEqual({key: value * factor for key, value in cells.items()},
                                 scaled[metric], metric)

    def test_idle_extension_changes_no_cost(self):
        for scenario in self.scenarios("i", share.count(60)):
            before = formation_of(scenario)
            for events in scenario.events.values():
                if events and events[-1].args == ("main",):
                    events[-1] = events[-1]._replace(time=events[-1].time + 777)
                    break
            after = formation_of(scenario)
            for metric in formation.METRICS:
                self.assertEqual(before[metric], after[metric], metric)

    @unittest.skipIf(share.FACTOR < 1, "a rare metric needs many executions")
    def test_every_metric_occurs(self):
        everything = (set(formation.METRICS) | set(blame.METRICS) | set(critical_path.METRICS)
                      | set(imbalance.METRICS))
        # Hardly anything communicates before Init or behind Finalize and the free of a window.
        missing = everything - {
            "delay_init_longterm", "delay_finalize_longterm", "delay_rma_free_longterm",
            "wait_indirect_init", "wait_propagating_init", "wait_propagating_finalize",
            "wait_propagating_rma_free", "delay_shmem_free_longterm", "wait_propagating_shmem_free",
            "delay_armci_free_longterm", "wait_propagating_armci_free", "delay_caf_free_longterm",
            "wait_propagating_caf_free"}
        for scenario in itertools.chain(self.scenarios("m", 40, "cuda"), self.scenarios("m", 60, "progress"),
                                        self.scenarios("m", 1200)):
            missing -= {metric for metric, cells in formation_of(scenario).items() if cells}
            if not missing:
                break
        self.assertEqual(set(), missing)

    def test_every_wait_state_of_the_time_tree_has_one_kind(self):
        kinds = {**intervals.SYNCHRONIZATION_KINDS, **intervals.CONTENTION_KINDS}
        self.assertEqual(len(kinds),
                         len(intervals.SYNCHRONIZATION_KINDS) + len(intervals.CONTENTION_KINDS))
        for scenario in self.scenarios("k", share.count(30)):
            result = severities.compute(timeline.Timeline(scenario))
            self.assertLessEqual({wait.metric for wait in result.wait_states.values()}, set(kinds))


if __name__ == "__main__":
    unittest.main()
