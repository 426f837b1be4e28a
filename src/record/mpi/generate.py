#!/usr/bin/env python3
"""Generates the recorder's MPI sources from src/functions/mpi.tbl.

usage: generate.py mpi.tbl OUTPUT_FOLDER

  functions.h    FM_FUNCTION_... numbers of all functions
  regions.inc    their names and OTF2 region roles
  prototypes.h   prototypes of the wrappers fm_MPI_...
  plain.c        the wrappers that record Enter and Leave only
  wrappers.inc   initializers of the table of wrappers, one for each function
  names.inc      the functions' names, in order, as C strings
  trampolines.S  the exported MPI_... entry points of the preload library, and behind them those of
                 the functions by which processes end
  endings.inc    the latter's names and whether the process ends for certain
"""
import pathlib
import re
import sys

# Functions by which a process ends without MPI_Finalize, and whether it does so for certain: those of
# the C library, and those of Open MPI and of MPICH's family that lead to MPI_ERRORS_ARE_FATAL (the
# launcher kills the process right after: exit handlers would come too late).
ENDINGS = [("_exit", True), ("_Exit", True), ("quick_exit", True), ("abort", False),
           ("ompi_mpi_abort", True),
           ("MPIR_Err_return_comm", False), ("MPIR_Err_return_win", False)]

PARAMETER_NAME = re.compile(r"(\w+)\s*(?:\[[^\]]*\])*$")


def parse(path):
    """Yields (body, role, return type, name, parameters) of every recorded function of the table."""
    sys.path.insert(0, str(path.parent))
    import function_table
    for row in function_table.read(path):
        if row.is_recorded:
            yield row.body, row.role, row.result, row.name, row.parameters


def argument_names(parameters):
    if parameters == "void":
        return ""
    return ", ".join(PARAMETER_NAME.search(part).group(1) for part in parameters.split(","))


def trampolines(names):
    lines = ["/* generated: entry points that jump through fm_preload_slots */",
             '#include "record/preload/trampoline.h"', ".text"]
    lines += [f"FM_TRAMPOLINE({name}, {number})" for number, name in enumerate(names)]
    lines += ["FM_SLOTS_BEGIN"]
    lines += [f"FM_SLOT({number})" for number in range(len(names))]
    lines += ["FM_SLOTS_END", ""]
    return "\n".join(lines)


def main():
    table, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    functions = list(parse(table))
    names = [function[3] for function in functions]
    output.mkdir(parents=True, exist_ok=True)

    header = ["#ifndef FERMATA_RECORD_MPI_FUNCTIONS_H", "#define FERMATA_RECORD_MPI_FUNCTIONS_H",
              "/* generated: numbers of the recorded MPI functions */", "enum {"]
    header += [f"    FM_FUNCTION_{name}," for name in names]
    header += ["    FM_FUNCTION_COUNT", "};", "#endif", ""]

    regions = [f'{{"{name}", OTF2_REGION_ROLE_{role}}},' for _, role, _, name, _ in functions]

    prototypes, plain, wrappers = ["/* generated */"], ["/* generated */",
                                                        '#include "record/mpi/wrap.h"'], []
    for body, _, result, name, parameters in functions:
        prototypes += [f"#ifndef {name}", f"{result} fm_{name}({parameters});", "#endif"]
        wrappers += [f"#ifndef {name}", f"(fm_function_t)fm_{name},", "#else", "NULL,", "#endif"]
        if body == "plain":
            call = f"P{name}({argument_names(parameters)})"
            plain += [f"#ifndef {name}", f"{result} fm_{name}({parameters})", "{",
                      f"    FM_RECORD_PLAIN({result}, {name}, {call});", "}", "#endif"]

    files = {"functions.h": "\n".join(header), "regions.inc": "\n".join(regions) + "\n",
             "prototypes.h": "\n".join(prototypes) + "\n", "plain.c": "\n".join(plain) + "\n",
             "wrappers.inc": "\n".join(wrappers) + "\n",
             "names.inc": "".join(f'"{name}",\n' for name in names),
             "trampolines.S": trampolines(names + [name for name, _ in ENDINGS]),
             "endings.inc": "".join(f'{{.name = "{name}", .ends = {str(ends).lower()}}},\n'
                                    for name, ends in ENDINGS)}
    for file_name, text in files.items():
        (output / file_name).write_text(text)


main()
