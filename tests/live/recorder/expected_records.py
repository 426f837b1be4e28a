# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of this folder must leave in their archives, counted from their sources."""

import expected_mpi4


class Expected:
    """calls: visits of regions; records: number of (region, record kind); exactly: regions whose
    other record kinds must not occur; rules: further checks, a function from calls to failures."""

    def __init__(self, calls, records, exactly, rules):
        self.calls = calls
        self.records = records
        self.exactly = exactly
        self.rules = rules


def of(program, ranks):
    if hasattr(expected_mpi4, program):
        return Expected(*getattr(expected_mpi4, program)(ranks))
    return {"p2p": p2p, "large": large, "collectives": collectives, "rma": rma, "communicators": communicators,
            "threads": threads, "flushes": flushes}[program](ranks)


def init_and_finalize(ranks):
    return {("MPI_Init", "MpiCollectiveBegin"): ranks, ("MPI_Init", "MpiCollectiveEnd"): ranks,
            ("MPI_Init", "CommCreate"): 2 * ranks, ("MPI_Finalize", "CommDestroy"): 2 * ranks,
            ("MPI_Finalize", "MpiCollectiveBegin"): ranks,
            ("MPI_Finalize", "MpiCollectiveEnd"): ranks}


def events(calls, kind, region=None):
    return [record.event for call in calls for record in call.records
            if record.kind == kind and region in (None, call.region)]


# ---- flushes.c ----

def flushes(ranks):
    messages = 30000 * ranks
    records = {("MPI_Irecv", "MpiIrecvRequest"): messages, ("MPI_Send", "MpiSend"): messages,
               ("MPI_Wait", "MpiIrecv"): messages}
    return Expected({}, records, ["MPI_Irecv", "MPI_Send", "MPI_Wait"], lambda calls: [])


# ---- p2p.c ----

def p2p(ranks):
    half = ranks // 2
    rounds = {"MPI_Waitall": 1, "MPI_Waitany": 1, "MPI_Waitsome": 1, "MPI_Testall": 1,
              "MPI_Testany": 1, "MPI_Testsome": 1, "MPI_Test": 1}
    records = init_and_finalize(ranks)
    for region in ("MPI_Ssend", "MPI_Bsend", "MPI_Rsend"):
        records[region, "MpiSend"] = half
    records.update({
        ("MPI_Send", "MpiSend"): half + half + 3 * half,
        ("MPI_Recv", "MpiRecv"): half + 3 * half + half + ranks,
        ("MPI_Sendrecv", "MpiSend"): ranks, ("MPI_Sendrecv", "MpiRecv"): ranks,
        ("MPI_Sendrecv_replace", "MpiSend"): ranks, ("MPI_Sendrecv_replace", "MpiRecv"): ranks,
        ("MPI_Irecv", "MpiIrecvRequest"): half + 7 * 4 * ranks + ranks,
        ("MPI_Isend", "MpiIsend"): 7 * 2 * ranks + ranks,
        ("MPI_Issend", "MpiIsend"): 7 * ranks, ("MPI_Irsend", "MpiIsend"): 7 * ranks,
        ("MPI_Start", "MpiIrecvRequest"): 3 * 2 * ranks,
        ("MPI_Startall", "MpiIsend"): 3 * 2 * ranks,
        ("MPI_Mrecv", "MpiRecv"): half, ("MPI_Imrecv", "MpiIrecvRequest"): half,
        ("MPI_Mprobe", "ParameterUnsignedInt"): 3 * half, ("MPI_Improbe", "ParameterUnsignedInt"): 3 * half,
        ("MPI_Probe", "ParameterUnsignedInt"): 3 * half,
        ("MPI_Request_free", "MpiIsendComplete"): ranks,
        ("MPI_Wait", "MpiIrecv"): 2 * half, ("MPI_Wait", "MpiRequestCancelled"): ranks,
    })
    once = {"MPI_Waitall": 4 + 2, "MPI_Waitsome": 4 + 2, "MPI_Test": 4 + 2}
    for region in rounds:
        records[region, "MpiIrecv"] = once.get(region, 4) * ranks
        records[region, "MpiIsendComplete"] = once.get(region, 4) * ranks
    exactly = ["MPI_Send", "MPI_Recv", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome", "MPI_Isend",
               "MPI_Wait", "MPI_Request_free", "MPI_Send_init", "MPI_Recv_init", "MPI_Start"]
    calls = {"MPI_Recv_init": 2 * ranks, "MPI_Send_init": ranks, "MPI_Waitany": 9 * ranks,
             "MPI_Cancel": ranks, "MPI_Mprobe": half, "MPI_Probe": half}
    return Expected(calls, records, exactly, p2p_rules)


def p2p_rules(calls):
    failures = []
    for event in events(calls, "MpiRecv") + events(calls, "MpiIrecv"):
        if event.sender > 3 or not 5 <= event.msg_tag <= 8:
            failures.append(f"received from {event.sender} with tag {event.msg_tag}")
    for call in calls:
        tests = [record for record in call.records if record.kind == "MpiRequestTest"]
        done = [record for record in call.records if record.kind != "MpiRequestTest"]
        if tests and done:
            failures.append(f"{call.region}: tested in vain and completed")
    for call in calls:
        told = {record.event.parameter.name: record.event.value for record in call.records
                if record.kind == "ParameterUnsignedInt"}
        if told and (set(told) != {"mpi_probe_communicator", "mpi_probe_source", "mpi_probe_tag"}
                     or told["mpi_probe_source"] % 2 or told["mpi_probe_tag"] != 5):
            failures.append(f"{call.region} has found {told}")
    lengths = [event.msg_length for event in events(calls, "MpiSend", "MPI_Send")]
    if sorted(lengths) != sorted((4, 0, 28, 32, 36) * (len(lengths) // 5)):
        failures.append(f"lengths of MPI_Send: {sorted(lengths)}")
    return failures


# ---- large.c ----

LARGE = [2**24 - 1, 2**24, 2**24 + 3]


def large(ranks):
    return Expected({"MPI_Startall": 3 * ranks}, {}, [], large_rules)


def large_rules(calls):
    failures = []
    for region, kind in (("MPI_Send", "MpiSend"), ("MPI_Recv", "MpiRecv"), ("MPI_Isend", "MpiIsend"),
                         ("MPI_Waitall", "MpiIrecv"), ("MPI_Sendrecv", "MpiSend"),
                         ("MPI_Sendrecv", "MpiRecv"), ("MPI_Startall", "MpiIsend"),
                         ("MPI_Put", "RmaPut"), ("MPI_Get", "RmaGet"), ("MPI_Rput", "RmaPut")):
        lengths = [event.bytes if kind.startswith("Rma") else event.msg_length
                   for event in events(calls, kind, region)]
        if sorted(lengths) != sorted(LARGE * (len(lengths) // 3)) or not lengths:
            failures.append(f"sizes of {kind} in {region}: {sorted(lengths)}")
    return failures


# ---- collectives.c ----

COLLECTIVES = ("Barrier Bcast Gather Gatherv Scatter Scatterv Reduce Allreduce Allgather Allgatherv"
               " Alltoall Alltoallv Reduce_scatter_block").split()
INTRA_ONLY = "Alltoallw Reduce_scatter Scan Exscan".split()
NEIGHBOURS = ["Neighbor_" + name
              for name in "allgather allgatherv alltoall alltoallv alltoallw".split()]
IN_PLACE = "Allreduce Allgather Alltoall Reduce Gather Scatter".split()


def collectives(ranks):
    records = init_and_finalize(ranks)
    for name in COLLECTIVES + INTRA_ONLY + NEIGHBOURS:
        times = 2 if name in COLLECTIVES else 1
        more = (name in IN_PLACE) + (name in ("Allreduce", "Neighbor_alltoallv"))
        records["MPI_" + name, "MpiCollectiveBegin"] = ranks * (times + more)
        records["MPI_" + name, "MpiCollectiveEnd"] = ranks * (times + more)
        records["MPI_I" + name.lower(), "NonBlockingCollectiveRequest"] = ranks * times
    starts = 2 * len(COLLECTIVES) + len(INTRA_ONLY) + len(NEIGHBOURS)
    records["MPI_Wait", "NonBlockingCollectiveComplete"] = ranks * starts
    exactly = ["MPI_Wait"] + [region for region, _ in records]
    return Expected({}, records, exactly, lambda calls: collective_rules(calls, ranks))


def collective_rules(calls, n):
    """Bytes of the first call of each kind (MPI_COMM_WORLD, two integers, root 0), rank by rank."""
    item, failures = 8, []

    def at_root(root, other):
        return [root] + [other] * (n - 1)

    everywhere = [(n * item, n * item)] * n
    expected = {
        "MPI_Barrier": [(0, 0)] * n, "MPI_Bcast": at_root((n * item, item), (0, item)),
        "MPI_Gather": at_root((item, n * item), (item, 0)),
        "MPI_Gatherv": at_root((item, n * item), (item, 0)),
        "MPI_Scatter": at_root((n * item, item), (0, item)),
        "MPI_Scatterv": at_root((n * item, item), (0, item)),
        "MPI_Reduce": at_root((item, n * item), (item, 0)),
        "MPI_Scan": [((n - r) * item, (r + 1) * item) for r in range(n)],
        "MPI_Exscan": [((n - r - 1) * item, r * item) for r in range(n)],
        "MPI_Neighbor_alltoallv": [(2 * item, 2 * item)] * n,
        "MPI_Neighbor_allgather": [(2 * item, 2 * item)] * n,
    }
    for name in ("Allreduce Allgather Allgatherv Alltoall Alltoallv Alltoallw Reduce_scatter"
                 " Reduce_scatter_block").split():
        expected["MPI_" + name] = everywhere
    locations = sorted({call.location for call in calls}, key=lambda l: int(l.group.name.split()[-1]))
    for region, volumes in expected.items():
        for location, volume in zip(locations, volumes):
            first = next(call for call in calls
                         if call.region == region and call.location == location)
            end = first.records[-1].event
            if (end.size_sent, end.size_received) != volume:
                failures.append(f"{region}, {location.group.name}: sent {end.size_sent}, received"
                                f" {end.size_received}, expected {volume}")
    on_line = sorted(e.size_sent for e in
                     events(calls, "MpiCollectiveEnd", "MPI_Neighbor_alltoallv"))
    if on_line != [item] * 2 + [2 * item] * (2 * n - 2):  # the line's two ends have one neighbour
        failures.append(f"Neighbor_alltoallv on ring and line sent {on_line}")
    blocking = [(e.collective_op, e.root, e.size_sent, e.size_received) for e in
                events(calls, "MpiCollectiveEnd", "MPI_Bcast")]
    nonblocking = [(e.collective_op, e.root, e.size_sent, e.size_received) for e in
                   events(calls, "NonBlockingCollectiveComplete")
                   if e.collective_op == otf2_operation("BCAST")]
    if sorted(blocking, key=str) != sorted(nonblocking, key=str):
        failures.append(f"Bcast {blocking}, Ibcast {nonblocking}")
    roots = {e.root for e in events(calls, "MpiCollectiveEnd", "MPI_Bcast")}
    if len(roots) != 3:  # 0, and on the inter-communicator SELF and THIS_GROUP
        failures.append(f"roots of Bcast: {roots}")
    return failures


def otf2_operation(name):
    import otf2
    return getattr(otf2.CollectiveOp, name)


# ---- rma.c ----

def rma(ranks):
    epochs = 3 * 2                 # operations() under fence and twice in start/complete; 2 windows
    sets = epochs + 1 + 1 + 2      # exclusive, shared, lock_all (two targets)
    records = init_and_finalize(ranks)
    records.update({
        ("MPI_Win_create", "RmaWinCreate"): ranks,
        ("MPI_Win_allocate", "RmaWinCreate"): ranks,
        ("MPI_Win_allocate_shared", "RmaWinCreate"): ranks,
        ("MPI_Win_create_dynamic", "RmaWinCreate"): ranks,
        ("MPI_Win_free", "RmaWinDestroy"): 4 * ranks,
        ("MPI_Win_fence", "RmaCollectiveEnd"): (3 * 2 + 1) * ranks,
        ("MPI_Put", "RmaPut"): (sets + 2) * ranks, ("MPI_Get", "RmaGet"): (sets + 1) * ranks,
        ("MPI_Accumulate", "RmaAtomic"): sets * ranks,
        ("MPI_Get_accumulate", "RmaAtomic"): sets * ranks,
        ("MPI_Fetch_and_op", "RmaAtomic"): sets * ranks,
        ("MPI_Compare_and_swap", "RmaAtomic"): sets * ranks,
        ("MPI_Rput", "RmaPut"): 2 * ranks, ("MPI_Rget", "RmaGet"): 2 * ranks,
        ("MPI_Raccumulate", "RmaAtomic"): 2 * ranks,
        ("MPI_Rget_accumulate", "RmaAtomic"): 2 * ranks,
        ("MPI_Win_start", "RmaGroupSync"): 4 * ranks, ("MPI_Win_post", "RmaGroupSync"): 4 * ranks,
        ("MPI_Win_complete", "RmaGroupSync"): 4 * ranks,
        ("MPI_Win_wait", "RmaGroupSync"): 2 * ranks, ("MPI_Win_test", "RmaGroupSync"): 2 * ranks,
        ("MPI_Win_lock", "RmaRequestLock"): 2 * ranks,
        ("MPI_Win_unlock", "RmaReleaseLock"): 2 * ranks,
        ("MPI_Win_lock_all", "RmaRequestLock"): ranks,
        ("MPI_Win_unlock_all", "RmaReleaseLock"): ranks,
        # one id for what sends and one for what fetches, of each target
        ("MPI_Win_fence", "RmaOpCompleteNonBlocking"): 2 * 2 * ranks,
        ("MPI_Win_fence", "RmaOpCompleteRemote"): 2 * ranks,
        ("MPI_Win_complete", "RmaOpCompleteNonBlocking"): 4 * 2 * ranks,
        ("MPI_Win_complete", "RmaOpCompleteRemote"): 4 * ranks,
        ("MPI_Win_flush_local", "RmaOpCompleteNonBlocking"): 2 * ranks,
        ("MPI_Win_flush_local", "RmaOpCompleteRemote"): ranks,
        ("MPI_Win_flush", "RmaOpCompleteNonBlocking"): ranks,
        ("MPI_Win_flush", "RmaOpCompleteRemote"): 2 * ranks,
        ("MPI_Wait", "RmaOpCompleteNonBlocking"): 2 * ranks,
        ("MPI_Waitall", "RmaOpCompleteNonBlocking"): 2 * 3 * ranks,
        ("MPI_Waitall", "RmaOpCompleteRemote"): 2 * ranks,
        # exclusive epoch: both ids; shared: three request-based sends; NOCHECK: the put
        ("MPI_Win_unlock", "RmaOpCompleteNonBlocking"): (2 + 0 + 1) * ranks,
        ("MPI_Win_unlock", "RmaOpCompleteRemote"): (2 + 3 + 1) * ranks,
        ("MPI_Win_flush_local_all", "RmaOpCompleteNonBlocking"): 4 * ranks,
        ("MPI_Win_flush_local_all", "RmaOpCompleteRemote"): 2 * ranks,
        ("MPI_Win_flush_all", "RmaOpCompleteRemote"): (2 + 3) * ranks,
        ("MPI_Win_unlock_all", "RmaOpCompleteNonBlocking"): ranks,
        ("MPI_Win_unlock_all", "RmaOpCompleteRemote"): ranks,
    })
    exactly = ["MPI_Win_flush", "MPI_Win_flush_local", "MPI_Win_flush_all", "MPI_Win_unlock",
               "MPI_Win_lock", "MPI_Win_lock_all", "MPI_Win_unlock_all", "MPI_Put", "MPI_Get",
               "MPI_Wait", "MPI_Waitall", "MPI_Win_complete", "MPI_Win_post", "MPI_Win_flush_local_all"]
    return Expected({}, records, exactly, lambda calls: rma_rules(calls, ranks))


def rma_rules(calls, ranks):
    failures = []
    for region, kind, shift in (("MPI_Win_start", "RmaGroupSync", 1),
                                ("MPI_Win_post", "RmaGroupSync", ranks - 1)):
        for call in calls:
            rank = int(call.location.group.name.split()[-1])
            for record in call.records:
                if call.region == region and record.kind == kind:
                    members = [member.group.name for member in record.event.group.members] \
                        if hasattr(record.event.group.members[0], "group") \
                        else list(record.event.group.members)
                    expected = (rank + shift) % ranks
                    if members not in ([expected], [f"MPI Rank {expected}"]):
                        failures.append(f"{region} on {rank}: group {members}")
    if not any(event.win.name == "the named window" for event in events(calls, "RmaPut")):
        failures.append("the window's name is missing")
    if {event.bytes for event in events(calls, "RmaGet", "MPI_Rget")} != {8}:
        failures.append("MPI_Rget does not transfer 8 bytes")
    return failures


# ---- communicators.c ----

def communicators(n):
    cycles, evens = 300, (n + 1) // 2
    made = {"MPI_Comm_dup": (1 + cycles) * n, "MPI_Comm_split": n + (n - 1) + n,
            "MPI_Comm_split_type": n, "MPI_Comm_create": evens, "MPI_Comm_create_group": 2 * evens,
            "MPI_Cart_create": n, "MPI_Cart_sub": n, "MPI_Dist_graph_create_adjacent": n,
            "MPI_Intercomm_create": 2 * n, "MPI_Intercomm_merge": 2 * n}
    records = init_and_finalize(n)
    for region, number in made.items():
        records[region, "CommCreate"] = number
    records["MPI_Comm_split", "MpiCollectiveEnd"] = 3 * n
    records["MPI_Comm_create", "MpiCollectiveEnd"] = n
    records["MPI_Comm_create_group", "MpiCollectiveEnd"] = 2 * evens
    records["MPI_Comm_idup", "NonBlockingCollectiveRequest"] = n
    records["MPI_Wait", "CommCreate"] = n
    records["MPI_Wait", "NonBlockingCollectiveComplete"] = n
    records["MPI_Comm_free", "CommDestroy"] = sum(made.values()) + n
    return Expected({"MPI_Group_free": (cycles + 2) * n}, records, ["MPI_Comm_idup", "MPI_Wait"],
                    communicator_rules)


def communicator_rules(calls):
    failures = []
    created = {}
    for call in calls:
        for record in call.records:
            if record.kind == "CommCreate":
                created.setdefault(record.event.communicator, set()).add(call.location)
    for call in calls:
        end = call.records[-1].event if call.records else None
        made = [r.event.communicator for r in call.records if r.kind == "CommCreate"]
        own = call.region in ("MPI_Comm_create_group", "MPI_Intercomm_create")
        if made and call.region not in ("MPI_Init",):
            if (end.communicator in made) != own:
                failures.append(f"{call.region}: the collective is on the wrong communicator")
    for communicator, locations in created.items():
        inter = type(communicator).__name__ == "InterComm"
        groups = [communicator.groupA, communicator.groupB] if inter else [communicator.group]
        members = sum(len(group.members) for group in groups)
        if members not in (0, len(locations)):  # 0: the group of communicators like SELF
            failures.append(f"communicator {communicator.name!r}: {members} members, created by"
                            f" {len(locations)}")
    if not any(communicator.name == "the named one" for communicator in created):
        failures.append("the communicator's name is missing")
    for event in events(calls, "MpiRecv"):
        if event.communicator not in created:
            failures.append("a message on a communicator that nobody created")
    return failures


# ---- threads.c ----

def threads(ranks):
    messages = ranks * 4 * 200
    records = {("MPI_Irecv", "MpiIrecvRequest"): messages, ("MPI_Isend", "MpiIsend"): messages,
               ("MPI_Waitall", "MpiIrecv"): messages, ("MPI_Waitall", "MpiIsendComplete"): messages,
               ("MPI_Init_thread", "CommCreate"): 2 * ranks}
    return Expected({"MPI_Waitall": messages}, records, ["MPI_Waitall"],
                    lambda calls: [] if len({call.location for call in calls}) == 5 * ranks
                    else ["there is not one location for each thread"])
