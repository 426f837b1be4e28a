# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of docs/ and README.md quote of fermata's output has the form of today's output: headings, labels,
their order and their words, not numbers. What today's output is follows from the golden texts of golden/, which
other tests compare with what the command prints, from comparisons of the reports that write_sample writes, and from
the words in the sources of the texts.

usage: page_forms.py FERMATA WRITE_SAMPLE PROJECT
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

fermata, write_sample = map(os.path.abspath, sys.argv[1:3])
project = pathlib.Path(sys.argv[3])
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
# Texts of other forms: lines of styles, what a browser shows, other widths and character sets, data.
OTHER = re.compile(r"colours|^page-|narrow|ascii|explain-all|\.csv$|\.json$")
# Folders of src/ with the texts of reports, predictions and comparisons.
TEXTS = ("report", "diagnosis", "cube", "view", "whatif", "imbalance", "counters", "cli", "trace", "analysis")
SKIPPED = ("[...]", "...", "(some rows left out)")
# What only output of fermata has.
QUOTED = re.compile(r"^(?:\$ fermata (?:report|diff|whatif|run|analyze|counters (?:show|sites))\b"
                    r"| {2}\d+\. .*\b(?:time|wait|waits|waited)\b"
                    r"| {2}(?:Run time|All time|CPU time|Waiting|Efficiency|Holders|Duration) +\S"
                    r"| {5}(?:Where|When|How|Waits|Why|Gain|Try|Last) +\S"
                    r"|Top problems|Critical path |System tree of|Call tree of|Phase .* iterations|Window \d)",
                    re.MULTILINE)
ITEM = re.compile(r" {2}\d+\. (.*)")
ROW = re.compile(r"^ +[-+<>±]?[\d<>]")  # of a tree or a table
TITLE = re.compile(r"(?:counter|function| +calls)  ")  # of a table of counters
LABEL = re.compile(r"( {2}| {5})([A-Z±][A-Za-z -]*?) {2,}(?=\S)")
PLACES = re.compile(r"(?:\w+ )?(?:rank|PE|image|process|thread) \d+(?:, thread \d+)? waited ")
WORD = re.compile(r"[a-z]+|CPU|@of")
# Labels that no golden text has there, since they need a recorded run, or one without problems.
RARE = {"PROGRAM": {"More", "Waiting without"}, "PROBLEM": {"Why", "Queue"}, "Why:": {"Why"}}


def heading_of(line, following):
    """@return the form of a line without indentation"""
    if following.startswith("  Run time"):
        return "PROGRAM"
    if re.search(r" \([a-z_0-9]+\)$", line):
        return "METRIC"
    line = re.sub(r"\"[^\"]*\"|`[^`]*`", "NAME", line)
    line = re.sub(r"^(Phase|Window|Why:|Only|Critical path|Metrics|Call tree|System tree|Waiting times of) .*", r"\1", line)
    line = re.sub(r" \((?:inclusive|exclusive).*", "", line)
    return re.sub(r"[\d.,]+", "N", line).strip()


class Section:
    """A heading or an item of a list, and (indentation, label, column of the text) below it."""

    def __init__(self, name):
        self.name, self.labels = name, []


def item_of(lines, number):
    """@return the first lines of an item of a list, as one"""
    found = [ITEM.match(lines[number]).group(1)]
    for line in lines[number + 1:]:
        if not re.match(r" {5}\S", line) or LABEL.match(line):
            break
        found.append(line.strip())
    return " ".join(found)


def kind_of(item):
    """@return which list an item belongs to"""
    return "CHAIN" if PLACES.match(item) else "SYMPTOM" if "lost waiting" in item else "PROBLEM"


def labels_of(line, section, columns):
    """@return [(indentation, label, column of the text)] of the label that a line begins with, [] if it has none. A
    label has two spaces behind it, or fills the space before one of the known columns, by section and indentation"""
    found = LABEL.match(line)
    if found and re.fullmatch("[A-Z]", found.group(2)):
        return []  # an experiment of a comparison
    if found:
        return [(len(found.group(1)), found.group(2), found.end())]
    for indentation in (2, 5):
        for column in columns[section, indentation] if columns else ():
            found = re.fullmatch(r" {%d}([A-Z±][A-Za-z -]*[a-z]) " % indentation, line[:column])
            if found and line[column:column + 1].strip():
                return [(indentation, found.group(1), column)]
    return []


def sections_of(text, columns):
    """@return the sections of an output, in order; lines of trees, tables and sentences are left out. columns: as
    of labels_of(), None: not known"""
    lines = text.splitlines()
    sections = [Section("")]
    for number, line in enumerate(lines):
        if not line.strip() or line.strip() in SKIPPED or re.match(r"(\$ )?fermata ", line):
            continue
        if not line.startswith(" "):
            following = lines[number + 1] if number + 1 < len(lines) else ""
            sections.append(Section(heading_of(line, following)))
        elif ITEM.match(line):
            sections.append(Section(kind_of(item_of(lines, number))))
        elif not ROW.match(line):
            sections[-1].labels += labels_of(line, sections[-1].name, columns)
    return sections


class Today:
    """What today's output has: headings, and the labels of each; before: (a, b) if a stands before b; pairs: of
    words that follow each other; ends: words behind or before which a text is inserted."""

    def __init__(self):
        self.labels, self.columns = collections.defaultdict(set, RARE), collections.defaultdict(set)
        self.before, self.headings_before = collections.defaultdict(set), set()
        self.metrics, self.possible = set(), set()  # names of metrics; labels that may be in a report
        self.literals, self.pairs, self.last, self.first = set(), set(), set(), set()

    def learn_words(self, text, inserted=False):
        text = re.sub(r"%[%s]? of\b", " @of", text)
        for part in re.split(r"%[-+0-9.*]*(?:l|ll|z|j)?[a-zA-Z]|[,.:;(){}`]", text):
            words = part.split()
            self.pairs.update(zip(words, words[1:]))
            if words and inserted:
                self.first.add(words[0])
                self.last.add(words[-1])

    def learn_source(self, text, is_report):
        for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*', text):
            literal = re.sub(r'"\s*(PRI\w+)?\s*"', "", found.group(0))[1:-1]
            self.literals.add(literal.replace("\\n", "").replace('\\"', '"').strip())
            if is_report:
                self.possible.add(literal.strip())
            self.learn_words(literal.replace("\\n", " "), True)

    def learn(self, output):
        for section in sections_of(output, None):
            for indentation, _, column in section.labels:
                self.columns[section.name, indentation].add(column)
        sections = sections_of(output, self.columns)
        names = [section.name for section in sections]
        self.headings_before.update((a, b) for i, a in enumerate(names) for b in names[i + 1:])
        for section in sections:
            labels = [label for _, label, _ in section.labels]
            self.labels[section.name].update(labels)
            self.before[section.name].update((a, b) for i, a in enumerate(labels) for b in labels[i + 1:])
        self.learn_words(" ".join(output.split()))


def faults_of_order(names, before):
    """@return the first two that today's output has in the other order only, None: there are none"""
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            if (a, b) not in before and (b, a) in before:
                return f"{b} stands before {a} today"
    return None


def words_of(lines):
    """@return [(word, word)] that follow each other in sentences of an output: no names, numbers, paths"""
    text = " ".join(re.sub(r"\s+", " ", line) for line in lines
                    if not line.startswith("$ ") and line.strip() not in SKIPPED)
    text = re.sub(r"`[^`]*`|\"[^\"]*\"|!\$omp [a-z ]+|fermata [a-z]+ \S+|\bwindow \w+", " 0 ", text)
    words = re.sub(r"% of\b", " @of", text).split()
    pairs = ((a, re.sub(r"[,.:;)]$", "", b)) for a, b in zip(words, words[1:]))
    return [pair for pair in pairs if all(map(WORD.fullmatch, pair))]


def faults_of(quote, today):
    """@return what a quoted output has that today's has not"""
    found = []
    if quote.startswith("$ fermata counters"):
        return [f"no column {column!r}" for line in quote.splitlines()[1:] if TITLE.match(line)
                for column in re.split(r" {2,}", line.strip())
                if not any(column in literal for literal in today.literals)]
    sections = [] if quote.startswith("$ fermata whatif") else sections_of(quote, today.columns)
    elsewhere = set().union(*today.labels.values())
    for section in sections:
        if section.name not in today.labels and not any(
                literal.startswith(re.split(r"\bN(?:AME)?\b", section.name)[0] or "\0") for literal in today.literals):
            found.append(f"no heading {section.name!r}")
        for _, label, _ in section.labels:
            known = elsewhere if section.name == "" else today.labels[section.name]
            if section.name.startswith("Properties"):
                known = known | today.metrics
            if label not in known and (label in elsewhere or label not in today.possible):
                found.append(f"no {label!r} under {section.name or 'the beginning'}")
        labels = [label for _, label, _ in section.labels]
        found.append(faults_of_order(labels, today.before[section.name]))
    names = [section.name for section in sections]
    found.append(faults_of_order(names, today.headings_before))
    for a, b in words_of(quote.splitlines()):
        if (a, b) not in today.pairs and (a == "@of" or a not in today.last or b not in today.first):
            found.append(f"nothing says {a + ' ' + b!r}")
    return [fault for fault in found if fault]


def quotes_of(page):
    """@return [(line, text)] of the quoted outputs of a page"""
    found = []
    for block in re.finditer(r"^ *```.*\n((?:.*\n)*?) *```\n", page, re.MULTILINE):
        line = page[:block.start(1)].count("\n") + 1
        for part in re.split(r"^(?=\$ )", block.group(1), flags=re.MULTILINE):
            if QUOTED.search(part):
                found.append((line, part))
            line += part.count("\n")
    return found


def learn():
    """@return what today's output has"""
    today = Today()
    for folder in TEXTS:
        for path in (project / "src" / folder).rglob("*.*"):
            if path.suffix not in (".c", ".h", ".def"):
                continue
            today.learn_source(path.read_text(encoding="utf-8"), folder in ("report", "diagnosis"))
    metrics = (project / "docs" / "metrics.md").read_text(encoding="utf-8")
    today.learn_words(metrics)
    today.metrics = set(re.findall(r"^ *[a-z_0-9]+ {2,}(\S.*)$", metrics, re.MULTILINE))
    for path in sorted(GOLDEN.glob("*.txt")):
        if not OTHER.search(path.name):
            today.learn(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("sample", "causes", "problems"):
            os.mkdir(f"{folder}/{kind}")
            subprocess.run([write_sample, kind, f"{folder}/{kind}/report.fer"], check=True)
        today.learn(subprocess.run([fermata, "diff", "sample", "causes", "problems"], cwd=folder, capture_output=True,
                                   text=True, check=True, env={"LC_ALL": "C.UTF-8", "COLUMNS": "80"},
                                   timeout=60).stdout)
    return today


# Outputs of earlier versions, which must not pass.
EARLIER = [
    """\
  1. 44.5% of CPU time (11.73 s) is lost waiting in MPI_Barrier (Wait at
     Barrier) on ranks 0-2 and 4-6.
     Where   ocean-cg/solve/iteration/update_halo/MPI_Barrier
""", """\
  1. 44.5% of all time (11.73 s) is lost waiting in MPI_Barrier (Wait at
     Barrier) on ranks 0-2 and 4-6.
     Where   ocean-cg/solve/iteration/update_halo/MPI_Barrier
     Gain    1.445 s (43.6%).
""", """\
  1. `bar` on rank 0 makes others wait 2.000 s: 13.2% of all time.
     Waits   Late Sender in MPI_Recv on rank 1 (1.200 s)
     How     it takes 2.000 s there; it was not seen on the other ranks
""", """\
ocean-cg
  Run time        3.313 s on 8 ranks, 1 node
  CPU time        26.37 s on 8 threads, 9,536 events
""", """\
Critical path (what the run time is made of)
    2.566 s  78.0%  main
Top problems
"""]


def main():
    today = learn()
    for quote in EARLIER:
        assert QUOTED.search(quote) and faults_of(quote, today), f"passes: {quote}"
    count = 0
    failures = []
    for page in sorted([project / "README.md", *(project / "docs").rglob("*.md")]):
        for line, quote in quotes_of(page.read_text(encoding="utf-8")):
            count += 1
            failures += [f"{page.relative_to(project)}:{line}: {fault}" for fault in faults_of(quote, today)]
    for failure in failures:
        print(failure)
    if failures:
        print("scripts/case-study --update STUDY prints the outputs of its page anew; others need their program.")
    print(f"{count} quoted outputs, {len(failures)} differences from today's form")
    sys.exit(bool(failures) or count < 20)


main()
