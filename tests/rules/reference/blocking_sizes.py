# SPDX-License-Identifier: BSD-3-Clause
"""From which size on senders wait for their receivers."""

_RECEIVES = {"recv", "irecv"}
_SENDS = {"send", "isend_complete"}
_COMPLETIONS = _RECEIVES | _SENDS | {"nb_coll_complete", "done_blocking", "done_nonblocking",
                                     "done_remote"}


def can_wait_for_receiver(message):
    """Whether Late Receiver can be judged for a message."""
    send = message.send
    return (send.complete is not None and not send.is_buffered
            and message.receive.posted is not None)


def _completions(call):
    """What a call completes: names of records."""
    return [record.name for record in call.records if record.name in _COMPLETIONS] + call.awaited


def completes_receives(call):
    return any(name in _RECEIVES for name in _completions(call))


class BlockingSizes:
    """From which size on senders wait for receivers, by the sends that the run completed alone.

    A sample is a standard-mode send whose call completes nothing else and entered before its
    receive was posted. `nodes`: {rank: name of its node}. Processes of one node and of several have
    sizes of their own.
    """

    def __init__(self, messages, nodes):
        self._nodes = nodes
        samples = {}  # {locality: [(size, lateness, duration)]}
        for message in messages:
            call, send = message.send.complete, message.send
            if (not can_wait_for_receiver(message) or send.is_synchronous or not call.is_leaf
                    or len(_completions(call)) != 1):
                continue
            lateness = message.receive.posted.enter - call.begin
            if lateness > 0:
                samples.setdefault(self._locality(message), []).append(
                    (send.size, lateness, call.leave - call.begin))
        self._smallest = {locality: _smallest_size(of_locality)
                          for locality, of_locality in samples.items()}

    def _locality(self, message):
        return self._nodes[message.send.source] == self._nodes[message.send.destination]

    def smallest(self, message):
        """L: the smallest size whose sends wait, None if none do; for messages like this one."""
        return self._smallest.get(self._locality(message))

    def can_wait(self, message):
        """Whether the send of a message can wait in a call that completes receives, too."""
        limit = self.smallest(message)
        return message.send.is_synchronous or limit is not None and message.send.size >= limit


def _smallest_size(samples):
    """The smallest size at least half of whose calls contained the posting of the receive. A call
    that did so no longer after its Enter than the longest call of at least this size that did not
    wait is not counted: a send that does not wait would contain it, too."""
    counted = {}  # {size: [did it contain the posting]}
    for size, lateness, duration in samples:
        longest = max((other for larger, late, other in samples
                       if larger >= size and other < late), default=0)
        if lateness > duration or lateness > longest:
            counted.setdefault(size, []).append(lateness <= duration)
    return min((size for size, waited in counted.items() if 2 * sum(waited) >= len(waited)),
               default=None)
