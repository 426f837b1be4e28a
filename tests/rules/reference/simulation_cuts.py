# SPDX-License-Identifier: BSD-3-Clause
"""Cuts a simulated program off at one moment, as if the whole job was killed: calls that are open then have the records
that are written at their Enter, with what they wait for."""

import library_functions
import metrics
import open_calls

# Records that stand at the Enter of a call, whether it returns or not.
_AT_ENTER = ("send", "isend", "irecv_request", "nb_coll_request", "put", "get", "atomic", "lock_request", "group_sync",
             "coll_begin", "rma_coll_begin", "object", "thread_wait", "task_create", "fork", "team_begin", "release_lock")
_FLUSHES = ("MPI_Win_flush", "MPI_Win_flush_local", "MPI_Win_flush_all", "MPI_Win_flush_local_all")


def cut(chooser, simulation, any_source=0.2):
    """Cuts all locations at a random moment. Sources and tags of receives become wildcards with this probability.
    Returns the moment."""
    times = sorted({time for loc in simulation.locations for time, _ in loc.events})
    if not times:
        return 0
    moment = chooser.choice(times)
    for loc in simulation.locations:
        loc.events = _cut(chooser, loc.events, moment, any_source)
    return moment


def end_lines(chooser, simulation, moment, tick, as_text):
    """Lines about the ends of processes: none, or heartbeats of all."""
    if chooser.random() < 0.3:
        return []
    lives = [moment + chooser.choice((0, 0, 1, 5, 100)) for _ in range(simulation.ranks)]
    if chooser.random() < 0.5:
        lives = [max(lives)] * simulation.ranks
    lines = ["%s %d heartbeat" % (as_text(time * tick), rank) for rank, time in enumerate(lives)]
    if chooser.random() < 0.5:
        lines.append("job_end " + as_text((max(lives) + chooser.choice((0, 1, 3))) * tick))
    return lines


def _cut(chooser, events, moment, any_source):
    kept = next((i for i, (time, _) in enumerate(events) if time > moment), len(events))
    begins = []
    for index, (_, text) in enumerate(events[:kept]):
        if text.startswith("enter "):
            begins.append(index)
        elif text.startswith("leave ") and begins:
            begins.pop()
    if not begins or not open_calls.is_call(events[begins[-1]][1][len("enter "):]):
        return events[:kept]
    begin = begins[-1]
    if any(text.startswith(("enter ", "leave ")) for _, text in events[begin + 1:kept]):
        return events[:kept]  # it executes tasks
    time, text = events[begin]
    records, depth = [], 0
    for _, record in events[begin + 1:]:
        depth += record.startswith("enter ") - record.startswith("leave ")
        if depth < 0:
            break
        if depth == 0 and not record.startswith("leave "):
            records.append(record)
    region = text[len("enter "):]
    return events[:begin + 1] + [(time, record) for record in _open_records(
        chooser, region, records, events[:begin], any_source)]


def _open_records(chooser, region, records, before, any_source):
    """The records of a call that does not return, from those of the call that does."""
    result = []
    is_wait = (metrics.mpi_name(region) or "").startswith(("Wait", "Test"))
    for record in records:
        words = record.split()
        if words[0] in _AT_ENTER:
            result.append(record)
        elif words[0] in ("recv", "irecv") and (words[0] == "recv" or is_wait):
            source, tag = ("any" if chooser.random() < any_source else word for word in words[1:3])
            comm = words[4 + (words[0] == "irecv"):]
            result.append(" ".join(["probe", source, tag] + comm))
            if words[0] == "irecv":
                result.append("failed " + words[4])
        elif words[0] == "probe":
            result.append(record)
        elif words[0] == "isend_complete":
            result.append("failed " + words[1])
        elif words[0] == "coll_end":
            result.append("members %s %s" % (words[2], words[3]))
        elif words[0] == "nb_coll_complete":
            result += ["members %s %s" % (words[2], words[3]), "failed " + words[6]]
        elif words[0] == "rma_coll_end":
            result.append("target " + words[2])
        elif words[0] == "lock_release" and region.startswith("MPI_"):
            result.append("target %s %s" % (words[1], words[2]))
        elif words[0] == "lock_acquire" and library_functions.library_of(region):
            if not any(other.startswith("lock_request") for other in records):
                result.append("lock_request " + " ".join(words[1:]))
        elif words[0] == "acquire_lock" and region.startswith(("pthread_", "omp_", "!$omp ")):
            result.append("object " + words[1])
    return result + _flushed(region, records, before)


def _flushed(region, records, before):
    """Which window and target a flush is about."""
    if region not in _FLUSHES:
        return []
    for record in records:
        words = record.split()
        if words[0] == "sync":
            return ["target %s %s" % (words[1], "all" if region.endswith("_all") else words[2])]
        if words[0].startswith("done_"):
            operations = [text.split() for _, text in before]
            targets = [other[2] for other in operations
                       if other[0] in ("put", "get", "atomic") and other[1] == words[1] and other[4] == words[2]]
            if targets:
                return ["target %s %s" % (words[1], "all" if region.endswith("_all") else targets[-1])]
    return []
