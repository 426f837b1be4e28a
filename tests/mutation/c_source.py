# SPDX-License-Identifier: BSD-3-Clause
"""What a C file consists of, as far as mutations need it: statements in bodies of functions, and
conditions. No parser of C: it relies on the project's style."""
import dataclasses
import re

CONTROL = {"if", "for", "while", "switch"}
WORD = re.compile(r"[A-Za-z_]\w*")


def masked(text):
    """The text with spaces in the place of comments, literals of text and preprocessor lines: all
    positions stay."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                         r'|^[ \t]*#(?:\\\n|[^\n])*', re.DOTALL | re.MULTILINE)

    def blank(match):
        found = match.group()
        # Literals stay something, so that a call with a text as argument still has one.
        fill = "_" if found[0] in "\"'" else " "
        return "".join("\n" if c == "\n" else fill for c in found)
    return pattern.sub(blank, text)


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement, or the head of a controlled one: `if (...)`, `for (...)`, ..."""
    begin: int
    end: int  # behind its semicolon, or behind the parenthesis of a head
    head: str  # "if", "for", "while", "switch"; "": a simple statement
    depth: int  # number of blocks around it; 1: the body of the function
    is_last: bool  # nothing follows it in its block


class Source:
    """Statements of a file. text: as it is; code: without comments and texts."""

    def __init__(self, text):
        self.text = text
        self.code = masked(text)
        self.statements = []
        self._pairs = self._matching()
        self._scan()

    def line_of(self, position):
        return self.text.count("\n", 0, position) + 1

    def close_of(self, position):
        """The position of the parenthesis or brace that closes the one at `position`."""
        return self._pairs.get(position, len(self.code) - 1)

    def _matching(self):
        pairs, stack = {}, []
        for match in re.finditer(r"[(){}\[\]]", self.code):
            if match.group() in "({[":
                stack.append(match.start())
            elif stack:
                pairs[stack.pop()] = match.start()
        return pairs

    def _skip_space(self, position):
        while position < len(self.code) and self.code[position].isspace():
            position += 1
        return position

    def _scan(self):
        """Finds bodies of functions: a brace behind a parenthesis, at the outermost level."""
        position = 0
        while (position := self.code.find("{", position)) >= 0:
            end = self.close_of(position)
            if self.code[:position].rstrip().endswith(")"):
                self._scan_block(position + 1, end, 1)
            position = end + 1

    def _scan_block(self, begin, end, depth):
        position = self._skip_space(begin)
        while position < end:
            position = self._skip_space(self._scan_statement(position, end, depth))

    def _scan_statement(self, position, block_end, depth):
        """Takes one statement in; returns the position behind it."""
        if self.code[position] == "{":
            close = self.close_of(position)
            self._scan_block(position + 1, close, depth + 1)
            return close + 1
        word = WORD.match(self.code, position)
        name = word.group() if word else ""
        after = self._skip_space(word.end()) if word else position
        if name in ("else", "do"):
            return self._skip_space(after)
        if name in ("case", "default"):
            colon = re.compile(r"[^?:]*:").match(self.code, position)
            return colon.end() if colon else block_end
        is_loop_macro = self._begins_loop_macro(name, after)
        if (name in CONTROL or is_loop_macro) and self.code[after:after + 1] == "(":
            close = self.close_of(after) + 1
            if not is_loop_macro:
                self._add(position, close, name, depth, block_end)
            following = self._skip_space(close)
            return following + 1 if self.code[following:following + 1] == ";" else close
        if re.compile(r"[a-z_]\w*:(?!:)").match(self.code, position):  # a label
            return self.code.index(":", position) + 1
        end = self._end_of_simple(position, block_end)
        if end > position + 1:
            self._add(position, end, "", depth, block_end)
        return max(end, position + 1)

    def _begins_loop_macro(self, name, after):
        """Whether a block follows what looks like a call: `json_array_foreach (...) {`."""
        if not name or name == "return" or name in CONTROL or self.code[after:after + 1] != "(":
            return False
        following = self._skip_space(self.close_of(after) + 1)
        return self.code[following:following + 1] == "{"

    def _end_of_simple(self, position, block_end):
        while position < block_end:
            if self.code[position] in "({[":
                position = self.close_of(position)
            elif self.code[position] == ";":
                return position + 1
            position += 1
        return block_end

    def _add(self, begin, end, head, depth, block_end):
        is_last = self._skip_space(end) >= block_end
        self.statements.append(Statement(begin, end, head, depth, is_last))
