# SPDX-License-Identifier: BSD-3-Clause
"""A recording with counters only knows the visits that a trace would have, estimates its size, and
suggests a filter; the trace with this filter is smaller and has the same calls.

usage: check_filter_of_counters.py FERMATA MPIRUN FUNCTIONS STEPS
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, functions, steps = sys.argv[1:]
STEPS, CELLS = 200, 200
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1")


def run(*words, status=0, **options):
    done = subprocess.run([fermata, *map(str, words)], capture_output=True, text=True, timeout=120,
                          env=ENVIRONMENT, check=False, **options)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def record(folder, name, program, *words):
    run("record", "--threads=off", *words, "-o", folder / name, "--",
        *mpi_command(mpirun, 2, [program]), cwd=folder)
    return json.loads(run("score", "--format=json", folder / name).stdout)


def rows(score, kinds):
    return {row["name"]: row for row in score["regions"] if row["type"] in kinds}


def visits(score):
    """Of the functions that are exact in both: those of MPI, and the instrumented ones."""
    return {row["name"]: (row["visits"], row["type"]) for row in score["regions"]
            if row["type"] == "MPI" or row["instrumented"]}


def size(experiment):
    return sum(path.stat().st_size for path in experiment.rglob("*")
               if path.is_file() and (path.name.startswith("traces") or path.parent.name == "traces"))


def check_equal(folder):
    """Pauses, threads, jumps and signal handlers change nothing."""
    only = record(folder, "only", functions, "--counters-only")
    traced = record(folder, "traced", functions)
    # In the trace, the marked region that begins in begin_work holds it together, with a call inside.
    in_trace = dict(visits(traced), begin_work=(2, "USR"))
    assert visits(traced)["begin_work"] == (2, "COM")
    assert visits(only) == in_trace, (visits(only), in_trace)
    assert only["is_estimate"] and not traced["is_estimate"]
    assert "on 4 threads" in run("report", folder / "only").stdout
    instrumented = [row for row in only["regions"] if row["instrumented"]]
    assert {pathlib.Path(row["file"]).name for row in instrumented} == {"functions.c"}, instrumented
    assert all(row["seconds"] > 0 for row in instrumented if row["name"] == "leaf"), instrumented


def suggested(folder):
    """A recording with the filter that it suggests. A crowded machine may lengthen each visit of
    `cell` so much that its records are worth their cost: then the run proves nothing."""
    for attempt in range(20):
        name = f"counted{attempt}"
        score = record(folder, name, steps, "--counters-only")
        found = rows(score, ("USR",))
        assert found["cell"]["visits"] == 2 * STEPS * CELLS, found
        if found["cell"]["left_out"]:
            return folder / name, score
    sys.exit("no run suggested to leave out `cell`")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_equal(folder)
        counted, score = suggested(folder)
        run("score", "--suggest", folder / "filter", counted)
        assert "EXCLUDE cell\n" in (folder / "filter").read_text(), (folder / "filter").read_text()
        assert not any(row["left_out"] for row in rows(score, ("MPI", "COM")).values()), score
        # A sample in front of the inserted call at a function's begin sees one visit more.
        whole = record(folder, "whole", steps, "--sample=off")
        assert visits(score) == visits(whole), (visits(score), visits(whole))
        # A sample may find a function that is left out.
        filtered = record(folder, "filtered", steps, "--sample=off", "--filter", folder / "filter")
        kept = {key: value for key, value in visits(score).items() if
                not rows(score, ("USR", "COM", "MPI"))[key]["left_out"]}
        assert visits(filtered) == kept, (visits(filtered), kept)
        assert kept["MPI_Sendrecv"] == (2 * STEPS, "MPI"), kept
        sizes = size(folder / "whole"), size(folder / "filtered")
        assert sizes[1] < sizes[0] / 4, sizes
        print("trace", sizes, "estimated", score["trace_bytes"], score["trace_bytes_filtered"])
        assert sizes[0] / 2 < score["trace_bytes"] < 2 * sizes[0], (sizes, score["trace_bytes"])
        text = run("score", counted).stdout
        assert text.startswith("trace, about ") and "no trace" in text, text
        again = json.loads(run("score", "--filter", folder / "filter", "--format=json",
                               counted).stdout)
        assert again == score, (again, score)


main()
