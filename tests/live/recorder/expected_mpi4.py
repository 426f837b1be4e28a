# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of this folder that use MPI 4 must leave in their archives, counted from their
sources."""

STARTS = 2

# Calls of collectives4.c: with large counts on MPI_COMM_WORLD and on the ring.
KINDS = ["Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Reduce", "Allreduce", "Allgather",
         "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block",
         "Scan", "Exscan"]
NEIGHBOURS = ["Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall",
              "Neighbor_alltoallv", "Neighbor_alltoallw"]


def collectives3(ranks):
    """collectives4.c with an older library: its persistent collectives, which are extensions."""
    kinds = KINDS + NEIGHBOURS
    calls = {f"MPIX_{name}_init": ranks for name in [*kinds, "Barrier"]}
    calls["MPIX_Bcast_init"] += ranks
    starts = STARTS * len(calls) - 1  # one of the scatter
    records = {("MPI_Start", "NonBlockingCollectiveRequest"): starts * ranks,
               ("MPI_Wait", "NonBlockingCollectiveComplete"): starts * ranks}
    exactly = [region for region, _ in records] + list(calls)
    return calls, records, exactly, lambda calls: persistent_rules(calls, len(kinds) + 1)


def collectives4(ranks):
    calls, records = {"MPI_Barrier_init": ranks, "MPI_Bcast_init": 2 * ranks,
                      "MPI_Comm_idup_with_info": ranks}, {}
    for name in KINDS + NEIGHBOURS:
        blocking, started = f"MPI_{name}_c", f"MPI_I{name.lower()}_c"
        records[blocking, "MpiCollectiveBegin"] = records[blocking, "MpiCollectiveEnd"] = ranks
        records[started, "NonBlockingCollectiveRequest"] = ranks
        calls[f"MPI_{name}_init_c"] = ranks
        calls.setdefault(f"MPI_{name}_init", ranks)
    large = len(KINDS + NEIGHBOURS)
    persistent = 2 * large + 1  # both forms, and the barrier
    starts = STARTS * persistent - 2  # one of each scatter
    records["MPI_Start", "NonBlockingCollectiveRequest"] = starts * ranks
    records["MPI_Comm_idup_with_info", "NonBlockingCollectiveRequest"] = ranks
    records["MPI_Wait", "NonBlockingCollectiveComplete"] = (large + starts + 1) * ranks
    records["MPI_Wait", "CommCreate"] = ranks
    exactly = [region for region, _ in records] + list(calls)
    return calls, records, exactly, lambda calls: persistent_rules(calls, 40)


def persistent_rules(calls, least):
    """The persistent ones, `least` of them, name their number and the function, and count bytes as the others
    do."""
    failures, volumes, numbers = [], {}, {}
    for call in calls:
        for record in call.records:
            if record.kind == "NonBlockingCollectiveComplete":
                attributes = {a.name: value for a, value in (record.event.attributes or {}).items()}
                init = attributes.get("PERSISTENT_INIT")
                event = record.event
                rank = call.location.group.name
                key = (rank, str(event.collective_op), event.communicator.name, event.root)
                volume = (event.size_sent, event.size_received)
                if volumes.setdefault(key, volume) != volume:
                    failures.append(f"{key}: {volume} bytes, elsewhere {volumes[key]}")
                if init is not None:
                    key = (rank, event.communicator.name, init.name)
                    numbers.setdefault(key, []).append(attributes["PERSISTENT_COLLECTIVE"])
    for (rank, comm, init), found in numbers.items():
        if "_Scatter_init" in init:
            wrong = len(found) != 1
        else:
            wrong = len(found) != STARTS or len(set(found)) != 1
        if wrong or numbers["MPI Rank 0", comm, init] != found:
            failures.append(f"rank {rank}: {init} has the numbers {found}")
    if len({(init, tuple(found)) for (_, _, init), found in numbers.items()}) < least:
        failures.append(f"only {len(numbers)} persistent collectives are named")
    return failures


def messages4(ranks):
    half = ranks // 2
    records = {
        ("MPI_Send", "MpiSend"): half, ("MPI_Send_c", "MpiSend"): 3 * half,
        ("MPI_Ssend_c", "MpiSend"): half, ("MPI_Isend_c", "MpiIsend"): half,
        ("MPI_Recv", "MpiRecv"): 2 * half, ("MPI_Recv_c", "MpiRecv"): 2 * half,
        ("MPI_Irecv_c", "MpiIrecvRequest"): half, ("MPI_Mrecv_c", "MpiRecv"): half,
        ("MPI_Imrecv_c", "MpiIrecvRequest"): half,
        ("MPI_Sendrecv_c", "MpiSend"): ranks, ("MPI_Sendrecv_c", "MpiRecv"): ranks,
        ("MPI_Sendrecv_replace_c", "MpiSend"): ranks, ("MPI_Sendrecv_replace_c", "MpiRecv"): ranks,
        ("MPI_Isendrecv_replace_c", "MpiIsend"): ranks - 1,
        ("MPI_Isendrecv_replace_c", "MpiIrecvRequest"): ranks - 1,
        ("MPI_Startall", "MpiIsend"): 3 * ranks, ("MPI_Startall", "MpiIrecvRequest"): 3 * ranks,
        ("MPI_Wait", "MpiIsendComplete"): 2 * half + 2 * ranks - 1,
        ("MPI_Wait", "MpiIrecv"): 2 * half + 2 * ranks - 1,
        ("MPI_Wait", "RmaOpCompleteNonBlocking"): ranks,
        ("MPI_Waitall", "MpiIsendComplete"): 5 * ranks, ("MPI_Waitall", "MpiIrecv"): 5 * ranks,
        ("MPI_Win_create_c", "RmaWinCreate"): ranks,
        ("MPI_Win_create_c", "RmaCollectiveBegin"): ranks,
        ("MPI_Win_create_c", "RmaCollectiveEnd"): ranks,
        ("MPI_Put_c", "RmaPut"): ranks, ("MPI_Get_c", "RmaGet"): ranks,
        ("MPI_Accumulate_c", "RmaAtomic"): ranks, ("MPI_Rput_c", "RmaPut"): ranks,
    }
    for region in ("MPI_Isendrecv", "MPI_Isendrecv_c", "MPI_Isendrecv_replace"):
        records[region, "MpiIsend"] = records[region, "MpiIrecvRequest"] = ranks
    exactly = [region for region, _ in records]
    return {"MPI_Send_init_c": ranks, "MPI_Recv_init_c": ranks}, records, exactly, sizes


def sizes(calls):
    """Each message is as long as its tag says: all but one have 100 numbers."""
    return [f"{call.region}: {record.event.msg_length} bytes"
            for call in calls for record in call.records
            if record.kind in ("MpiSend", "MpiIsend", "MpiRecv", "MpiIrecv")
            and record.event.msg_length != (4 if record.event.msg_tag == 8 else 400)]


def newer(ranks):
    calls = {name: ranks for name in (
        "MPI_Status_get_source", "MPI_Comm_attach_buffer", "MPI_Comm_detach_buffer",
        "MPI_Buffer_flush", "MPI_Abi_get_version")}
    records = {("MPI_Send_c", "MpiSend"): ranks, ("MPI_Waitall", "MpiIrecv"): ranks,
               ("MPI_Waitall", "NonBlockingCollectiveComplete"): ranks,
               ("MPI_Bcast_c", "MpiCollectiveBegin"): ranks,
               ("MPI_Bcast_c", "MpiCollectiveEnd"): ranks}
    return calls, records, [*(region for region, _ in records), *calls], lambda calls: []


def sessions(ranks):
    calls = {"MPI_Session_init": 3 * ranks, "MPI_Session_finalize": 3 * ranks,
             "MPI_Group_from_session_pset": 3 * ranks}
    records = {("MPI_Comm_create_from_group", kind): 3 * ranks
               for kind in ("MpiCollectiveBegin", "CommCreate", "MpiCollectiveEnd")}
    for region, kind, count in (
            ("MPI_Sendrecv", "MpiSend", 2), ("MPI_Sendrecv", "MpiRecv", 2),
            ("MPI_Allreduce", "MpiCollectiveBegin", 2), ("MPI_Allreduce", "MpiCollectiveEnd", 2),
            ("MPI_Bcast", "MpiCollectiveBegin", 1), ("MPI_Bcast", "MpiCollectiveEnd", 1),
            ("MPI_Barrier", "MpiCollectiveBegin", 1), ("MPI_Barrier", "MpiCollectiveEnd", 1),
            ("MPI_Comm_free", "CommDestroy", 5)):
        records[region, kind] = count * ranks
    return calls, records, [*calls, "MPI_Comm_create_from_group", "MPI_Sendrecv"], names


def names(calls):
    """The communicators have the names of their string tags, on each rank."""
    found = {}
    for call in calls:
        for record in call.records:
            if record.kind == "CommCreate" and call.region == "MPI_Comm_create_from_group":
                found.setdefault(call.location.group.name, []).append(record.event.communicator.name)
    return [f"{rank} has {made}" for rank, made in found.items() if made != ["a", "b", "c"]]


def threads4(ranks):
    rounds = 6 * ranks
    turns = 8 * rounds
    records = {
        ("MPI_Irecv", "MpiIrecvRequest"): turns, ("MPI_Isend_c", "MpiIsend"): turns,
        ("MPI_Isendrecv", "MpiIrecvRequest"): turns, ("MPI_Isendrecv", "MpiIsend"): turns,
        ("MPI_Iallreduce", "NonBlockingCollectiveRequest"): turns,
        ("MPI_Start", "MpiIsend"): turns, ("MPI_Start", "MpiIrecvRequest"): turns,
        ("MPI_Startall", "MpiIsend"): rounds, ("MPI_Startall", "MpiIrecvRequest"): rounds,
        ("MPI_Startall", "ParameterUnsignedInt"): 2 * rounds,
        ("MPI_Pready", "ParameterUnsignedInt"): 2 * turns,
        ("MPI_Waitall", "MpiIsendComplete"): 3 * turns + rounds,
        ("MPI_Waitall", "MpiIrecv"): 3 * turns + rounds,
        ("MPI_Waitall", "NonBlockingCollectiveComplete"): turns,
        ("MPI_Waitall", "ParameterUnsignedInt"): 2 * rounds,
        ("MPI_Put", "RmaPut"): turns, ("MPI_Send", "MpiSend"): turns,
        ("MPI_Mrecv", "MpiRecv"): turns,
        ("MPI_Barrier", "MpiCollectiveBegin"): turns, ("MPI_Barrier", "MpiCollectiveEnd"): turns,
    }
    return {"MPI_Mprobe": turns}, records, [region for region, _ in records], foreign


def foreign(calls):
    """Another thread than the one that started a request completes it. (Sends that are complete at once
    have the same handle in MPICH: which of them a thread completes is not known.)"""
    started, failures = {}, []
    for call in calls:
        for record in call.records:
            key = call.location.group.name, getattr(record.event, "request_id", None)
            if record.kind in ("MpiIsend", "MpiIrecvRequest", "NonBlockingCollectiveRequest"):
                started[key] = call
            elif call.region == "MPI_Waitall" and record.kind in (
                    "MpiIsendComplete", "MpiIrecv", "NonBlockingCollectiveComplete"):
                start = started[key]
                if start.region in ("MPI_Irecv", "MPI_Iallreduce") and start.location == call.location:
                    failures.append(f"{start.region}: completed by its own thread")
    return failures[:5]
