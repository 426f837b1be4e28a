#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes random scenario files with the values that the reference expects of them.

usage: generate.py --seed S --count N --out DIR [--ranks MIN..MAX] [--first I] [--focus FOCUS]
                   [--no-expect]

The focus is locks, iterations (programs of iterations), clocks (clocks that disagree), libraries
(programs that use SHMEM, ARMCI or coarrays), polling (programs that test instead of waiting), omp,
hybrid (OpenMP beside MPI), pthread or cuda (streams of accelerators beside MPI), progress (calls that
wait until their partners call MPI again), cut (all locations stop at one moment, many inside of calls).
File i of a seed depends on the seed and on i alone.
"""

import argparse
import os
import random
import re
import sys

import reference
import simulation_accelerators
import simulation_collective_progress
import simulation_cuts
import simulation_progress
import scenario_file
import simulation_polling
from simulation import Simulation, THREAD_FOCUSES, USER_REGIONS
from simulation_iterations import INNER_PHASE, PHASE

UNITS = ("1", "1e-3", "1e-6")
# Length of the simulation's tick in 1/1000 units.
TICKS = (1000, 1000, 500, 250, 1, 40)


def skew(chooser, simulation):
    """Clocks that disagree: causality is violated, the order on each location is kept."""
    limit = chooser.choice((1, 2, 5, 20))
    for loc in simulation.locations:
        if not simulation.workers or not loc.thread:  # the threads of a process have one clock
            offset = chooser.randint(0, limit)
            numerator = chooser.choice((1, 1, 1, 2, 3))

        def moved(time, offset=offset, numerator=numerator):
            return time * numerator // 2 + offset if numerator != 1 else time + offset

        loc.events = [(moved(time), _with_times(text, moved)) for time, text in loc.events]


def _with_times(text, function):
    """A record with the times that it tells itself, `{at TIME}`, changed by a function."""
    return re.sub(r"\{at (\d+)\}", lambda match: "{at %d}" % function(int(match[1])), text)


def _final(text, tick):
    return re.sub(r"\{(?:at|for) (\d+)\}",
                  lambda match: scenario_file.format_units(int(match[1]) * tick), text)


def truncate(chooser, simulation):
    """Some locations stop early, in the middle of whatever they do."""
    for loc in simulation.locations:
        if chooser.random() < 0.5 and loc.events:
            del loc.events[chooser.randint(1, len(loc.events)):]


def drop_uncountable(simulation):
    """A non-blocking collective that never completes names no communicator, so that it could not
    be counted on any: the location stops before it if it takes part in another one afterwards."""
    for loc in simulation.locations:
        begun = {}
        for index, (_, text) in enumerate(loc.events):
            words = text.split()
            if words[0] == "nb_coll_request":
                begun[words[1]] = index
            elif words[0] == "nb_coll_complete":
                del begun[words[6]]
        if begun:
            first = min(begun.values())
            if any(text.startswith(("coll_end", "nb_coll_complete", "nb_coll_request"))
                   for _, text in loc.events[first + 1:]):
                del loc.events[first:]


def drop_records_of_init(chooser, simulation):
    """A recorder that writes no collective records for Init and Finalize."""
    for loc in simulation.locations:
        if chooser.random() < 0.8:
            inside, kept = False, []
            for time, text in loc.events:
                if text.startswith(("enter ", "leave ")):
                    inside = text.startswith(("enter MPI_Init", "enter MPI_Finalize"))
                if not (inside and text.startswith("coll_")):
                    kept.append((time, text))
            loc.events = kept


def rename_to_mpi_4(chooser, simulation):
    """Functions whose counts have the type MPI_Count."""
    names = ["MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Bsend", "MPI_Bcast", "MPI_Scan",
             "MPI_Allreduce", "MPI_Ibcast", "MPI_Put", "MPI_Rget", "MPI_Win_create",
             "MPI_Neighbor_allgather", "MPI_Sendrecv"]
    chosen = {name for name in names if chooser.random() < 0.5}
    for loc in simulation.locations:
        loc.events = [(time, text + "_c" if text[6:] in chosen else text)
                      for time, text in loc.events]


def regroup(chooser, simulation):
    """Different top-level regions on different locations, none on others, some without events."""
    for loc in simulation.locations:
        root = chooser.choice(("main", "main", "worker", "worker", "helper", None))
        if root is None:
            loc.events = [(time, text) for time, text in loc.events if text[6:] != "main"]
        else:
            loc.events = [(time, text[:6] + root if text[6:] == "main" else text)
                          for time, text in loc.events]
        if chooser.random() < 0.05:
            loc.events = []


def random_partitions(chooser, simulation):
    """A value of --partition."""
    if simulation.threads > 1 and chooser.random() < 0.5:
        return "main:*.0" if chooser.random() < 0.5 else "main:*.0,others:*.1"
    groups = {}
    for rank in range(simulation.ranks):
        groups.setdefault(chooser.choice(("a", "a", "b", "io", None)), []).append(str(rank))
    groups.pop(None, None)
    return ",".join("%s:%s" % (name, ",".join(ranks)) for name, ranks in groups.items())


def option_lines(chooser, simulation):
    """What the analysis is told about the program."""
    lines = []
    if chooser.random() < 0.15:
        lines.append("analyze --critical-path=init-finalize")
    if chooser.random() < 0.15:
        partitions = random_partitions(chooser, simulation)
        lines += ["analyze --partition=" + partitions] if partitions else []
    if chooser.random() < 0.5:
        lines += ["phase " + region for region in USER_REGIONS + ["main"]
                  if chooser.random() < 0.4]
    if simulation.has_iterations and chooser.random() < 0.9:
        lines += ["phase " + PHASE, "phase " + INNER_PHASE]
    return lines


def timeline_lines(chooser, simulation):
    """The file without its `expect` lines."""
    tick = simulation.tick = chooser.choice(TICKS)
    lines = ["unit " + chooser.choice(UNITS)]
    threads = " threads %d" % simulation.threads if simulation.threads > 1 else ""
    lines.append("ranks %d%s" % (simulation.ranks, threads))
    if chooser.random() < 0.15 and simulation.ranks > 1:
        second = chooser.sample(range(simulation.ranks), simulation.ranks // 2)
        lines.append("node second " + " ".join(map(str, second)))
    for comm, members in simulation.comms.items():
        if comm in simulation.intercomms:
            continue
        lines.append("comm %s %s" % (comm, " ".join(map(str, members))))
    lines += simulation.world_lines()
    for window in simulation.windows.values():
        lines.append("window %s %s" % (window.name, window.comm))
    for window in simulation.library_windows():
        lines.append("window %s %s" % (window.name, window.comm))
    for team, members in simulation.teams.items():
        lines.append("team %s %s" % (team, " ".join(loc.name for loc in members)))
    lines += option_lines(chooser, simulation)
    events = [(time, loc.name, text) for loc in simulation.locations for time, text in loc.events]
    if chooser.random() < 0.5:
        events.sort(key=lambda event: event[0])
    lines += ["%s %s %s" % (scenario_file.format_units(time * tick), loc, _final(text, tick))
              for time, loc, text in events]
    return lines


def with_samples(chooser, lines):
    """The lines with samples of call stacks, some below functions that no event is in: begins and ends
    of user functions are estimates then. Many samples are in few places, so that pools are filled."""
    is_streams = any(line.startswith("stream ") for line in lines)
    begins = [i for i, line in enumerate(lines)
              if line.split()[2:] in [["enter", region] for region in USER_REGIONS + ["main"]]]
    if not begins or is_streams:
        return lines
    share = chooser.choice((0.02, 0.2, 0.6))
    stacks, last, found, paused = {}, {}, [], set()
    phases = {line.split(None, 1)[1] for line in lines if line.startswith("phase ")}
    for line in lines:
        words = line.split(None, 3)
        if len(words) > 2 and re.fullmatch(r"[0-9.]+", words[0]) and words[2] in scenario_file.EVENTS:
            stack = stacks.setdefault(words[1], [])
            time = scenario_file.parse_time(words[0])
            is_code = (stack and words[1] not in paused
                       and all(region in USER_REGIONS + ["main"] for region in stack))
            if is_code and time - last[words[1]] > 1 and chooser.random() < share:
                found += sample_lines(chooser, words[1], last[words[1]], time, stack, phases)
            last[words[1]] = time
            if words[2] == "recording_off":
                paused.add(words[1])
            elif words[2] == "recording_on":
                paused.discard(words[1])
            elif words[2] == "enter":
                stack.append(words[3])
            elif words[2] == "leave" and stack and stack[-1] == words[3]:
                stack.pop()
        found.append(line)
    return found if any(" sample" in line for line in found) else \
        lines[:begins[0] + 1] + [" ".join(lines[begins[0]].split()[:2]) + " sample"] + lines[begins[0] + 1:]


def sample_lines(chooser, location, begin, end, stack, phases):
    """Samples between two events, in order."""
    recorded = max([depth for depth, region in enumerate(stack, 1) if region in phases], default=0)
    times = sorted(chooser.randint(begin, end) for _ in range(chooser.choice((1, 1, 2, 5, 20))))
    lines = []
    for time in times:
        kept = chooser.randint(max(1, recorded), len(stack)) if chooser.random() < 0.2 else len(stack)
        path = stack[:kept]
        path += chooser.choice(([], ["inner"], ["inner", "leaf"], ["other"], ["other"]))
        lines.append("%s %s sample %s" % (scenario_file.format_units(time), location, "/".join(path)))
    return lines


def generate(seed, index, ranks, focus=None):
    """Lines of one scenario."""
    chooser = random.Random("%s:%d" % (seed, index))
    if focus == "cuda":
        return simulation_accelerators.lines(chooser)
    if focus == "progress":
        of_collectives = chooser.random() < 0.4
        return (simulation_collective_progress if of_collectives else simulation_progress).lines(chooser)
    polls, cuts = focus == "polling", focus == "cut"
    if polls or cuts:
        focus = chooser.choice((None, None, "locks", "iterations", "libraries", *THREAD_FOCUSES))
    threads = 2 if chooser.random() < 0.08 else 1
    if focus is None:
        focus = chooser.choice(("locks", "locks", "iterations", None, None, "libraries",
                                "libraries", "libraries", *THREAD_FOCUSES))
    if focus in THREAD_FOCUSES:
        threads = chooser.choice((2, 3, 4, 4))
        ranks = (1, 3) if focus != "hybrid" else (2, 4)
    is_skewed = focus == "clocks" or chooser.random() < 0.12
    simulation = Simulation(chooser, chooser.randint(*ranks), threads, focus)
    locations = len(simulation.locations)
    simulation.run(chooser.choice((3, 6, 10, 15, 25)) * max(2, locations) // 2)
    if chooser.random() < 0.1:
        drop_records_of_init(chooser, simulation)
    if chooser.random() < 0.1:
        rename_to_mpi_4(chooser, simulation)
    if chooser.random() < 0.12:
        truncate(chooser, simulation)
    drop_uncountable(simulation)
    if is_skewed:
        skew(chooser, simulation)
    if chooser.random() < 0.2:
        regroup(chooser, simulation)
    # Some executions poll, by a generator of their own: the others are what they were without.
    poller = random.Random("polling:%s:%d" % (seed, index))
    is_polling = polls or poller.random() < 0.15
    if is_polling:
        simulation_polling.poll(poller, simulation)
    # So do some that are cut off.
    cutter = random.Random("cut:%s:%d" % (seed, index))
    moment = None
    if cuts or cutter.random() < 0.08:
        moment = simulation_cuts.cut(cutter, simulation)
        drop_uncountable(simulation)
    lines = timeline_lines(chooser, simulation)
    if moment is not None:
        lines += simulation_cuts.end_lines(cutter, simulation, moment, simulation.tick, scenario_file.format_units)
    if is_polling and poller.random() < 0.9:
        lines[0] = "unit 1e-6"
    # What causes waiting by samples is not compared where samples lie in polling loops.
    return with_samples(chooser, lines) if chooser.random() < 0.3 and not is_polling else lines


def parse_range(text):
    low, _, high = text.partition("..")
    return int(low), int(high or low)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--ranks", type=parse_range, default=(2, 8), metavar="MIN..MAX")
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--focus", choices=("locks", "iterations", "clocks", "libraries", "polling", "cuda", "worlds",
                                             "progress", "cut",
                                            *THREAD_FOCUSES),
                        help="the same kind of program in all scenarios")
    parser.add_argument("--no-expect", action="store_true")
    options = parser.parse_args(arguments)
    os.makedirs(options.out, exist_ok=True)
    for index in range(options.first, options.first + options.count):
        lines = generate(options.seed, index, options.ranks, options.focus)
        text = "\n".join(lines) + "\n"
        if not options.no_expect:
            scenario = scenario_file.parse_scenario(text)
            text += "\n".join(reference.expect_lines(scenario)) + "\n"
        path = os.path.join(options.out, "random-%s-%05d.scn" % (options.seed, index))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
