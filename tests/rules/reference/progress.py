# SPDX-License-Identifier: BSD-3-Clause
"""Wait for progress: calls that cannot end before the software of another process has worked, and the evidence
that decides which kinds of calls these are.

A need is a call with the processes ("partners") whose progress it needs. What a call depends on besides (its
contention, the post of its target, ...) is the *event* of a partner: the need begins there.
"""

import collections

import library_functions
import metrics
import wait_states as ws


# What a call depends on besides, for one partner. `time`: t_c; `starting`: the partner's call that only starts or posts
# something, whose Enter that is, else None; `until`: when the partner has served what it has to serve, None: never.
Event = collections.namedtuple("Event", "time starting until", defaults=(None, None))


class Need:
    """What a call needs. `partners`: {process: [Event]}; `what`: names of what is done or completed; `sizes`: bytes of
    the messages; `windows`: those of the operations; `epoch`: "lock", "access" or None; `is_later`: the call completes
    what an earlier one has begun."""

    def __init__(self):
        self.partners = {}
        self.what = set()
        self.sizes = []
        self.windows = set()
        self.epoch = None
        self.is_later = False

    def add(self, what, window, partners=(), sizes=(), epoch=None, is_later=False, event=None):
        for partner in partners:
            self.partners.setdefault(partner, []).append(event or Event(0))
        self.what.add(what)
        if window is not None:
            self.windows.add(window)
        self.sizes += sizes
        self.epoch = self.epoch or epoch
        self.is_later |= is_later

    def event(self, partner, besides):
        """t_c of a partner. `besides`: that of all partners."""
        return max(besides, *(event.time for event in self.partners[partner]))

    def begin(self, call, partner, besides):
        """b of a partner; None if it has nothing to serve then."""
        time = self.event(partner, besides)
        begin = max([call.begin, time] + [event.starting.leave for event in self.partners[partner]
                                          if event.starting is not None and event.time == time])
        if all(event.until is not None and event.until <= begin for event in self.partners[partner]):
            return None
        return begin if begin < call.leave else None

    def kind(self, call, nodes, windows):
        """What calls have in common that wait for progress, or do not. `windows`: all, in their order."""
        largest = max(self.sizes, default=None)
        return (tuple(sorted(self.what)), self.is_later, self.epoch,
                any(nodes[partner] != nodes[call.loc[0]] for partner in self.partners),
                min(self.windows, key=windows.index, default=None),
                None if largest is None else largest.bit_length())


class Calls:
    """The progressing calls of all processes."""

    def __init__(self, timeline):
        self._progressing = {}
        for loc, calls in timeline.calls.items():
            for call in calls:
                library = library_functions.library_of(call.region)
                progresses = library_functions if library else metrics
                if progresses.is_progressing(call.region):
                    self._progressing.setdefault((loc[0], library), []).append(call)
        for calls in self._progressing.values():
            calls.sort(key=lambda call: (call.enter, call.loc, call.index))

    def of(self, partner, activity):
        return self._progressing.get((partner, library_functions.library_of(activity.region)), ())

    def running(self, partner, activity, begin):
        """The first progressing call in which a process is at a time, None if it is outside of all."""
        return next((call for call in self.of(partner, activity) if call.enter <= begin < call.leave), None)

    def next(self, partner, activity, begin):
        """The first progressing call behind a time, None if there is none."""
        return next((call for call in self.of(partner, activity) if call.enter > begin), None)


class Piece:
    """A call and a partner that is outside of all progressing calls when the need begins."""

    def __init__(self, activity, partner, begin, following, is_open):
        self.activity = activity
        self.partner = partner
        self.begin = begin
        self.next = following
        self.is_open = is_open  # the call never ended

    @property
    def is_contained(self):
        return self.next is not None and self.next.enter <= self.activity.leave

    def counts(self, usual):
        return self.next is None or self.next.enter > self.begin + usual

    def has_passed(self, usual):
        if not self.counts(usual) or self.is_contained or self.is_open:
            return False
        return self.begin == self.activity.begin or self.activity.leave > self.begin + usual

    def is_held(self, usual):
        return self.counts(usual) and (self.is_contained or self.is_open and self.next is None)


class Evidence:
    """Which kinds of calls wait for progress. `calls`: all progressing ones; `needs`: {call: Need}; `events`: {call: the time of what it depends on
    besides}; `stated`: "target" if the user states that all calls wait, "async" if none does; else the evidence
    decides."""

    def __init__(self, timeline, needs, events, stated=None):
        self.calls = Calls(timeline)
        self._open = {call for calls in timeline.calls.values() for call in calls if call.is_open}
        self._needs = {call: need for call, need in needs.items() if call.is_leaf and need.partners}
        windows = list(timeline.scenario.windows)
        self.kinds = {call: need.kind(call, timeline.scenario.nodes, windows) for call, need in self._needs.items()}
        pieces = {call: self._pieces(call, events.get(call, 0)) for call in self._needs}
        self.usual = self._usual(pieces, events)
        self.passed, self.held = collections.Counter(), collections.Counter()
        for call, of_call in pieces.items():
            kind = self.kinds[call]
            passed, held = self.weigh(of_call, self.usual[kind])
            self.passed[kind] += passed
            self.held[kind] += held
        self._is_stated = stated == "target"
        self._waits = {kind: self._is_stated or stated != "async" and self.held[kind] > self.passed[kind]
                       for kind in self.usual}

    def _pieces(self, call, besides):
        need, pieces = self._needs[call], []
        for partner in sorted(need.partners):
            begin = need.begin(call, partner, besides)
            if begin is not None and not self.calls.running(partner, call, begin):
                pieces.append(Piece(call, partner, begin, self.calls.next(partner, call, begin), call in self._open))
        return pieces

    @staticmethod
    def weigh(pieces, usual):
        """(how many pieces of a call passed, how many were held)."""
        passed = [piece for piece in pieces if piece.has_passed(usual)]
        return len(passed), not passed and any(piece.is_held(usual) for piece in pieces)

    @staticmethod
    def shows_usual(pieces):
        """Whether a call shows what calls take once their partners make progress."""
        return all(piece.is_contained for piece in pieces)

    @staticmethod
    def has_passed(pieces, usual):
        """Whether a call of a kind that waits does not wait."""
        return any(piece.has_passed(usual) for piece in pieces)

    def _begins_inside(self, call, besides):
        """b of the partners that are inside a progressing call then."""
        begins = [(partner, self._needs[call].begin(call, partner, besides)) for partner in self._needs[call].partners]
        return [begin for partner, begin in begins
                if begin is not None and self.calls.running(partner, call, begin)]

    def _usual(self, pieces, events):
        """{kind: what a call takes once its partners make progress}. Of sends and receives that no earlier call has
        begun, those whose partners make progress all the time do not count."""
        values = {kind: [] for kind in self.kinds.values()}
        for call, of_call in pieces.items():
            if call in self._open or not self.shows_usual(of_call):
                continue
            contained = [piece.next.enter for piece in of_call if piece.is_contained]
            inside = self._begins_inside(call, events.get(call, 0))
            is_plain = self.kinds[call][:2] in ((("send",), False), (("receive",), False))
            if contained or inside and not is_plain:
                values[self.kinds[call]].append(call.leave - max(contained + inside))
        return {kind: sorted(of_kind)[(len(of_kind) - 1) // 2] if of_kind else 0
                for kind, of_kind in values.items()}

    def waits_on(self, window):
        """Whether some kind of call on a window waits for progress."""
        return any(waits and kind[4] == window for kind, waits in self._waits.items())

    def wait(self, call, besides=0):
        """The Wait of a call, None if it does not wait. `besides`: t_c of all partners."""
        if call not in self.kinds or not self._waits[self.kinds[call]]:
            return None
        usual = 0 if self._is_stated else self.usual[self.kinds[call]]
        pieces = self._pieces(call, besides)
        if not self._is_stated and self.has_passed(pieces, usual):
            return None
        held = [piece for piece in pieces if piece.is_contained and piece.counts(usual)]
        if not held:
            return None
        last = min(held, key=lambda piece: (-piece.next.enter, piece.next.loc, piece.next.index))
        need = self._needs[call]
        event = need.event(last.partner, besides)
        if event > call.begin and last.next.enter - event < event - call.begin:
            return None
        first = []
        for partner in need.partners:
            begin = need.begin(call, partner, besides)
            if begin is not None:
                first.append(self.calls.running(partner, call, begin) or self.calls.next(partner, call, begin))
        return Wait(last.next, last.begin, event,
                    [other for other in first if other is not None and other.enter <= call.leave])


# A wait for progress: the partner's call that ends it, b and t_c of this partner, the first calls of all partners.
Wait = collections.namedtuple("Wait", "cause begin event first_calls")

# Of a candidate: the first calls of the partners; the begin of the need; contention: the passive_target.Contention for
# which the call waits before, until the need begins, None: none; late: the partner's call for whose Enter it waits
# before, None: none, or it is the cause.
Progress = collections.namedtuple("Progress", "first_calls begin contention late", defaults=(None,))


def candidate(evidence, call, metric, order, besides=0, contention=None):
    """The candidate of a call, None if it does not wait for progress."""
    found = evidence.wait(call, besides)
    if found is None:
        return None
    is_behind = besides > call.begin
    return ws.Candidate(call, found.cause.enter, ws.PROGRESS, found.cause, metric,
                        Progress(found.first_calls, found.begin, contention if is_behind else None), order)


def time_without_overlap(found):
    """The part of a wait for progress that no first call of the partners covers."""
    uncovered, begin = 0, found.detail.begin
    for call in sorted(found.detail.first_calls, key=lambda call: call.enter):
        end = min(call.enter, found.time)
        uncovered += max(0, end - begin)
        begin = max(begin, call.leave)
    return uncovered + max(0, found.time - begin)
