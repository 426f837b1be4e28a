# SPDX-License-Identifier: BSD-3-Clause
"""Two-sided communication whose partners make no progress: sends and receives that a partner has posted or started,
and completes only when it calls MPI again."""

import progress

_STARTS = ("I", "Start", "Pready")


def _only_starts(call):
    """Whether a call starts or posts something and does not complete it."""
    return call.name.startswith(_STARTS)


def _event(call, complete):
    return progress.Event(call.enter, call if _only_starts(call) else None, complete.leave if complete else None)


def needs(point_to_point):
    """{call: progress.Need} of calls that complete messages."""
    found = {}
    for message in point_to_point.messages:
        send, receive = message.send, message.receive
        if send.is_buffered or send.source == send.destination:
            continue
        if send.complete is not None and receive.posted is not None:
            found.setdefault(send.complete, progress.Need()).add(
                "send", None, {send.destination}, [send.size], None, send.complete is not send.start,
                _event(receive.posted, receive.complete))
        found.setdefault(receive.complete, progress.Need()).add(
            "receive", None, {send.source}, [send.size], None, receive.complete is not receive.posted,
            _event(send.start, send.complete))
    return found


def candidates(timeline, point_to_point, stated=None):
    """`stated`: "async" if the user states that no call waits for progress; who says that one-sided calls need their
    targets says nothing of these."""
    stated = None if stated == "target" else stated
    evidence = progress.Evidence(timeline, needs(point_to_point), {}, stated)
    found = [progress.candidate(evidence, call, "mpi_p2p_wait_for_progress", 1) for call in evidence.kinds]
    return [candidate for candidate in found if candidate]
