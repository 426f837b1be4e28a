#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The generator of planted programs: its executions, and what scenarios with samples reveal of them."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import live_program
import planted_program
from planted_program import MS, Execution, Program

SEEDS = (3, 4, 5, 6, 9, 10)  # all kinds, short scenarios
RATE = 250


class PlantedProgramTest(unittest.TestCase):
    def test_sizes(self):
        for seed in range(400):
            program = Program(seed)
            self.assertLessEqual(3, len(program.functions))
            self.assertLessEqual(len(program.functions), 40)
            self.assertLessEqual(max(function.level for function in program.functions), 3)
            self.assertLess(0.09 * MS, min(function.own for function in program.functions))
            self.assertLess(max(function.own for function in program.functions), 20.1 * MS)
            self.assertTrue(2 <= program.ranks <= 8 and 0 <= program.rank < program.ranks)
            self.assertGreater(program.iterations * program.iteration_length, 2900 * MS)
            self.assertIn(program.planted, program.functions)
        self.assertEqual({Program(seed).kind for seed in range(4)}, set(planted_program.KINDS))

    def test_extra(self):
        """The planted rank does the extra, the other ranks do the same work with and without it."""
        for seed in SEEDS:
            program = Program(seed)
            runs = [Execution(program, has_extra) for has_extra in (False, True)]
            for rank in range(program.ranks):
                lengths = [[iteration.enter - iteration.begin for iteration in run.of_rank[rank]] for run in runs]
                if rank == program.rank:
                    extra = (sum(lengths[1]) - sum(lengths[0])) / program.iterations / program.iteration_length
                    self.assertAlmostEqual(extra / program.share, 1, delta=0.2)
                else:
                    self.assertEqual(lengths[0], lengths[1])

    def test_meeting(self):
        for seed in SEEDS:
            program = Program(seed)
            of_rank = Execution(program).of_rank
            for number in range(program.iterations):
                met = [iterations[number] for iterations in of_rank]
                for rank, iteration in enumerate(met):
                    others = met if program.meeting != "ring" else [met[rank - 1], iteration]
                    self.assertEqual(iteration.leave - planted_program.LATENCY,
                                     max(other.enter for other in others))

    def test_samples(self):
        """Each sample is in the piece of work at its time; there are as many as the rate says."""
        for seed in SEEDS:
            execution = Execution(Program(seed))
            for rank, iterations in enumerate(execution.of_rank):
                samples = list(planted_program.sample_times(execution, rank, RATE))
                for iteration, piece, time in samples:
                    begins = [iteration.begin] + iteration.ends
                    self.assertTrue(begins[piece] <= time < iteration.ends[piece])
                seconds = sum(iteration.enter - iteration.begin for iteration in iterations) / 1e9
                self.assertAlmostEqual(len(samples) / seconds / RATE, 1, delta=0.1)

    def test_recorded(self):
        """Without the lines of samples, no scenario with samples has a function that calls no MPI."""
        for seed in SEEDS:
            text = planted_program.sampled_scenario(Execution(Program(seed)), RATE)
            regions = {line.split(" ", 3)[3] for line in text.splitlines() if line.split(" ")[2:3] == ["enter"]}
            self.assertEqual({region for region in regions if not region.startswith("MPI_")} - {"solve"},
                             {"main", "exchange"})

    def test_right(self):
        program = Program(SEEDS[0])
        self.assertTrue(program.is_right(program.planted))
        self.assertFalse(any(program.is_right(function) for function in program.outer
                             if program.planted not in function.subtree + function.callers))

    def test_source(self):
        for seed in range(8):
            program = Program(seed)
            text = live_program.source(program)
            for function in program.functions:
                self.assertEqual(text.count(" %s();" % function.name), 1)
                self.assertEqual(text.count("APART void %s(void)" % function.name), 1)


if __name__ == "__main__":
    unittest.main()
