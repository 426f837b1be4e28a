# SPDX-License-Identifier: BSD-3-Clause
"""The viewer: P11. CPU time on the page's main thread, and of the server."""

import json
import os
import shutil

from .measure import Figure, ProgramFailed, median, run

WEB = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "web")


def _times(programs, *arguments):
    sample = run(["node", programs.sources / "viewer_times.mjs", WEB, *arguments])
    return json.loads(sample.output.strip().splitlines()[-1])


def _page(programs, folder, repeats):
    report, page = folder / "large.fer", folder / "large.html"
    run([programs.bench.parent / "bin" / "write_reports", "large", report])
    run([programs.fermata, "view", report, "--html", page])
    return Figure("P11", "page of 10^6 severities: CPU time until it is ready",
                  [_times(programs, page)["page"] for _ in range(repeats)], 1, unit="s")


def viewer(programs, folder, options):
    """P11: a page of 10^6 severities, and the timeline of a long run from a server."""
    if shutil.which("node") is None or not os.path.isdir(os.path.join(WEB, "node_modules")):
        raise ProgramFailed("needs node and the packages of web/ (scripts/install-web)")
    folder = folder / "viewer"
    folder.mkdir(exist_ok=True)
    yield _page(programs, folder, options.repeats)
    archive = folder / "trace"
    events = options.viewer_events
    if not archive.exists():
        run([programs.synthesize, "--ranks", str(options.viewer_ranks), "--variant", "gats",
             "--events", str(events), archive])
        run([programs.fermata, "analyze", "-q", archive])
    runs = [_times(programs, programs.fermata, archive) for _ in range(options.repeats)]
    scale = f"{events:.0e} events of {options.viewer_ranks} ranks"
    sides = (("page", "page", 0.2), ("process", "all threads of the page", None),
             ("server", "server", 0.2))
    for part, name in (("first", "first picture"), ("grouped", "groups of similar ranks")):
        for side, whose, bar in sides:
            yield Figure("P11", f"{scale}, {name}: CPU time, {whose}",
                         [r[part][side] for r in runs], bar if part == "first" else None, unit="s")
    for side, whose, bar in sides:
        steps = [[step[side] for step in r["steps"]] for r in runs]
        for kind, value, limit in (("longest", max, bar), ("median", median, None)):
            yield Figure("P11", f"{scale}, {kind} of {len(steps[0])} zoom steps: CPU time, {whose}",
                         [value(s) for s in steps], limit, unit="s")
    shutil.rmtree(folder)
