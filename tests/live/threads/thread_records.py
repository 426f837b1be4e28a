# SPDX-License-Identifier: BSD-3-Clause
"""The records of threads in an archive of one process."""
import collections

import otf2

Moment = collections.namedtuple("Moment", "time location")


class Call:
    """A recorded call: location, name, functions around it, enter, leave (None: not ended), the records
    in it (name of the kind, event), in order."""

    def __init__(self, location, name, path, enter):
        self.location, self.name, self.path, self.enter = location, name, path, enter
        self.leave, self.records = None, []


class Trace:
    """created, begun, ended, waited: number of the thread -> Moment; calls: those of POSIX threads;
    outermost: names of the functions that threads execute; outside: location -> records outside of a
    thread that was created; left: name -> times when these functions end; end: of the program; team: locations of its members; locations: all, main thread first; names: of
    objects, by number."""

    def __init__(self, anchor):
        self.created, self.begun, self.ended, self.waited = {}, {}, {}, {}
        self.calls, self.outermost = [], []
        self.outside = collections.defaultdict(list)
        self.left, self.end = collections.defaultdict(list), None
        self._open = collections.defaultdict(list)
        self._living = set()
        with otf2.reader.open(str(anchor)) as archive:
            self.resolution = archive.timer_resolution
            self.locations = [location.name for location in archive.definitions.locations]
            self.names = {int(entry.name.rsplit("::", 1)[1]): entry.value
                          for entry in archive.definitions.location_group_properties
                          if entry.name.startswith("fermata::object::")}
            self.team = []
            for comm in archive.definitions.comms:
                if comm.group.paradigm == otf2.Paradigm.PTHREAD:
                    self.team = [self.locations[int(member)] if isinstance(member, int) else member.name
                                 for member in comm.group.members]
            for location, event in archive.events:
                self._take(location.name, event)

    def calls_of(self, name):
        return [call for call in self.calls if call.name == name]

    def seconds(self, ticks):
        return ticks / self.resolution

    def _take(self, location, event):
        kind = type(event).__name__
        stack = self._open[location]
        if location != self.locations[0] and kind != "ThreadBegin" and location not in self._living:
            self.outside[location].append(kind)
        if kind == "Enter":
            self._enter(location, stack, event)
        elif kind == "Leave":
            call = stack.pop()
            if isinstance(call, Call):
                call.leave = event.time
            elif not stack:
                self.left[call].append(event.time)
        elif kind == "ProgramEnd":
            self.end = event.time
        elif kind == "ThreadBegin":
            self._living.add(location)
            self.begun[event.sequence_count] = Moment(event.time, location)
        elif kind == "ThreadEnd":
            self._living.discard(location)
            self.ended[event.sequence_count] = Moment(event.time, location)
            if stack:
                self.outside[location].append(f"ThreadEnd in {stack[-1]}")
        else:
            if kind == "ThreadCreate":
                self.created[event.sequence_count] = Moment(event.time, location)
            elif kind == "ThreadWait":
                self.waited[event.sequence_count] = Moment(event.time, location)
            if stack and isinstance(stack[-1], Call):
                stack[-1].records.append((kind, event))
            elif kind in ("ThreadCreate", "ThreadWait"):
                self.outside[location].append(f"{kind} outside of a call")

    def _enter(self, location, stack, event):
        if event.region.paradigm == otf2.Paradigm.PTHREAD:
            path = [entry for entry in stack if isinstance(entry, str)]
            stack.append(Call(location, event.region.name, path, event.time))
            self.calls.append(stack[-1])
            return
        if not stack and location != self.locations[0]:
            self.outermost.append(event.region.name)
        stack.append(event.region.name)
