"""Teams of threads: who belongs to an instance of a team, and whose call path its members inherit."""

# Events of threads, with or without an enclosing call.
THREAD_EVENTS = {"fork", "join", "team_begin", "team_end", "task_create", "task_switch",
                 "task_complete", "thread_create", "thread_begin", "thread_wait", "thread_end",
                 "acquire_lock", "release_lock", "object"}


class _Membership:
    """A location in an instance: `region_stack` are its open regions at the begin, `inherits` the
    instance whose path they stand below, `is_master` whether it forked the team."""

    def __init__(self, region_stack, inherits, is_master):
        self.region_stack = region_stack
        self.inherits = inherits
        self.is_master = is_master


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
        inherits, has_forked = None, False
        for position, event in enumerate(events):
            if event.name == "enter":
                if not regions:
                    self._inherited[loc, position] = inherits
                regions.append(event.args[0])
            elif event.name == "leave":
                del regions[-1:]
            elif event.name == "fork":
                has_forked = True
            elif event.name == "join":
                has_forked = False
            elif event.name == "team_begin":
                team = event.args[0]
                begun[team] = begun.get(team, -1) + 1
                instance = team, begun[team]
                self.members.setdefault(instance, {})[loc] = _Membership(
                    tuple(regions), inherits, has_forked)
                open_instances.append((instance, inherits))
                if not regions and not has_forked:
                    inherits = instance
                has_forked = False
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
        masters = [loc for loc, member in self.members[instance].items() if member.is_master]
        if not masters:
            return ()
        master = self.members[instance][min(masters)]
        return self._path_of(master.inherits, below + (instance,)) + master.region_stack
