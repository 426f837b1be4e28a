# SPDX-License-Identifier: BSD-3-Clause
"""Each source file names the licence of fermata, and each copy of the viewer contains the licences of the packages
that are bundled in it.

usage: check_licences.py FERMATA ROOT
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SPDX = "SPDX-License-Identifier: BSD-3-Clause"
LINES = 3  # at the top of a file, one of which is SPDX: an interpreter line or a doctype comes before it
SUFFIXES = {".S", ".c", ".cmake", ".cpp", ".css", ".cu", ".def", ".f90", ".F90", ".h", ".html", ".lua", ".mjs", ".py",
            ".sh", ".tbl", ".ts", ".tsx"}
NOT_SOURCES = (  # results of a build, archives of other recorders, and inputs of fuzzing
    re.compile(r"web/dist/|tests/traces/.*\.def$|tests/robustness/fuzz/seeds_"))
SKIPPED_FOLDERS = re.compile(r"^(\..*|build.*|node_modules|fermata-.*|shared)$")
SCENARIO = "unit 1\nranks 1\n0 0 enter main\n1 0 leave main\n"


def listed(root):
    """Returns the paths of the project's files, relative to its root."""
    done = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                          capture_output=True, check=False)
    if done.returncode == 0:
        paths = [pathlib.Path(name) for name in done.stdout.decode().split("\0") if name]
    else:  # not a git repository: an archive of the sources
        paths = [path.relative_to(root) for path in root.rglob("*")
                 if not any(map(SKIPPED_FOLDERS.match, path.relative_to(root).parts[:-1]))]
    return [path for path in paths if (root / path).is_file() and not (root / path).is_symlink()]


def is_source(root, path):
    if NOT_SOURCES.match(str(path)):
        return False
    if path.suffix in SUFFIXES or path.name == "CMakeLists.txt" or path.name.endswith(".py.in"):
        return True
    if path.suffix:
        return False
    with open(root / path, "rb") as file:
        return file.read(2) == b"#!"


def check_sources(root):
    sources = [path for path in listed(root) if is_source(root, path)]
    if len(sources) < 1000:
        yield f"{root} has {len(sources)} source files only: the rest was not found"
    for path in sources:
        with open(root / path, encoding="utf-8") as file:
            top = [file.readline() for _ in range(LINES)]
        if not any(re.search(rf"{SPDX}( \*/| -->)?$", line) for line in top):
            yield f"{path}: none of the first {LINES} lines is \"{SPDX}\""


def check_page(name, page, notices):
    """The page has the notices in the element from which the viewer takes them."""
    template = re.search(r'<template id="licences">(.*?)</template>', page, re.DOTALL)
    if template is None:
        yield f"{name} has no licences"
    elif html.unescape(template[1]) != notices:
        yield f"{name} has other licences than web/LICENSES.md"


def notice_of(package, notices):
    """Returns the copyright notice of a package, None if there is none."""
    found = re.search(rf"^{re.escape(package)}(?: \d+\.\d+\.\d+)?\n+(Copyright .+)$", notices, re.MULTILINE)
    return found and found[1]


def check_packages(web, notices):
    """Every package on which the viewer depends, and that is bundled, has its notice: its licence's own one."""
    if notice_of("fermata", notices) is None:
        yield "web/LICENSES.md has no notice of fermata"
    wanted = json.loads((web / "package.json").read_text())["dependencies"]
    for package, version in wanted.items():
        if notice_of(package, notices) is None:
            yield f"web/LICENSES.md has no notice of {package}"
        elif f"\n{package} {version}\n" not in notices:
            yield f"web/LICENSES.md has another version of {package} than {version}"
    locked = json.loads((web / "package-lock.json").read_text())["packages"]
    for package, version in re.findall(r"^([@\w/-]+) (\d+\.\d+\.\d+)$", notices, re.MULTILINE):
        if locked.get(f"node_modules/{package}", {}).get("version") != version:
            yield f"web/LICENSES.md has {package} {version}, which web/package-lock.json has not"
        licence = web / "node_modules" / package / "LICENSE"
        if not licence.is_file():
            continue  # the packages are not installed here
        for notice in re.findall(r"^Copyright .+$", licence.read_text(), re.MULTILINE):
            if f"\n{notice}\n" not in notices:
                yield f"web/LICENSES.md lacks of {package}: {notice}"


def exported_page(fermata, folder):
    """Returns the page of a report, as `fermata view --html` writes it."""
    scenario, archive, page = folder / "one.scn", folder / "archive", folder / "page.html"
    scenario.write_text(SCENARIO)
    for arguments in (["synth", scenario, "-o", archive], ["analyze", "-q", archive],
                      ["view", "--html", page, archive]):
        subprocess.run([fermata, *arguments], check=True, capture_output=True, timeout=120)
    return page.read_text()


def main():
    fermata, root = sys.argv[1], pathlib.Path(sys.argv[2])
    web = root / "web"
    wrong = list(check_sources(root))
    text = re.search(r"^```\n(.*)^```$", (web / "LICENSES.md").read_text(), re.MULTILINE | re.DOTALL)
    notices = text[1] if text else ""
    wrong += check_packages(web, notices)
    wrong += check_page("web/dist/viewer.html", (web / "dist" / "viewer.html").read_text(), notices)
    with tempfile.TemporaryDirectory(prefix="fermata-licences-") as folder:
        wrong += check_page("the page of fermata view", exported_page(fermata, pathlib.Path(folder)), notices)
    print("\n".join(wrong) or f"{notices.count('Copyright ')} copyright notices in each page")
    sys.exit(1 if wrong else 0)


main()
