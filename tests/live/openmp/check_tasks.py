# SPDX-License-Identifier: BSD-3-Clause
"""Records tasks.c and compares creations and executions of tasks.

usage: check_tasks.py FERMATA SOURCE PROGRAM gomp|omp
"""
import collections
import pathlib
import sys
import tempfile

from openmp_archive import Archive, marked_lines, run


def main():
    fermata, source, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    lines = marked_lines(source)

    def at(construct, mark):
        return f"!$omp {construct} @{source.name}:{lines[mark]}"

    plain = run([program])
    assert plain.stdout == "13 1831.5 1900 2 32\n", plain.stdout
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        recorded = run([fermata, "record", "--sample=off", "-o", experiment, "--", program])
        assert recorded.stdout == plain.stdout, (recorded.stdout, plain.stdout)
        run([fermata, "check", experiment])
        run([fermata, "analyze", "--check", experiment])
        archive = Archive(experiment)
    key = {kind: collections.Counter() for kind in ("ThreadTaskCreate", "ThreadTaskSwitch", "ThreadTaskComplete")}
    created = {}
    for kind, location, event, visit in archive.tasks:
        key[kind][event.thread_team, event.creating_thread, event.generation_number] += 1
        if kind == "ThreadTaskCreate":
            created[event.thread_team, event.creating_thread, event.generation_number] = visit.region.name
            members = event.thread_team.group.members
            assert members[event.creating_thread] == location, "the creator is this thread"
    assert key["ThreadTaskSwitch"] == key["ThreadTaskComplete"], "each execution ends"
    assert key["ThreadTaskCreate"].keys() == key["ThreadTaskSwitch"].keys(), "all tasks are executed"
    assert set(key["ThreadTaskCreate"].values()) == {1}
    for task, count in key["ThreadTaskSwitch"].items():
        assert count == 1 or "taskloop" in created[task], (task, count, created[task])
    kinds = collections.Counter(created.values())
    assert kinds[at("create task", "nested")] == 20, kinds  # calls of fibonacci with n >= 2
    assert kinds[at("create task", "large")] == 8 and kinds[at("create task", "undeferred")] == 1, kinds
    assert kinds[at("create task", "grouped")] == 1 and kinds[at("create task", "detached")] == 1, kinds
    assert len(archive.of(at("taskloop", "taskloop"))) == 1
    if sys.argv[4] == "gomp":  # the tasks of a loop refer to one creation
        loop = [task for task, name in created.items() if name == at("taskloop", "taskloop")]
        assert len(loop) == 1 and key["ThreadTaskSwitch"][loop[0]] == 4, loop
    else:  # each has its own
        assert kinds[at("create task", "taskloop")] == 4, kinds
    assert kinds[at("create task", "huge")] == 1 and kinds[at("create task", "vast")] == 1, kinds
    assert len(archive.of(at("parallel", "reduced"))) == 2 and kinds[at("create task", "added")] == 3, kinds
    assert len(archive.of(at("task", "large"))) == 8
    assert len(archive.of(at("taskwait", "taskwait"))) == 20
    group, = archive.of(at("taskgroup", "taskgroup"))
    wait, = archive.of(at("taskwait", "taskgroup"))
    assert wait.path[-1] == group.region.name and wait.leave <= group.leave
    hidden = [name for name in archive.names() if "omp_outlined" in name or "omp_task" in name or "_omp_fn" in name]
    assert not hidden, hidden
    undeferred, = archive.of(at("task", "undeferred"))
    if sys.argv[4] == "gomp":
        assert undeferred.path[-1] == at("create task", "undeferred"), undeferred.path


main()
