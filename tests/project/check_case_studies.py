# SPDX-License-Identifier: BSD-3-Clause
"""scripts/case-study and its pages agree: every page quotes outputs of runs that its study records, with the command
that the mark names; the choice of paragraphs is tried on a text.

usage: check_case_studies.py PROJECT
"""

import importlib.machinery
import importlib.util
import pathlib
import re
import shlex
import sys

sys.dont_write_bytecode = True
project = pathlib.Path(sys.argv[1]).resolve()
loader = importlib.machinery.SourceFileLoader("case_study", str(project / "scripts" / "case-study"))
case_study = importlib.util.module_from_spec(importlib.util.spec_from_loader("case_study", loader))
loader.exec_module(case_study)

TEXT = """\
sor
  Run time        2.000 s

Top problems

  1. One
     How     so
     Try     this

  2. Two

Critical path (of what)
    1.000 s  main
    2.000 s  Late Sender
"""


def check_choice():
    for choice, expected in [
        ("Top problems; 1.", "[...]\nTop problems\n\n  1. One\n     How     so\n     Try     this\n[...]\n"),
        ("sor; 1.:1", "sor\n  Run time        2.000 s\n[...]\n  1. One\n[...]\n"),
        ("Critical/Late|Early/", "[...]\nCritical path (of what)\n    2.000 s  Late Sender\n[...]\n"),
        ("2.; Critical path", "[...]\n  2. Two\n\nCritical path (of what)\n    1.000 s  main\n    2.000 s  Late Sender\n"),
    ]:
        found = case_study.chosen(TEXT, choice)
        assert found == expected, f"{choice}:\n{found}"
    try:
        case_study.chosen(TEXT, "sor; 3.")
    except case_study.Failed as failure:
        assert "begins with  3." in str(failure), failure
    else:
        raise AssertionError("a paragraph that is missing is not reported")


def faults_of(study):
    """@return what is wrong with the page of a study"""
    name, runs = case_study.STUDIES[study]
    page = (case_study.PAGES / name).read_text(encoding="utf-8")
    found = []
    marks = case_study.OUTPUT.findall(page)
    if len(marks) != page.count("<!-- output ") or not marks:
        found.append(f"{page.count('<!-- output ')} marks, {len(marks)} of them before a block")
    if f"scripts/case-study {study}" not in page:
        found.append(f"does not name scripts/case-study {study}")
    for library, what, text in marks:
        command = what.partition(" | ")[0]
        recorded = {run.name for run in runs if run.only in (None, library)}
        if library not in case_study.LIBRARIES:
            found.append(f"no library {library}")
        named = [word for word in shlex.split(command)[1:] if re.fullmatch(r"[a-z][a-z0-9-]*", word)]
        if not any(word in recorded for word in named):
            found.append(f"fermata {command}: no run of {library}")
        if not text.startswith(f"$ fermata {command}\n"):
            found.append(f"the block of fermata {command} has another command")
    return [f"{name}: {fault}" for fault in found]


def main():
    check_choice()
    failures = [fault for study in case_study.STUDIES for fault in faults_of(study)]
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


main()
