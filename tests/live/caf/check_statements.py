# SPDX-License-Identifier: BSD-3-Clause
"""Records statements.F90 and compares statement by statement.

usage: check_statements.py FERMATA MPIRUN PROGRAM [--components]

A statement is a line: its name, and a word for each record inside: put, get and atomic with image and
bytes; blocking and remote completions with the image of the operation; collective with its kind, the
images of its team, bytes sent, bytes received, the root; images that sync images names; locks with owner
and number.
"""
import json
import pathlib
import sys
import tempfile

import otf2
from caf_archive import image_of, record, recorded, run

IMAGES = 4


def collective(kind, team="1234", sent=0, received=0, root="-"):
    return f"collective:{kind}:{team}:{sent}:{received}:{root}"


def transfers(after, before, with_components):
    calls = [*[f"put put:{after}:{size} blocking:{after} remote:{after}" for size in (40, 20, 4, 12)],
             f"get get:{before}:16 blocking:{before}",
             f"copy get:{before}:8 put:{after}:8 blocking:{before} blocking:{after} remote:{after}",
             f"put put:{after}:4 blocking:{after} remote:{after}", "sync memory"]
    if with_components:
        calls += ["allocate component", f"sync all {collective('BARRIER')}",
                  f"put put:{after}:12 blocking:{after} remote:{after}", f"get get:{before}:24 blocking:{before}"]
    return calls


def atomics(after):
    kinds = [("define", "SWAP", 4, 0), ("ref", "FETCH_AND_ACCUMULATE", 0, 4),
             ("cas", "COMPARE_AND_SWAP", 8, 4), ("op", "ACCUMULATE", 4, 0)]
    return [f"atomic_{name} atomic:{after}:{kind}:{sent}:{received} blocking:{after} remote:{after}"
            for name, kind, sent, received in kinds]


def some_images(me, after):
    """sync images, events, locks. The lock of a critical construct is the first one."""
    others = ",".join(str(image) for image in range(1, IMAGES + 1) if image != me)
    first = [f"put put:{3 - me}:4 blocking:{3 - me} remote:{3 - me}", f"sync images images:{3 - me}"]
    barrier = f"sync all {collective('BARRIER')}"
    return [*(first if me <= 2 else []), f"sync images images:{others}",
            f"event post atomic:{after}:INCREMENT:4:0 blocking:{after} remote:{after}",
            "event wait change", "event query",
            *(["lock acquire:4:2", "lock acquire:4:1", "unlock release:4:1"] if me == 1 else []),
            barrier, *(["lock try:4:2"] if me == 2 else []),
            barrier, *(["unlock release:4:2"] if me == 1 else []),
            barrier, "critical acquire:1:0", "end critical release:1:0"]


def collectives(me):
    return [f"co_broadcast {collective('BCAST', sent=160 if me == 2 else 0, received=40, root=2)}",
            f"co_sum {collective('ALLREDUCE', sent=16, received=16)}",
            f"co_sum {collective('REDUCE', sent=4, received=16 if me == 3 else 0, root=3)}",
            f"co_min {collective('ALLREDUCE', sent=32, received=32)}",
            f"co_max {collective('REDUCE', sent=8, received=32 if me == 1 else 0, root=1)}",
            f"co_reduce {collective('ALLREDUCE', sent=16, received=16)}"]


def teams(me):
    team, other = ("12", 3 - me) if me <= 2 else ("34", 7 - me)
    barrier = collective("BARRIER", team)
    return [f"allocate {collective('ALLOCATE')}", f"sync all {collective('BARRIER')}",
            f"deallocate {collective('DEALLOCATE')}", f"form team {collective('CREATE_HANDLE')}",
            f"change team {barrier}", f"put put:{other}:4 blocking:{other} remote:{other}",
            f"sync all {barrier}", f"end team {barrier}", f"sync team {barrier}"]


def expected(me, with_components):
    after, before = me % IMAGES + 1, (me - 2) % IMAGES + 1
    allocation = f"allocate {collective('ALLOCATE')}"
    return [f"init create {collective('CREATE_HANDLE')}", *4 * [allocation], "allocate component",
            *3 * [allocation], "init", f"sync all {collective('BARRIER')}",
            *transfers(after, before, with_components), *atomics(after),
            f"sync all {collective('BARRIER')}", *some_images(me, after), *collectives(me),
            *teams(me), f"finalize destroy {collective('DESTROY_HANDLE')}"]


def check_definitions(archive):
    with otf2.reader.open(str(archive)) as trace:
        definitions = trace.definitions
        assert [paradigm.name for paradigm in definitions.paradigms] == ["Coarrays"], "paradigms"
        names = sorted(group.name for group in definitions.location_groups)
        assert names == [f"Image {image}" for image in range(1, IMAGES + 1)], names
        teams = sorted("".join(str(image_of(member)) for member in window.comm.group.members)
                       for window in definitions.rma_wins)
        assert teams == ["12", "1234", "34"], teams


def compare(calls, wanted, image):
    for number, (call, want) in enumerate(zip(calls, wanted)):
        if call != want:
            sys.exit(f"image {image}: statement {number} is recorded as\n  {call}\ninstead of\n  {want}")
    assert len(calls) == len(wanted), f"image {image}: {len(calls)} statements instead of {len(wanted)}"


def main():
    fermata, mpirun, program = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = record(fermata, experiment, mpirun, IMAGES, [program], ["--sample=off"])
        for image in range(1, IMAGES + 1):
            assert f"image {image} of {IMAGES} is done" in result.stdout, result.stdout + result.stderr
        calls = recorded(experiment / "traces.otf2")
        assert sorted(calls) == list(range(1, IMAGES + 1)), result.stderr
        for image in calls:
            compare(calls[image], expected(image, "--components" in sys.argv), image)
        check_definitions(experiment / "traces.otf2")
        environment = json.loads((experiment / "environment.json").read_text())
        assert environment["complete"], environment
        assert "OpenCoarrays" in environment["coarrays_library"], environment
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        analysis = run([fermata, "analyze", "--check", experiment])
        assert "all invariants hold" in analysis.stdout + analysis.stderr
        assert "archive has no" not in analysis.stdout + analysis.stderr, analysis.stderr
        report = run([fermata, "report", experiment]).stdout
        assert "on 4 images" in report and "image 4" in report, report
        assert "rank" not in report.lower(), report
        only = run([fermata, "report", experiment, "--location", IMAGES]).stdout
        assert f"Only image {IMAGES}" in only, only


main()
