# SPDX-License-Identifier: BSD-3-Clause
"""Tasks of OpenMP: who created them, when they ran, and what a taskwait waits for."""


class Task:
    """`parent` is the Task, or the instance of a team on a location (an implicit task), that created
    it, `creator` the location, `creation` the position of its record there; `runs` are [location, begin,
    end], `switches` (time, location, position of the record); `end_call` the call that ended last in it."""

    def __init__(self, team):
        self.team = team
        self.parent = None
        self.creator = None
        self.created = None
        self.creation = None
        self.runs = []
        self.switches = []
        self.end = None
        self.end_call = None


class _Runner:
    """The tasks of one location: the current one is the last, those below it are suspended."""

    def __init__(self):
        self.stack = [None]

    def switch(self, task, loc, time):
        self.stop(time)
        if task in self.stack:
            del self.stack[self.stack.index(task) + 1:]
        else:
            self.stack.append(task)
        if isinstance(task, Task):
            task.runs.append([loc, time, None])

    def stop(self, time):
        current = self.stack[-1]
        if isinstance(current, Task) and current.runs and current.runs[-1][2] is None:
            current.runs[-1][2] = time

    def finish(self, task, loc, time):
        if task in self.stack:
            if self.stack[-1] is task:
                self.stop(time)
            self.stack.remove(task)
            below = self.stack[-1]
            if isinstance(below, Task) and below.runs[-1][2] is not None:
                below.runs.append([loc, time, None])


def _walk(timeline):
    """All events of a location that matter here, with the current task: first the creations, as a
    task may begin on a location that is read before that of its creator."""
    tasks, waits = {}, []
    for loc, events in sorted(timeline.scenario.events.items()):
        runner, calls = _Runner(), iter(timeline.calls[loc])
        for position, event in enumerate(events):
            instance = timeline.teams.instance_at(loc, position)
            if event.name == "team_begin":
                runner.switch((loc, instance), loc, event.time)
            elif event.name == "team_end":
                runner.finish(next((task for task in reversed(runner.stack)
                                    if isinstance(task, tuple) and task[1][0] == event.args[0]),
                                   None), loc, event.time)
            elif event.name.startswith("task_"):
                key = (event.args[0], _instance_number(timeline, loc, position, event.args[0]),
                       *event.args[1:])
                task = tasks.setdefault(key, Task(event.args[0]))
                if event.name == "task_create":
                    task.parent, task.creator, task.created = runner.stack[-1], loc, event.time
                    task.creation = position
                elif event.name == "task_switch":
                    task.switches.append((event.time, loc, position))
                    runner.switch(task, loc, event.time)
                else:
                    runner.finish(task, loc, event.time)
                    left = [call for call in timeline.calls[loc] if call.end_position < position
                            and call.region.startswith("!$omp task") and call.node == "comp"]
                    task.end = event.time
                    task.end_call = max(left, key=lambda call: call.end_position, default=None)
            elif event.name == "enter":
                call = next(calls)
                if call.node == "omp_taskwait":
                    waits.append((call, runner.stack[-1]))
    return tasks.values(), waits


def _instance_number(timeline, loc, position, team):
    """Of the last begin of a team on a location."""
    return sum(event.name == "team_begin" and event.args[0] == team
               for event in timeline.scenario.events[loc][:position])


def children_of_waits(timeline):
    """Pairs (call of a taskwait, [Task]): the children of its task that had been created before it
    and ended."""
    tasks, waits = _walk(timeline)
    for call, waiting in waits:
        yield call, [task for task in tasks if waiting is not None and task.parent == waiting
                     and task.created is not None and task.created <= call.enter
                     and task.end is not None]


def all_tasks(timeline):
    """The Tasks of all teams."""
    return _walk(timeline)[0]


def runs(timeline):
    """[(team, location, begin, end)]: when tasks ran."""
    found = []
    for task in _walk(timeline)[0]:
        for loc, begin, end in task.runs:
            last = timeline.scenario.events[loc][-1].time
            found.append((task.team, loc, begin, last if end is None else end))
    return found
