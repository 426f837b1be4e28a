# SPDX-License-Identifier: BSD-3-Clause
"""The calls of a recorded run with their operation records, and rules that every recording keeps."""

import collections

import otf2

# base/processor_time.h
PROCESSOR_TIMES = ("measured computation", "time without processor",
                   "computation with known run delay", "run delay", "readings of processor times", "kernel time of computation",
                   "page faults of computation", "page faults of computation from disk",
                   "preemptions of computation", "voluntary switches of computation")

MERGED = ("calls", "gaps")  # base/polling_names.h


def repair_inter_communicators():
    """The bindings of OTF2 3.0 prepend the fields of Comm to those of InterComm, and fail to read
    any. The definition's fields are name, both groups, common communicator, flags."""
    fields = otf2.definitions.InterComm._fields
    if len(fields) == 8:
        otf2.definitions.InterComm._fields = (fields[0], fields[4], fields[5], fields[2], fields[7])


repair_inter_communicators()

Record = collections.namedtuple("Record", "kind event")
STARTS = {"MpiIsend", "MpiIrecvRequest", "NonBlockingCollectiveRequest"}
ENDS = {"MpiIsendComplete", "MpiIrecv", "MpiRequestCancelled", "NonBlockingCollectiveComplete"}
OPERATIONS = {"RmaPut", "RmaGet", "RmaAtomic"}


class Call:
    """One call of MPI: location, region, functions around it, enter, leave, records in order. A merged one
    stands for several calls, and has ticks outside of them."""

    def __init__(self, location, region, path, enter):
        self.location = location
        self.region = region
        self.path = path
        self.enter = enter
        self.leave = None
        self.calls, self.gaps = 1, 0
        self.records = []


def is_function(region):
    return region.paradigm == otf2.Paradigm.USER


def read(anchor):
    """All calls, the number of flushes, and what is wrong with the calls' nesting and times."""
    calls, problems, opened, last, flushes = [], [], {}, {}, 0
    paths = collections.defaultdict(list)  # functions of the program that are open
    numbers = collections.Counter()
    with otf2.reader.open(anchor) as archive:
        for location, event in archive.events:
            kind = type(event).__name__
            numbers[location] += 1
            if event.time < last.get(location, 0):
                problems.append(f"{location.name}: {kind} goes back in time")
            last[location] = event.time
            if kind == "Enter" and location in opened:
                problems.append(f"{event.region.name} inside {opened[location].region}")
            elif kind == "Enter" and is_function(event.region):
                paths[location].append(event.region)
            elif kind == "Enter":
                path = [function.name for function in paths[location]]
                opened[location] = Call(location, event.region.name, path, event.time)
                calls.append(opened[location])
            elif kind == "Leave" and is_function(event.region):
                if location in opened or paths[location].pop() != event.region:
                    problems.append(f"Leave of {event.region.name} out of turn")
            elif kind == "Leave":
                call = opened.pop(location)
                call.leave = event.time
                if event.region.name != call.region:
                    problems.append(f"Leave of {event.region.name} in {call.region}")
            elif kind == "BufferFlush":
                flushes += 1
                last[location] = event.stop_time
            elif kind == "Metric" and event.metric.members[0].name in PROCESSOR_TIMES:
                continue  # values of the recorder's between calls, where computation is long
            elif kind not in ("ProgramBegin", "ProgramEnd", "ThreadBegin", "ThreadEnd"):
                if location in opened and kind == "ParameterUnsignedInt" and event.parameter.name in MERGED:
                    setattr(opened[location], event.parameter.name, event.value)
                elif location in opened:
                    opened[location].records.append(Record(kind, event))
                else:
                    problems.append(f"{kind} outside of any call")
        for location in archive.definitions.locations:
            if numbers[location] != location.number_of_events:
                problems.append(f"{location.name} has {numbers[location]} events, its definition"
                                f" says {location.number_of_events}")
    problems += [f"{call.region} is never left" for call in opened.values()]
    problems += [f"{path} is never left" for path in paths.values() if path]
    return calls, flushes, problems


def broken_rules(calls):
    """Rules between records, whatever the program."""
    return (messages_balance(calls) + requests_complete_once(calls) + collectives_pair(calls)
            + operations_complete(calls) + locks_alternate(calls))


def records(calls, *kinds):
    for call in calls:
        for record in call.records:
            if record.kind in kinds:
                yield call, record.event


def rank_of(location):
    return location.group.name


def messages_balance(calls):
    """What is received on a communicator was sent there: same tags and lengths."""
    sent, received = collections.Counter(), collections.Counter()
    for _, event in records(calls, "MpiSend", "MpiIsend"):
        sent[id(event.communicator), event.msg_tag, event.msg_length] += 1
    for _, event in records(calls, "MpiRecv", "MpiIrecv"):
        received[id(event.communicator), event.msg_tag, event.msg_length] += 1
    return [] if sent == received else [f"sent {sent - received} not received,"
                                        f" received {received - sent} not sent"]


def requests_complete_once(calls):
    started, ended = collections.Counter(), collections.Counter()
    for call in calls:
        for record in call.records:
            key = rank_of(call.location), getattr(record.event, "request_id", None)
            if record.kind in STARTS:
                started[key] += 1
            elif record.kind in ENDS:
                ended[key] += 1
            elif record.kind == "MpiRequestTest" and key not in started:
                return [f"{call.region}: a test of an unknown request"]
    return [f"request {key}: {started[key]} starts, {ended[key]} ends"
            for key in started.keys() | ended.keys() if started[key] != 1 or ended[key] != 1]


def collectives_pair(calls):
    failures = []
    for call in calls:
        for begin, end in (("MpiCollectiveBegin", "MpiCollectiveEnd"),
                           ("RmaCollectiveBegin", "RmaCollectiveEnd")):
            kinds = [record.kind for record in call.records]
            if kinds.count(begin) != kinds.count(end) or kinds.count(begin) > 1:
                failures.append(f"{call.region}: {kinds}")
            elif begin in kinds and (kinds[0] != begin or kinds[-1] != end):
                failures.append(f"{call.region}: {kinds}: the collective does not enclose the rest")
    return failures


def operations_complete(calls):
    """Every operation is completed locally once, and its id is not used again behind that."""
    pending, done, failures = collections.Counter(), set(), []
    for call in calls:
        for record in call.records:
            key = rank_of(call.location), getattr(record.event, "matching_id", None)
            if record.kind in OPERATIONS:
                pending[key] += 1
                if key in done:
                    failures.append(f"{call.region}: id {key} is used again")
            elif record.kind == "RmaOpCompleteNonBlocking":
                if pending.pop(key, 0) == 0:
                    failures.append(f"{call.region}: completes {key}, which is not pending")
                done.add(key)
            elif record.kind == "RmaOpCompleteRemote" and key not in done and key not in pending:
                failures.append(f"{call.region}: completes {key} remotely, which is unknown")
    return failures + [f"operations of id {key} are never completed" for key in pending]


def locks_alternate(calls):
    held, failures = set(), []
    for call in calls:
        for record in call.records:
            if record.kind not in ("RmaRequestLock", "RmaReleaseLock"):
                continue
            key = (rank_of(call.location), id(record.event.win), record.event.remote)
            if (record.kind == "RmaRequestLock") == (key in held):
                failures.append(f"{call.region}: {record.kind} out of turn")
            held ^= {key}
    return failures + [f"lock {key} is never released" for key in held]
