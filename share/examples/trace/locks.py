# SPDX-License-Identifier: BSD-3-Clause
"""Locks: how long they are held, who waits, who is blamed: python3 locks.py EXPERIMENT"""
import collections
import sys
import fermata

trace = fermata.Trace(sys.argv[1])
for name in dict.fromkeys(trace.holds.name):
    holds = [hold for hold in trace.holds if hold.name == name]
    waited = [hold for hold in holds if hold.waited > 0]
    print(f"{name}: held {len(holds)} times, {len(waited)} after waiting")
    for hold in sorted(waited, key=lambda hold: -hold.waited)[:3]:
        print(f"  rank {hold.owner.rank} waited {trace.seconds(hold.waited):.6f} s"
              f" for rank {hold.blocked_by.owner.rank}, which held the lock for"
              f" {trace.seconds(hold.blocked_by.released - hold.blocked_by.acquired):.6f} s")

blamed = collections.Counter()
for part in trace.blame:
    path = part.callpath.path if part.callpath else "(outside of all regions)"
    blamed[path, part.location.rank] += part.end - part.begin
print("Blamed for the waiting of others:")
for (path, rank), ticks in blamed.most_common(5):
    print(f"  {trace.seconds(ticks):.6f} s  rank {rank}  {path}")
