"""Waiting between threads and streams of accelerators."""

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


def _ended(timeline, call):
    """{stream: its last work that was launched before a call and ended until the call's Leave}."""
    found = {}
    for work in works(timeline):
        if (work.stream[0] == call.loc[0] and work.launch.call.enter < call.enter
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
            for stream, work in _ended(timeline, call).items():
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


def first_launches(timeline):
    """[(stream, position of its first work, thread, position and time of its launch)]."""
    return [(work.stream, work.record.sequence, work.launch.call.loc, work.launch.sequence,
             work.launch.time) for work in _first_works(timeline)]


def points(timeline):
    """(thread, stream, time) at which both have nothing to do for each other before."""
    for work in _first_works(timeline):
        yield work.launch.call.loc, work.stream, work.launch.time
    for call, work in _synchronizations(timeline):
        if work.after.leave >= call.enter:
            yield call.loc, work.stream, max(call.enter, work.after.enter)
    for work in _copies(timeline):
        if work.after is not None and work.after.enter <= work.launch.call.leave:
            yield work.launch.call.loc, work.stream, work.after.enter
