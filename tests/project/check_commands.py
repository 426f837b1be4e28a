# SPDX-License-Identifier: BSD-3-Clause
"""The documents name commands, options and files that exist: check_commands.py FERMATA PROJECT.

Looked at are README.md and the pages of docs/: every `fermata COMMAND` in them is a command, every
option beside it stands in the command's help, every file of the project that is named exists.
"""

import glob
import os
import re
import subprocess
import sys

fermata, project = sys.argv[1:]
# Files that a run makes, not the project.
MADE = {"docs/performance.md"}


def text_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout + done.stderr


commands = re.findall(r"^  ([a-z-]+) ", text_of([fermata]), re.MULTILINE)
helps = {command: text_of([fermata, command, "--help"]) for command in commands}
failures = []
pages = [os.path.join(project, "README.md"),
         *glob.glob(os.path.join(project, "docs", "**", "*.md"), recursive=True)]
for page in pages:
    name = os.path.relpath(page, project)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    quoted = re.findall(r"`([^`\n]+)`", text) + re.findall(r"^```\n(.*?)^```", text,
                                                            re.MULTILINE | re.DOTALL)
    for code in quoted:
        for line in code.splitlines():
            call = re.match(r"^\$? ?(?:mpirun [^`]* )?fermata ([a-z][a-z-]*)([^|]*)", line)
            if call is None:
                continue
            command, rest = call.group(1), re.split(r"\s--\s|  ", call.group(2))[0]
            if command not in helps:
                failures.append(f"{name}: there is no command {command}: {line}")
                continue
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest):
                if option not in helps[command]:
                    failures.append(f"{name}: fermata {command} has no option {option}")
    for path in re.findall(r"(?<![\w/.-])((?:docs|src|scripts|tests|workloads|bench)/[\w./-]*\w)",
                           text):
        if not os.path.exists(os.path.join(project, path)) and path not in MADE:
            failures.append(f"{name}: there is no {path}")
for failure in failures:
    print(failure)
sys.exit(bool(failures))
