# SPDX-License-Identifier: BSD-3-Clause
"""Compound events of F. Wolf, Automatic Performance Analysis on Parallel Computers with SMP Nodes (2002), examples
3.1 to 3.6: python3 compound_events.py EXPERIMENT"""
import collections
import sys
import fermata

trace = fermata.Trace(sys.argv[1])
wasted = collections.Counter()


def waste(what, call, ticks):
    wasted[what, call.callpath.path, call.location.rank] += ticks


for message in trace.messages:
    e_1, e_2 = message.receive, message.send
    if e_1.region.name == "MPI_Recv" and e_2.region.name == "MPI_Send":
        # Late Sender: the receive is entered before the send.
        if e_1.enter < e_2.enter:
            waste("Late Sender", e_1, e_2.enter - e_1.enter)
        # Late Receiver: the send is on the region stack of its location when the receive is entered.
        if e_2.enter < e_1.enter and e_2 in trace.stack(e_2.location, e_1.enter):
            waste("Late Receiver", e_2, e_1.enter - e_2.enter)
    # Messages in Wrong Order: an older message of the same sender is not received yet.
    if any(send.call.enter < e_2.enter for send in trace.queue(e_1.location, e_1.leave, e_2.location)):
        waste("Messages in Wrong Order", e_1, e_1.leave - e_1.enter)

# Wait at N x N: all members wait until the last one enters.
for member in trace.members:
    if member.call.region.name == "MPI_Allreduce" and member.call.enter < member.collective.last_enter:
        waste("Wait at N x N", member.call, member.collective.last_enter - member.call.enter)

# Unbalanced Barrier: the k-th barriers of all threads of a process are one, if all of them are in each team.
passed, barriers = collections.Counter(), collections.defaultdict(list)
for call in trace.calls:
    if call.region.paradigm == "openmp" and "barrier" in call.region.name:
        barriers[call.location.rank, passed[call.location]].append(call)
        passed[call.location] += 1
threads = collections.Counter(location.rank for location in trace.locations)
for (rank, _), calls in barriers.items():
    for call in calls if len(calls) == threads[rank] else []:
        if call.enter < max(each.enter for each in calls):
            waste("Unbalanced Barrier", call, max(each.enter for each in calls) - call.enter)

# Lock Competition: the lock is requested before the hold in front of this one ends.
for hold in trace.holds:
    if hold.call and hold.previous and hold.call.enter < hold.previous.released <= hold.acquired:
        waste("Lock Competition", hold.call, hold.previous.released - hold.call.enter)

for (what, path, rank), ticks in sorted(wasted.items()):
    print(f"{trace.seconds(ticks):.6f} s  {what:23}  rank {rank}  {path}")
