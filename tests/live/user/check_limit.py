# SPDX-License-Identifier: BSD-3-Clause
"""Records pauses.c, whose iterations go on longer than a small size limit permits, and compares what is
kept with the rule of docs/user-guide.md.

usage: check_limit.py --fermata F --mpirun M --program P

All ranks must keep the same iterations, although one of them may record more than the others; the
analysis must match what is kept, and take nothing that is left out for an error; the experiment must be
below the limit, and everything must be said.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

import user_archive
from check_pauses import (LATE_POST, LATE_SENDER, RANKS, Recorded, collective_waits, compare,
                          late_posts, late_senders)

LIMIT = 1 << 20
ITERATIONS = 48
RULE = re.compile(r"of the phase iteration, visits(?: from number (\d+) on only if divisible by 4)?"
                  r"((?:, from \d+ on by \d+)*)(?:, none from (\d+) on| up to number (\d+) only)?"
                  r" \(max-size 1 MiB\)")


def kept_by(sentence):
    """The iterations that the sentence about what was recorded says are kept; None: there is no such
    sentence."""
    found = RULE.search(" ".join(sentence.split()))
    if not found:
        return None
    first, further, end, last = found.groups()
    stages = [(int(first), 4)] if first else []
    stages += [tuple(map(int, pair)) for pair in re.findall(r"from (\d+) on by (\d+)", further)]
    end = int(end) if end else int(last) + 1 if last else ITERATIONS
    divisor = lambda i: max([d for begin, d in stages if i >= begin], default=1)
    return [i for i in range(end) if i % divisor(i) == 0], stages


def size_of(experiment):
    return sum(path.stat().st_size for path in experiment.rglob("*") if path.is_file())


def recorded_size(experiment):
    """The report is made afterwards, and its critical path is as long as the run is uneven."""
    return size_of(experiment) - (experiment / "report.fer").stat().st_size


def record(options, folder, what, *how, **settings):
    command = [options.mpirun, "-n", str(RANKS), options.program, "long", str(ITERATIONS), what]
    ran = user_archive.run([options.fermata, "record", "--sample=off", "-o", "experiment", *how, "--",
                            *command], folder, **settings)
    experiment = folder / "experiment"
    problems = []
    if (ran.returncode != 0) != (what == "kill"):
        problems.append(f"exit code {ran.returncode}: {ran.stdout}{ran.stderr}")
    # Which calls need progress is concluded from the run: no part of the waiting expected here.
    analysed = user_archive.run([options.fermata, "analyze", "--check", "--progress", "async", str(experiment)], folder)
    if analysed.returncode != 0 or "received before they were sent" in analysed.stderr:
        problems.append(f"fermata analyze: {analysed.stdout}{analysed.stderr}")
    checked = user_archive.run([options.fermata, "check", str(experiment)], folder)
    if " 0 findings" not in checked.stdout:
        problems.append(f"fermata check: {checked.stdout}{checked.stderr}")
    return experiment, ran.stderr, problems


def check_size(experiment):
    if recorded_size(experiment) > LIMIT:
        yield f"{recorded_size(experiment)} bytes: {sorted((p.stat().st_size, p.name) for p in experiment.rglob('*'))}"


def report_of(options, experiment):
    shown = user_archive.run([options.fermata, "report", "--format=json", str(experiment)], experiment)
    return json.loads(shown.stdout)


def check_waits(report, recorded, complete=True):
    expected = {"Late Sender": (LATE_SENDER, late_senders(recorded)),
                "Late Post": (LATE_POST, late_posts(recorded)),
                "Wait at Barrier": (["mpi_barrier_wait"], collective_waits(
                    recorded, ("MPI_Barrier", 0), ("MPI_Barrier", 1))),
                "Wait at NxN": (["mpi_wait_nxn"], collective_waits(recorded, ("MPI_Allreduce", 0))),
                "Wait at Fence": (["mpi_rma_wait_at_fence", "mpi_rma_early_fence"], collective_waits(
                    recorded, ("MPI_Win_fence", 0), ("MPI_Win_fence", 1)))}
    for what, (metrics, waits) in expected.items():
        for problem in compare(report, metrics, waits, recorded, what):
            # The delays are short: on a busy machine rank 0 may be late itself.
            if what != "Late Post" or not problem.endswith("nothing was planted"):
                yield problem
    if complete and any("no matching" in warning or "the record of a member" in warning
           for warning in report["warnings"]):
        yield f"what was left out is taken for an error: {report['warnings']}"


def check_thinned(options, folder, what, *how):
    experiment, errors, problems = record(options, folder, what, "--max-size=1M", *how)
    yield from problems
    yield from check_size(experiment)
    recorded = Recorded(experiment / "traces.otf2")
    yield from recorded.problems
    environment = json.loads((experiment / "environment.json").read_text())
    kept, stages = kept_by(environment.get("recorded", "")) or ([], [])
    iterations = [recorded.iterations[rank] for rank in range(RANKS)]
    if what == "kill":  # ranks that lived longer have recorded more at the end
        last = min(each[-1] for each in iterations)
        iterations = [[i for i in each if i <= last] for each in iterations]
        kept = [i for i in kept if i <= last]
    if not stages or kept[-1] < stages[0][0]:
        yield f"nothing was thinned: {environment.get('recorded')}"
    for rank in range(RANKS):
        if iterations[rank] != kept:
            yield f"rank {rank} kept {iterations[rank]}, said {environment.get('recorded')}: {kept}"
        if what != "kill" and recorded.visits[rank, "iteration"] != len(kept):
            yield f"rank {rank}: {recorded.visits[rank, 'iteration']} visits"
    report = report_of(options, experiment)
    yield from check_waits(report, recorded, complete=what != "kill")
    if not any("recorded: of the phase iteration" in warning for warning in report["warnings"]):
        yield f"the report does not say so: {report['warnings']}"
    if what != "kill" and "fermata: warning: recorded: of the phase iteration" not in errors:
        yield f"the run does not say so: {errors}"
    if not any("Recording was paused" in warning for warning in report["warnings"]):
        yield f"no warning of pauses: {report['warnings']}"
    checked = user_archive.run([options.fermata, "check", str(experiment)], folder)
    if "a part was not recorded" not in checked.stdout:
        yield f"check does not say so: {checked.stdout}"


def check_plain(options, folder, what="plain", least=9, most=ITERATIONS - 9, **settings):
    """Without marked iterations, recording pauses at the limit, or the last records are left out
    because their events are larger than expected (deep)."""
    experiment, errors, problems = record(options, folder, what, "--max-size=1M", **settings)
    yield from problems
    yield from check_size(experiment)
    recorded = Recorded(experiment / "traces.otf2")
    yield from recorded.problems
    environment = json.loads((experiment / "environment.json").read_text())
    said = f"recording paused at the size limit (max-size 1 MiB) in {RANKS} of {RANKS} processes"
    if environment["complete"] or environment.get("incomplete") != said or said not in errors:
        yield f"the run does not say so: {environment.get('incomplete')}: {errors}"
    if "recorded" in environment:
        yield f"iterations are said to be left out: {environment['recorded']}"
    for rank in range(RANKS):
        count = len(recorded.iterations[rank])
        if recorded.iterations[rank] != list(range(count)) or not least <= count <= most:
            yield f"rank {rank} recorded iterations {recorded.iterations[rank]}"
        names = [call.name for call in recorded.calls if call.rank == rank]
        if names[-1] != "MPI_Finalize":
            yield f"rank {rank}: the last call is {names[-1]}"
    report = report_of(options, experiment)
    yield from check_waits(report, recorded)
    if not any("size limit" in warning for warning in report["warnings"]):
        yield f"the report does not say so: {report['warnings']}"


def check_unlimited(options, folder, *how):
    experiment, errors, problems = record(options, folder, "even", *how)
    yield from problems
    recorded = Recorded(experiment / "traces.otf2")
    for rank in range(RANKS):
        if recorded.iterations[rank] != list(range(ITERATIONS)):
            yield f"rank {rank} recorded iterations {recorded.iterations[rank]}"
    if "warning" in errors or size_of(experiment) < LIMIT:
        yield f"{size_of(experiment)} bytes, {errors}"


def check_refused(options, folder):
    for value in ("5", "1000K", "-1", "lots", "1X", ""):
        refused = user_archive.run([options.fermata, "record", f"--max-size={value}", "--", "true"],
                                   folder)
        if refused.returncode != 2 or "max-size needs" not in refused.stderr:
            yield f"max-size {value}: exit code {refused.returncode}: {refused.stderr}"
    both = user_archive.run([options.fermata, "record", "--max-size=1G", "--flight-recorder=16M", "--",
                             "true"], folder)
    if both.returncode != 2 or "max-size" not in both.stderr:
        yield f"max-size with the flight recorder: {both.returncode}: {both.stderr}"


CASES = {
    "even": lambda options, folder: check_thinned(options, folder, "even"),
    "uneven": lambda options, folder: check_thinned(options, folder, "uneven"),
    "kill": lambda options, folder: check_thinned(options, folder, "kill", "--flush-interval=0.05"),
    "plain": check_plain,
    "deep": lambda options, folder: check_plain(options, folder, "deep", 4, 12,
                                                FERMATA_CALLPATH="stack"),
    "default": check_unlimited,
    "refused": check_refused,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    options = parser.parse_args()
    problems = []
    for name in options.cases:
        with tempfile.TemporaryDirectory(prefix="fermata-user-") as folder:
            wrong = list(CASES[name](options, pathlib.Path(folder)))
            problems += [f"{name}: {text}" for text in wrong]
    for problem in problems[:40]:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
