#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates tables.c, the arrays that names are looked up in (tables.h), from the tables of functions.

usage: generate.py OUTPUT_FILE TABLE...

A table is NAME.tbl of the paradigm FM_PARADIGM_NAME. Each section of a table (one prefix) becomes an
array of functions, sorted by name, and an array of rules in their order.
"""
import pathlib
import sys

import function_table

PROGRESS = {"progressing": "true", "local": "false", "-": "FM_UNSTATED"}
FACTS = {"completes": "FM_FACT_COMPLETES", "reads": "FM_FACT_READS", "writes": "FM_FACT_WRITES",
         "none": "0"}


def constant(prefix, word):
    return "FM_UNSTATED" if word == "-" else prefix + word


def initializer(row):
    name = row.name[len(row.prefix):].lower()
    metric = "NULL" if row.metric == "-" else f'"{row.metric}"'
    facts = "FM_UNSTATED" if row.facts == "-" else " | ".join(FACTS[w] for w in row.facts.split(","))
    return (f'    {{"{name}", {metric}, {constant("OTF2_REGION_ROLE_", row.role)}, '
            f'{constant("FM_CALL_", row.call)}, {facts}, {PROGRESS[row.progress]}}},')


def section(path, number, prefix, rows):
    """@return the C text of a section's two arrays, and its row of the array of sections."""
    functions = sorted((row for row in rows if row.body != "rule"),
                       key=lambda row: row.name[len(prefix):].lower())
    rules = [row for row in rows if row.body == "rule"]
    names = [row.name.lower() for row in functions]
    for first, second in zip(names, names[1:]):
        if first == second:
            sys.exit(f"{path}: {first} has two rows")
    for row in functions:
        if "-" in (row.progress, row.role, row.call, row.metric, row.facts):
            sys.exit(f"{path}: {row.name}: only a rule may leave a fact open")
    if not rules or rules[-1].name != prefix + "*" or "-" in rules[-1][2:7]:
        sys.exit(f"{path}: the last rule of a section is {prefix}* and states every fact")
    symbol = f"{path.stem}_{number}"
    lines, count = [], f"sizeof {symbol}_functions / sizeof {symbol}_functions[0]"
    if functions:
        lines += [f"static const struct fm_function_row {symbol}_functions[] = {{", *map(initializer, functions),
                  "};"]
    lines += [f"static const struct fm_function_row {symbol}_rules[] = {{", *map(initializer, rules), "};"]
    entry = (f'    {{FM_PARADIGM_{path.stem.upper()}, "{prefix}", '
             + (f"{symbol}_functions, {count}, " if functions else "NULL, 0, ")
             + f"{symbol}_rules}},")
    return lines, entry


def main():
    output, tables = pathlib.Path(sys.argv[1]), map(pathlib.Path, sys.argv[2:])
    text, sections = ["/* generated from the tables of functions */",
                      '#include "functions/function_kind.h"', '#include "functions/tables.h"',
                      "#include <otf2/OTF2_Definitions.h>"], []
    for path in tables:
        rows = function_table.read(path)
        for number, prefix in enumerate(dict.fromkeys(row.prefix for row in rows)):
            lines, entry = section(path, number, prefix, [r for r in rows if r.prefix == prefix])
            text += lines
            sections.append(entry)
    text += ["const struct fm_function_section fm_function_sections[] = {", *sections, "};",
             "const size_t fm_function_section_count =",
             "    sizeof fm_function_sections / sizeof fm_function_sections[0];", ""]
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(text))


main()
