# SPDX-License-Identifier: BSD-3-Clause
"""Writes the seeds of fuzz_journal: a sound journal with every kind of definition and record, one whose
records are in a buffer file, and damaged ones that once were handled wrongly. The numbers of kinds are
taken from the sources, so that the seeds stay what they are when kinds are added.

usage: journal_seed.py SRC_FOLDER OUTPUT_FOLDER
"""

import pathlib
import re
import struct
import sys

NONE = 2**32 - 1
MPI = 4  # OTF2_PARADIGM_MPI
# enum fm_journal_kind
FUNCTIONS, DEFINITIONS, NAMES, RECORDS, SAVED, THINNING, MODULE, OBJECTS = 2, 3, 4, 5, 6, 9, 10, 11
DEFINITION = 12
DEFINITION_FILE, RECORD_FILE, BUFFER_FILE = 0, 1, 2
# buffers/buffer_layout.h: struct fm_chunk, struct fm_buffer_slot; FM_CHUNK_RECORDS
CHUNK, SLOT, RECORDS_CHUNK = "<5Q2I", "<2Q", 2
SLOTS_PLACE = 2 << 4  # fuzz_journal.c: block 0, at FM_BUFFER_SLOTS_AT


def string(text):
    """Words of a string definition."""
    padded = text.encode() + b"\0" * (4 - len(text) % 4)
    return [len(text), *struct.unpack(f"<{len(padded) // 4}I", padded)]


# Numbers of strings: 0 host, 1 name, 2 file, 3 unit.
DEFINED = {
    "STRING": [string("host"), string("name"), string("file.c"), string("s")],
    "REGION": [[1, 4, 1, 0, 2, 7], [1, 4, 1, 2, NONE, 0]],
    "PARAMETER": [[1, 0], [1, 2]],
    "METRIC": [[1, 3, 8, 0], [1, 3, 10, 4]],
    "GROUP": [[MPI, 1, 0, 1, 1]],
    "COMM": [[0, MPI, 0, 0, 0, 1, 0, NONE, NONE, NONE], [2, MPI, 0, 1, 0, 1, 0, NONE, 0, NONE]],
    "WIN": [[0, 0, 1, NONE]],
    "TOPOLOGY": [[1, NONE, 2, 2, 0, 3, 1]],
    "NODE": [[0]],
}


def record(kinds, kind, *words, aux=0, ref=0, size=0):
    """`size`: the lower 24 bits of a number of bytes, or the upper ones of a BYTES_ABOVE."""
    number, count = kinds[kind]
    assert count == len(words), kind
    return [number | size << 8 | aux << 16 | ref << 32, *words]


def one_process(kinds):
    """A run in which everything happens once."""
    def of(kind, *words, **fields):
        return record(kinds, kind, *words, **fields)

    return [
        of("PROGRAM_BEGIN", 50, ref=1),
        of("REGION_ENTER", 60, ref=1),
        of("CALL", 100, ref=20), of("COLLECTIVE_BEGIN"), of("COMM_CREATE"),
        of("COLLECTIVE_END", NONE, 0, 0, aux=14),
        of("REGION_ENTER", 200, ref=0),
        of("PARAMETER", 210, 2**64 - 5, ref=0), of("PARAMETER_TEXT", 211, 1, ref=1),
        of("METRIC", 212, 7, aux=8, ref=0), of("MARKER", 213, ref=1),
        of("CALL", 300, aux=1, ref=9), of("ISEND", 1 | 4 << 32, 2**32, size=64),
        of("CALL_LONG", 400, 10**7, aux=1), of("ISEND_COMPLETE", 2**32),
        of("BYTES_ABOVE", size=3), of("RECV", 2 | 4 << 32, size=64),
        of("FLUSH", 10**7 + 10, 10**7 + 20),
        of("STACK", aux=0, ref=1), of("STACK_SITE", ref=2), of("SAMPLE", 10**7 + 30, 0, 4 * 10**6),
        of("SAMPLE_LOST", 10**7 + 40), of("STACK", aux=1, ref=3),
        of("SAMPLE", 10**7 + 50, 10**7 + 45, 4 * 10**6),
        of("FUNCTION_ENTER", 10**7 + 60, aux=1, ref=1), of("FUNCTION_ENTER", 10**7 + 61, ref=2),
        of("FUNCTION_LEAVE", 10**7 + 62, ref=1), of("FUNCTION_ENTER", 10**7 + 63, aux=2, ref=2),
        of("FUNCTION_LEAVE", 10**7 + 64, ref=0),
        of("RECORDING_OFF", 10**7 + 100),
        of("UNRECORDED", 1 | 4 << 32, 9, aux=1, ref=0), of("UNRECORDED", 0, 9, aux=5, ref=0),
        of("RECORDING_ON", 10**7 + 200, ref=1),
        of("CALL", 10**7 + 300, aux=2, ref=9), of("LOCK_REQUEST", 1, 1),
        of("PUT", 1, 2**32 + 1, size=8), of("PUT", 1, 2**32 + 2, size=8),
        of("CALL", 10**7 + 400, aux=2, ref=9), of("COMPLETE_LOCAL", 2**32 + 1),
        of("COMPLETE_REMOTE", 2**32 + 1), of("COMPLETE_FULLY", 2**32 + 2),
        of("LOCK_RELEASE", 1, 1), of("GROUP_SYNC", 0, aux=3),
        of("CALL", 10**7 + 420, aux=2, ref=9), of("PUT", 1, 2**32 + 3, size=8),
        of("COMPLETE_BLOCKING", 2**32 + 3), of("WAIT_CHANGE"),
        of("CALL", 10**7 + 440, aux=2, ref=9), of("WIN_COLLECTIVE_BEGIN"),
        of("RMA_COLLECTIVE", NONE, 8, 8, 2, aux=1), of("LOCK_TRY", 0, 7), of("LOCK_ACQUIRE", 0, 7),
        of("CALL", 10**7 + 460, aux=2, ref=9), of("LOCK_RELEASE_FIRST", 0, 7),
        of("REGION_LEAVE", 10**7 + 500, ref=1),
        of("ITERATION", 10**7 + 510, 2, ref=0), of("REGION_ENTER", 10**7 + 511, ref=0),
        of("FUNCTION_ENTER", 10**7 + 520, aux=1, ref=1), of("STACK", aux=0, ref=2),
        of("CALL", 10**7 + 530, aux=1, ref=9), of("SEND", 1 | 4 << 32, size=64),
        of("RECORDING_OFF", 10**7 + 540), of("UNRECORDED", 1 | 4 << 32, 9, aux=1, ref=0),
        of("RECORDING_ON", 10**7 + 550, ref=1), of("REGION_LEAVE", 10**7 + 560, ref=0),
        of("PROGRAM_END", 10**7 + 600),
    ]


def large_group(kinds):
    """With a group of more members than there are processes."""
    return one_process(kinds)


def foreign_series(kinds):
    """Counts of calls in a pause that are of no known series."""
    def of(kind, *words, **fields):
        return record(kinds, kind, *words, **fields)

    return [of("PROGRAM_BEGIN", 50, ref=1), of("RECORDING_OFF", 100),
            of("UNRECORDED", 1 | 4 << 32, 9, aux=200, ref=0), of("RECORDING_ON", 200, ref=1),
            of("PROGRAM_END", 300)]


def buffered(kinds):
    """Whose records are in a buffer file: a full chunk, and one with records up to a place."""
    return one_process(kinds)


def buffer_file(words):
    """Blocks of the buffer file with these records."""
    half = len(words) // 2
    chunks, end = [], 0
    for number, (begin, part) in enumerate(((0, words[:half]), (half, words[half:]))):
        address = 0x100000 * (number + 1)
        end = address + struct.calcsize(CHUNK) + 8 * len(part)
        chunks.append(block(BUFFER_FILE, 2 + number,
                            struct.pack(CHUNK, 0, end, RECORDS_CHUNK, address, begin, 0, 2 + number)
                            + struct.pack(f"<{len(part)}Q", *part)))
    slot = block(BUFFER_FILE, SLOTS_PLACE, struct.pack(SLOT, end, 1))
    return [*chunks, slot]


def kinds_of_records(text):
    rows = re.findall(r"^    X\((\w+), (\d+), \d\)", text, re.MULTILINE)
    return {name: (number, int(words)) for number, (name, words) in enumerate(rows)}


def kinds_of_definitions(text):
    body = re.search(r"enum fm_define_kind \{(.*?)\}", text, re.DOTALL).group(1)
    names = re.findall(r"FM_DEFINE_(\w+)", body)
    return names[:names.index("PARADIGM")]  # a journal has definitions of those in front of it


def block(file, kind, content):
    return struct.pack("<BBH", file, kind, len(content)) + content


def main():
    record = pathlib.Path(sys.argv[1]) / "record"
    kinds_of_definition = kinds_of_definitions((record / "archive" / "define.h").read_text())
    kinds = kinds_of_records((record / "capture" / "record.h").read_text())
    functions = b"".join(b"\0\0\0\0" + name + b"\0"
                         for name in (b"MPI_Init", b"MPI_Send", b"MPI_Put"))
    late = string("late")
    for seed in (one_process, foreign_series, large_group, buffered):
        definitions = []
        for kind in kinds_of_definition:
            items = DEFINED.get(kind, [])
            if seed == large_group and kind == "GROUP":
                items = [*items, [MPI, 100000, 0, 1, 100000]]
            definitions.append(len(items))
            for item in items:
                definitions += [len(item), *item]
        words = [word for one in seed(kinds) for word in one]
        part = struct.pack(f"<3Q{len(words)}Q", 1000, 10**8, 0, *words)
        records = (buffer_file(words) if seed == buffered else
                   [block(RECORD_FILE, RECORDS, part), block(DEFINITION_FILE, SAVED, b"")])
        blocks = [block(DEFINITION_FILE, FUNCTIONS, functions),
                  block(DEFINITION_FILE, DEFINITIONS,
                        struct.pack(f"<{len(definitions)}I", *definitions)),
                  block(DEFINITION_FILE, THINNING, b"\0" * (32 * 16 * 8)),  # no iteration is kept
                  block(DEFINITION_FILE, NAMES,
                        struct.pack("<3I", kinds_of_definition.index("COMM"), 1, 1)),
                  block(DEFINITION_FILE, MODULE, struct.pack("<2I24s", 3, 4, b"\1\2\3\4") + b"/no/file\0"),
                  block(DEFINITION_FILE, OBJECTS, struct.pack("<2I2Q", 1, 3, 0x5010, 0x4000)
                        + struct.pack("<2I2Q", 2, NONE, 0x7000, 0)),
                  block(DEFINITION_FILE, DEFINITION, struct.pack(
                      f"<{2 + len(late)}I", kinds_of_definition.index("STRING"),
                      len(DEFINED["STRING"]), *late)),
                  *records]
        (pathlib.Path(sys.argv[2]) / seed.__name__).write_bytes(b"".join(blocks))


main()
