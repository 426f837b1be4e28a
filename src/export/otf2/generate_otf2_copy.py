#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lists the records of the installed OTF2 that can be read and written again, from its headers.

usage: generate_otf2_copy.py INCLUDE_DIRECTORY EVENTS_OUT DEFINITIONS_OUT

Each line of the outputs is FM_COPY(record, (, type parameter...), (, parameter...)): the parameters of
the reader's callback after the common ones; the writer's function has the same parameters.
"""

import os
import re
import sys


def read(directory, name):
    with open(os.path.join(directory, "otf2", name), encoding="utf-8") as file:
        return file.read()


def callbacks(text, prefix):
    """(record, [parameters]) of each callback type."""
    pattern = rf"typedef OTF2_CallbackCode\s*\( \*{prefix}_(\w+) \)\(([^;]*?)\);"
    for record, parameters in re.findall(pattern, text, re.DOTALL):
        yield record, [" ".join(p.split()) for p in parameters.split(",")]


def names(parameters):
    return [re.search(r"(\w+)$", p).group(1) for p in parameters]


def write(path, records):
    with open(path, "w", encoding="utf-8") as file:
        for record, parameters in records:
            typed = "".join(f", {p}" for p in parameters)
            plain = "".join(f", {n}" for n in names(parameters))
            file.write(f"FM_COPY({record}, ({typed}), ({plain}))\n")


def main():
    include, events_out, definitions_out = sys.argv[1:]
    writer = read(include, "OTF2_EvtWriter.h")
    # Common: location, time, position, user data, attributes.
    write(events_out,
          [(record, parameters[5:])
           for record, parameters in callbacks(read(include, "OTF2_EvtReaderCallbacks.h"),
                                               "OTF2_EvtReaderCallback")
           # The reader turns the OpenMP records of old archives into those of threads.
           if re.search(rf"\bOTF2_EvtWriter_{record}\b", writer) and not record.startswith("Omp")])
    writer = read(include, "OTF2_GlobalDefWriter.h")
    # Common: user data.
    write(definitions_out,
          [(record, parameters[1:])
           for record, parameters in callbacks(read(include, "OTF2_GlobalDefReaderCallbacks.h"),
                                               "OTF2_GlobalDefReaderCallback")
           if re.search(rf"\bOTF2_GlobalDefWriter_Write{record}\b", writer)])


main()
