# SPDX-License-Identifier: BSD-3-Clause
"""Reads a scenario file (*.scn) into plain Python objects.

Times are integers in 1/1000 of the file's unit, so that all arithmetic of the reference is exact.
"""

import collections
from collections import namedtuple

TICKS_PER_UNIT = 1000
SELF = "self"
WORLD = "world"
ALL_TARGETS = "all"
IDLE = "cuda idle"

# One line of the timeline. `name` is the event's name, `args` its arguments, already converted.
Event = namedtuple("Event", "time loc name args line")


class ScenarioError(Exception):
    """A line that is not in the scenario language."""


def parse_time(text):
    """Decimal text with at most three decimals to an integer number of 1/1000 units."""
    whole, _, decimals = text.partition(".")
    if len(decimals) > 3 or not (whole + decimals).isdigit():
        raise ValueError("bad time %r" % text)
    return int(whole or "0") * TICKS_PER_UNIT + int(decimals.ljust(3, "0"))


def format_units(ticks):
    """The shortest exact decimal text of an integer number of 1/1000 units."""
    sign = "-" if ticks < 0 else ""
    whole, rest = divmod(abs(ticks), TICKS_PER_UNIT)
    text = "%s%d.%03d" % (sign, whole, rest)
    return text.rstrip("0").rstrip(".")


def parse_location(text):
    """`rank` or `rank.thread` to the pair (rank, thread)."""
    rank, _, thread = text.partition(".")
    return int(rank), int(thread or "0")


def format_location(loc):
    rank, thread = loc
    return "%d.%d" % loc if thread else "%d" % rank


class Scenario:
    """Ranks, communicators, windows and the events of every location in their order."""

    def __init__(self):
        self.ranks = 1
        self.threads = 1
        self.unit = "1"
        self.comms = {}
        self.intercomms = {}  # {name: (first group, second group)}; also in `comms`: both together
        self.worlds = {}  # {rank: number of its world}; not named: 0
        self.nodes = collections.defaultdict(lambda: "node")  # {rank: name of its node}
        self.windows = {}
        self.streams = set()  # locations that are streams of accelerators
        self.teams = {}  # {name: [location]} of threads of one process
        self.phases = set()  # names of the regions that are phases
        self.options = {}  # of the analysis: {"critical-path": "init-finalize"}
        self.heartbeats = {}  # {rank: last time at which its process lived}
        self.job_end = None
        self.ended = set()  # ranks whose processes ended by themselves
        self.lasting = set()  # locations that never leave some function: open_calls.Ends
        self.thread_levels = {}  # {rank: single, funneled, serialized or multiple}
        self.events = {}
        self.expects = []
        self.phase_expects = []
        self.matrix_expects = []
        self.problem_expects = []

    def comm_members(self, comm, rank):
        """World ranks of a communicator, in its rank order, as seen by a process."""
        if comm == SELF:
            return [rank]
        if comm == WORLD:
            return list(range(self.ranks))
        return self.comms[comm]

    def peers(self, comm, rank):
        """The world ranks that a process names as partners: the members, or the other group."""
        if comm in self.intercomms:
            first, second = self.intercomms[comm]
            return second if rank in first else first
        return self.comm_members(comm, rank)

    def comm_key(self, comm, rank):
        """Identity of a communicator: every process has a `self` of its own."""
        return (SELF, rank) if comm == SELF else comm

    def change_times(self, function):
        """Changes the times of all events, those that records tell, and the ends of processes."""
        self.heartbeats = {rank: function(time) for rank, time in self.heartbeats.items()}
        self.job_end = self.job_end and function(self.job_end)
        for events in self.events.values():
            events[:] = [event._replace(time=function(event.time),
                                        args=_with_times(event, function)) for event in events]

    def window_members(self, window, rank):
        return self.comm_members(self.windows[window], rank)

    def window_key(self, window, rank):
        return (window, rank) if self.windows[window] == SELF else window


def _with_times(event, function):
    """The arguments of an event with changed times."""
    if event.name == "release_lock" and event.args[2] is not None:
        return event.args[:2] + (function(event.args[2]),) + event.args[3:]
    if event.name == "buffer_flush":
        return (function(event.args[0]),)
    if event.name == "merged":  # the gaps are no point in time
        return event.args[0], function(event.time) - function(event.time - event.args[1])
    return event.args


def _optional(words, index, default):
    return words[index] if len(words) > index else default


def _root(word):
    return None if word == "-" else int(word)


def _target(word):
    return ALL_TARGETS if word == ALL_TARGETS else int(word)


def _or_any(word):
    return None if word == "any" else int(word)


def _collective(words):
    return words[0], words[1], _root(words[2]), int(words[3]), int(words[4])


def _rma_collective_end(words):
    root = _root(_optional(words, 2, "-"))
    return words[0], words[1], root, int(_optional(words, 3, "0")), int(_optional(words, 4, "0"))


def _lock(words):
    lock_type = _optional(words, 3, "x")
    if lock_type not in ("x", "s"):
        raise ValueError("bad lock type %r" % lock_type)
    return words[0], _target(words[1]), words[2], lock_type


def _release_lock(words):
    """Lock, order, time of the acquisition, its function, whether it is marked as shared."""
    is_shared = words[3:4] == ["s"]
    return (words[0], int(words[1]), parse_time(words[2]) if len(words) > 2 else None,
            " ".join(words[3 + is_shared:]) or None, is_shared)


# What an activity is a fraction of: percent, or threads of a warp.
_ACTIVITIES = {"sm": ("sm", 100), "warp": ("warp", 32), "memory": ("memory", 100)}

_PARSERS = {
    "send": lambda w: (int(w[0]), int(w[1]), int(w[2]), _optional(w, 3, WORLD)),
    "recv": lambda w: (int(w[0]), int(w[1]), int(w[2]), _optional(w, 3, WORLD)),
    "isend": lambda w: (int(w[0]), int(w[1]), int(w[2]), w[3], _optional(w, 4, WORLD)),
    "isend_complete": lambda w: (w[0],),
    "irecv_request": lambda w: (w[0],),
    "irecv": lambda w: (int(w[0]), int(w[1]), int(w[2]), w[3], _optional(w, 4, WORLD)),
    "probe": lambda w: (_or_any(w[0]), _or_any(w[1]), _optional(w, 2, WORLD)),
    "members": lambda w: (w[0], _root(_optional(w, 1, "-"))),
    "target": lambda w: (w[0], _target(_optional(w, 1, ALL_TARGETS))),
    "owner": lambda w: (int(w[0]), " ".join(w[1:])),
    "omitted": lambda w: (int(w[0]),),
    "heartbeat": lambda w: (),
    "failed": lambda w: tuple(w),
    "merged": lambda w: (int(w[0]), parse_time(w[1])),
    "lost": lambda w: (),
    "request_cancelled": lambda w: (w[0],),
    "coll_begin": lambda w: (),
    "coll_end": _collective,
    "nb_coll_request": lambda w: (w[0],),
    "nb_coll_complete": lambda w: _collective(w) + (w[5], int(w[6]) if len(w) > 6 else None,
                                                    " ".join(w[7:]) or None),
    "io_read": lambda w: (int(w[0]), w[1]),
    "io_write": lambda w: (int(w[0]), w[1]),
    "io_complete": lambda w: (int(w[0]), w[1]),
    "win_create": lambda w: (w[0],),
    "win_destroy": lambda w: (w[0],),
    "rma_coll_begin": lambda w: (),
    "rma_coll_end": _rma_collective_end,
    "group_sync": lambda w: (w[0], tuple(int(rank) for rank in w[1:])),
    "put": lambda w: (w[0], _target(w[1]), int(w[2]), w[3]),
    "get": lambda w: (w[0], _target(w[1]), int(w[2]), w[3]),
    "atomic": lambda w: (w[0], _target(w[1]), int(w[2]), w[3]),
    "done_blocking": lambda w: (w[0], w[1]),
    "done_nonblocking": lambda w: (w[0], w[1]),
    "done_remote": lambda w: (w[0], w[1]),
    "lock_request": _lock,
    "lock_acquire": _lock,
    "lock_try": _lock,
    "lock_release": _lock,
    "sync": lambda w: (w[0], int(w[1])),
    "wait_change": lambda w: (w[0],),
    "fork": lambda w: (int(w[0]),),
    "join": lambda w: (),
    "acquire_lock": lambda w: (w[0], int(w[1])),
    "release_lock": _release_lock,
    "object": lambda w: (w[0],),
    "correlation": lambda w: (w[0],),
    "waits_for": lambda w: (parse_location(w[0]),),
    "on_stream": lambda w: (parse_location(w[0]),),
    "event": lambda w: (w[0],),
    "activity": lambda w: (_ACTIVITIES[w[0]], float(w[1])),
    "sample": lambda w: tuple(" ".join(w).split("/")) if w else (),
    "buffer_flush": lambda w: (parse_time(w[0]),),
    "parameter": lambda w: tuple(w),
    "parameter_unsigned": lambda w: tuple(w),
    "parameter_text": lambda w: tuple(w),
    "team_begin": lambda w: (w[0],),
    "team_end": lambda w: (w[0],),
    **{"task_" + name: lambda w: (w[0], int(w[1]), int(w[2]))
       for name in ("create", "switch", "complete")},
    **{"thread_" + name: lambda w: (w[0], int(w[1])) for name in ("create", "begin", "wait", "end")},
}

EVENTS = {"enter", "leave", *_PARSERS}  # names


def _strip_comment(line):
    if line.startswith("#"):
        return ""
    for blank in (" #", "\t#"):
        at = line.find(blank)
        if at >= 0:
            line = line[:at]
    return line.strip()


def _parse_event(line, number):
    time, loc, name, rest = (line.split(None, 3) + [""])[:4]
    if name in ("enter", "leave"):
        if not rest:
            raise ValueError("a region is missing")
        args = (rest,)
    else:
        args = _PARSERS[name](rest.split())
    return Event(parse_time(time), parse_location(loc), name, args, number)


def _with_path(event, stack):
    """The event; a sample that states its call path with the Leaves and Enters that lead to it and back.
    `stack` has the open regions."""
    if event.name == "enter":
        stack.append(event.args[0])
    elif event.name == "leave" and stack and stack[-1] == event.args[0]:
        stack.pop()
    if event.name != "sample" or not event.args:
        return [event]
    path, common = list(event.args), 0
    while common < min(len(stack), len(path)) and stack[common] == path[common]:
        common += 1

    def walk(name, regions):
        return [event._replace(name=name, args=(region,)) for region in regions]
    return (walk("leave", reversed(stack[common:])) + walk("enter", path[common:])
            + [event._replace(args=())] + walk("leave", reversed(path[common:]))
            + walk("enter", stack[common:]))


def _with_idle_calls(events):
    """The events of a stream, with calls between its outermost regions and behind the last one."""
    found, depth, idle = [], 0, False
    for event in events:
        if event.name == "enter":
            if idle:
                found.append(event._replace(name="leave", args=(IDLE,)))
                idle = False
            depth += 1
        found.append(event)
        if event.name == "leave":
            depth -= 1
            if depth == 0:
                found.append(event._replace(name="enter", args=(IDLE,)))
                idle = True
    if idle:
        found.append(events[-1]._replace(name="leave", args=(IDLE,)))
    return found


def parse_scenario(text):
    """Text of a scenario file to a Scenario; ScenarioError names the line that is wrong."""
    scenario = Scenario()
    stacks = {}  # {location: open regions}
    for number, raw in enumerate(text.splitlines(), 1):
        line = _strip_comment(raw)
        if not line:
            continue
        words = line.split()
        try:
            if words[0] == "unit":
                scenario.unit = words[1]
            elif words[0] == "ranks":
                scenario.ranks = int(words[1])
                if len(words) > 2:
                    if words[2] != "threads":
                        raise ValueError("expected `threads`")
                    scenario.threads = int(words[3])
            elif words[0] == "comm":
                scenario.comms[words[1]] = [int(rank) for rank in words[2:]]
            elif words[0] == "intercomm":
                members = [int(rank) for rank in words[3:]]
                scenario.comms[words[1]] = members
                scenario.intercomms[words[1]] = (members[:int(words[2])], members[int(words[2]):])
            elif words[0] == "world":
                scenario.worlds.update((int(rank), int(words[1])) for rank in words[2:])
            elif words[0] == "node":
                scenario.nodes.update((int(rank), words[1]) for rank in words[2:])
            elif words[0] == "window":
                scenario.windows[words[1]] = words[2]
            elif words[0] == "team":
                scenario.teams[words[1]] = [parse_location(word) for word in words[2:]]
            elif words[0] == "stream":
                scenario.streams.update(parse_location(word) for word in words[1:])
            elif words[0] == "job_end":
                scenario.job_end = parse_time(words[1])
            elif words[0] == "ended":
                scenario.ended.update(map(int, words[1:]))
            elif words[0] == "thread_level":
                scenario.thread_levels.update((int(rank), words[1]) for rank in words[2:])
            elif words[0] == "object_name":
                pass  # names of objects change no value
            elif words[0] in ("predict", "expect_predicted"):
                pass  # of the replay, which the reference does not do
            elif words[0] == "phase":
                scenario.phases.add(line.split(None, 1)[1])
            elif words[0] == "analyze":
                for word in words[1:]:
                    if not word.startswith("--"):
                        raise ValueError("expected --NAME=VALUE")
                    name, value = word[2:].split("=", 1)
                    scenario.options[name] = value
            elif words[0] == "expect":
                scenario.expects.append(words[1:])
            elif words[0] == "expect_phase":
                scenario.phase_expects.append(words[1:])
            elif words[0] == "expect_matrix":
                scenario.matrix_expects.append(words[1:])
            elif words[0] == "expect_problem":
                scenario.problem_expects.append(words[1:])
            else:
                event = _parse_event(line, number)
                rank, thread = event.loc
                if rank >= scenario.ranks or thread >= scenario.threads:
                    raise ValueError("no such location")
                if event.name == "heartbeat":
                    scenario.heartbeats[rank] = max(event.time, scenario.heartbeats.get(rank, 0))
                    continue
                events = scenario.events.setdefault(event.loc, [])
                events += _with_path(event, stacks.setdefault(event.loc, []))
        except (ValueError, IndexError, KeyError) as error:
            raise ScenarioError("line %d: %r: %s" % (number, raw, error)) from error
    for loc in scenario.streams & scenario.events.keys():
        scenario.events[loc] = _with_idle_calls(scenario.events[loc])
    for events in scenario.events.values():
        for before, after in zip(events, events[1:]):
            if after.time < before.time:
                raise ScenarioError("line %d: time goes backward" % after.line)
    return scenario


def read_scenario(path):
    with open(path, encoding="utf-8") as file:
        return parse_scenario(file.read())
