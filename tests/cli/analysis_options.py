# SPDX-License-Identifier: BSD-3-Clause
"""`fermata analyze --critical-path` and `--partition`: what the report tells of them, and mistakes."""
import glob
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

SCENARIO = os.path.join(fermata_command.SCENARIOS, "formation", "path-from-init-to-finalize.scn")


def options_of(archive, *arguments):
    """What the JSON report says of an analysis with these arguments."""
    status, _, error = fermata_command.run("analyze", "-q", "--check", *arguments, archive)
    assert status == 0, error
    status, output, error = fermata_command.run("report", "--format=json", archive)
    assert status == 0, error
    report = json.loads(output)
    path = report["critical_path"]
    return report["options"], (path[0]["begin"], path[-1]["end"])


def choices(archive, folder):
    plain = {"critical_path": "run", "switched_off": [], "partitions": []}
    assert options_of(archive) == (plain, (0, 10))
    assert options_of(archive, "--critical-path=run") == (plain, (0, 10))
    restricted = {"critical_path": "init-finalize", "switched_off": [], "partitions": []}
    assert options_of(archive, "--critical-path", "init-finalize") == (restricted, (3, 9))
    named = dict(plain, partitions=[{"name": "io", "locations": [1]}])
    assert options_of(archive, "--partition=io:1")[0] == named
    path = os.path.join(folder, "partitions")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# who does what\nio: 1\nsolver <b>: 0\n")
    named["partitions"].append({"name": "solver <b>", "locations": [0]})
    assert options_of(archive, "--partition=@" + path)[0] == named
    status, output, _ = fermata_command.run("report", archive)
    assert status == 0 and "io (1 thread), solver <b> (1 thread)" in " ".join(output.split())


def mistakes(archive, folder):
    binary = os.path.join(folder, "binary")
    with open(binary, "wb") as file:
        file.write(b"io:0\0")
    wrong = os.path.join(folder, "wrong")
    with open(wrong, "w", encoding="utf-8") as file:
        file.write("io: 0-\n")
    for argument, expected, reason in (
            ("--critical-path=main", 2, "needs run or init-finalize"),
            ("--partition=0-1", 2, "--partition: partitions are NAME:RANKS,...; '0-1' has no name"),
            ("--partition=io:2", 2, "there is no rank 2"),
            ("--partition=io:0,io:0", 2, "named twice"),
            ("--partition=@" + folder + "/none", 4, "none: cannot open"),
            ("--partition=@" + binary, 3, "binary: no text file"),
            ("--partition=@" + wrong, 3, "wrong: 'io: 0-' names no ranks")):
        status, output, error = fermata_command.run("analyze", argument, archive)
        assert status == expected and reason in error and not output, (argument, status, error)


def no_events(archive, folder):
    """Definitions alone are no archive; without the events of some there is a report of the rest."""
    bare = os.path.join(folder, "bare")
    shutil.copytree(archive, bare)
    files = sorted(glob.glob(os.path.join(bare, "traces", "*.evt")))
    os.remove(files[0])
    status, _, error = fermata_command.run("analyze", bare)
    assert status == 0 and "could not be read" in error, (status, error)
    os.remove(os.path.join(bare, "report.fer"))
    for file in files[1:]:
        os.remove(file)
    status, output, error = fermata_command.run("analyze", bare)
    assert status == 3 and "no events can be read of any location" in error, (status, error)
    assert not output and not os.path.exists(os.path.join(bare, "report.fer"))


def main():
    with fermata_command.Folder() as folder:
        archive = os.path.join(folder, "archive")
        status, _, error = fermata_command.run("synth", SCENARIO, "-o", archive)
        assert status == 0, error
        choices(archive, folder)
        mistakes(archive, folder)
        no_events(archive, folder)


main()
