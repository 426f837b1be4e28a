# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks of messages, as NetPIPE and as multirate: their tables have all sizes and repetitions, and counters have
exactly the messages and bytes that the tables imply, those to warm up included; `fermata counters calibrate` compares
its prediction with a ping-pong. No number depends on how fast the machine is.

usage: check_ping_pong.py FERMATA MPIRUN PING-PONG MESSAGE-RATE
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import launcher_arguments, mpi_command  # noqa: E402

fermata, mpirun, ping_pong, message_rate = sys.argv[1:]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=240, env=ENVIRONMENT,
                          check=False)
    assert done.returncode == 0, (words, done)
    return done


def record(experiment, ranks, program):
    """What the program prints, and counters with their values in all ranks."""
    done = run(fermata, "record", "--counters-only", "--callpath", "flat", "-o", experiment, "--",
               *mpi_command(mpirun, ranks, program))
    shown = json.loads(run(fermata, "counters", "show", "--all", "--format", "json", experiment).stdout)
    return done.stdout, {counter["name"]: counter["values"] for counter in shown["counters"]}


def rows_of(text, columns):
    """The numbers of a table, whose second line has the names of its columns."""
    lines = text.splitlines()
    assert lines[1].split() == columns and lines[-1] == "all messages are right", text
    return [dict(zip(columns, map(float, line.split()))) for line in lines[2:-1]]


def check_spread(row, mean, repetitions):
    assert row["repetitions"] == repetitions and row[mean] > 0 and row["deviation"] >= 0, row
    assert 0 < row["least"] <= 1.001 * row[mean], row
    # No repetition is further from the mean than this many deviations.
    assert row[mean] - row["least"] <= row["deviation"] * repetitions ** 0.5 + 0.002 + 0.01 * row[mean], row


def check_ping_pong(folder):
    sizes, exchanges, repetitions, warm_up = [0, 1, 64, 20000], 20, 4, 7
    text, values = record(folder / "ping-pong", 2, [
        ping_pong, "--sizes", ",".join(map(str, sizes)), "--exchanges", str(exchanges), "--repetitions",
        str(repetitions), "--warm-up", str(warm_up)])
    head = text.splitlines()[0]
    assert re.fullmatch(r"ping-pong: (Open MPI v|MPICH Version: )[\d.]+\S*, repetitions of 20 exchanges each, after 7 "
                        "to warm up", head), head
    rows = rows_of(text, ["bytes", "repetitions", "us/message", "deviation", "median", "least"])
    assert [row["bytes"] for row in rows] == sizes, text
    for row in rows:
        check_spread(row, "us/message", repetitions)
        assert row["least"] <= row["median"], row
    each = exchanges * repetitions + warm_up
    for name in ("calls:MPI_Send", "calls:MPI_Recv", "mpi.messages_sent", "mpi.messages_received"):
        assert values[name] == 2 * [each * len(sizes)], (name, values[name])
    for name in ("mpi.bytes_sent", "mpi.bytes_received"):
        assert values[name] == 2 * [each * sum(sizes)], (name, values[name])
    # With updates of counters in each call the messages are the same.
    done = run(*mpi_command(mpirun, 2, [ping_pong, "--exchanges", "5", "--repetitions", "1", "--send", "4,2,1,1,3",
                                        "--receive", "1,0,1,0,0"]))
    row, = rows_of(done.stdout, ["bytes", "repetitions", "us/message", "deviation", "median", "least"])
    assert (row["bytes"], row["deviation"]) == (8, 0) and row["median"] == row["least"] == row["us/message"], row


def check_message_rate(folder, threads, communicator):
    numbers, messages, repetitions, window = [1, 40], 50, 3, 8
    text, values = record(folder / f"rate-{threads}", 4, [
        message_rate, "--numbers", ",".join(map(str, numbers)), "--messages", str(messages), "--repetitions",
        str(repetitions), "--window", str(window), "--threads", str(threads), "--communicator", communicator])
    assert text.startswith(f"message-rate: pairs: 2, threads of a rank: {threads}, communicators: {communicator}, "
                           "window: 8, messages of a thread in a repetition, and to warm up: 50\n"), text
    rows = rows_of(text, ["bytes", "repetitions", "messages/s", "deviation", "least", "most"])
    assert [row["bytes"] for row in rows] == [8 * count for count in numbers], text
    for row in rows:
        check_spread(row, "messages/s", repetitions)
        assert row["messages/s"] <= 1.001 * row["most"], row
    each = messages * threads * (repetitions + 1)
    windows = threads * (repetitions + 1) * len(numbers) * -(-messages // window)
    assert values["calls:MPI_Isend"] == values["mpi.messages_sent"] == 2 * [each * len(numbers), 0], values
    assert values["calls:MPI_Irecv"] == values["mpi.messages_received"] == 2 * [0, each * len(numbers)], values
    assert values["mpi.bytes_sent"] == 2 * [8 * each * sum(numbers), 0], values["mpi.bytes_sent"]
    assert values["calls:MPI_Waitall"] == 4 * [windows], values["calls:MPI_Waitall"]


def check_calibration(folder):
    launcher = [mpirun, *launcher_arguments(mpirun), "-n", "2"]
    ENVIRONMENT["TMPDIR"] = str(folder)
    words = ["counters", "calibrate", "-n", "1", "SEND,BYTES_SENT_USER,P2P_MESSAGE_SIZE", "RECV"]
    shown = json.loads(run(fermata, *words, "--format", "json", "--", *launcher).stdout)
    measured = shown["ping_pong"]
    assert measured["library"].startswith(("Open MPI v", "MPICH Version")), measured
    assert (measured["bytes"], measured["rounds"]) == (8, 1) and measured["exchanges"] >= 10, measured
    plain, updated, recorded = measured["variants"]
    assert (plain["name"], updated["name"], recorded["name"]) == (
        "without counters", "with these updates in each call", "fermata record --counters-only"), measured
    for variant in measured["variants"]:
        time, = variant["rounds_ns"]
        assert time > 0 and variant["ns_per_message"] == time, variant
    for variant in (updated, recorded):
        added = variant["ns_per_message"] - plain["ns_per_message"]
        for name in ("added_ns", "least_added_ns", "most_added_ns"):
            assert abs(variant[name] - added) <= 1e-6 * plain["ns_per_message"], (name, measured)
    assert [call["model"] for call in shown["calls"]] == ["3*O_On + O_Bin + O_Off", "O_On + 2*O_Off"], shown["calls"]
    predicted = sum(call["predicted_ns"] for call in shown["calls"])
    assert abs(updated["predicted_ns"] - predicted) <= 1e-6 * predicted, (updated, predicted)
    assert "predicted_ns" not in plain and "predicted_ns" not in recorded, measured
    assert not list(folder.glob("fermata-*")), list(folder.iterdir())
    words[words.index("1")] = "5"
    for number in (signal.SIGINT, signal.SIGTERM):
        check_interrupted(folder, [fermata, *words, "--", *launcher], number)
    # A launcher that does not end, as MPICH's at times when it is interrupted while it begins.
    stuck = folder / "stuck"
    stuck.write_text("#!/bin/sh\ntrap '' INT TERM\nsleep 300\n")
    stuck.chmod(0o700)
    check_interrupted(folder, [fermata, *words, "--", stuck], signal.SIGINT)


def check_interrupted(folder, words, number):
    """A calibration that is interrupted ends, and leaves nothing behind."""
    running = subprocess.Popen([str(word) for word in words], env=ENVIRONMENT, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not list(folder.glob("fermata-*")):
            assert running.poll() is None, words
            time.sleep(0.01)
        time.sleep(0.3)
        os.killpg(running.pid, number)
        assert running.wait(timeout=120) == -number, (words, running.returncode)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
    assert not list(folder.glob("fermata-*")), list(folder.iterdir())


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_ping_pong(folder)
        check_message_rate(folder, 1, "shared")
        check_message_rate(folder, 2, "each")
        check_calibration(folder)


main()
