# SPDX-License-Identifier: BSD-3-Clause
"""Who can never go on at the end of a run: the fixed point of open calls that wait for all, or for one, of others.

A state is what the threads of a run are in at its end (hang_states.py). Locations are (rank, thread)."""

DEADLOCK, MISSING, NO_PROGRESS, NONE = "deadlock", "missing", "no_progress", "none"
NEEDS_ALL, NEEDS_ROOT, ROOT_NEEDS_ALL = "all", "root", "root needs all"
COLLECTIVES = {"MPI_Barrier": NEEDS_ALL, "MPI_Allreduce": NEEDS_ALL, "MPI_Alltoall": NEEDS_ALL, "MPI_Bcast": NEEDS_ROOT,
               "MPI_Scatter": NEEDS_ROOT, "MPI_Reduce": ROOT_NEEDS_ALL, "MPI_Gather": ROOT_NEEDS_ALL}


class Need:
    """What a call, or a part of it, waits for: all or one of `of`, which are needs, locations or ranks (processes).
    Nothing: all of nothing is there, one of nothing never comes. `never`: it never comes."""

    def __init__(self, of=(), is_any=False, never=False):
        self.of, self.is_any, self.never = list(of), is_any, never


def fits(send, receive):
    return send.target == receive.rank and receive.source in (None, send.rank) and receive.tag in (None, send.tag)


def threads_that_call(state, rank):
    """Threads of a process that may call MPI; ended ones have none."""
    if rank in state.ended:
        return []
    return [location for location in state.calls
            if location[0] == rank and (location[1] == 0 or state.level in ("serialized", "multiple"))]


def match(state):
    """MPI's matching of the messages that were sent and the receives that were posted, both in the order of their times.
    @return the sends and the receives that have a partner"""
    sends, receives, matched = [], [], set()
    for message in sorted(state.messages, key=lambda m: m.time):
        mine, others = (sends, receives) if message.is_send else (receives, sends)
        partner = next((other for other in others
                        if fits(*((message, other) if message.is_send else (other, message)))), None)
        if partner is None:
            mine.append(message)
        else:
            others.remove(partner)
            matched |= {id(message), id(partner)}
    return matched, sends


def others_of(state, location):
    """The other processes and the other threads of its process."""
    return ([rank for rank in range(state.ranks) if rank != location[0]]
            + [other for other in state.calls if other[0] == location[0] and other != location])


def senders_of(state, location, source):
    """Who may send a message: the source; of any, all other processes, and the other threads of its own that may call MPI."""
    if source is not None:
        return Need([source])
    threads = [other for other in threads_that_call(state, location[0]) if other != location]
    return Need([rank for rank in range(state.ranks) if rank != location[0]] + threads, is_any=True)


def need_of_message(state, message, matched, location):
    if id(message) in matched:
        return Need()  # it is under way
    if message.is_send:
        # Not proved: a receive that fits may be for this message, as an earlier one may have been received by a matched
        # probe.
        is_posted = any(fits(message, other) for other in state.messages if not other.is_send)
        return Need([] if is_posted else [message.target])
    return senders_of(state, location, message.source)


def need_of_probe(state, call, waiting):
    if any(send.target == call.location[0] and call.source in (None, send.rank) and call.tag in (None, send.tag)
           for send in waiting):
        return Need()
    return senders_of(state, call.location, call.source)


def need_of_collective(state, call):
    role = COLLECTIVES[call.function]
    own = call.location[0]
    members = [rank for rank in state.communicators[call.comm] if rank != own]
    if role == NEEDS_ROOT:
        members = [call.root] if call.root != own else []
    elif role == ROOT_NEEDS_ALL and call.root != own:
        members = []
    needs = []
    for rank in members:
        theirs = next((other for other in state.calls.values()
                       if other.location[0] == rank and other.kind == "collective" and other.comm == call.comm), None)
        if theirs is None:
            needs.append(rank)
        elif (theirs.function, theirs.root) != (call.function, call.root):
            needs.append(Need(never=True))  # it is in another one for ever
    return Need(needs)


def need_of(state, call, matched, waiting):
    """What an open call waits for."""
    location = call.location
    if call.kind in ("messages", "any of messages"):
        return Need([need_of_message(state, message, matched, location) for message in call.messages],
                    is_any=call.kind == "any of messages")
    if call.kind == "probe":
        return need_of_probe(state, call, waiting)
    if call.kind == "collective":
        return need_of_collective(state, call)
    if call.kind == "finalize":
        return Need([rank for rank in range(state.ranks) if rank != location[0]
                     and not any(other.kind == "finalize" for other in state.calls.values() if other.location[0] == rank)])
    if call.kind == "epoch":
        return Need([call.partner] if not call.is_there else [])
    if call.kind == "window lock":
        return Need([call.holder])
    if call.kind == "mutex":
        return Need([call.holder])
    if call.kind == "condition":
        return Need([other for other in state.calls if other[0] == location[0] and other != location], is_any=True)
    assert call.kind == "change", call.kind
    return Need(others_of(state, location), is_any=True)


def answer(state):
    """@return (kind, the locations that can never go on)"""
    matched, waiting = match(state)
    needs = {location: need_of(state, call, matched, waiting)
             for location, call in state.calls.items() if call.counts}
    free = {location for location in state.calls if location not in needs and location[0] not in state.ended}

    def is_free(of):
        if isinstance(of, Need):
            each = [is_free(part) for part in of.of]
            return not of.never and (any(each) if of.is_any else all(each))
        if isinstance(of, tuple):
            return of in free
        return any(location in free for location in threads_that_call(state, of))

    while True:
        more = {location for location, need in needs.items() if location not in free and is_free(need)}
        if not more:
            break
        free |= more
    stuck = {location for location in needs if location not in free}
    if not stuck:
        return (NO_PROGRESS if needs else NONE), stuck

    def waits_for(of):
        """The locations that are not free among those that are waited for."""
        if is_free(of):
            return set()
        if isinstance(of, Need):
            return set().union(*[waits_for(part) for part in of.of])
        return {of} if isinstance(of, tuple) else set(threads_that_call(state, of))

    return (DEADLOCK if _has_cycle({location: waits_for(needs[location]) & stuck for location in stuck}) else MISSING), stuck


def _has_cycle(edges):
    left = dict(edges)
    while True:  # what waits for nobody that is left is in no cycle
        ends = [location for location, others in left.items() if not others & left.keys()]
        if not ends:
            return bool(left)
        for location in ends:
            del left[location]
