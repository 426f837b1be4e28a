# SPDX-License-Identifier: BSD-3-Clause
"""Which mutations a C file has, and how one is planted and taken back."""
import contextlib
import dataclasses
import pathlib
import random
import re

from c_source import Source

KINDS = ("delete", "negate", "off-by-one")

# No test can see these: what is freed too late or never, messages, what cannot happen, and hints.
UNSEEN = re.compile(r"(\w+_)?(free|destroy|decref|assert|prefetch\w*)\s*\(|(close|munmap|madvise|abort|perror)\s*\("
                    r"|\(void\)|static_assert|_Static_assert|__builtin_\w+\s*\(")
# Calls whose arguments are of messages.
MESSAGES = re.compile(r"\b(fm_fail|fm_cube_warn\w*|perror|strerror|fm_\w*(warn|message|complain|report_failure)\w*)\s*\("
                      r"|\bfv?printf\s*\(\s*stderr|\berror->message")
TYPE = r"(?:(?:static|const|volatile|register|struct|union|enum|unsigned|signed|long|short|extern|_Atomic)\s+)*"
DECLARATION = re.compile(TYPE + r"[A-Za-z_]\w*(?:\s+|\s*\*+\s*(?:const\s+|restrict\s+)?)\**[A-Za-z_]\w*\s*(?:[=;\[,(]|$)"
                         r"|(?:static|const|struct|union|enum|FM_VECTOR|typedef|extern|_Static_assert)\b")
NO_DECLARATION = re.compile(r"(?:return|goto|else|sizeof|case|break|continue)\b")
NUMBER = re.compile(r"(?<![\w.])(\d+)([uUlL]*)(?![\w.])")
COMPARISON = re.compile(r"(?<![<>=!\-])([<>])(=?)(?![<>=])")
SIGNS = re.compile(r"\? -?1 : -?1\b")  # of a comparison for sorting, where only the sign matters
LOGIC = re.compile(r"&&|\|\||[=!]=|(?<![<>\-])[<>](?![<>])")


@dataclasses.dataclass(frozen=True)
class Mutation:
    """A replacement of bytes of a file."""
    file: str  # relative to the root of the tree
    line: int
    kind: str
    begin: int
    end: int
    new: str
    before: str  # the changed line, without its indentation
    after: str

    def apply(self, text):
        return text[:self.begin] + self.new + text[self.end:]

    @property
    def change(self):
        return f"{self.before} -> {self.after}"


def is_declaration(code):
    return NO_DECLARATION.match(code) is None and DECLARATION.match(code) is not None


def _line(text, position):
    begin = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[begin:end if end >= 0 else len(text)].strip()


class _Finder:
    def __init__(self, file, text):
        self.file = file
        self.source = Source(text)
        self.found = []

    def add(self, kind, begin, end, new):
        text = self.source.text
        after = text[:begin] + new + text[end:]
        changed = _line(after, begin)
        if kind == "delete":
            changed = "(deleted)" if changed == ";" else changed
        self.found.append(Mutation(self.file, self.source.line_of(begin), kind, begin, end, new,
                                   _line(text, begin), changed))

    def delete(self, statement, code):
        # Without its last return a function has no value, which the compiler refuses.
        if statement.head or is_declaration(code) or statement.is_last and code.startswith("return"):
            return
        newlines = self.source.text.count("\n", statement.begin, statement.end)
        self.add("delete", statement.begin, statement.end, ";" + "\n" * newlines)

    def negate(self, statement, code):
        begin, end = statement.begin, statement.end
        if statement.head in ("if", "while"):
            begin += code.index("(") + 1
            end -= 1
        elif statement.head == "for":
            parts = [match.start() for match in re.finditer(";", code)]
            if len(parts) != 2:
                return
            begin, end = begin + parts[0] + 1, begin + parts[1]
        elif code.startswith("return") and LOGIC.search(code) and "?" not in code and "{" not in code:
            begin += len("return")
            end -= 1
        else:
            return
        condition = self.source.text[begin:end]
        if condition.strip():
            space = condition[:len(condition) - len(condition.lstrip())]
            self.add("negate", begin, end, f"{space}!({condition.strip()})")

    def off_by_one(self, statement, code):
        start = 0
        if is_declaration(code):
            start = code.find("=")
            if start < 0 or code.startswith("static"):
                return
        for match in COMPARISON.finditer(code, start):
            new = match.group(1) + ("" if match.group(2) else "=")
            self.add("off-by-one", statement.begin + match.start(), statement.begin + match.end(), new)
        signs = [range(*match.span()) for match in SIGNS.finditer(code)]
        for match in NUMBER.finditer(code, start):
            if any(match.start() in sign for sign in signs):
                continue
            if re.search(r"\{\s*$", code[:match.start()]) and code[match.end():].lstrip().startswith("}"):
                continue  # {0}
            if match.group(1).startswith("0") and match.group(1) != "0":
                continue  # octal
            value = int(match.group(1))
            for changed in {value + 1, abs(value - 1)} - {value}:
                self.add("off-by-one", statement.begin + match.start(), statement.begin + match.end(),
                         f"{changed}{match.group(2)}")


def find(file, text):
    """All mutations of a file, in the order of its text."""
    if "generated by" in text[:400].lower():
        return []
    finder = _Finder(file, text)
    for statement in finder.source.statements:
        code = finder.source.code[statement.begin:statement.end]
        if UNSEEN.match(code):
            continue
        if not (statement.head == "" and MESSAGES.search(code)):
            finder.off_by_one(statement, code)
        elif not code.startswith("return"):
            continue  # it only writes a message
        finder.delete(statement, code)
        finder.negate(statement, code)
    return finder.found


def files(root, folders):
    """C files of these folders of src, relative to the root."""
    root = pathlib.Path(root)
    return [str(path.relative_to(root)) for folder in folders
            for path in sorted((root / "src" / folder).rglob("*.c"))]


def draw(root, folders, seed):
    """Mutations in the order of a seed: folder and kind with equal chances; of each line at most one."""
    chance = random.Random(seed)
    pools = {}
    for folder in folders:
        for file in files(root, [folder]):
            with open(pathlib.Path(root) / file, encoding="utf-8", newline="") as stream:
                text = stream.read()
            for mutation in find(file, text):
                pools.setdefault(folder, {}).setdefault(mutation.kind, []).append(mutation)
    for kinds in pools.values():
        for pool in kinds.values():
            chance.shuffle(pool)
    used = set()
    while pools:
        folder = chance.choice(sorted(pools))
        kind = chance.choice(sorted(pools[folder]))
        mutation = pools[folder][kind].pop()
        if not pools[folder][kind]:
            del pools[folder][kind]
        if not pools[folder]:
            del pools[folder]
        if (mutation.file, mutation.line) not in used:
            used.add((mutation.file, mutation.line))
            yield mutation


@contextlib.contextmanager
def planted(root, mutation):
    """Changes the file, and restores its bytes in any case."""
    path = pathlib.Path(root) / mutation.file
    original = path.read_bytes()
    try:
        path.write_bytes(mutation.apply(original.decode()).encode())
        yield
    finally:
        path.write_bytes(original)


def equivalents(path):
    """Listed mutations that change nothing: {(file, kind, change): reason}."""
    listed = {}
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split(" | ")]
        if len(fields) != 4:
            raise ValueError(f"{path}:{number}: write FILE | KIND | CHANGE | REASON")
        listed[tuple(fields[:3])] = fields[3]
    return listed
