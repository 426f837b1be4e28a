# SPDX-License-Identifier: BSD-3-Clause
"""Teams of threads: who belongs to an instance of a team, and whose call path its members inherit."""

# Events of threads, with or without an enclosing call.
THREAD_EVENTS = {"fork", "join", "team_begin", "team_end", "task_create", "task_switch",
                 "task_complete", "thread_create", "thread_begin", "thread_wait", "thread_end",
                 "acquire_lock", "release_lock", "object", "correlation", "waits_for",
                 "on_stream", "event"}


class _Membership:
    """A location in an instance: `begin` is the position of its begin, `region_stack` are its open
    regions then, `inherits` the instance whose path they stand below; `fork` is the (position, time)
    of the fork record if it forked the team."""

    def __init__(self, begin, region_stack, inherits, fork):
        self.begin = begin
        self.region_stack = region_stack
        self.inherits = inherits
        self.fork = fork


class Teams:
    """members: {instance: {location: _Membership}}; an instance is the pair of a team and the number
    of its begin on each location."""

    def __init__(self, scenario):
        self.members = {}
        self._inherited = {}  # {(location, position of an Enter without open regions): instance}
        self._instance_at = {}  # {(location, position): innermost open instance}
        for loc, events in scenario.events.items():
            self._add_location(loc, events)

    def _add_location(self, loc, events):
        begun, regions, open_instances = {}, [], []
        inherits, fork = None, None
        for position, event in enumerate(events):
            if event.name == "enter":
                if not regions:
                    self._inherited[loc, position] = inherits
                regions.append(event.args[0])
            elif event.name == "leave":
                del regions[-1:]
            elif event.name == "fork":
                fork = position, event.time
            elif event.name == "join":
                fork = None
            elif event.name == "team_begin":
                team = event.args[0]
                begun[team] = begun.get(team, -1) + 1
                instance = team, begun[team]
                self.members.setdefault(instance, {})[loc] = _Membership(
                    position, tuple(regions), inherits, fork)
                open_instances.append((instance, inherits))
                if not regions and not fork:
                    inherits = instance
                fork = None
            elif event.name == "team_end":
                names = [instance[0] for instance, _ in open_instances]
                if event.args[0] in names:
                    last = len(names) - 1 - names[::-1].index(event.args[0])
                    inherits = open_instances[last][1]
                    del open_instances[last:]
            self._instance_at[loc, position] = open_instances[-1][0] if open_instances else None

    def instance_at(self, loc, position):
        """The innermost team in which a location is at one of its events, None outside of all."""
        return self._instance_at[loc, position]

    def inherited_path(self, loc, position):
        """The call path below which an Enter without open regions stands."""
        return self._path_of(self._inherited.get((loc, position)), ())

    def _path_of(self, instance, below):
        """The path of the master of an instance at its begin."""
        if instance is None or instance in below:
            return ()
        master = self.master_of(instance)
        if master is None:
            return ()
        member = self.members[instance][master]
        return self._path_of(member.inherits, below + (instance,)) + member.region_stack

    def master_of(self, instance):
        """The location that forked an instance, None if that is not known."""
        return min((loc for loc, member in self.members[instance].items() if member.fork),
                   default=None)

    def forks(self):
        """[(location of the master, position and time of the fork, {other location: position of its
        begin})]."""
        found = []
        for instance, members in self.members.items():
            master = self.master_of(instance)
            if master is not None:
                found.append((master, *members[master].fork,
                              {loc: member.begin for loc, member in members.items()
                               if loc != master}))
        return found
