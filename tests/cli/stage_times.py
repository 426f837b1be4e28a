# SPDX-License-Identifier: BSD-3-Clause
"""`fermata analyze --verbose`: the stages and their times; the progress bar on a terminal only."""
import os
import pty
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

STAGES = ["open archive", "read events", "match collective operations", "match messages",
          "choose wait states", "delay costs", "critical path", "fill report", "write report"]


def table(archive, *arguments):
    """The rows of the table: name -> [time, share, ...]."""
    status, output, error = fermata_command.run("analyze", "--verbose", "--mpi=none", *arguments,
                                                archive)
    assert status == 0 and error.count("\r") == 0, error
    lines = output.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("stage "))
    return {line[:30].strip(): line[30:].split() for line in lines[first + 1:]}


def check_table(archive, jobs):
    rows = table(archive, f"--jobs={jobs}")
    assert [name for name in rows if name in STAGES] == STAGES, rows
    total = rows.pop("total")
    rounding = 0.0005 * (len(rows) + 1)
    assert abs(sum(float(row[0]) for row in rows.values()) - float(total[0])) <= rounding, rows
    assert abs(sum(float(row[1]) for row in rows.values()) - 100) <= 0.05 * len(rows) + 0.1, rows
    assert int(rows["read events"][2]) > 0 and float(rows["read events"][4]) >= 0, rows
    for row in rows.values():
        least, mean, most = (float(number) for number in row[-3:])
        assert least - 0.001 <= mean <= most + 0.001, rows


def check_silence(archive):
    for arguments in ([], ["-q"], ["-q", "--verbose"]):
        status, output, error = fermata_command.run("analyze", "--mpi=none", *arguments, archive)
        assert status == 0 and "read events" not in output + error, (arguments, output, error)
        assert "\r" not in error and "\033" not in error, error


def on_terminal(archive, *arguments):
    """What analyze writes to a standard error that is a terminal."""
    leader, follower = pty.openpty()
    done = subprocess.run([fermata_command.FERMATA, "analyze", "--mpi=none", *arguments, archive],
                          stdout=subprocess.PIPE, stderr=follower, check=True, timeout=120)
    os.close(follower)
    output = b""
    try:
        while piece := os.read(leader, 4096):
            output += piece
    except OSError:  # the end of a terminal
        pass
    os.close(leader)
    assert b"read events" not in done.stdout
    return output


def main():
    with fermata_command.Folder() as folder:
        archive = os.path.join(folder, "archive")
        status, _, error = fermata_command.run("synth", fermata_command.ALL_EVENTS, "-o", archive)
        assert status == 0, error
        check_table(archive, 1)
        check_table(archive, 2)
        check_silence(archive)
        bar = on_terminal(archive)
        assert bar.startswith(b"\r\033[K") and b" %" in bar, bar
        assert b"\r\033[Kfermata: warning" in bar, bar  # the bar is cleared first
        assert on_terminal(archive, "-q") == b""


main()
