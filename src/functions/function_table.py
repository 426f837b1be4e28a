# SPDX-License-Identifier: BSD-3-Clause
"""Reads a table of functions (columns: mpi.tbl).

A library with hundreds of functions that differ in a type only has a line for each family of them
instead of a row for each function:

  type NAME C_TYPE        a type: its name in functions, its name in C
  family NAME TYPE...     a list of types
  argument WORD PARAMETER C_CODE : C_CODE
                          WORD stands in recipes for the first code in functions with the parameter,
                          for the second one in others
  recipe NAME C_CODE      what the generated wrapper does behind the call, with `thread`, the function's
                          parameters, and `outcome`, its result
  open NAME C_CODE        what the wrapper of the recipe NAME does in front of the call: it states what the
                          call waits for (record/paradigm/open_call.h)
  record RECIPE FAMILY PROTOTYPE [: REGION]
                          the functions of a family, one for each type: `#` stands for its name, T for
                          the C type. Text in brackets is optional: with such text there are two
                          functions for each type. `-`: a single function. RECIPE may be own or plain,
                          as in rows, or direct: the paradigm's wrappers call the function, and calls
                          of the program are not recorded. Facts are those of the first rules that
                          match the names.
                          REGION names the function in archives (the statement that it implements);
                          without it, that is its name.

  failed NAME C_CODE      the function NAME, whose body is plain, is a test that completes nothing: C_CODE
                          says, behind its call, whether it has failed

  also PREFIX NAME...     the section's functions NAME are those of the section PREFIX above under other
                          names: each has the row of PREFIX and NAME, but for the prefix
"""
import fnmatch
import re
import sys
from typing import NamedTuple

ROW = re.compile(r"(own|plain|none|rule)\s+(progressing|local|-)\s+([\w-]+)\s+([\w-]+)\s+([\w-]+)\s+"
                 r"([\w,-]+)\s+(\S.*)$")
PROTOTYPE = re.compile(r"(\w[\w ]*?\s*\*?)\s*\b(\w+)\((.*)\)$")
PREFIX = re.compile(r'prefix "(.+)"$')


CALLS = re.compile(r"paradigm\s+(profiling|next|system)\s+(\S+)$")
LIBRARY = re.compile(r"library\s+(\S+)\s+(\S+)\s+(\S.*)$")
ENDING = re.compile(r"ending\s+(certain|possible)\s+(\w+)$")
WATCHED = re.compile(r"watched\s+(\w+)$")
TYPE = re.compile(r"type\s+(\w+)\s+(\S.*)$")
FAMILY = re.compile(r"family\s+(\w+)\s+(\S.*)$")
ARGUMENT = re.compile(r"argument\s+(\w+)\s+(\w+)\s+(\S.*?)\s+:\s+(\S.*)$")
RECIPE = re.compile(r"recipe\s+(\w+)\s+(\S.*)$")
OPEN = re.compile(r"open\s+(\w+)\s+(\S.*)$")
RECORD = re.compile(r"record\s+(\w+)\s+(\w+|-)\s+(\S.*?)(?:\s+:\s+(\S.*))?$")
FAILED = re.compile(r"failed\s+(\w+)\s+(\S.*)$")
ALSO = re.compile(r"also\s+(\S+)\s+(\S.*)$")
LINKED = "linked"
LINKABLE = "linkable"
OPTIONAL_ROWS = "optional"
BODIES = ("own", "plain", "direct")
OPTIONAL = re.compile(r"\[([^\]]*)\]")


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
    recipe: str = ""  # C code behind the call; body is "recipe"
    opening: str = ""  # C code in front of it; "": none
    by_rules: bool = False  # the rules state its facts
    region: str = ""  # its name in archives; "": its own
    optional: bool = False  # some libraries of the paradigm lack it

    @property
    def is_recorded(self):
        """Whether it has a number; calls of direct functions are not recorded"""
        return self.body in ("own", "plain", "recipe", "direct")


class Table:
    """A table: its rows; calls, header, libraries (soname, wrappers, title), endings (name, certain),
    whether tests have failed (failed: C code by name) and whether programs contain its library (linked),
    or may contain it (linkable), for the recorder."""

    def __init__(self, path):
        self.rows, self.calls, self.header, self.libraries, self.endings = [], None, None, [], []
        self.watched = []
        self.types, self.families, self.arguments, self.recipes = {}, {}, [], {}
        self.failed, self.openings = {}, {}
        self.prefix, self.linked, self.linkable, self.optional = None, False, False, False
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
        elif match := WATCHED.match(line):
            self.watched.append(match.group(1))
        elif line == LINKED:
            self.linked = True
        elif line == LINKABLE:
            self.linkable = True
        elif line == OPTIONAL_ROWS:
            self.optional = True
        elif match := ROW.match(line):
            return self.take_row(*match.groups())
        elif match := FAILED.match(line):
            self.failed[match.group(1)] = match.group(2)
        elif match := RECORD.match(line):
            return self.take_record(*match.groups())
        elif match := TYPE.match(line):
            self.types[match.group(1)] = match.group(2)
        elif match := FAMILY.match(line):
            self.families[match.group(1)] = match.group(2).split()
        elif match := ARGUMENT.match(line):
            self.arguments.append(match.groups())
        elif match := RECIPE.match(line):
            self.recipes[match.group(1)] = match.group(2)
        elif match := OPEN.match(line):
            self.openings[match.group(1)] = match.group(2)
        elif match := ALSO.match(line):
            return self.take_also(match.group(1), match.group(2).split())
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
                             result.strip(), name, parameters, optional=self.optional))
        return None

    def take_also(self, prefix, names):
        if self.prefix is None:
            return "a prefix must stand above the functions"
        rows = {row.name: row for row in self.rows if row.prefix == prefix and row.body != "rule"}
        for name in names:
            if prefix + name not in rows:
                return f"no row of {prefix + name} above"
            self.rows.append(rows[prefix + name]._replace(
                prefix=self.prefix, name=self.prefix + name, optional=self.optional))
        return None

    def take_record(self, recipe, family, prototype, region):
        if self.prefix is None:
            return "a prefix must stand above the functions"
        if recipe not in BODIES and recipe not in self.recipes:
            return f"no recipe {recipe}"
        if family != "-" and family not in self.families:
            return f"no family {family}"
        variants = [OPTIONAL.sub("", prototype).replace("()", "(void)"), OPTIONAL.sub(r"\1", prototype)]
        for variant in dict.fromkeys(variants):
            for name in ["-"] if family == "-" else self.families[family]:
                if name != "-" and name not in self.types:
                    return f"no type {name}"
                if reason := self.take_function(recipe, variant, name, region or ""):
                    return reason
        return None

    def take_function(self, recipe, prototype, type_name, region):
        c_type = self.types.get(type_name, "void")
        match = PROTOTYPE.match(re.sub(r"\bT\b", c_type, prototype.replace("#", type_name)))
        if match is None or not match.group(2).startswith(self.prefix):
            return "not the prototype of a function with the prefix"
        result, name, parameters = match.groups()
        body, code = (recipe, "") if recipe in BODIES else ("recipe", self.recipes[recipe])
        code, opening = (self.expand(text, parameters, c_type)
                         for text in (code, self.openings.get(recipe, "")))
        self.rows.append(Row(self.prefix, body, "-", "-", "-", "-", "-", result.strip(), name,
                             parameters, code, opening, True, region))
        return None

    def expand(self, code, parameters, c_type):
        """@return the C code of a recipe for a function with these parameters"""
        for word, parameter, there, elsewhere in self.arguments:
            has_it = re.search(rf"\b{parameter}(,|$)", parameters)
            code = re.sub(rf"\b{word}\b", there if has_it else elsewhere, code)
        return re.sub(r"\bT\b", c_type, code)

    def role(self, row):
        """@return the role of a row, from the first rule that states it if the rules decide"""
        if not row.by_rules:
            return row.role
        return next(rule.role for rule in self.rows
                    if rule.body == "rule" and rule.prefix == row.prefix and rule.role != "-"
                    and fnmatch.fnmatchcase(row.name, rule.name))

    def is_local(self, row):
        """@return whether a row, or the first rule that states it if the rules decide, is local"""
        if not row.by_rules:
            return row.progress == "local"
        return "local" == next((rule.progress for rule in self.rows
                                if rule.body == "rule" and rule.prefix == row.prefix
                                and rule.progress != "-"
                                and fnmatch.fnmatchcase(row.name, rule.name)), "-")

    @property
    def prefixes(self):
        """The prefixes of the sections, in their order"""
        return list(dict.fromkeys(row.prefix for row in self.rows))

    @property
    def recorded(self):
        """The recorded functions; a function's position is its number."""
        return [row for row in self.rows if row.is_recorded]


def read(path):
    """@return the rows of a table that state facts, in their order. Ends the program at a line that is
    none."""
    return [row for row in Table(path).rows if not row.by_rules]
