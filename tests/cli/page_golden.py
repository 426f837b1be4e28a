# SPDX-License-Identifier: BSD-3-Clause
"""What a page of the viewer contains: the data of reports and timelines, compared with the files of
golden/ without a browser.

usage: page_golden.py FERMATA WRITE_SAMPLE [--update]

With --update the script writes these files; read the difference before you commit it.
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

GOLDEN = pathlib.Path(__file__).parent / "golden"
TESTS = pathlib.Path(fermata_command.TESTS)
# Reports of write_sample, and runs of scenarios, whose pages have a timeline.
REPORTS = ("sample", "problems")
RUNS = ("rules/scenarios/threads/barriers.scn", "viewer/timeline.scn", "rules/scenarios/phases/threads-take-part.scn")
# Texts that are the same in all reports, and what depends on the build.
LEFT_OUT = {"description", "formula", "advice", "creator", "command", "title", "generator", "metrics"}
# Members and columns that are metrics, whose numbers change when others are added.
METRICS = re.compile(r"(.*_)?metric|kinds|waits")


def column(place, data):
    """The integers of a column: view/bundle.h."""
    count, width, begin = place["count"], place["width"], place["at"]
    values = [sum(data[begin + plane * count + i] << 8 * plane for plane in range(width)) for i in range(count)]
    if place["delta"]:
        last = 0
        for i, value in enumerate(values):
            last += value >> 1 ^ -(value & 1)
            values[i] = last
    return values


def plain(value, ids, key=""):
    """Without texts that are left out; metrics by their names."""
    if isinstance(value, dict):
        return {name: plain(item, ids, name) for name, item in value.items() if name not in LEFT_OUT}
    if isinstance(value, list):
        return [plain(item, ids, key) for item in value]
    return ids[value] if METRICS.fullmatch(key) and type(value) is int and value < len(ids) else value


def lines_of(key, value):
    """A line each for the elements of lists and objects."""
    if isinstance(value, dict) and key in ("report", "summary"):
        return [line for name, item in value.items() for line in lines_of(f"{key}.{name}", item)]
    if isinstance(value, list) and value:
        return [f"{key}[{i}] {json.dumps(item, sort_keys=True)}" for i, item in enumerate(value)]
    return [f"{key} {json.dumps(value, sort_keys=True)}"]


def content(page):
    """The bundles of a page as text: members of the JSON, then columns."""
    lines, ids = [], []
    for name, text in re.findall(r'<script type="application/octet-stream" id="([^"]+)">([^<]*)</script>', page):
        data = zlib.decompress(base64.b64decode(text))
        length = int.from_bytes(data[:4], "little")
        members = json.loads(data[4:4 + length])
        columns = members.pop("columns")
        members.pop("name", None)  # the path of the report
        if "report" in members:
            ids = [metric["id"] for metric in members["report"]["metrics"]]
        lines.append(f"== {name}")
        for key, value in plain(members, ids).items():
            lines += lines_of(key, value)
        for key, place in columns.items():
            values = column(place, data[4 + length:])
            if METRICS.fullmatch(key):
                values = [ids[value] if value < len(ids) else value for value in values]
            lines.append(" ".join([key + ":", *map(str, values)]))
    return "\n".join(lines) + "\n"


def check(name, page, update):
    file = GOLDEN / f"page-{name}.txt"
    found = content(page)
    if update:
        file.write_text(found, encoding="utf-8")
        return []
    expected = file.read_text(encoding="utf-8")
    different = [f"{file.name}:{number}: {new}, not {old}" for number, (old, new) in enumerate(
        zip(expected.splitlines(), found.splitlines()), 1) if old != new]
    return different if different or found == expected else [f"{file.name}: lines are missing or added"]


def main():
    write_sample, update = sys.argv[2], "--update" in sys.argv
    failures = []
    with fermata_command.Folder() as folder:
        page = os.path.join(folder, "page.html")
        for name in REPORTS:
            report = os.path.join(folder, name + ".fer")
            subprocess.run([write_sample, name, report], check=True)
            status, _, error = fermata_command.run("view", report, "--html", page)
            assert status == 0, error
            failures += check(name, pathlib.Path(page).read_text(encoding="utf-8"), update)
        for run in RUNS:
            archive = os.path.join(folder, "archive-" + pathlib.Path(run).stem)
            fermata_command.synthesize((TESTS / run).read_text(encoding="utf-8"), archive)
            assert fermata_command.run("analyze", archive)[0] == 0
            status, _, error = fermata_command.run("view", archive, "--html", page)
            assert status == 0, error
            failures += check(pathlib.Path(run).stem, pathlib.Path(page).read_text(encoding="utf-8"), update)
    print("\n".join(failure[:600] for failure in failures[:20]))
    sys.exit(1 if failures else 0)


main()
