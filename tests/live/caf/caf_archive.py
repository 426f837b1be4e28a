# SPDX-License-Identifier: BSD-3-Clause
"""Starts coarray programs and reads the recorded statements from an archive."""
import collections
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import otf2
from mpi_launcher import mpi_command
from otf2.events import Enter, Leave

PREFIX = "caf "


def run(command, may_fail=False):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)
    if result.returncode != 0 and not may_fail:
        sys.exit(f"{shlex.join(map(str, command))}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def record(fermata, experiment, mpirun, images, program, options=(), may_fail=False):
    """Records a program. @return the completed process"""
    return run([fermata, "record", *options, "-o", experiment, "--", *mpi_command(mpirun, images, program)],
               may_fail)


def image_of(location):
    assert location.group.name.startswith("Image "), location.group.name
    return int(location.group.name.split()[-1])


def name_of(value):
    """The last part of a constant's name in OTF2."""
    return str(value).rpartition(".")[2]


def members(group):
    """Images of a communicator's group."""
    return [image_of(member) for member in group.members]


def word(kind, event, targets):
    """A record inside a statement, as a word; targets: images of operations by id."""
    def done(what):
        return f"{what}:{targets[event.matching_id]}"

    def target():
        targets[event.matching_id] = members(event.win.comm.group)[event.remote]
        return targets[event.matching_id]

    def lock(what):
        owner = members(event.win.comm.group)[event.remote]
        return f"{what}:{owner}:{event.lock_id}"

    if kind in ("RmaPut", "RmaGet"):
        return f"{kind[3:].lower()}:{target()}:{event.bytes}"
    if kind == "RmaAtomic":
        return f"atomic:{target()}:{name_of(event.type)}:{event.bytes_sent}:{event.bytes_received}"
    if kind == "RmaCollectiveEnd":
        team = "".join(map(str, members(event.win.comm.group)))
        root = event.root + 1 if event.root < len(team) else "-"
        return (f"collective:{name_of(event.collective_op)}:{team}:{event.bytes_sent}:"
                f"{event.bytes_received}:{root}")
    return {"RmaOpCompleteBlocking": lambda: done("blocking"),
            "RmaOpCompleteRemote": lambda: done("remote"),
            "RmaGroupSync": lambda: "images:" + ",".join(map(str, members(event.group))),
            "RmaWaitChange": lambda: "change", "RmaWinCreate": lambda: "create",
            "RmaWinDestroy": lambda: "destroy",
            "RmaAcquireLock": lambda: lock("acquire"),
            "RmaTryLock": lambda: lock("try"),
            "RmaReleaseLock": lambda: lock("release")}[kind]()


def recorded(archive, left_open=None):
    """@return the recorded statements of each image, in order, as `statement word...` without the
    prefix; this_image and num_images are left out
    @param left_open  receives the statement of each image that it never left"""
    calls, open_call, targets = collections.defaultdict(list), {}, collections.defaultdict(dict)
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            image, kind = image_of(location), type(event).__name__
            if isinstance(event, (Enter, Leave)) and event.region.name.startswith("MPI_"):
                sys.exit(f"image {image}: {event.region.name} is recorded")
            if isinstance(event, Enter) and event.region.name.startswith(PREFIX):
                open_call[image] = [event.region.name[len(PREFIX):]]
            elif isinstance(event, Leave) and event.region.name.startswith(PREFIX):
                if open_call[image][0] not in ("this_image", "num_images"):
                    calls[image].append(" ".join(open_call[image]))
                del open_call[image]
            elif kind.startswith("Rma") and kind != "RmaCollectiveBegin":
                open_call[image].append(word(kind, event, targets[image]))
    if left_open is not None:
        left_open.update({image: words[0] for image, words in open_call.items()})
    return calls


def times(archive, names):
    """@return by image and name: (Enter, Leave) of these regions in ticks; and the ticks of a second"""
    calls, since = collections.defaultdict(list), {}
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            if isinstance(event, (Enter, Leave)) and event.region.name in names:
                key = image_of(location), event.region.name
                if isinstance(event, Enter):
                    since[key] = event.time
                else:
                    calls[key].append((since[key], event.time))
        return calls, trace.timer_resolution
