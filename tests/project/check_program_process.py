#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that what runs in recorded programs depends on nothing that the program chooses.

usage: check_program_process.py ROOT

In the sources of the recorder, of the preload library and of the wrappers:

* numbers with a point are printed and read by base/decimal_text.h alone: the C library's functions use the locale and the
  rounding mode of the program;
* no message goes through the streams of the C library, whose orientation, buffers and locks are the program's;
* letters are not classified and errors not named by functions that depend on the locale;
* environment variables are read as they were when the program began (record/experiment/kept_variables.h).
"""
import pathlib
import re
import sys

# Not in recorded programs: the start of programs, and the archives of killed runs.
OUTSIDE = ("rebuild", "settings", "worlds", "launch.c", "launch_snapshots.c", "known_libraries.c")
# Besides src/record.
INSIDE = ("src/base/decimal_text.c", "src/base/quantity.c", "src/counters/catalogue.c", "src/counters/size_bins.c",
          "src/counters/counter_reader.c", "src/counters/counter_process.c", "src/user")

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
DECIMAL = re.compile(r"%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?[lL]?[fFeEgGaA]")
CALLS = {
    "prints or reads a number by the program's locale: use base/decimal_text.h":
        re.compile(r"\b(?:strtod|strtof|strtold|atof)\s*\("),
    "writes to a stream of the program: use dprintf(STDERR_FILENO, ...)": re.compile(r"\b(?:stderr|stdout)\b"),
    "depends on the program's locale": re.compile(r"\b(?:tolower|toupper|strerror|strcoll|strsignal)\s*\("),
    "reads the program's environment: use fm_variable()": re.compile(r"\b(?:secure_)?getenv\s*\("),
}
# Calls that are meant, with the reason.
MEANT = {
    ("src/record/experiment/process_variables.c", "getenv"): "outside of recorded programs",
    ("src/record/preload/start.c", "getenv"): "before the recorder is loaded",
    ("src/record/marks/environment.c", "getenv"): "when the library of marks is loaded, outside of the recorder",
    ("src/record/mpi/connections.c", "getenv"): "the MPI library sets these variables itself",
    ("src/record/mpi/inside/pvars.c", "getenv"): "a variable that the recorder has set for the library",
    ("src/record/counting/papi/papi_events.c", "strerror"): "a function of PAPI",
    ("src/counters/catalogue.c", "getenv"): "a boundary of the library's algorithms, when counting begins",
}


def blank(match):
    """Keeps the lines of what is cut out."""
    return "\n" * match.group().count("\n")


def problems_of(path, name):
    text = COMMENT.sub(blank, path.read_text(errors="replace"))
    for number, line in enumerate(text.splitlines(), 1):
        for string in STRING.findall(line):
            if DECIMAL.search(string.replace("%%", "")):
                yield f"{name}:{number}: {string} depends on the program's locale: use base/decimal_text.h"
        code = STRING.sub('""', line)
        for problem, pattern in CALLS.items():
            for found in pattern.findall(code):
                if (name, found.rstrip("( ")) not in MEANT:
                    yield f"{name}:{number}: {found.rstrip('( ')} {problem}"


def sources(root):
    for path in sorted((root / "src/record").rglob("*.[ch]")):
        if path.relative_to(root / "src/record").parts[0] not in OUTSIDE:
            yield path
    for place in INSIDE:
        yield from sorted((root / place).rglob("*.[ch]")) if (root / place).is_dir() else [root / place]


def main():
    root = pathlib.Path(sys.argv[1])
    found = [problem for path in sources(root) for problem in problems_of(path, str(path.relative_to(root)))]
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
