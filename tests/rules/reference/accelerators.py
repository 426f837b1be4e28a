# SPDX-License-Identifier: BSD-3-Clause
"""Waiting between threads and streams of accelerators, and between streams."""

from collections import namedtuple

from scenario_file import IDLE
import wait_states as ws

# A kernel or copy; `record`: its correlation; before, after: the stream's idle calls around it, or None.
Work = namedtuple("Work", "stream record before after launch")


def _launches(timeline):
    """{(rank, number): [record of a call that launches]} in the order of time and location."""
    found = {}
    for loc, records in timeline.thread_records.items():
        for record in records:
            if (record.name == "correlation" and loc not in timeline.scenario.streams
                    and record.call is not None and record.call.region.startswith("cuda")):
                found.setdefault((loc[0], record.args[0]), []).append(record)
    for records in found.values():
        records.sort(key=lambda record: (record.time, record.call.loc))
    return found


def works(timeline):
    """[Work] of all streams whose launch is recorded, those of a stream in its order."""
    launches, found = _launches(timeline), []
    for stream in sorted(timeline.scenario.streams):
        idle = [call for call in timeline.calls.get(stream, ()) if call.region == IDLE]
        for record in timeline.thread_records.get(stream, ()):
            earlier = [launch for launch in launches.get((stream[0], record.args[0]), ())
                       if launch.time <= record.time]
            if record.name != "correlation" or record.call is None or not earlier:
                continue
            before = [call for call in idle if call.position < record.sequence]
            after = [call for call in idle if call.position > record.sequence]
            found.append(Work(stream, record, before[-1] if before else None,
                              after[0] if after else None, earlier[-1]))
    return found


# A call that names an event, with the event's number and the stream that the call names, or None.
EventCall = namedtuple("EventCall", "call number stream")


def _event_calls(timeline, functions):
    """[EventCall] of the calls of some functions."""
    found = []
    for loc, records in timeline.thread_records.items():
        streams = {record.call: record.args[0] for record in records if record.name in ("on_stream", "waits_for")}
        found += [EventCall(record.call, record.args[0], streams.get(record.call)) for record in records
                  if record.name == "event" and loc not in timeline.scenario.streams
                  and record.call is not None and record.call.region.startswith(functions)]
    return found


def _record_of(timeline, waiting):
    """The EventCall that recorded the event which another one waits for; None: there is none."""
    earlier = [record for record in _event_calls(timeline, "cudaEventRecord")
               if record.number == waiting.number and record.call.loc[0] == waiting.call.loc[0]
               and record.call.enter <= waiting.call.enter]
    return max(earlier, key=lambda record: (record.call.enter, record.call.loc, record.call.index), default=None)


def _awaited(timeline):
    """[(work, work of another stream that it waits for)] by events."""
    found, all_works = [], works(timeline)
    for waiting in _event_calls(timeline, "cudaStreamWaitEvent"):
        record = _record_of(timeline, waiting)
        if record is None or None in (record.stream, waiting.stream) or record.stream == waiting.stream:
            continue
        behind = [work for work in all_works
                  if work.stream == waiting.stream and work.launch.call.enter > waiting.call.enter]
        before = [work for work in all_works
                  if work.stream == record.stream and work.launch.call.enter < record.call.enter]
        if behind and before and before[-1].after is not None:
            found.append((behind[0], before[-1]))
    return found


def _ended(timeline, call, bound):
    """{stream: its last work that was launched before a time and ended until a call's Leave}."""
    found = {}
    for work in works(timeline):
        if (work.stream[0] == call.loc[0] and work.launch.call.enter < bound
                and work.after is not None and work.after.enter <= call.leave):
            found[work.stream] = work
    return found


def _synchronizations(timeline):
    """(call, work of a stream that it waits for)."""
    for loc, calls in timeline.calls.items():
        for call in calls:
            if (loc in timeline.scenario.streams or not call.region.startswith("cuda")
                    or not call.region.endswith("Synchronize")):
                continue
            named = {record.args[0] for record in timeline.thread_records.get(loc, ())
                     if record.name == "waits_for" and record.call is call}
            records = [_record_of(timeline, event) for event in _event_calls(timeline, "cuda")
                       if event.call is call]
            bound = records[0].call.enter if records and records[0] else call.enter
            for stream, work in _ended(timeline, call, bound).items():
                if not named or stream in named:
                    yield call, work


def _copies(timeline):
    """[Work] of calls that return when their copy is done."""
    return [work for work in works(timeline)
            if work.launch.call.region.startswith("cudaMemcpy") and "Async" not in work.launch.call.region]


def candidates(timeline):
    for work in works(timeline):
        if work.before is not None:
            launch = work.launch.call
            yield ws.Candidate(work.before, launch.enter, ws.STREAMS, launch, "cuda_late_launch", None, 0)
    for work, awaited in _awaited(timeline):
        if work.before is not None:
            yield ws.Candidate(work.before, awaited.after.enter, ws.STREAMS, awaited.after,
                               "cuda_event_wait", None, 0)
    for call, work in _synchronizations(timeline):
        yield ws.Candidate(call, work.after.enter, ws.STREAMS, work.after, "cuda_stream_wait", None, 0)
    for work in _copies(timeline):
        if work.before is not None:
            yield ws.Candidate(work.launch.call, work.before.enter, ws.STREAMS, work.before,
                               "cuda_copy_wait", None, 0)


def _first_works(timeline):
    found = {}
    for work in works(timeline):
        found.setdefault(work.stream, work)
    return [work for work in found.values() if work.before is None]


def _first_works_that_wait(timeline):
    """{stream: the work that ended last of those that its first work has waited for behind its launch}."""
    found = {}
    for first in _first_works(timeline):
        awaited = [other for work, other in _awaited(timeline) if work == first
                   and first.launch.time < other.after.enter <= first.record.time]
        if awaited:
            found[first.stream] = min(awaited, key=lambda other: (-other.after.enter, other.stream,
                                                                  other.record.sequence))
    return found


def first_launches(timeline):
    """[(stream, position of its first work, location, position and time of what it comes from: of the launch,
    or of the end of another stream's work)]."""
    waiting = _first_works_that_wait(timeline)
    for work in _first_works(timeline):
        if work.stream in waiting:
            after = waiting[work.stream].after
            yield work.stream, work.record.sequence, after.loc, after.position, after.enter
        else:
            yield (work.stream, work.record.sequence, work.launch.call.loc, work.launch.sequence,
                   work.launch.time)


def _last_idle_moment(timeline, waiting, other):
    """The latest time up to the Enter of an idle call at which its stream and another one had no work, or one
    of them got some again; None."""
    until = waiting.enter
    own, others = ([call for call in timeline.calls.get(loc, ()) if call.region == IDLE and call.enter <= until]
                   for loc in (waiting.loc, other))
    moments = [min(one.leave, another.leave, until) for one in own for another in others
               if one.index <= waiting.index and max(one.enter, another.enter) < min(one.leave, another.leave)]
    return max(moments, default=None)


def points(timeline):
    """(thread or stream, stream, time) at which both have nothing to do for each other before."""
    for work in _first_works(timeline):
        yield work.launch.call.loc, work.stream, work.launch.time
    for stream, awaited in _first_works_that_wait(timeline).items():
        yield awaited.stream, stream, awaited.after.enter
    for work, awaited in _awaited(timeline):
        if work.before is not None:
            moment = _last_idle_moment(timeline, work.before, awaited.stream)
            if moment is not None:
                yield awaited.stream, work.stream, moment
    for call, work in _synchronizations(timeline):
        if work.after.leave >= call.enter:
            yield call.loc, work.stream, max(call.enter, work.after.enter)
    for work in _copies(timeline):
        if work.after is not None and work.after.enter <= work.launch.call.leave:
            yield work.launch.call.loc, work.stream, work.after.enter
