# SPDX-License-Identifier: BSD-3-Clause
"""The cost of recording within one run, in which randomly chosen stretches of calls are recorded
(record_in_turn.c). Runs of some seconds differ by several percent from each other, independent
of recording; stretches of milliseconds are compared with neighbouring stretches of the same
seconds."""

import math
import statistics
from dataclasses import dataclass

NEIGHBOURS = 20  # number of stretches on both sides that a stretch is compared with
TRIMMED = 0.1  # share trimmed on both sides: stretches slowed down or sped up by the machine
FEWEST = 200  # minimum number of stretches for a result


@dataclass
class Process:
    """The output of the library for one process."""

    inside: float  # seconds of CPU time between MPI_Init and MPI_Finalize
    stretches: list  # (whether it was recorded, seconds)


def read_process(path):
    with open(path, encoding="ascii") as lines:
        words = [line.split() for line in lines]
    inside = next(float(value) for name, value in words if name == "inside")
    return Process(inside, [(name == "recorded", int(value) * 1e-9) for name, value in words
                            if name != "inside"])


def _trimmed_mean(values):
    """The same share is trimmed on both sides, so that the means of two groups differ by the
    same amount as their members, if the members of one group are all larger by the same amount."""
    values = sorted(values)
    cut = int(len(values) * TRIMMED)
    return statistics.fmean(values[cut:len(values) - cut])


def slowdown(stretches):
    """The relative additional duration of recorded stretches: logarithms of durations, each
    relative to the median of the surrounding stretches (without the stretch itself, which would
    shift the median towards its own kind); difference of the trimmed means."""
    logs = [math.log(seconds) for _, seconds in stretches]
    relative = {True: [], False: []}
    for i, (recorded, _) in enumerate(stretches):
        around = logs[max(0, i - NEIGHBOURS):i] + logs[i + 1:i + 1 + NEIGHBOURS]
        relative[recorded].append(logs[i] - statistics.median(around))
    if min(map(len, relative.values())) < FEWEST:
        raise ValueError(f"{len(stretches)} stretches are too few")
    return math.expm1(_trimmed_mean(relative[True]) - _trimmed_mean(relative[False]))
