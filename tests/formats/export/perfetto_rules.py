# SPDX-License-Identifier: BSD-3-Clause
"""What a Perfetto trace must be by the rules of its formats, checked without Perfetto: the trace
packets of the protobuf schema (TrackEvent), and the events of the JSON format.

Each function raises Broken, or gives what it has found: {slices, flows, tracks}."""

import collections
import struct

BEGIN, END, INSTANT = 1, 2, 3
CLEARED, NEEDED = 1, 2  # of sequence_flags: incremental state


class Broken(Exception):
    """The trace breaks a rule."""


def require(condition, *what):
    if not condition:
        raise Broken(*what)


def fields(message):
    """(field, wire type, value) of a message of protocol buffers, in order."""
    position = 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            require(position < len(message) and shift < 70, "varint")
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(message):
        tag = varint()
        number, wire = tag >> 3, tag & 7
        require(number > 0, "field 0")
        if wire == 0:
            yield number, wire, varint()
            continue
        length = {1: 8, 5: 4}[wire] if wire in (1, 5) else varint()
        require(wire in (1, 2, 5), "wire type", wire)
        content = message[position : position + length]
        require(len(content) == length, "a field is cut off")
        position += length
        yield number, wire, content if wire == 2 else struct.unpack("<Q" if wire == 1 else "<I",
                                                                    content)[0]


# Field -> (name, wire type). Everything that the exporter may write stands here.
PACKET = {8: ("timestamp", 0), 10: ("sequence", 0), 11: ("event", 2), 12: ("interned", 2),
          13: ("flags", 0), 60: ("descriptor", 2)}
EVENT = {9: ("type", 0), 10: ("name_iid", 0), 3: ("category_iids", 0), 11: ("track", 0),
         47: ("flows", 1), 48: ("last_flows", 1), 4: ("annotations", 2)}
DESCRIPTOR = {1: ("uuid", 0), 2: ("name", 2), 3: ("process", 2), 4: ("thread", 2), 5: ("parent", 0),
              11: ("ordering", 0), 12: ("rank", 0), 19: ("process_order", 0), 20: ("thread_order", 0)}
PROCESS = {1: ("pid", 0), 6: ("name", 2)}
THREAD = {1: ("pid", 0), 2: ("tid", 0), 5: ("name", 2)}
ANNOTATION = {10: ("name", 2), 3: ("unsigned", 0), 6: ("text", 2)}
REPEATED = ("flows", "last_flows", "category_iids", "annotations")


def decode(message, schema):
    """{name: value}, of REPEATED names a list; a field that is unknown or double is an error."""
    found = {}
    for number, wire, value in fields(message):
        require(number in schema, "unknown field", number)
        name, expected = schema[number]
        require(wire == expected, "wire type of", name)
        if name in REPEATED:
            found.setdefault(name, []).append(value)
        else:
            require(name not in found, "double", name)
            found[name] = value
    return found


class Sequence:
    """What one sequence of packets has interned so far."""

    def __init__(self):
        self.valid = False
        self.tables = collections.defaultdict(dict)

    def take(self, packet):
        flags = packet.get("flags", 0)
        if flags & CLEARED:
            self.valid = True
            self.tables.clear()
        if flags & NEEDED:
            require(self.valid, "incremental state that was never cleared")
        for kind, wire, entry in fields(packet.get("interned", b"")):
            require(wire == 2, "interned data")
            content = decode(entry, {1: ("iid", 0), 2: ("name", 2)})
            require(content["iid"] > 0, "iid 0 means none")
            require(content["iid"] not in self.tables[kind], "iid twice", content)
            self.tables[kind][content["iid"]] = content["name"].decode("utf-8")

    def name(self, packet, kind, iid):
        require(packet.get("flags", 0) & NEEDED, "interned names need the flag")
        require(iid in self.tables[kind], "unknown iid", iid)
        return self.tables[kind][iid]


def add_track(tracks, content):
    descriptor = decode(content, DESCRIPTOR)
    uuid = descriptor["uuid"]
    if uuid == 0:  # the root, which only orders its children
        require(set(descriptor) <= {"uuid", "process_order", "thread_order"}, "the root", descriptor)
        require(not tracks, "the root comes first")
        return
    require(0 < uuid < 1 << 64, "uuid", uuid)
    require("process_order" not in descriptor and "thread_order" not in descriptor, "order", uuid)
    require(uuid not in tracks, "uuid twice", uuid)
    if "parent" in descriptor:
        require(descriptor["parent"] in tracks, "a track before its parent", uuid)
    require("name" in descriptor or "process" in descriptor or "thread" in descriptor, "no name")
    descriptor.get("name", b"").decode("utf-8")
    for part, schema in (("process", PROCESS), ("thread", THREAD)):
        if part in descriptor:
            descriptor[part] = decode(descriptor[part], schema)
            require(0 < descriptor[part]["pid"] < 1 << 31, "pid")  # 0 is an idle processor
            descriptor[part]["name"].decode("utf-8")
    if "thread" in descriptor:
        thread = descriptor["thread"]
        require(0 < thread["tid"] < 1 << 31, "tid")
        require(thread["tid"] not in [t["thread"]["tid"] for t in tracks.values() if "thread" in t],
                "tid twice", thread)
        # A thread with the number of a process is the first one of that process.
        pids = [t["process"]["pid"] for t in tracks.values() if "process" in t]
        require(thread["pid"] in pids, "a thread before its process", thread)
        require(thread["tid"] == thread["pid"] or thread["tid"] not in pids, "tid", thread)
    tracks[uuid] = descriptor


def protobuf(trace):
    """Checks a binary trace."""
    tracks, sequences, events = {}, collections.defaultdict(Sequence), []
    for number, wire, content in fields(trace):
        require((number, wire) == (1, 2), "a trace has packets, not", number)
        packet = decode(content, PACKET)
        require(packet.get("sequence", 0) > 0, "packets need a sequence")
        sequence = sequences[packet["sequence"]]
        sequence.take(packet)
        if "descriptor" in packet:
            add_track(tracks, packet["descriptor"])
        if "event" not in packet:
            continue
        event = decode(packet["event"], EVENT)
        require("timestamp" in packet, "an event without a time")
        require(event["track"] in tracks, "an event on an unknown track")
        require(event["type"] in (BEGIN, END, INSTANT), "type of an event")
        require((event["type"] == END) == ("name_iid" not in event), "names of begins, not of ends")
        for annotation in event.get("annotations", []):
            content = decode(annotation, ANNOTATION)
            require("name" in content and len(content) == 2, "an annotation has one value")
        name = sequence.name(packet, 2, event["name_iid"]) if "name_iid" in event else None
        for iid in event.get("category_iids", []):
            sequence.name(packet, 1, iid)
        events.append((packet["timestamp"], event, name))
    require(all(a[0] <= b[0] for a, b in zip(events, events[1:])), "packets in order of time")
    slices, stacks, flows = [], collections.defaultdict(list), collections.defaultdict(list)
    for time, event, name in events:
        stack = stacks[event["track"]]
        if event["type"] == BEGIN:
            stack.append((name, time))
        elif event["type"] == END:
            require(stack, "an end without a begin on track", event["track"])
            slices.append((event["track"], *stack.pop(), time, len(stack)))
        ids = event.get("flows", []) + event.get("last_flows", [])
        require(not ids or event["type"] != END, "a flow at the end of a slice")
        for flow in ids:
            require(flow > 0, "flow 0")
            flows[flow].append((event["track"], time))
    require(not any(stacks.values()), "a slice without an end")
    for flow, ends in flows.items():
        require(len(ends) == 2, "flow", flow, ends)
    return {"slices": slices, "flows": list(flows.values()), "tracks": tracks}


def chrome_json(document):
    """Checks a decoded JSON trace. Times are microseconds."""
    require(isinstance(document["traceEvents"], list), "traceEvents")
    slices, stacks, last = [], collections.defaultdict(list), {}
    flows, tracks = collections.defaultdict(list), {}
    for event in document["traceEvents"]:
        phase, track = event["ph"], (event["pid"], event.get("tid"))
        require(isinstance(event["pid"], int), "pid", event)
        if phase == "M":
            require(event["name"] in ("process_name", "thread_name", "process_sort_index",
                                      "thread_sort_index"), "metadata", event)
            if event["name"] == "thread_name":
                require(track not in tracks, "two names of a thread", event)
                tracks[track] = event["args"]["name"]
            continue
        require(isinstance(event["ts"], (int, float)) and event["ts"] >= 0, "ts", event)
        require(isinstance(event["tid"], int), "tid", event)
        if phase in "BE":
            require(event["ts"] >= last.get(track, 0), "slices in order", event)
            last[track] = event["ts"]
        if phase == "B":
            require(isinstance(event["name"], str), "a name", event)
            stacks[track].append((event["name"], event["ts"]))
        elif phase == "E":
            require(stacks[track], "an end without a begin", event)
            slices.append((track, *stacks[track].pop(), event["ts"], len(stacks[track])))
        elif phase in "sf":
            require(phase == "s" or event.get("bp") == "e", "a flow ends at its slice", event)
            flows[event["cat"], event["name"], event["id"]].append((phase, track, event["ts"]))
        else:
            raise Broken("unknown phase", event)
    require(not any(stacks.values()), "a slice without an end")
    require(set(stacks) <= set(tracks), "a thread without a name")
    check_json_flows(flows, slices)
    return {"slices": slices, "flows": list(flows.values()), "tracks": tracks}


def check_json_flows(flows, slices):
    """A flow starts and ends inside of slices, else its reader drops it without a word."""
    times = collections.defaultdict(list)
    for track, _, begin, end, depth in slices:
        if depth == 0:
            times[track].append((begin, end))
    for flow, ends in flows.items():
        require(sorted(e[0] for e in ends) == ["f", "s"], "ends of a flow", flow, ends)
        for _, track, time in ends:
            require(any(begin <= time <= end for begin, end in times[track]),
                    "a flow outside of all slices", flow, track, time)
