# SPDX-License-Identifier: BSD-3-Clause
"""What is asked for by its name is shown, or stated to be unavailable with the reason, and how it is
obtained is stated as in the list of counters.

usage: check_asked.py FERMATA MPIRUN PROGRAM STUB HOOKED LIBRARY
"""

import json
import os
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program, stub, hooked, library = sys.argv[1:]
FLOOD = 5000


def record(experiment, options, command, **variables):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", **variables)
    done = subprocess.run([fermata, "record", "--counters-only", *options, "-o", experiment, "--",
                           *mpi_command(mpirun, 2, command)], capture_output=True, text=True,
                          check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"see fermata report and fermata counters show {experiment}" in done.stderr, done.stderr


def counters(*arguments):
    return subprocess.run([fermata, "counters", *arguments], capture_output=True, text=True,
                          check=True)


def shown(experiment, *names):
    """@return {name: counter}, {name: reason}, as JSON has them"""
    done = counters("show", "--format", "json", experiment, *names)
    assert done.stderr == "", done.stderr
    result = json.loads(done.stdout)
    return ({counter["name"]: counter for counter in result["counters"]},
            {lack["name"]: (lack["reason"], lack["ranks"]) for lack in result["unavailable"]})


def rows(experiment, *names):
    """The first word of each row, and the text; nothing is left to stderr."""
    done = counters("show", experiment, *names)
    assert done.stderr == "", done.stderr
    return {line.split()[0] for line in done.stdout.splitlines() if line.strip()}, done.stdout


def check_unavailable(experiment):
    """What is not in the run is stated where the values are, and is not 0."""
    listed = {counter["name"]: counter
              for counter in json.loads(counters("list", "--format", "json").stdout)["counters"]}
    found, lacks = shown(experiment, "OMPI_SPC_UNEXPECTED", "perf:page-faults", "mpi.bytes_sent")
    assert list(found) == ["mpi.bytes_sent"], found
    assert lacks == {"UNEXPECTED": (listed["UNEXPECTED"]["unavailable_because"], 2),
                     "perf:page-faults": ("the recording does not name it", 2)}, lacks
    names, text = rows(experiment, "UNEXPECTED")
    assert "UNEXPECTED" in names and listed["UNEXPECTED"]["unavailable_because"] in text, text
    assert "has counted" not in text, text
    _, lacks = shown(experiment, "calls:MPI_Frobnicate,BASE_BARRIER_*")
    assert lacks["calls:MPI_Frobnicate"] == ("no process of the run has it", 2), lacks
    assert sum(name.startswith("BASE_BARRIER_") for name in lacks) == 6 == len(lacks) - 1, lacks
    assert shown(experiment)[1] == {} == shown(experiment, "mpi.*,all")[1]
    done = counters("show", "--format", "csv", experiment, "UNEXPECTED")
    assert "UNEXPECTED is unavailable: inside the library" in done.stderr, done
    _, text = rows(experiment, "armci.*")
    assert "none of the counters that are asked for has counted" in text, text


def check_named(experiment):
    """A counter that is 0 in all ranks is shown if it is named, and not if a pattern matches it."""
    for name in ("mpi.bytes_put", "OMPI_SPC_BYTES_PUT", "mpi.messages_sent,BYTES_PUT"):
        assert "mpi.bytes_put" in rows(experiment, name)[0], name
        assert shown(experiment, name)[0]["mpi.bytes_put"]["values"] == [0, 0], name
    assert "mpi.bytes_put,bytes,1,0" in counters("show", "--format", "csv", experiment,
                                                 "mpi.bytes_put").stdout
    assert "mpi.bytes_put" not in rows(experiment, "mpi.bytes_*")[0]
    done = counters("diff", experiment, experiment, "mpi.bytes_put", "mpi.*")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == ["mpi.bytes_put"], done


def check_labels(experiment):
    """How a counter is obtained is what the list says of the name that is asked for."""
    listed = {counter["name"]: counter
              for counter in json.loads(counters("list", "--format", "json").stdout)["counters"]}
    compared = set()
    for name, entry in listed.items():
        if entry["is_spc"] and entry["source"] is not None:
            counter, = shown(experiment, f"OMPI_SPC_{name}")[0].values()
            assert counter["obtained"] == entry["tier"], (name, counter)
            assert counter["name"] == entry["source"], (name, counter)
            compared.add(entry["tier"])
    assert compared == {"exact (calls)", "lower bound (calls)"}, compared
    found, _ = shown(experiment, "mpi.bytes_put", "calls:MPI_Bcast_init", "calls:MPI_Bcast")
    assert {name: counter["obtained"] for name, counter in found.items()} == {
        "mpi.bytes_put": "exact (calls)", "calls:MPI_Bcast_init": "exact (calls)",
        "calls:MPI_Bcast": "exact (calls)"}, found


def check_defects(folder):
    """Variables of Open MPI that count wrongly have a warning; those that do not have none."""
    experiment = f"{folder}/defects"
    record(experiment, ["--counters=UNEXPECTED,BYTES_SENT_MPI,BYTES_RECEIVED_MPI,mpit:*SPC_BYTES_*"],
           ["sh", "-c", f'LD_PRELOAD="{stub} $LD_PRELOAD" exec {program}'],
           STUB_VERSION="Open MPI v4.1.4, x", OMPI_MCA_mpi_spc_attach="all")
    found, lacks = shown(experiment)
    prefix = "mpit:runtime_spc_OMPI_SPC_"
    warned = {name for name, counter in found.items() if counter["warning"] is not None}
    assert warned == {"BYTES_SENT_MPI", "BYTES_RECEIVED_MPI", f"{prefix}BYTES_SENT_USER",
                      f"{prefix}BYTES_PUT"}, (found, lacks)
    assert "mpi.bytes_put" in found[f"{prefix}BYTES_PUT"]["warning"], found
    assert found["UNEXPECTED"]["obtained"] == "library's variable", found["UNEXPECTED"]
    _, text = rows(experiment)
    assert text.count("warning: ") == 4, text
    assert "warning: BYTES_SENT_MPI: Open MPI 4.1.4 ascribes messages of the program" in text, text


def check_converted(experiment, spc):
    """Other users of the machine cannot read the files."""
    before = os.umask(0o022)
    counters("convert", experiment, spc)
    os.umask(before)
    modes = {name: stat.S_IMODE(os.stat(f"{spc}/{name}").st_mode) for name in os.listdir(spc)}
    assert len(modes) == 4 and set(modes.values()) == {0o600}, modes


def check_findings(folder):
    """A flood is found without the counters of all arriving messages; what cannot be judged is stated."""
    experiment = f"{folder}/flood"
    record(experiment, ["--hooks", "--counters=mpi.*,UNEXPECTED,OUT_OF_SEQUENCE"],
           [hooked, "each", str(FLOOD), "0"])
    received = shown(experiment, "mpi.messages_received")[0]["mpi.messages_received"]["values"][1]
    unexpected = shown(experiment, "UNEXPECTED")[0]["UNEXPECTED"]["values"][1]
    assert unexpected >= FLOOD // 2 and received >= FLOOD, (unexpected, received)
    text = counters("findings", experiment).stdout
    if unexpected >= received / 2:
        assert (f"Rank 1: {unexpected:,} messages, those of the library itself included, arrived"
                in text and f"the program received {received:,} messages." in text), text
        assert "Nothing notable" not in text, text
    assert "Not judged: messages out of sequence (needed: OUT_OF_SEQUENCE,EAGER_MESSAGES," in text
    assert "Not judged: algorithms of collectives (needed: BASE_*)." in text, text
    assert "Not judged: floods" not in text, text
    found = json.loads(counters("findings", "--format", "json", experiment).stdout)
    assert [rule["id"] for rule in found["not_judged"]] == [
        "out-of-sequence", "rendezvous", "algorithms", "recursive-doubling"], found
    record(f"{folder}/quiet", ["--hooks", "--counters=UNEXPECTED,mpi.messages_received"],
           [hooked, "each", "0", "0"])
    text = counters("findings", f"{folder}/quiet").stdout
    assert "Nothing notable by the counters of this run.\nNot judged: " in text, text


def main():
    with tempfile.TemporaryDirectory() as folder:
        experiment = f"{folder}/plain"
        record(experiment, [], [program])
        check_unavailable(experiment)
        check_named(experiment)
        check_labels(experiment)
        check_converted(experiment, f"{folder}/spc")
        check_defects(folder)
        if library == "openmpi":
            check_findings(folder)


main()
