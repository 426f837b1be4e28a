# SPDX-License-Identifier: BSD-3-Clause
"""Reports whose section of open calls is damaged, with a checksum that is right: `hang`, `report` and `export` either
refuse them or state something, and never die of it.

usage: damaged_hangs.py FERMATA COUNT     (or more than COUNT: support/share.py)
"""
import os
import random
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import fermata_command  # noqa: E402
import share  # noqa: E402

# A deadlock of three processes with threads, a member that will never come, locks, and places.
RUN = "\n".join([
    "ranks 5 threads 2", "thread_level multiple 0 1 2 3 4", "ended 4", "comm two 2 3",
    "1 0 enter MPI_Recv", "1 0 probe 1 7", "1 0.1 enter pthread_mutex_lock", "1 0.1 object 1", "1 0.1 owner 0 fill (cache.c:17)",
    "1 1 enter MPI_Recv", "1 1 probe 0 9", "1 1.1 enter pthread_mutex_lock", "1 1.1 object 1", "1 1.1 owner 0",
    "1 2 enter MPI_Barrier", "1 2 coll_begin", "1 2 members two", "1 3 enter MPI_Allreduce", "1 3 coll_begin", "1 3 members two",
    "0 4 enter main", "1 4 leave main", *[f"60 {rank} heartbeat" for rank in range(4)]]) + "\n"
HEAD = 24  # bytes of the file before its sections
TAG = b"HANG"


def section_of(report):
    """Begin and end of the content of the section."""
    at = HEAD
    while report[at:at + 4] != TAG:
        at += 16 + struct.unpack_from("<Q", report, at + 8)[0]
    return at + 16, at + 16 + struct.unpack_from("<Q", report, at + 8)[0]


def sealed(report):
    """The report with its size and checksum made right."""
    report = bytearray(report)
    struct.pack_into("<Q", report, 16, len(report))
    struct.pack_into("<Q", report, len(report) - 8, zlib.crc32(report[:-8]))
    return bytes(report)


def changed(report, begin, end, generator):
    """The report with damage inside of the section."""
    kind = generator.randrange(4)
    at = generator.randrange(begin + 4, end)
    damaged = bytearray(report)
    if kind == 0:  # a bit
        damaged[at] ^= 1 << generator.randrange(8)
    elif kind == 1:  # a number
        at = min(at, end - 4)
        struct.pack_into("<I", damaged, at, generator.choice([0, 1, 2, 3, 9, 10, 255, 1 << 16, 2**31, 2**32 - 1]))
    elif kind == 2:  # a piece that is there twice
        piece = damaged[at:at + generator.randrange(1, 40)][:end - at]
        damaged[at:at] = piece
        struct.pack_into("<Q", damaged, begin - 8, end - begin + len(piece))
    else:  # a piece that is missing
        length = min(generator.randrange(1, 40), end - at)
        del damaged[at:at + length]
        struct.pack_into("<Q", damaged, begin - 8, end - begin - length)
    return sealed(damaged)


def with_many_places(report, begin, end, count):
    """The last list, of places, with its last one `count` times: more than there are locations."""
    size = 9
    places = next(n for n in range(1, 10) if struct.unpack_from("<I", report, end - n * size - 4)[0] == n)
    last = report[end - size:end]
    damaged = bytearray(report[:end] + count * last + report[end:])
    struct.pack_into("<I", damaged, end - places * size - 4, places + count)
    struct.pack_into("<Q", damaged, begin - 8, end - begin + count * size)
    return sealed(damaged)


def judge(path, content, what):
    """@return whether it is refused"""
    with open(path, "wb") as file:
        file.write(content)
    status, output, error = fermata_command.run("hang", path)
    assert status in (0, 1, 3, 4), f"hang: status {status} for {what}: {error}"
    assert output or (status == 3 and path in error), f"{what}: {output}{error}"
    for command in (("report", path), ("report", "--format=json", path)):
        other, _, error = fermata_command.run(*command)
        assert (other == 3) == (status == 3) and other in (0, 3), f"{command}: status {other}, not {status}, for {what}: {error}"
    return status == 3


def main():
    generator = random.Random(20261201)
    count = share.count(int(sys.argv[2]))
    with fermata_command.Folder() as folder:
        archive = os.path.join(folder, "run")
        fermata_command.synthesize(RUN, archive)
        status, output, error = fermata_command.run("hang", archive)
        assert status == 1 and "Deadlock" in output and "Others" in output and "ended before" in output, output + error
        with open(os.path.join(archive, "report.fer"), "rb") as file:
            report = file.read()
        assert sealed(report) == report
        begin, end = section_of(report)
        path = os.path.join(folder, "report.fer")
        assert not judge(path, report, "none")
        assert judge(path, with_many_places(report, begin, end, 100000), "places that are there twice")
        refused = 0
        for variant in range(count):
            refused += judge(path, changed(report, begin, end, generator), f"variant {variant}")
        assert refused > count // 4, (refused, count)
        for length in range(0, end - begin, max(1, (end - begin) // 20)):  # a section that ends too early
            short = bytearray(report[:begin + length] + report[end:])
            struct.pack_into("<Q", short, begin - 8, length)
            assert judge(path, sealed(short), f"{length} of {end - begin} bytes")


main()
