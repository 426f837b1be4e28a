# SPDX-License-Identifier: BSD-3-Clause
"""Records a program and checks that what is not recorded is named once in the end line, and in `check`, the
report, its JSON and, as far as the program's file shows it, in `fermata doctor`.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import TIMEOUT, mpi_command  # noqa: E402

# By program: its ranks; what the warning says; what the doctor says.
EXPECTED = {
    "plain": (2, None, None),
    "own_layer": (2, ["own_layer defines MPI_Bcast", "are not recorded"],
                  ["defines functions of MPI itself", "MPI_Bcast"]),
    "layered": (2, ["liblayer.so defines MPI_Barrier", "not these definitions"], None),
    "future": (2, ["MPI_Future_start", "MPI_Future_wait", "their time counts as computation"],
               ["functions that are not recorded", "MPI_Future_start", "MPI_Future_wait"]),
    "sessions": (2, None, None),
    "session_alone": (2, None, None),
}


def run(*command, must_succeed=False):
    outcome = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                             timeout=TIMEOUT)
    if must_succeed and outcome.returncode != 0:
        sys.exit(f"{command}: exit code {outcome.returncode}: {outcome.stdout}{outcome.stderr}")
    return " ".join((outcome.stdout + outcome.stderr).split())


def lacks(where, text, phrases):
    return [f"{where} does not say {phrase!r}:\n{text}" for phrase in phrases if phrase not in text]


def check_recording(fermata, experiment, end, phrases):
    """The end line of a recording, and what the commands say about its experiment."""
    if phrases is None:
        return [f"a warning about a plain program:\n{end}"] if "not recorded" in end else []
    wrong = lacks("the end line", end, phrases)
    if end.count(phrases[-1]) > 1:
        wrong.append(f"the end line says {phrases[-1]!r} more than once:\n{end}")
    if experiment.exists():
        wrong += lacks("`analyze`", run(fermata, "analyze", experiment), phrases)
        wrong += lacks("`check`", run(fermata, "check", experiment), phrases)
        wrong += lacks("the report", run(fermata, "report", experiment), phrases)
        report = json.loads(subprocess.run([fermata, "report", "--format=json", str(experiment)],
                                           capture_output=True, text=True).stdout)
        wrong += lacks("JSON", "\n".join(report["warnings"]), phrases)
    else:
        wrong.append(f"no experiment:\n{end}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    ranks, phrases, doctor = EXPECTED[pathlib.Path(options.program).name]
    with tempfile.TemporaryDirectory(prefix="fermata-unseen-") as folder:
        experiment = pathlib.Path(folder) / "run"
        end = run(options.fermata, "record", "-o", experiment, "--",
                  *mpi_command(options.mpirun, ranks, [options.program]), must_succeed=True)
        wrong = check_recording(options.fermata, experiment, end, phrases)
    healthy = run(options.fermata, "doctor", options.program)
    if doctor is not None:
        wrong += lacks("the doctor", healthy, doctor)
    elif "not recorded" in healthy:
        wrong.append(f"the doctor warns of a plain program:\n{healthy}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
