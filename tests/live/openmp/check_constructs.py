# SPDX-License-Identifier: BSD-3-Clause
"""Records constructs.c and looks for each construct at its source line, and for the planted delays.

usage: check_constructs.py FERMATA SOURCE PROGRAM gomp|omp
"""
import pathlib
import sys
import tempfile

from openmp_archive import Archive, marked_lines, run


def check_names(archive, source):
    lines = marked_lines(source)

    def at(construct, mark):
        return f"!$omp {construct} @{source.name}:{lines[mark]}"

    expected = {at("parallel", "parallel"), at("barrier", "barrier"), at("for", "dynamic"),
                at("implicit barrier", "dynamic"), at("implicit barrier", "static"), at("for", "nowait"),
                at("ordered", "ordered"), at("ordered sblock", "ordered"), at("parallel", "combined"),
                at("for", "combined"), at("sections", "sections"), at("implicit barrier", "sections"),
                at("single", "single"), at("single", "copied"), at("single sblock", "copied"),
                at("critical", "critical"), at("critical sblock", "critical"), at("critical", "named"),
                at("parallel", "outer"), at("parallel", "inner"), at("implicit barrier", "inner"),
                "omp_set_lock", "omp_unset_lock", "omp_set_nest_lock", "omp_unset_nest_lock"}
    if sys.argv[4] == "omp":  # also tells loops with a static schedule, and the block of `single`
        expected |= {at("for", "static"), at("single sblock", "single")}
    missing = expected - archive.names()
    assert not missing, (sorted(missing), sorted(archive.names()))
    explicit = [name for name in archive.names() if name.startswith("!$omp barrier")]
    assert explicit == [at("barrier", "barrier")], f"barriers of constructs count as explicit: {explicit}"
    hidden = [name for name in archive.names() if "_omp_fn" in name or "GOMP" in name or "libgomp" in name]
    assert not hidden, hidden
    return at


def check_delays(archive, at):
    """The thread that was late is the last one in the barrier; the other ones wait for it."""
    barriers = archive.of(at("barrier", "barrier"))
    assert len(barriers) == 3, barriers
    late = max(barriers, key=lambda visit: visit.enter)
    assert late.location == late.team[0].group.members[1], "the second thread works longest"
    for visit in barriers:
        assert visit.leave >= late.enter, "a thread left the barrier before the last one came"
        if visit is not late:
            assert archive.milliseconds(late.enter - visit.enter) > 1, "the second thread comes 10 ms later"


def check_structure(archive, at):
    """Sizes of teams, what lies in what."""
    sizes = [len(archive.teams[visit.team]) for visit in archive.of(at("parallel", "changing"))]
    assert sorted(sizes) == sorted([1, 1] + [2] * 4 + [3] * 6), sizes
    inner = archive.of(at("parallel", "inner"))
    assert len(inner) == 12, len(inner)
    # The forking threads are in the outer region; the other ones begin a path of their own.
    assert sum(at("parallel", "outer") in visit.path for visit in inner) == 6, [visit.path for visit in inner]
    locations = {location for begins in archive.teams.values() for location, _ in begins}
    assert len(locations) == 5, f"a thread, two workers, two nested ones: {locations}"
    blocks = archive.of(at("critical sblock", "critical"))
    assert len(blocks) == 2 and all(block.path[-1] == at("critical", "critical") for block in blocks)
    taken = [event.lock_id for kind, _, event, visit in archive.locks
             if kind == "ThreadAcquireLock" and visit.region.name.startswith("!$omp critical")]
    assert len(taken) == 4 and len(set(taken)) == 2, taken
    nested = [event for kind, _, event, visit in archive.locks if visit.region.name == "omp_set_nest_lock"]
    assert len(nested) == 2, "a nested lock is acquired once by each thread"
    ordered = [visit.region.name for kind, _, event, visit in archive.locks if "ordered" in visit.region.name]
    assert len(ordered) == 8, ordered


def main():
    fermata, source, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    plain = run([program])
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        recorded = run([fermata, "record", "--sample=off", "-o", experiment, "--", program])
        assert recorded.stdout == plain.stdout, "the program's output has changed"
        run([fermata, "check", experiment])
        run([fermata, "analyze", "--check", experiment])
        archive = Archive(experiment)
        part = pathlib.Path(folder) / "part"
        run([fermata, "record", "--sample=off", "--window=0.01:0.03", "-o", part, "--", program])
        run([fermata, "analyze", "--check", part])
        Archive(part, whole=False)  # where the recording pauses, teams and forks end, too
    assert archive.paradigms.count("OpenMP") == 1, archive.paradigms
    at = check_names(archive, source)
    check_delays(archive, at)
    check_structure(archive, at)


main()
