# SPDX-License-Identifier: BSD-3-Clause
"""Changes of a scenario whose effect on the analysis is known. Scenarios are lists of lines without
`expect` lines; an event line is (ticks, (rank, thread), words)."""

import re

TICKS_PER_UNIT = 1000
EVENT = re.compile(r"\d")


def ticks_of(text):
    whole, _, decimals = text.partition(".")
    return int(whole) * TICKS_PER_UNIT + int(decimals.ljust(3, "0"))


def text_of(ticks):
    whole, decimals = divmod(ticks, TICKS_PER_UNIT)
    return f"{whole}.{decimals:03d}"


def retimed(rest, change):
    """An event whose time within, that of an acquisition, is changed, too."""
    words = rest.split(None, 4)
    if words[0] == "release_lock" and len(words) > 3:
        words[3] = text_of(change(ticks_of(words[3])))
        return " ".join(words)
    return rest


def retimed_header(header, change):
    """The lines about the run; the end of the job is a time."""
    return [f"job_end {text_of(change(ticks_of(line.split()[1])))}" if line.startswith("job_end ") else line
            for line in header]


def parse(text):
    """(header lines, events) of a scenario; ticks are 1/1000 units."""
    header, events = [], []
    for line in text.splitlines():
        if not EVENT.match(line):
            header.append(line)
            continue
        time, location, rest = line.split(None, 2)
        rank, _, thread = location.partition(".")
        events.append((ticks_of(time), (int(rank), int(thread or 0)), rest))
    return header, events


def write(header, events):
    lines = list(header)
    for ticks, (rank, thread), rest in events:
        lines.append(f"{text_of(ticks)} {rank}.{thread} {rest}")
    return "\n".join(lines) + "\n"


def shifted(scenario, ticks):
    header, events = scenario
    return (retimed_header(header, lambda within: within + ticks),
            [(time + ticks, location, retimed(rest, lambda within: within + ticks))
             for time, location, rest in events])


def scaled(scenario, factor):
    header, events = scenario
    return (retimed_header(header, lambda within: within * factor),
            [(time * factor, location, retimed(rest, lambda within: within * factor))
             for time, location, rest in events])


def without_ties(scenario):
    """No two events at the same time; their order stays."""
    header, events = scenario
    order = sorted(range(len(events)), key=lambda index: (events[index][0], index))
    times = {index: events[index][0] * (len(events) + 1) + place
             for place, index in enumerate(order)}
    return (retimed_header(header, lambda within: within * (len(events) + 1)),
            [(times[index], location, retimed(rest, lambda within: within * (len(events) + 1)))
             for index, (_, location, rest) in enumerate(events)])


def options(scenario):
    """What `fermata analyze` is told, as the scenario has it."""
    return [word for line in scenario[0] if line.startswith("analyze ")
            for word in line.split()[1:]]


def permuted_option(word, places):
    """--partition with the ranks' new numbers; `*` names every rank."""
    prefix = "--partition="
    if not word.startswith(prefix) or "*" in word:
        return word
    return prefix + re.sub(r"(?<=[:,])(\d+)", lambda rank: str(places[int(rank[1])]),
                           word[len(prefix):])


def places_of(scenario, ranks, chooser):
    """Other numbers of the ranks: those of each world follow each other as before."""
    worlds = [{int(rank) for rank in words[2:]} for words in map(str.split, scenario[0])
              if words[:1] == ["world"]]
    places = list(range(ranks))
    for members in (*worlds, set(places).difference(*worlds)):
        for rank, place in zip(sorted(members), chooser.sample(sorted(members), len(members))):
            places[rank] = place
    return places


def permuted(scenario, places):
    """World rank r becomes places[r]. The order in every communicator is kept, that of the world by
    a communicator in its place."""
    header, events = scenario
    world = "comm everybody " + " ".join(map(str, places))
    changed = []
    for line in header:
        words = line.split()
        first = {"comm": 2, "node": 2, "world": 2, "intercomm": 3}.get(words[0] if words else "")
        if first:  # the word from which on ranks are named
            words[first:] = [str(places[int(rank)]) for rank in words[first:]]
        elif words[:1] == ["ended"]:
            words[1:] = [str(places[int(rank)]) for rank in words[1:]]
        elif words[:1] == ["team"]:
            words[2:] = [re.sub(r"^\d+", lambda rank: str(places[int(rank[0])]), word)
                         for word in words[2:]]
        elif words[:1] == ["window"] and words[2] == "world":
            words[2] = "everybody"
        elif words[:1] == ["analyze"]:
            words = [permuted_option(word, places) for word in words]
        changed.append(" ".join(words))
        if words[:1] == ["ranks"]:
            changed.append(world)
    moved = []
    for time, (rank, thread), rest in events:
        words = rest.split()
        kind = words[0]
        if kind in ("send", "recv", "isend", "irecv", "probe"):
            with_communicator = {"send": 5, "recv": 5, "isend": 6, "irecv": 6, "probe": 4}[kind]
            if len(words) < with_communicator:
                words.append("everybody")
        if kind not in ("enter", "leave"):
            words = ["everybody" if word == "world" else word for word in words]
            rest = " ".join(words)
        moved.append((time, (places[rank], thread), rest))
    return changed, moved


def with_longer_end(scenario, ticks):
    """A rank computes longer behind its last communication; None if every location was cut off in
    a call."""
    header, events = scenario
    last = {location: index for index, (_, location, _) in enumerate(events)}
    for location, index in sorted(last.items()):
        time, _, rest = events[index]
        if rest == "leave main":
            changed = list(events)
            changed[index] = (time + ticks, location, rest)
            return header, changed
    return None
