#!/usr/bin/env python3
"""Generates C sources of functions that are regions of a program, from a table as global_arrays.tbl.

usage: generate_regions.py OUTPUT_FOLDER TABLE

For each function NAME:
  NAME_region.c  __wrap_NAME, which calls NAME within the region: one file a function, because a program
                 contains only those of the functions that it calls
And regions.options: options of the linker that lead calls of the functions there.
"""
import pathlib
import sys

RESULTS = {"void": "void", "integer": "long", "double": "double"}


def source(result, count, name, region):
    types = ", ".join(["long"] * count) or "void"
    parameters = ", ".join(f"long a{i}" for i in range(count)) or "void"
    call = f"__real_{name}({', '.join(f'a{i}' for i in range(count))})"
    store, give = ("", "") if result == "void" else (f"{result} result = ", "    return result;\n")
    return (f"/* generated */\n#include <fermata/fermata.h>\n\n"
            f"{result} __real_{name}({types});\n{result} __wrap_{name}({types});\n\n"
            f"{result} __wrap_{name}({parameters})\n{{\n"
            f"    static fermata_region_t region = {{\"{region}\", 0, 0, FERMATA_CODE, 0}};\n"
            f"    fermata_region_begin(&region);\n    {store}{call};\n"
            f"    fermata_region_end(&region);\n{give}}}\n")


def write_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    output, table = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    rows = [line.split() for line in table.read_text().splitlines() if line and not line.startswith("#")]
    files = {f"{name}_region.c": source(RESULTS[result], int(count), name, region)
             for result, count, name, region in rows}
    for old in set(output.glob("*_region.c")) - {output / name for name in files}:
        old.unlink()
    for name, text in files.items():
        write_changed(output / name, text)
    write_changed(output / "regions.options", "".join(f"--wrap={name}\n" for _, _, name, _ in rows))


main()
