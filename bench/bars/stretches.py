"""What recording costs within one run, of which chance records every other stretch of calls
(record_in_turn.c). Runs of some seconds differ by several percent from one another, whatever is
done to them; stretches of milliseconds stand beside others of the same seconds."""

import math
import statistics
from dataclasses import dataclass

NEIGHBOURS = 20  # on both sides: what a stretch is compared with
TRIMMED = 0.1  # on both sides: what waits for the machine, or was lucky
FEWEST = 200  # stretches without which there is nothing to be said


@dataclass
class Process:
    """What the library wrote of a process."""

    inside: float  # seconds of CPU time between MPI_Init and MPI_Finalize
    stretches: list  # (whether it was recorded, seconds)


def read_process(path):
    with open(path, encoding="ascii") as lines:
        words = [line.split() for line in lines]
    inside = next(float(value) for name, value in words if name == "inside")
    return Process(inside, [(name == "recorded", int(value) * 1e-9) for name, value in words
                            if name != "inside"])


def _trimmed_mean(values):
    """Of both sides the same share is left out, so that the means of two groups differ as their
    members do if those of one are all larger by the same amount."""
    values = sorted(values)
    cut = int(len(values) * TRIMMED)
    return statistics.fmean(values[cut:len(values) - cut])


def slowdown(stretches):
    """How much longer recorded stretches take, as a share: logarithms of durations, each relative
    to the median of those around it (itself left out, for it would draw the median to its own
    kind); difference of the trimmed means."""
    logs = [math.log(seconds) for _, seconds in stretches]
    relative = {True: [], False: []}
    for i, (recorded, _) in enumerate(stretches):
        around = logs[max(0, i - NEIGHBOURS):i] + logs[i + 1:i + 1 + NEIGHBOURS]
        relative[recorded].append(logs[i] - statistics.median(around))
    if min(map(len, relative.values())) < FEWEST:
        raise ValueError(f"{len(stretches)} stretches are too few")
    return math.expm1(_trimmed_mean(relative[True]) - _trimmed_mean(relative[False]))
