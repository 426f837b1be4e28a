# SPDX-License-Identifier: BSD-3-Clause
"""Counters on a file system without room: each rank whose counters cannot be kept says so, the program goes on, and what
is shown is right: no rank without room is taken for one that was killed. Room that ends later costs calls or links of a
rank, which says so, and nothing else.

usage: check_full.py FERMATA MPIRUN PROGRAM FILLED     (FILLED is filled.c)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program, filled = sys.argv[1:]
SKIPPED = 77
MOUNTED = ["unshare", "--map-root-user", "--mount", "sh", "-c",
           'mount -t tmpfs -o size=$0 tmpfs disk || exit 77; "$@" >out 2>err; status=$?; '
           '"$FERMATA" counters show --format json disk/run >shown 2>unshown; cp -r disk/run kept; exit $status']


def record(size, folder, words):
    """Records on a file system of a size. @return what is said"""
    environment = dict(os.environ, FERMATA=fermata, OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    command = [fermata, "record", "--counters-only", "-o", "disk/run", "--", *mpi_command(mpirun, 2, words)]
    done = subprocess.run([*MOUNTED, size, *command], cwd=folder, env=environment, timeout=100, check=False)
    if done.returncode == SKIPPED:
        print("no file system can be mounted here")
        sys.exit(SKIPPED)
    errors = (folder / "err").read_text()
    assert done.returncode == 0, errors
    return errors


def check(size, folder):
    errors = record(size, folder, [program])
    refused = set(re.findall(r"rank (\d): calls are not counted: cannot write \S+: No space left on device", errors))
    assert refused == set(re.findall(r"rank (\d): calls are not counted", errors)), errors
    kept = {str(rank) for rank in range(2)} - refused
    shown = (folder / "shown").read_text()
    if kept:
        ranks = json.loads(shown)["ranks"]
        assert [(str(rank["rank"]), rank["state"]) for rank in ranks] == [(rank, "ended") for rank in sorted(kept)], ranks
    else:
        assert shown == "" and "killed" not in (folder / "unshown").read_text(), shown
    return len(refused)


def check_filled(pages, folder):
    """The file system is full when the program ends, up to a number of pages.
    @return how many files of calls and links there are"""
    errors = record("4m", folder, [filled, "disk/filling", str(pages)])
    kept = {}
    for name, message in (("calls", "rank {}: its calls are not known by call site: No space left on device"),
                          ("links", "rank {}: its traffic is not known by communicator and peer: No space left on device")):
        files = sorted(file.name for file in (folder / "kept" / "counters").glob(f"{name}.*"))
        refused = [rank for rank in range(2) if message.format(rank) in errors]
        assert files == [f"{name}.{rank}" for rank in range(2) if rank not in refused], (pages, files, errors)
        kept[name] = len(files)
    ranks = json.loads((folder / "shown").read_text())["ranks"]
    assert [rank["state"] for rank in ranks] == ["ended", "ended"], ranks
    for verb, name in (("sites", "calls"), ("matrix", "links")):
        done = subprocess.run([fermata, "counters", verb, folder / "kept"], capture_output=True, text=True, timeout=100,
                              check=False)
        assert done.returncode == (0 if kept[name] > 0 else 3), (pages, kept, done)
        assert ("had no room to write" in done.stdout + done.stderr) == (kept[name] == 1), (pages, kept, done)
    return sum(kept.values())


def results(function, rooms):
    """What a check returns for each room, in a folder of its own."""
    found = set()
    for room in rooms:
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "disk").mkdir()
            found.add(function(room, pathlib.Path(name)))
    return found


counts = results(check, ("20k", "100k", "200k", "300k", "400k", "4m"))
assert {0, 2} <= counts, counts  # with all and with no counters kept
counts = results(check_filled, range(6))
assert 0 in counts and counts & {1, 2, 3}, counts  # with room for none and for some of the files
