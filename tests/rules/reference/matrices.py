# SPDX-License-Identifier: BSD-3-Clause
"""Who had to do with whom: messages, one-sided operations, waiting."""


def matrices(timeline, wait_states, blame):
    """{(value, `blame` or metric of a wait state, from, to): number}; locations are (rank, thread),
    the partner of a message or operation is the first one of its process. `blame`: as in Blame."""
    found = {}

    def add(name, one, other, value):
        found[name, one, other] = found.get((name, one, other), 0) + value

    for loc, calls in timeline.calls.items():
        for record in (record for call in calls for record in call.records):
            name, args = record.name, record.args
            if name in ("send", "isend"):
                other = timeline.scenario.peers(args[-1], loc[0])[args[0]], 0
                add("messages", loc, other, 1)
                add("message_bytes", loc, other, args[2])
            elif name in ("put", "get", "atomic"):
                other = timeline.scenario.window_members(args[0], loc[0])[args[1]], 0
                add("operations", loc, other, 1)
                add("operation_bytes", loc, other, args[2])
    for wait in wait_states:
        add("waits", wait.causing, wait.waiting, 1)
        add(wait.metric, wait.causing, wait.waiting, wait.waiting_time)
    for (waiting, blamed), time in blame.items():
        add("blame", blamed, waiting, time)
    return found


def is_time(name):
    """Whether a value is a time: that of a wait state, named by its metric, or blame."""
    return name not in ("messages", "message_bytes", "operations", "operation_bytes", "waits")
