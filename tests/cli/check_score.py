# SPDX-License-Identifier: BSD-3-Clause
"""`fermata score` on an archive whose visits and times are known, with names that are hostile.

usage: check_score.py FERMATA
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import ParameterType, Paradigm, RegionRole

FERMATA = sys.argv[1]
TICKS = 10**9  # a second
HOSTILE = "bad \x1b[31m[name]\\ #\n* EXCLUDE"


def call(name, own, *inner, merged=None):
    """A visit: `own` nanoseconds before, between and after what is inside, and as much behind.
    `merged`: how many calls it stands for, and nanoseconds between them."""
    return (name, own, inner, merged)


# Visits of "tiny" cost as much as they take; "big" is worth its records; "rare" fills little.
LEAVES = [call("tiny", 100)] * 1000 + [call(HOSTILE, 200)] * 500 + [call("big", 100000)] * 10
PROGRAM = call("main", 5000, *LEAVES, call("wrapper", 10, call("MPI_Send", 2000)),
               call("rare", 10), call("sampled", 100, call("tiny", 100)), call("keep.me", 50),
               call("MPI_Iprobe", 700, merged=(7, 300)), call("MPI_Iprobe", 90, merged=(1, 0)),
               call("wrapper", 10, call("MPI_Send", 2000)))
PARADIGMS = {"MPI_Send": Paradigm.MPI, "MPI_Iprobe": Paradigm.MPI, "sampled": Paradigm.USER}


def write(folder):
    """Two processes that do the same, the second one twice."""
    with otf2.writer.open(str(folder / "archive"), timer_resolution=TICKS) as trace:
        regions = {}
        parameters = {name: trace.definitions.parameter(name, ParameterType.UINT64)
                      for name in ("calls", "gaps")}
        root = trace.definitions.system_tree_node("machine")

        def region(name):
            if name not in regions:
                regions[name] = trace.definitions.region(
                    name, source_file="util.c" if name == "keep.me" else "main.c",
                    region_role=RegionRole.FUNCTION,
                    paradigm=PARADIGMS.get(name, Paradigm.COMPILER))
            return regions[name]

        def run(writer, time, visit):
            name, own, inner, merged = visit
            writer.enter(time, region(name))
            for parameter, value in zip(("calls", "gaps"), merged or ()):
                writer.parameter_unsigned_int(time, parameters[parameter], value)
            time += own
            for each in inner:
                time = run(writer, time, each)
            writer.leave(time, region(name))
            return time

        for rank in range(2):
            group = trace.definitions.location_group(f"rank {rank}", system_tree_parent=root)
            writer = trace.event_writer("thread", group=group)
            time = 0
            for _ in range(rank + 1):
                time = run(writer, time, PROGRAM)
    return folder / "archive"


def fermata(folder, *words, status=0):
    done = subprocess.run([FERMATA, "score", *words], cwd=folder, capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def facts(visit, sums):
    """Visits and own time of each name in a visit."""
    name, own, inner, merged = visit
    count, time = sums.get(name, (0, 0))
    calls, gaps = merged or (1, 0)
    between = sum(each[3][1] for each in inner if each[3])
    sums[name] = (count + calls, time + own - gaps + between)
    for each in inner:
        facts(each, sums)
    return sums


def check_regions(score, suggested):
    expected = facts(PROGRAM, {})
    found = {row["name"]: row for row in score["regions"]}
    assert set(found) == set(expected), set(found) ^ set(expected)
    for name, (visits, own) in expected.items():
        row = found[name]
        assert row["visits"] == 3 * visits, row
        assert abs(row["seconds"] - 3 * own / TICKS) < 1e-12, (row, own)
        kind = {"MPI_Send": "MPI", "MPI_Iprobe": "MPI", "wrapper": "COM", "main": "COM"}.get(name, "USR")
        cost = {"MPI_Send": 40e-9, "MPI_Iprobe": 40e-9, "sampled": 0}.get(name, 50e-9)
        assert row["type"] == kind, row
        assert row["instrumented"] == (name not in PARADIGMS), row
        assert abs(row["overhead_seconds"] - 3 * visits * cost) < 1e-12, row
        assert row["left_out"] == (name in suggested), row
    return found


def sum_of(rows, key):
    return sum(row[key] for row in rows)


def check_sums(score):
    rows = score["regions"]
    kept = [row for row in rows if not row["left_out"]]
    for key in ("visits", "bytes", "seconds", "overhead_seconds"):
        for total, parts in (("all", rows), ("filtered", kept)):
            assert abs(score[total][key] - sum_of(parts, key)) <= 1e-9 * score[total][key]
        assert abs(sum_of(score["types"], key) - score["all"][key]) <= 1e-9 * score["all"][key]
    left_out = score["all"]["bytes"] - score["filtered"]["bytes"]
    assert abs(score["trace_bytes"] - left_out - score["trace_bytes_filtered"]) < 1e-6
    assert rows == sorted(rows, key=lambda row: -row["bytes"]), "largest first"


def check_size(score, archive):
    size = sum(file.stat().st_size for file in archive.rglob("*") if file.is_file())
    assert score["trace_bytes"] == size, (score["trace_bytes"], size)
    # All is Enter and Leave here, or belongs to a call of MPI, and what is estimated for a visit is a part
    # of what is there.
    assert abs(score["all"]["bytes"] - size) < 1e-6 * size
    # Of the second process; "sampled" has none, and the merged calls have one.
    records = 2 * (score["all"]["visits"] / 3 - 6) - 2
    assert score["buffer_bytes"] == 40 * records, (score["buffer_bytes"], records)


def check_info(archive):
    """`fermata info` counts the calls that a merged one stands for, too."""
    done = subprocess.run([FERMATA, "info", "--format=json", str(archive)], capture_output=True, text=True,
                          timeout=60, check=True)
    visits = {region["name"]: region["visits"] for region in json.loads(done.stdout)["regions"]}
    assert visits == {name: 3 * count for name, (count, _) in facts(PROGRAM, {}).items()}, visits


def check_text(folder, archive):
    text = fermata(folder, str(archive)).stdout
    assert "\x1b" not in text and HOSTILE not in text
    rows = [line for line in text.splitlines() if line.startswith(" -  USR")]
    assert len(rows) == 2 and rows[0].endswith("  tiny") and "?" in rows[1], text
    assert text.startswith("trace "), text
    for end in (" +  USR", "    MPI", "    USR"): # kept, of a library, not instrumented
        assert any(line.startswith(end) for line in text.splitlines()), (end, text)
    short = [line for line in text.splitlines() if "all regions" in line]
    visits = 3 * sum(count for count, _ in facts(PROGRAM, {}).values())
    assert len(short) == 1 and f" {visits} " in short[0], text


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        archive = write(folder)
        plain = json.loads(fermata(folder, "--format=json", str(archive)).stdout)
        check_regions(plain, {"tiny", HOSTILE})
        check_sums(plain)
        check_size(plain, archive)
        check_info(archive)
        check_text(folder, archive)

        # The suggested filter, as a filter, leaves out the same.
        fermata(folder, "--suggest", "suggested", str(archive))
        again = json.loads(fermata(folder, "--filter", "suggested", "--format=json",
                                   str(archive)).stdout)
        assert again == plain, "the suggested filter leaves out something else"
        refused = fermata(folder, "--suggest", "suggested", str(archive), status=4)
        assert "File exists" in refused.stderr, refused

        (folder / "own").write_text("FILE_NAMES_BEGIN EXCLUDE util.c FILE_NAMES_END\n"
                                    "REGION_NAMES_BEGIN EXCLUDE * INCLUDE main tiny MPI_*\n"
                                    "REGION_NAMES_END\n")
        own = json.loads(fermata(folder, "--filter", "own", "--format=json", str(archive)).stdout)
        check_regions(own, {HOSTILE, "big", "rare", "wrapper", "keep.me"})
        check_sums(own)

        (folder / "wrong").write_text("REGION_NAMES_BEGIN\nEXCLUDE a\n")
        assert ":1: the block" in fermata(folder, "--filter", "wrong", str(archive),
                                          status=3).stderr
        fermata(folder, "--filter", "missing", str(archive), status=2)
        fermata(folder, str(folder / "nothing"), status=3)
        fermata(folder, status=2)


main()
