# SPDX-License-Identifier: BSD-3-Clause
"""Waiting in the instances of a phase, by rank: python3 iterations.py EXPERIMENT [PHASE]. Needs NumPy."""
import sys
import numpy
import fermata

trace = fermata.Trace(sys.argv[1])
name = sys.argv[2] if len(sys.argv) > 2 else "iteration"
calls, waits, phases = trace.calls, trace.waits, trace.phases
named = numpy.array([path == name for path in trace.callpaths.name])
wait_begin, wait_location = calls.enter[waits.call], calls.location[waits.call]

print(f"rank  {name}s  mean length  waiting  longest waiting, in number")
for location in trace.locations:
    mine = named[phases.callpath] & (phases.location == location.row)
    begin, end = phases.begin[mine], phases.end[mine]
    if len(begin) == 0:
        continue
    there = wait_location == location.row
    number = numpy.searchsorted(begin, wait_begin[there], side="right") - 1
    inside = (number >= 0) & (wait_begin[there] < end[number])
    waited = numpy.bincount(number[inside], waits.ticks[there][inside], len(begin))
    length = end - begin
    print(f"{location.rank:4}  {len(begin):{len(name) + 1}}  {trace.seconds(length.mean()):9.6f} s"
          f"  {100 * waited.sum() / length.sum():6.2f}%"
          f"  {trace.seconds(waited.max()):9.6f} s, {waited.argmax()}")
