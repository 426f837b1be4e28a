"""Reads a table of functions (columns: mpi.tbl)."""
import re
import sys
from typing import NamedTuple

ROW = re.compile(r"(own|plain|none|rule)\s+(progressing|local|-)\s+([\w-]+)\s+([\w-]+)\s+([\w-]+)\s+"
                 r"([\w,-]+)\s+(\S.*)$")
PROTOTYPE = re.compile(r"(\w[\w ]*?\s*\*?)\s*\b(\w+)\((.*)\)$")
PREFIX = re.compile(r'prefix "(.+)"$')


CALLS = re.compile(r"paradigm\s+(profiling|next)\s+(\S+)$")
LIBRARY = re.compile(r"library\s+(\S+)\s+(\S+)\s+(\S.*)$")
ENDING = re.compile(r"ending\s+(certain|possible)\s+(\w+)$")


class Row(NamedTuple):
    """One row; the columns as they are written."""
    prefix: str  # that of the section
    body: str
    progress: str  # progressing, local or -
    role: str
    call: str
    metric: str
    facts: str
    result: str  # the return type; "" without a prototype
    name: str
    parameters: str

    @property
    def is_recorded(self):
        return self.body in ("own", "plain")


class Table:
    """A table: its rows; calls, header, libraries (soname, wrappers, title) and endings (name, certain)
    for the recorder."""

    def __init__(self, path):
        self.rows, self.calls, self.header, self.libraries, self.endings = [], None, None, [], []
        self.prefix = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line and not line.startswith("#"):
                reason = self.take(line)
                if reason:
                    sys.exit(f"{path}:{number}: {reason}: {line}")

    def take(self, line):
        """Takes a line. @return what is wrong with it, or None"""
        if match := PREFIX.match(line):
            self.prefix = match.group(1)
        elif match := CALLS.match(line):
            self.calls, self.header = match.groups()
        elif match := LIBRARY.match(line):
            self.libraries.append(match.groups())
        elif match := ENDING.match(line):
            self.endings.append((match.group(2), match.group(1) == "certain"))
        elif match := ROW.match(line):
            return self.take_row(*match.groups())
        else:
            return "not a line of a table of functions"
        return None

    def take_row(self, body, progress, role, call, metric, facts, function):
        if self.prefix is None:
            return "a prefix must stand above the rows"
        prototype = PROTOTYPE.match(function) if body in ("own", "plain") else None
        if prototype is None and body in ("own", "plain"):
            return "a recorded function needs its prototype"
        result, name, parameters = prototype.groups() if prototype else ("", function, "")
        if not name.startswith(self.prefix):
            return f"{name} does not begin with {self.prefix}"
        self.rows.append(Row(self.prefix, body, progress, role, call, metric, facts,
                             result.strip(), name, parameters))
        return None

    @property
    def recorded(self):
        """The recorded functions; a function's position is its number."""
        return [row for row in self.rows if row.is_recorded]


def read(path):
    """@return the rows of a table in their order. Ends the program at a line that is none."""
    return Table(path).rows
