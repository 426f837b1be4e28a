# SPDX-License-Identifier: BSD-3-Clause
"""Compares the functions that GCC's runtime exports with those that are recorded (src/functions/openmp.tbl) and with
those that docs/openmp.md lists as not recorded, each with its reason: every function is exactly one of them.

usage: check_runtime_functions.py ROOT NM LIBRARY
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

PREFIXES = ("GOMP_", "GOACC_", "omp_", "acc_")


def exported(nm, library):
    """@return the functions that a library defines, without the names of its symbols' versions"""
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    symbols = [line.split()[1:] for line in lines if len(line.split()) == 3]
    names = {name.split("@")[0] for kind, name in symbols if kind in "TWi"}
    return {name for name in names if name.startswith(PREFIXES)}


def recorded(root):
    sys.path.insert(0, str(root / "src/functions"))
    import function_table
    table = function_table.Table(root / "src/functions/openmp.tbl")
    return {row.name for row in table.rows if row.is_recorded and row.body != "direct"}


def listed(root):
    """@return the patterns of docs/openmp.md"""
    text = (root / "docs/openmp.md").read_text()
    table = re.search(r"^\| functions \| why \|\n\|---\|---\|\n((?:\|.*\n)+)", text, re.MULTILINE).group(1)
    patterns = []
    for line in table.splitlines():
        functions, why = [cell.strip() for cell in line.strip("|").split(" | ")]
        assert why, f"no reason: {line}"
        patterns += re.findall(r"`([^`]+)`", functions)
    return patterns


def own_name(function):
    """@return the name without the ends that entry points for Fortran have"""
    return re.sub(r"(_8)?_$", "", function) if function.startswith("omp_") else function


def main():
    root, nm, library = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    functions, known, patterns = exported(nm, library), recorded(root), listed(root)
    assert len(functions) > 100, functions
    wrong, used = [], set()
    for function in sorted(functions):
        matching = [pattern for pattern in patterns if fnmatch.fnmatchcase(own_name(function), pattern)]
        used.update(matching)
        if function in known and matching:
            wrong.append(f"{function} is recorded, but docs/openmp.md lists it as {matching}")
        elif function not in known and not matching:
            wrong.append(f"{function} is neither recorded nor in the list of docs/openmp.md")
    # Libraries of other versions may lack functions of the list, but no whole row's.
    wrong += [f"docs/openmp.md: no function of the library matches {pattern}" for pattern in patterns
              if pattern not in used and "*" in pattern]
    sys.exit("\n".join(wrong) or 0)


main()
