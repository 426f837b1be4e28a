#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates sources of the recorder from the tables of the paradigms' functions (src/functions).

usage: generate.py TABLE OUTPUT_FOLDER
       generate.py --preload OUTPUT_FOLDER system.tbl TABLE...
       generate.py --link OUTPUT_FOLDER TABLE...

Of one paradigm, for its library of wrappers:
  functions.h    FM_FUNCTION_... numbers of its functions
  regions.inc    the names of their regions, and OTF2 region roles
  prototypes.h   prototypes of the wrappers fm_NAME
  profiling.h    with `profiling`: prototypes of the functions PNAME, as weak references, for wrappers
                 that are built without a header of the library
  plain.c        the wrappers that record Enter and Leave only, and those of recipes
  wrappers.inc   initializers of the table of wrappers, one for each function
  optional.inc   initializers for each function that the library may lack (rows below `optional`): its
                 number, and its original, a weak reference

Of all paradigms, for the preload library:
  names.inc      the functions' names, in order, as C strings
  trampolines.S  the exported entry points of these functions, followed by those of the functions by
                 which processes end, and of those that are watched
  endings.inc    names of the functions by which processes end, and whether they certainly do
  watched.inc    FM_WATCHED(NAME) for each function whose calls the preload library sees
  paradigms.inc  the range of names of each paradigm
  libraries.inc  FM_LIBRARY(number of the paradigm, soname, wrappers, title, whether it is the C
                 library) for each of the paradigms' libraries

Of the paradigms whose libraries are part of programs (lines `linked`, `linkable`), for programs that
`fermata link` links (src/record/link/entry.h); those of a linkable paradigm in a folder with its name:
  NAME_entry.S   the entry of the function NAME
  PARADIGM_functions.S  refers to the entries of the paradigm's direct functions
  link.options   options of the linker: redirects calls of the functions to their entries; of functions
                 with a profiling interface, makes all of it part of the program, for the wrappers

A table has a line for each function (columns: src/functions/mpi.tbl) or for each family of functions
(src/functions/function_table.py), and these:
  paradigm profiling|next|system HEADER
                                   how wrappers call the function NAME: as PNAME, the library's
                                   profiling interface, or as the next NAME after the wrapper
                                   (fm_paradigm.next). system: likewise; the library is the C
                                   library, which every process has: NAME leads to it until the
                                   recorder is loaded. HEADER is included by the wrappers
  library SONAME WRAPPERS TITLE    a library of the paradigm: the begin of its file's name, the file
                                   name of the library of wrappers for it, its name in messages
  ending certain|possible NAME     a function by which the process ends, or may end, without exit
                                   handlers
  watched NAME                     a function whose arguments the preload library sees, and may
                                   change, before it is called
  failed NAME C_CODE               a plain function is a test, and when it has failed
  linked                           the paradigm's libraries are static: programs contain them
  linkable                         programs may contain the paradigm's library
  optional                         the rows below it are functions that some libraries of the paradigm
                                   lack; only with `profiling`
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "functions"))
from function_table import Table

PARAMETER_NAME = re.compile(r"(\w+)\s*(?:\[[^\]]*\])*$")


def argument_names(parameters):
    if parameters == "void":
        return ""
    return ", ".join(PARAMETER_NAME.search(part).group(1) for part in parameters.split(","))


def call_of(table, result, name, parameters):
    """The C expression with which a function's wrapper calls the original function."""
    arguments = argument_names(parameters)
    if table.calls == "profiling":
        return f"P{name}({arguments})"
    return f"(({result} (*)({parameters}))fm_next_functions[FM_FUNCTION_{name}])({arguments})"


def wrapper(table, row):
    """The wrapper that records Enter and Leave, or what the function's recipe says."""
    result, name, parameters = row.result, row.name, row.parameters
    call = call_of(table, result, name, parameters)
    if row.body == "recipe":
        statements = f"{row.opening or '(void)0'}, {row.recipe}"
        record = (f"FM_RECORD_VOID({name}, {call}, {statements})" if result == "void"
                  else f"FM_RECORD({result}, {name}, {call}, {statements})")
    elif name in table.failed:
        record = f"FM_RECORD_TEST({result}, {name}, {call}, {table.failed[name]})"
    else:
        kind = "LOCAL" if table.is_local(row) else "PLAIN"
        record = (f"FM_RECORD_{kind}_VOID({name}, {call})" if result == "void"
                  else f"FM_RECORD_{kind}({result}, {name}, {call})")
    return [f"#ifndef {name}", f"{result} fm_{name}({parameters})", "{", f"    {record};", "}",
            "#endif"]


def write_wrappers(table):
    header = ["#ifndef FM_FUNCTIONS_H", "#define FM_FUNCTIONS_H",
              "/* generated: numbers of the paradigm's functions */", "enum {"]
    header += [f"    FM_FUNCTION_{row.name}," for row in table.recorded]
    header += ["    FM_FUNCTION_COUNT", "};", "#endif", ""]
    regions = [f'{{"{row.region or row.name}", OTF2_REGION_ROLE_{table.role(row)}}},'
               for row in table.recorded]
    prototypes, wrappers, optional = ["/* generated */"], [], []
    profiling = ["/* generated */"]
    if table.calls == "profiling":
        profiling += [f"{row.result} P{row.name}({row.parameters}) __attribute__((weak));"
                      for row in table.recorded]
    plain = ["/* generated */", f'#include "{table.header}"']
    if table.calls != "profiling":
        plain += ["fm_function_t fm_next_functions[FM_FUNCTION_COUNT];"]
    for row in table.recorded:
        result, name, parameters = row.result, row.name, row.parameters
        prototypes += [f"#ifndef {name}", f"{result} fm_{name}({parameters});"]
        if row.optional:
            prototypes += [f"{result} P{name}({parameters}) __attribute__((weak));"]
            optional += [f"#ifndef {name}",
                         f"{{FM_FUNCTION_{name}, (fm_function_t)P{name}}},", "#endif"]
        prototypes += ["#endif"]
        if row.body == "direct":  # declared only: its type is that of the library's function
            wrappers += ["NULL,"]
            continue
        wrappers += [f"#ifndef {name}", f"(fm_function_t)fm_{name},", "#else", "NULL,", "#endif"]
        if row.body != "own":
            plain += wrapper(table, row)
    return {"functions.h": "\n".join(header), "regions.inc": "\n".join(regions) + "\n",
            "prototypes.h": "\n".join(prototypes) + "\n",
            "profiling.h": "\n".join(profiling) + "\n", "plain.c": "\n".join(plain) + "\n",
            "wrappers.inc": "\n".join(wrappers) + "\n",
            "optional.inc": "\n".join(optional) + "\n"}


def trampolines(names):
    lines = ["/* generated: entry points that jump through fm_preload_slots */",
             '#include "record/preload/trampoline.h"', ".text"]
    lines += [f"FM_TRAMPOLINE({name}, {number})" for number, name in enumerate(names)]
    lines += ["FM_SLOTS_BEGIN"]
    lines += [f"FM_SLOT({number})" for number in range(len(names))]
    lines += ["FM_SLOTS_END", ""]
    return "\n".join(lines)


def write_preload(system_table, tables):
    names, paradigms, libraries = [], [], []
    endings = list(system_table.endings)
    for number, table in enumerate(tables):
        profiling = str(table.calls == "profiling").lower()
        system = str(table.calls == "system").lower()
        paradigms += [f"{{.first = {len(names)}, .count = {len(table.recorded)}, "
                      f".has_profiling_names = {profiling}, .is_system = {system}}},"]
        libraries += [f'FM_LIBRARY({number}, "{soname}", "{wrappers}", "{title}", {system})'
                      for soname, wrappers, title in table.libraries]
        names += [row.name for row in table.recorded]
        endings += table.endings
    return {"names.inc": "".join(f'"{name}",\n' for name in names),
            "trampolines.S": trampolines(names + [name for name, _ in endings] + system_table.watched),
            "watched.inc": "".join(f"FM_WATCHED({name})\n" for name in system_table.watched),
            "endings.inc": "".join(f'{{.name = "{name}", .ends = {str(certain).lower()}}},\n'
                                   for name, certain in endings),
            "paradigms.inc": "\n".join(paradigms) + "\n",
            "libraries.inc": "\n".join(libraries) + "\n"}


def write_link(tables):
    """Files by name, and the linker's options, of paradigms whose programs are linked alike."""
    files, options = {}, []
    for paradigm, table in tables:
        for row in table.recorded:
            options += [f"--wrap={row.name}"]
            if table.calls == "profiling":
                options += [f"--undefined=P{row.name}"]
            files[f"{row.name}_entry.S"] = ("/* generated */\n"
                                            '#include "record/link/entry.h"\n'
                                            f'FM_ENTRY({row.name}, fermata_{paradigm}_functions)\n')
        if table.calls == "profiling":
            options += [f"--export-dynamic-symbol=P{prefix}*" for prefix in table.prefixes]
        direct = [f"    .quad __wrap_{row.name}" for row in table.recorded if row.body == "direct"]
        files[f"{paradigm}_functions.S"] = "\n".join(
            ["/* generated */", '#include "record/link/entry.h"',
             f"FM_ENTRIES_BEGIN(fermata_{paradigm}_functions)", *direct, "FM_ENTRIES_END", ""])
    return files, options


def write_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    if sys.argv[1] == "--link":
        output = pathlib.Path(sys.argv[2])
        tables = [(pathlib.Path(path).stem, Table(pathlib.Path(path))) for path in sys.argv[3:]]
        groups = {output: [named for named in tables if named[1].linked]}
        groups |= {output / named[0]: [named] for named in tables if named[1].linkable}
        for folder, members in groups.items():
            files, options = write_link(members)
            folder.mkdir(parents=True, exist_ok=True)
            for old in set(folder.glob("*.S")) - {folder / name for name in files}:
                old.unlink()
            for file_name, text in files.items():
                write_changed(folder / file_name, text)
            write_changed(folder / "link.options", "\n".join(options) + "\n")
        return
    if sys.argv[1] == "--preload":
        output = pathlib.Path(sys.argv[2])
        endings, *tables = (Table(pathlib.Path(path)) for path in sys.argv[3:])
        files = write_preload(endings, tables)
    else:
        output = pathlib.Path(sys.argv[2])
        files = write_wrappers(Table(pathlib.Path(sys.argv[1])))
    output.mkdir(parents=True, exist_ok=True)
    for file_name, text in files.items():
        (output / file_name).write_text(text)


main()
