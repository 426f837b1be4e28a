# SPDX-License-Identifier: BSD-3-Clause
"""Non-blocking collectives whose partners make no progress: calls that complete one need the software of the members
whose data they need, from the start of the last of these on."""

import metrics
import progress
import wait_states as ws

# The kinds of instances in the order of their rules.
_KINDS = ("barrier", "nxn", "one_to_all", "all_to_one", "scan")


class _Need(progress.Need):
    """All partners have the latest event of all; of those at one time, the call that ends last counts."""

    def __init__(self):
        super().__init__()
        self.late = None  # (event's time, order of its rule, rank of its location, the call)

    def note_late(self, kind, members):
        """The last of the members whose data are needed: the call waits for its start, too."""
        last = ws.latest_member(members)
        late = (-last.start.enter, _KINDS.index(kind), last.start.loc, last.start)
        if self.late is None or late[:3] < self.late[:3]:
            self.late = late

    def event(self, partner, besides):
        return -self.late[0]

    def begin(self, call, partner, besides):
        time = self.event(partner, besides)
        events = [event for of_partner in self.partners.values() for event in of_partner]
        begin = max([call.begin, time] + [event.starting.leave for event in events
                                          if event.starting is not None and event.time == time])
        if all(event.until <= begin for event in self.partners[partner]):
            return None
        return begin if begin < call.leave else None


def _dependents(kind, members):
    """Pairs (member, the members whose data it needs)."""
    if kind in ("barrier", "nxn"):
        return [(member, [other for other in members if other is not member]) for member in members]
    if kind == "scan":
        return [(member, members[:number]) for number, member in enumerate(members) if number]
    roots = [member for member in members if member.rank == member.root]
    others = [member for member in members if member.rank != member.root]
    if not roots or not others:
        return []
    return [(other, roots[:1]) for other in others] if kind == "one_to_all" else [(roots[0], others)]


def needs(instances, counts_bytes):
    """{call: _Need} of calls that complete non-blocking collectives."""
    found = {}
    for members in instances.values():
        kind = ws.instance_kind(members)
        is_empty = counts_bytes and sum(member.bytes for member in members) == 0
        if kind not in _KINDS or kind in ("one_to_all", "all_to_one") and is_empty:
            continue
        for member, needed in _dependents(kind, members):
            if member.is_blocking or not needed:
                continue
            need = found.setdefault(member.activity, _Need())
            name, is_started = metrics.blocking_form(member.name)
            sizes = [member.largest] if counts_bytes and kind != "barrier" else []
            need.note_late(kind, needed)
            for other in needed:
                event = progress.Event(other.start.enter, None if other.is_blocking else other.start,
                                       other.activity.leave)
                need.add(name, None, {other.process}, sizes, None if is_started else "persistent", True, event)
    return found


class _Evidence(progress.Evidence):
    """A call that contains next calls of its partners was held by the latest of them."""

    @staticmethod
    def weigh(pieces, usual):
        pieces = [piece for piece in pieces if piece.counts(usual)]
        contained = [piece for piece in pieces if piece.is_contained]
        if any(piece.is_open for piece in pieces):
            return 0, any(piece.next is None for piece in pieces)
        if not contained:
            return int(any(piece.has_passed(usual) for piece in pieces)), 0
        call = pieces[0].activity
        return 0, int(call.leave - max(piece.next.enter for piece in contained) <= 4 * usual)

    @staticmethod
    def shows_usual(pieces):
        return any(piece.is_contained for piece in pieces)

    @staticmethod
    def has_passed(pieces, usual):
        return False


def candidates(timeline, instances, counts_bytes, stated=None):
    """`stated`: as of messages."""
    stated = None if stated == "target" else stated
    of_calls = needs(instances, counts_bytes)
    evidence = _Evidence(timeline, of_calls, {}, stated)
    found = []
    for call in evidence.kinds:
        candidate = progress.candidate(evidence, call, "mpi_coll_wait_for_progress", 2)
        if candidate is None:
            continue
        late = of_calls[call].late[-1]
        if late.enter > call.begin and late.loc != candidate.cause.loc:
            candidate = candidate._replace(detail=candidate.detail._replace(late=late))
        found.append(candidate)
    return found
