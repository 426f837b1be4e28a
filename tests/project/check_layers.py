#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the structure of src/ against src/layers.txt.

usage: check_layers.py ROOT [--map]

* every #include "layer/..." names a layer that the including layer may use;
* src/layers.txt lists every folder of src/ once, and a layer uses only layers above it: no circles;
* no folder has more than 25 C files and headers;
* no two headers share a name, and no struct, union or enum tag is defined twice, so that a name has one
  meaning (but in arch/, which has one version for each processor, and NAMESAKES, each with its reason).

With --map it prints the includes between rooms instead, one line "FROM -> TO count".
"""
import collections
import pathlib
import re
import sys

MOST_FILES = 25
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
TAG = re.compile(r"^(?:typedef )?(?:struct|union|enum) (\w+) \{", re.MULTILINE)
# Headers that share a name because one is the other's counterpart.
NAMESAKES = {
    "interface.h": "the two sides of the connection between libfermata-user and the recorder",
    "fortran.h": "Fortran entry points of libfermata-user and of the preload library",
}


def read_layers(path):
    """Returns {layer: set of layers it uses}, in the order of the table."""
    layers = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, uses = line.partition(":")
            layers[name] = set(uses.split())
    return layers


def sources_of(src):
    return sorted(path for path in src.rglob("*") if path.suffix in (".c", ".h"))


def check_table(layers, src):
    folders = {path.name for path in src.iterdir() if path.is_dir()}
    for name in sorted(folders ^ layers.keys()):
        yield f"src/layers.txt and the folders of src/ differ: {name}"
    above = set()
    for name, uses in layers.items():
        for used in sorted(uses - above):
            yield f"src/layers.txt: {name} uses {used}, which does not stand above it"
        above.add(name)


def check_includes(layers, src, files):
    for path in files:
        layer = path.relative_to(src).parts[0]
        allowed = layers.get(layer, set()) | {layer}
        for included in INCLUDE.findall(path.read_text(errors="replace")):
            first = included.split("/")[0]
            if first in layers and first not in allowed:
                yield f"{path}: includes {included}, but {layer} may not use {first}"


def check_sizes(files):
    folders = collections.Counter(path.parent for path in files)
    for folder, count in folders.items():
        if count > MOST_FILES:
            yield f"{folder}: {count} C files and headers, more than {MOST_FILES}: make rooms"


def check_names(files):
    by_name, by_tag = collections.defaultdict(list), collections.defaultdict(list)
    for path in files:
        if "arch" in path.parts:
            continue
        if path.suffix == ".h":
            by_name[path.name].append(path)
        for tag in TAG.findall(path.read_text(errors="replace")):
            by_tag[tag].append(path)
    for name, paths in by_name.items():
        if len(paths) > 1 and name not in NAMESAKES:
            yield f"{name}: the name of several headers: " + ", ".join(map(str, paths))
    for tag, paths in by_tag.items():
        # Tags without the project's prefix are private to their file.
        if len(paths) > 1 and tag.startswith("fm_"):
            yield f"{tag}: defined more than once: " + ", ".join(map(str, paths))


def print_map(src, files):
    arrows = collections.Counter()
    for path in files:
        room = str(path.parent.relative_to(src))
        for included in INCLUDE.findall(path.read_text(errors="replace")):
            target = str(pathlib.PurePath(included).parent)
            if (src / included).exists() and target != room:
                arrows[room, target] += 1
    for (room, target), count in sorted(arrows.items()):
        print(f"{room} -> {target} {count}")


def main():
    src = pathlib.Path(sys.argv[1]) / "src"
    files = sources_of(src)
    if "--map" in sys.argv[2:]:
        print_map(src, files)
        return 0
    layers = read_layers(src / "layers.txt")
    problems = [*check_table(layers, src), *check_includes(layers, src, files),
                *check_sizes(files), *check_names(files)]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(files)} files in {len(layers)} layers: "
          f"{len(problems)} violations of the declared structure")
    return 1 if problems else 0


sys.exit(main())
