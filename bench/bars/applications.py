"""Slowdown of whole applications by recording: P3."""

import os
import re
import shutil
from dataclasses import dataclass

from .measure import (Figure, ProgramFailed, alternate, cpu_of, median, open_mpi, ratios_of, run,
                      wall_of)
from .recording import Archives

RANKS = 2
MPIRUN = [*open_mpi(RANKS), "--mca", "mpi_yield_when_idle", "1"]
BAR = 1.01
DISTANCE = 20  # microseconds between calls from which on the bar holds


@dataclass
class Application:
    """A program with its arguments."""

    name: str
    command: list


def _applications(programs, folder, length):
    """Programs of a few seconds, if `length` is 1."""
    def times(count):
        return str(max(1, round(count * length)))

    for variant in ("p2p", "fence", "gats", "locks"):
        yield Application(f"SOR {variant}", [
            programs.workloads / "openmpi" / "sor", "--variant", variant, "--size", "1200x1200",
            "--iterations", times(3000), "--tolerance", "0", "--check", "250"])
    yield Application("LAMMPS melt", ["lmp", "-in", programs.sources / "melt.lmp", "-var", "steps",
                                      times(4000), "-log", "none"])
    netpipe = ["NPopenmpi", "-p", "0", "-o", folder / "np.out"]
    yield Application("NetPIPE, 1 to 4 MiB",
                      [*netpipe, "-l", "1048576", "-u", "4194304", "-n", times(300)])
    yield Application("NetPIPE, 1 byte to 1 KiB",
                      [*netpipe, "-l", "1", "-u", "1024", "-n", times(10000)])


def _distance(programs, archive):
    """Number of recorded calls and microseconds from one to the next on a rank."""
    output = run([programs.bench / "call_distance", archive / "traces.otf2"]).output
    found = re.match(r"(\d+) calls .*\n([0-9.]+) us from", output)
    if found is None:
        raise ProgramFailed(f"call_distance: {output}")
    return int(found.group(1)), float(found.group(2))


LOOP_TURNS = 40000
LOOP_CALLS = 3 * 10 * 3 * LOOP_TURNS  # three times ten loops of three calls


def _cost_of_a_call(programs, folder, options):
    """Seconds of CPU time that a recorded call costs all told, with its share of the archive that
    is written at the end, from a program that does nothing but call MPI."""
    archives = Archives(programs, folder, "p2p", LOOP_TURNS)
    samples = alternate({"plain": archives.plain, "recorded": archives.with_stacks},
                        options.repeats)
    archives.remove()
    return [(r.cpu - p.cpu) / LOOP_CALLS for r, p in zip(samples["recorded"], samples["plain"])]


def slowdown(programs, folder, options):
    """P3: each application without, with and again without the recorder, in turn: the third run
    tells what the machine itself makes of the first one."""
    costs = _cost_of_a_call(programs, folder, options)
    cost = median(costs)
    yield Figure("P3", f"CPU time of calls {DISTANCE} us apart, by their cost in a tight loop",
                 [1 + c / (DISTANCE * 1e-6) for c in costs], BAR,
                 details={"ns_per_recorded_call": cost * 1e9})
    archive = folder / "application"
    environment = dict(os.environ, OMP_NUM_THREADS="1")

    def recorded(command, callpath="stack"):
        shutil.rmtree(archive, ignore_errors=True)
        return run([programs.fermata, "record", f"--callpath={callpath}", "-o", archive, "--",
                    *MPIRUN, *command], environment=environment, directory=folder)

    for application in _applications(programs, folder, options.application_length):
        command = application.command

        def plain():
            return run([*MPIRUN, *command], environment=environment, directory=folder)

        samples = alternate({"plain": plain, "recorded": lambda: recorded(command),
                             "again": plain}, options.repeats)
        recorded(command, "flat")  # an Enter for each call of MPI, and no others
        calls, distance = _distance(programs, archive)
        shutil.rmtree(archive)
        bar = BAR if distance >= DISTANCE else None
        details = {
            "us_between_calls": distance,
            "calls_per_rank": calls / RANKS,
            "wall_s": {name: median([s.wall for s in samples[name]]) for name in samples},
            "cpu_s": {name: median([s.cpu for s in samples[name]]) for name in samples},
            "least_cpu_ratio": (min(s.cpu for s in samples["recorded"])
                                / min(s.cpu for s in samples["plain"])),
            "expected_of_the_cost_of_a_call": 1 + cost / (distance * 1e-6),
        }
        about = f"{application.name}, calls {distance:.1f} us apart"
        yield Figure("P3", f"CPU time, {about}",
                     ratios_of(samples["recorded"], samples["plain"], cpu_of), bar,
                     details=details)
        yield Figure("P3", f"CPU time, {about}, unrecorded both times",
                     ratios_of(samples["again"], samples["plain"], cpu_of), None)
        yield Figure("P3", f"elapsed time, {about}",
                     ratios_of(samples["recorded"], samples["plain"], wall_of), bar)
