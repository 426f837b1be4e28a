# SPDX-License-Identifier: BSD-3-Clause
"""The one-sided transfers of an archive of `fermata export --to otf2-extended`, which are messages there."""


def transfers(archive, process_of, least=0):
    """@param process_of  number of the process of a location
    @param least  smaller transfers are left out, bytes
    @return (time, "sent" or "received", process, number of the other process from 0, bytes), in order"""
    import otf2

    found = []
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            if isinstance(event, otf2.events.MpiSend):
                found.append((event.time, "sent", process_of(location), event.receiver, event.msg_length))
            elif isinstance(event, otf2.events.MpiRecv):
                found.append((event.time, "received", process_of(location), event.sender, event.msg_length))
    return sorted(item for item in found if item[-1] >= least)
