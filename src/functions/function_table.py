"""Reads a table of functions (columns: mpi.tbl)."""
import re
import sys
from typing import NamedTuple

ROW = re.compile(r"(own|plain|none|rule)\s+(progressing|local|-)\s+([\w/-]+)\s+([\w-]+)\s+([\w-]+)\s+"
                 r"([\w,-]+)\s+(\S.*)$")
PROTOTYPE = re.compile(r"(\w[\w ]*?)\s+(\w+)\((.*)\)$")
PREFIX = re.compile(r'prefix "(.+)"$')


class Row(NamedTuple):
    """One row; the columns as they are written, the role split at its slash."""
    prefix: str  # that of the section
    body: str
    role: str
    scenario_role: str
    call: str
    metric: str
    facts: str
    result: str  # the return type; "" without a prototype
    name: str
    parameters: str

    @property
    def is_recorded(self):
        return self.body in ("own", "plain")


def read(path):
    """@return the rows of a table in their order. Ends the program at a line that is none."""
    rows, prefix = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if match := PREFIX.match(line):
            prefix = match.group(1)
            continue
        match = ROW.match(line)
        if not match or prefix is None:
            sys.exit(f"{path}:{number}: not a row of a table of functions: {line}")
        body, _, roles, call, metric, facts, function = match.groups()
        role, _, scenario_role = roles.partition("/")
        prototype = PROTOTYPE.match(function) if body in ("own", "plain") else None
        if prototype is None and body in ("own", "plain"):
            sys.exit(f"{path}:{number}: a recorded function needs its prototype: {line}")
        result, name, parameters = prototype.groups() if prototype else ("", function, "")
        if not name.startswith(prefix):
            sys.exit(f"{path}:{number}: {name} does not begin with {prefix}")
        rows.append(Row(prefix, body, role, scenario_role or role, call, metric, facts, result, name,
                        parameters))
    return rows
