# SPDX-License-Identifier: BSD-3-Clause
"""The controlled logical clock, slowly and simply: a graph of events, of which some must not precede
others. Independent of the tool's implementation; the rules are in docs/clocks.md."""

RETURN = 128  # moved times return to the measured ones by 1/128 of the time that passes


def repair(timelines, edges):
    """@param timelines  [location]: measured times of its events, ascending
    @param edges  ((location, number), (location, number)): the first event precedes the second one
    @return [location]: repaired times"""
    sources, targets = {}, {}
    for before, after in edges:
        sources.setdefault(after, []).append(before)
        targets.setdefault(before, []).append(after)
    forward = _forward(timelines, sources)
    return [_backward(times, forward, l, targets) for l, times in enumerate(timelines)]


def _forward(timelines, sources):
    done = {}
    places = [0] * len(timelines)
    while any(place < len(times) for place, times in zip(places, timelines)):
        advanced = False
        for l, times in enumerate(timelines):
            while places[l] < len(times):
                event = (l, places[l])
                if not all(source in done for source in sources.get(event, ())):
                    break
                new = times[event[1]]
                if event[1] > 0:
                    length = new - times[event[1] - 1]
                    new = max(new, done[l, event[1] - 1] + length - length // RETURN)
                done[event] = max([new] + [done[source] for source in sources.get(event, ())])
                places[l] += 1
                advanced = True
        assert advanced, "the events precede each other in a circle"
    return done


def _backward(times, forward, l, targets):
    new = [forward[l, i] for i in range(len(times))]
    for i in range(len(times) - 2, -1, -1):
        moved = new[i + 1] - times[i + 1] - (times[i + 1] - times[i]) // RETURN
        wanted = times[i] + max(0, moved)
        limit = min([forward[target] for target in targets.get((l, i), ())], default=wanted)
        new[i] = max(new[i], min(wanted, limit))
    return new
