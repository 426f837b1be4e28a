# SPDX-License-Identifier: BSD-3-Clause
"""A run with far more ranks than processors, with and without the recorder: slowdown, duration
of the begin and end of recording, size of the trace, and its consistency. These figures have no
bar: with ranks that wait for processors, elapsed times depend as much on the scheduler as on the
recorder."""

import json
import os
import re
import shutil

from .measure import Figure, ProgramFailed, alternate, cpu_of, open_mpi, ratios_of, run, wall_of

VARIANTS = ("p2p", "fence", "gats", "locks")


def _command(programs, variant, ranks, length):
    iterations = str(max(50, round(400 * length)))
    return [*open_mpi(ranks), "--mca", "mpi_yield_when_idle", "1",
            programs.workloads / "openmpi" / "sor", "--variant", variant, "--size", "1200x1200",
            "--iterations", iterations, "--tolerance", "0", "--check", "50"]


def _findings(programs, archive):
    """Number of events and number of findings of `fermata check`."""
    output = run([programs.fermata, "check", archive]).output
    found = re.search(r"(\d+) locations, (\d+) events, (\d+) findings", output)
    if found is None:
        raise ProgramFailed(f"fermata check: {output}")
    return int(found.group(2)), int(found.group(3))


def _measure(programs, folder, options, variant):
    ranks = options.many_ranks
    command = _command(programs, variant, ranks, options.application_length)
    archive = folder / "many-ranks"
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    costs = []

    def recorded():
        shutil.rmtree(archive, ignore_errors=True)
        sample = run([programs.fermata, "record", "-o", archive, "--", *command],
                     environment=environment, directory=folder)
        costs.append(json.loads((archive / "environment.json").read_text())["recorder"])
        return sample

    samples = alternate({
        "plain": lambda: run(command, environment=environment, directory=folder),
        "recorded": recorded,
    }, options.repeats)
    costs = costs[1:]  # the first run only warmed up
    events, findings = _findings(programs, archive)
    size = sum(file.stat().st_size for file in archive.rglob("*") if file.is_file())
    shutil.rmtree(archive)
    about = f"SOR {variant}, {ranks} ranks"
    details = {
        "wall_s": {name: [s.wall for s in samples[name]] for name in samples},
        "cpu_s": {name: [s.cpu for s in samples[name]] for name in samples},
        "recorder": costs,
    }
    yield Figure("RANKS", f"CPU time, {about}",
                 ratios_of(samples["recorded"], samples["plain"], cpu_of), None, details=details)
    yield Figure("RANKS", f"elapsed time, {about}",
                 ratios_of(samples["recorded"], samples["plain"], wall_of), None)
    for key, what in (("begin_seconds", "begin"), ("end_seconds", "end")):
        yield Figure("RANKS", f"{what} of recording, {about}", [run[key] for run in costs], None,
                     unit="s")
    yield Figure("RANKS", f"events of the trace, {about}", [events / 1e6], None, unit="10^6")
    yield Figure("RANKS", f"size of the trace, {about}", [size / 1e6], None, unit="MB")
    yield Figure("RANKS", f"findings of fermata check, {about}", [findings], 0)


def slowdown(programs, folder, options):
    """Every variant of the solver without and with the recorder, in turn."""
    for variant in VARIANTS:
        yield from _measure(programs, folder, options, variant)
