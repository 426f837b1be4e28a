# SPDX-License-Identifier: BSD-3-Clause
import collections, sys, fermata
trace = fermata.Trace(sys.argv[1])
waits, places = {}, collections.Counter()
for message in trace.messages:
    send, receive = message.send, message.receive
    if receive.enter < send.enter <= receive.leave:
        waits[receive] = max(waits.get(receive, 0), send.enter - receive.enter)
for receive, ticks in waits.items():
    places[receive.callpath.path, receive.location.rank] += ticks
for (path, rank), ticks in sorted(places.items()):
    print(f"{trace.seconds(ticks):.9f} s  rank {rank}  {path}")
print(f"{trace.seconds(sum(places.values())):.9f} s  in all")
