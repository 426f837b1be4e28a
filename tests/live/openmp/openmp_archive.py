# SPDX-License-Identifier: BSD-3-Clause
"""Reads archives of OpenMP programs: teams, regions, locks; checks what must hold in all of them."""
import collections
import re
import subprocess
import sys

import otf2

LINE = re.compile(r"/\* LINE (\w+) \*/|! LINE (\w+)")
TEAM = ("ThreadTeamBegin", "ThreadTeamEnd")


def run(command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=200, **options)
    if result.returncode != 0:
        sys.exit(f"{command}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def marked_lines(source):
    """@return the line of each mark in a program"""
    lines = {}
    for number, text in enumerate(source.read_text().splitlines(), 1):
        if match := LINE.search(text):
            lines[match.group(1) or match.group(2)] = number
    return lines


class Visit:
    def __init__(self, location, region, enter, path, team):
        self.location, self.region, self.enter, self.path, self.team = location, region, enter, path, team
        self.leave = None
        self.records = []  # (kind, event) directly inside

    @property
    def duration(self):
        return self.leave - self.enter


class Archive:
    """The visits of all regions, with the team instances that they lie in. `whole`: the run has not ended in
    a parallel region."""

    def __init__(self, experiment, whole=True):
        self.visits, self.teams, self.joins, self.begun = [], {}, {}, collections.Counter()
        self.tasks, self.locks, self.ended = [], [], {}
        last = {}  # by location
        with otf2.reader.open(str(experiment / "traces.otf2")) as trace:
            self.paradigms = [paradigm.name for paradigm in trace.definitions.paradigms]
            self.position = {location: i for i, location in enumerate(trace.definitions.locations)}
            self.ticks_per_second = trace.definitions.clock_properties.timer_resolution
            open_visits, open_teams = collections.defaultdict(list), collections.defaultdict(list)
            for location, event in trace.events:
                kind = last[location] = type(event).__name__
                visits, teams = open_visits[location], open_teams[location]
                if kind == "Enter":
                    visits.append(Visit(location, event.region, event.time, [v.region.name for v in visits],
                                        teams[-1] if teams else None))
                    self.visits.append(visits[-1])
                elif kind == "Leave":
                    assert visits[-1].region == event.region, (event, visits[-1].region)
                    visits.pop().leave = event.time
                elif kind == "ThreadTeamBegin":
                    team = event.thread_team
                    self.begun[location, team] += 1
                    teams.append((team, self.begun[location, team]))
                    self.teams.setdefault(teams[-1], []).append((location, event.time))
                elif kind == "ThreadTeamEnd":
                    assert teams[-1][0] == event.thread_team, event
                    assert all(visit.team != teams[-1] for visit in visits), "a team ends before its regions"
                    self.ended.setdefault(teams.pop(), {})[location] = event.time
                elif kind in ("ThreadFork", "ThreadJoin"):
                    self.joins[location] = self.joins.get(location, 0) + (1 if kind == "ThreadFork" else -1)
                elif kind.startswith("ThreadTask"):
                    self.tasks.append((kind, location, event, visits[-1] if visits else None))
                elif kind in ("ThreadAcquireLock", "ThreadReleaseLock"):
                    self.locks.append((kind, location, event, visits[-1]))
            # A thread that waited for a lock when the process ended stays in the construct.
            waits = set() if whole else {location for location, kind in last.items() if kind == "ParameterUnsignedInt"}
            assert all(location in waits or not left for location, left in open_teams.items()), "a team has no end"
            assert all(location in waits or not left for location, left in open_visits.items()), "a region has no end"
            assert not any(self.joins.values()), "a fork has no join"
        if whole:
            self.check_teams()
            self.check_locks()

    def check_teams(self):
        """Every instance of a team has all members, and all leave its last barrier at one time. Locations have the
        order of the threads' numbers."""
        for (team, number), begins in self.teams.items():
            members = {location for location, _ in begins}
            assert len(members) == len(begins) == len(team.group.members), (team.group.members, begins)
            assert set(team.group.members) == members, (team.group.members, members)
            positions = [self.position[member] for member in team.group.members]
            assert positions == sorted(positions), positions
            assert self.ended[team, number].keys() == members
            barriers = [visit for visit in self.visits if visit.team == (team, number) and
                        visit.region.name.startswith("!$omp implicit barrier") and
                        visit.path[-1].startswith("!$omp parallel") and
                        visit.path[-1].split("@")[-1] == visit.region.name.split("@")[-1]]
            ends = {barrier.leave for barrier in barriers}
            assert len(barriers) == len(members), (team, number, len(barriers), len(members))
            assert max(ends) - min(ends) <= 2, (team, number, [(b.location, b.enter, b.leave, b.path[-1]) for b in barriers])
            assert max(barrier.enter for barrier in barriers) <= min(ends)

    def check_locks(self):
        """A lock is held by one thread at a time, and its acquisitions are numbered from 1."""
        records = collections.defaultdict(list)
        for kind, location, event, _ in self.locks:
            records[event.lock_id].append((event.acquisition_order, kind, event.time, location))
        for lock, events in records.items():
            events.sort()
            last = 0
            for i in range(0, len(events), 2):
                (order, acquire, begin, owner), (same, release, end, other) = events[i:i + 2]
                assert order == same == i // 2 + 1 and owner == other, events[i:i + 2]
                assert (acquire, release) == ("ThreadAcquireLock", "ThreadReleaseLock"), (lock, events[i:i + 2])
                assert last <= begin <= end, (lock, events[i:i + 2])
                last = end

    def of(self, name):
        """@return the visits of a region, in the order of their begins"""
        return [visit for visit in self.visits if visit.region.name == name]

    def names(self):
        return {visit.region.name for visit in self.visits}

    def milliseconds(self, ticks):
        return 1000 * ticks / self.ticks_per_second
