# SPDX-License-Identifier: BSD-3-Clause
"""Records programs that reach MPI in other ways than by preloaded names, or under another preloaded tool, or whose
launcher changes LD_PRELOAD. Their calls are recorded; of those that cannot be, and of runs without a recording, the
true reason is stated.

usage: check_reached.py --fermata F --mpirun M --exchange P --handle P --plugin L --tools L... --cases NAME...
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import mpi_command, run_launcher  # noqa: E402

ALL = {"MPI_Init": 2, "MPI_Comm_rank": 2, "MPI_Send": 3, "MPI_Recv": 3, "MPI_Barrier": 8, "MPI_Finalize": 2}
NO_MESSAGES = {name: count for name, count in ALL.items() if name not in ("MPI_Send", "MPI_Recv")}
WITHOUT_SENDS = {name: count for name, count in ALL.items() if name != "MPI_Send"}
OUTPUT = ["rank 0: 0", "rank 1: 2"]
OUTPUT_WITHOUT_MESSAGES = ["rank 0: 0", "rank 1: 0"]


def library_of(program):
    """The MPI library that a program is linked with."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return next(line.split()[2] for line in text.splitlines() if line.strip().startswith(("libmpi.", "libmpich.")))


class Runs:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tools = {pathlib.Path(tool).stem.removeprefix("libtool_"): tool for tool in options.tools}

    def record(self, name, program, front=(), preload=None):
        """Records a program on two ranks. @return the experiment, and the completed process"""
        experiment = self.folder / name
        environment = dict(os.environ)
        environment.pop("LD_PRELOAD", None)
        if preload:
            environment["LD_PRELOAD"] = preload
        command = mpi_command(self.options.mpirun, 2, [*front, *map(str, program)])
        return experiment, run_launcher([self.options.fermata, "record", "--sample=off", "-o", str(experiment), "--",
                                         *command], env=environment)

    def calls(self, experiment):
        shown = subprocess.run([self.options.fermata, "info", "--format=json", str(experiment)], capture_output=True,
                               text=True)
        regions = json.loads(shown.stdout)["regions"] if shown.returncode == 0 else []
        return {region["name"]: region["visits"] for region in regions if region["name"].startswith("MPI_")}


def check(runs, name, program, calls, output, said=(), unsaid=("warning",), **how):
    """A recorded run: its calls, its output, and what is and is not said about it."""
    experiment, done = runs.record(name, program, **how)
    if done.returncode != 0 or sorted(done.stdout.splitlines()) != output:
        yield f"{name}: exit code {done.returncode}: {done.stdout}{done.stderr}"
    found = runs.calls(experiment)
    if found != calls:
        yield f"{name}: recorded {found}, not {calls}: {done.stderr}"
    yield from (f"{name}: does not say {phrase!r}: {done.stderr}" for phrase in said if phrase not in done.stderr)
    yield from (f"{name}: says {phrase!r}: {done.stderr}" for phrase in unsaid if phrase in done.stderr)


def check_tool(runs, tool):
    """A tool in front of the recorder. What it passes on to the profiling interface itself is not recorded."""
    passes_on = tool == "NEXT"
    yield from check(runs, f"tool {tool}", [runs.options.exchange], ALL if passes_on else WITHOUT_SENDS, OUTPUT,
                     said=[] if passes_on else ["defines MPI_Send of its own", "are not recorded"],
                     unsaid=["incomplete", "defines MPI_Init", "MPI_Finalize of its own"], preload=runs.tools[tool])


def check_replaced(runs):
    """The environment of the ranks has another LD_PRELOAD: that of the tool remains in front."""
    experiment, done = runs.record("replaced", [runs.options.exchange],
                                   front=["env", f"LD_PRELOAD={runs.tools['BOTH']}"])
    if runs.calls(experiment) != WITHOUT_SENDS or "tool: 3 sent" not in done.stderr:
        yield f"replaced: {runs.calls(experiment)}: {done.stderr}"


def check_removed(runs):
    experiment, done = runs.record("removed", [runs.options.exchange], front=["env", "-u", "LD_PRELOAD"])
    reason = f"{runs.options.exchange} was started without the recorder: LD_PRELOAD was removed from its environment"
    if experiment.exists() or done.returncode != 0 or f"nothing was recorded: {reason}" not in done.stderr:
        yield f"removed: exit code {done.returncode}: {done.stderr}"


def cases(runs):
    options = runs.options
    library = library_of(options.exchange)
    return {
        "handle": lambda: check(runs, "handle", [options.handle, "local", library], NO_MESSAGES, OUTPUT_WITHOUT_MESSAGES),
        "lazy": lambda: check(runs, "lazy", [options.handle, "lazy", library], NO_MESSAGES, OUTPUT_WITHOUT_MESSAGES),
        "deep": lambda: check(runs, "deep", [options.handle, "deep", options.plugin], ALL, OUTPUT),
        "ctypes": lambda: check(runs, "ctypes", [sys.executable, pathlib.Path(__file__).with_name("ctypes_calls.py"),
                                                 library], ALL, OUTPUT),
        "replaced": lambda: check_replaced(runs),
        "removed": lambda: check_removed(runs),
        **{tool: lambda tool=tool: check_tool(runs, tool) for tool in runs.tools},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--exchange", "--handle", "--plugin"):
        parser.add_argument(name, required=True)
    parser.add_argument("--tools", nargs="+", required=True)
    parser.add_argument("--cases", nargs="+", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-reached-") as folder:
        known = cases(Runs(options, pathlib.Path(folder)))
        wrong = [problem for case in options.cases for problem in known[case]()]
    if wrong:
        sys.exit("\n".join(wrong))


main()
