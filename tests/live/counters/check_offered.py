# SPDX-License-Identifier: BSD-3-Clause
"""The recorder's counters as performance variables of MPI: a tool in the program reads them, and finds
the values of `fermata counters show`. Without the option it sees what it sees unrecorded.

usage: check_offered.py FERMATA MPIRUN PROGRAM STUB LIBRARY
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program, stub, library = sys.argv[1:]
PREFIX = "fermata_"
MESSAGES, REDUCTIONS = 5 + 7, 3


def seen(*record, command=(program,)):
    """What the program prints, as lists of words, and those of the variables of the recorder."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run([*record, *mpi_command(mpirun, 2, command)], capture_output=True,
                          text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split() for line in done.stdout.splitlines()
             if line.split()[:1] and line.split()[0] in ("variable", "result", "meaning", "values")]
    own = {kind: {} for kind in ("variable", "meaning", "values")}
    rest = []
    for line in lines:
        name = line[2 if line[0] == "variable" else 1]
        if line[0] != "result" and name.startswith(PREFIX):
            own[line[0]][name] = line
        else:
            rest.append(line)
    return rest, own


def shown(experiment):
    text = subprocess.run([fermata, "counters", "show", "--all", "--format", "json", experiment],
                          capture_output=True, text=True, check=True).stdout
    return {counter["name"]: counter for counter in json.loads(text)["counters"]}


def plain(name):
    return PREFIX + "".join(c if c.isalnum() else "_" for c in name)


def check_values(own, counters):
    """Rank 0 has read them after MPI_Finalize, which completes the file of counters."""
    offered = {name: [float(word) for word in line[2:]] for name, line in own["values"].items()}
    assert set(own["variable"]) == set(offered) == set(own["meaning"])
    names = [name for name in counters if ":" not in name]
    assert {plain(name) for name in names} == set(offered), (names, list(offered))
    compared = 0
    for name in names:
        counter = counters[name]
        values = offered[plain(name)]
        if name.startswith("recorder."):  # the reading itself is recorded
            continue
        if "bins" in counter:
            expected = [bin["values"][0] for bin in counter["bins"]]
        else:
            expected = [counter["values"][0]]
        assert values == expected, (name, values, expected)
        compared += 1
    assert compared > 40, compared
    assert offered["fermata_mpi_messages_sent"] == [MESSAGES]
    assert offered["fermata_mpi_bytes_sent"] == [4 * MESSAGES]
    assert sum(offered["fermata_mpi_message_sizes"]) == MESSAGES
    assert REDUCTIONS in offered["fermata_mpi_collectives"]


def check_sorts(own, rest):
    """Indices follow those of the library without gaps; all are read-only and continuous."""
    indices = sorted(int(line[1]) for line in own["variable"].values())
    assert indices == list(range(indices[0], indices[0] + len(indices))), indices
    assert all(int(line[1]) < indices[0] for line in rest if line[0] == "variable"), (indices, rest)
    for line in own["variable"].values():
        assert line[6:] == ["1", "1", "0"], line
    classes = {name[len(PREFIX):]: (line[3], line[4]) for name, line in own["variable"].items()}
    assert len({classes[name][0] for name in ("mpi_messages_sent", "mpi_bytes_sent",
                                              "mpi_requests_open", "mpi_requests_open_most",
                                              "usage_time_user")}) == 5, classes
    assert classes["mpi_collectives"] == classes["mpi_messages_sent"]
    assert classes["mpi_bytes_sent"][1] == "whole" and classes["mpi_requests_open"][1] == "double"
    assert " ".join(own["meaning"]["fermata_mpi_bytes_sent"]) == (
        "meaning fermata_mpi_bytes_sent mpi.bytes_sent (bytes): bytes of these messages")


def main():
    alone, none = seen()
    assert not any(none.values()), none
    assert library != "openmpi" or ["result", "read", "0"] in alone, alone
    with tempfile.TemporaryDirectory() as folder:
        record = [fermata, "record", "--counters"]
        assert seen(*record, "-o", f"{folder}/off", "--") == (alone, none)
        for option in ("--counters", "--counters-only"):
            experiment = f"{folder}/{option}"
            rest, own = seen(fermata, "record", option, "--counters-mpit", "-o", experiment, "--")
            assert rest == alone, (rest, alone)
            check_sorts(own, rest)
            check_values(own, shown(experiment))
        rest, own = seen(fermata, "record", "--counters=mpi.messages_sent,mpi.bytes_*,mpit:*",
                         "--counters-mpit", "-o", f"{folder}/some", "--")
        assert list(own["variable"]) == [
            "fermata_mpi_messages_sent", "fermata_mpi_bytes_sent", "fermata_mpi_bytes_received",
            "fermata_mpi_bytes_put", "fermata_mpi_bytes_got", "fermata_mpi_bytes_atomic"], own
        grows = ["sh", "-c", f'LD_PRELOAD="{stub} $LD_PRELOAD" exec {program}']
        rest, own = seen(*record, "--counters-mpit", "-o", f"{folder}/grows", "--", command=grows)
        assert own["values"] and rest == alone, (own, rest, alone)
        refused = subprocess.run([fermata, "record", "--counters-mpit", "--", "true"],
                                 capture_output=True, text=True, check=False)
        assert refused.returncode != 0
        assert "--counters-mpit needs counters: add --counters" in refused.stderr, (
            refused.stderr)


main()
