# SPDX-License-Identifier: BSD-3-Clause
"""The formats that compare_builds compares: what in them may differ, and where two of them differ.

Contents are compared as they are first; only where they differ, they are decoded to lines of text.
"""

import base64
import io
import itertools
import json
import re
import struct
import subprocess
import tarfile
import zlib

ARCHIVE_SUFFIXES = {".otf2", ".def", ".evt", ".marker"}

# The anchor of an OTF2 archive (3.0, no snapshots, no thumbnails) ends with 8 bytes of a random
# trace identifier and 11 more.
TRACE_IDENTIFIER = slice(-19, -11)

# A report file ends with a checksum of all before it.
CHECKSUM_BYTES = 8

# Fields that name the version of fermata that wrote a file: never compared.
VERSION_KEYS = {"creator", "generator"}

# Fields of JSON and of pages that hold sentences or names of ours: left out by --ignore-text.
PROSE_KEYS = {"description", "formula", "advice", "headline", "label", "text", "lines",
              "observations", "warnings", "caveat", "note", "notes"}
# Lists whose elements have a name of ours; names elsewhere come from the program.
NAMED_LISTS = {"metrics", "shares"}


def archive_file(path):
    """A file of an archive without the random trace identifier."""
    content = path.read_bytes()
    if path.suffix == ".otf2":
        content = content[:TRACE_IDENTIFIER.start] + content[TRACE_IDENTIFIER.stop:]
    return content


def report_file(path):
    """A report file without its checksum."""
    return path.read_bytes()[:-CHECKSUM_BYTES]


def printed_archive(anchor, words=None):
    """The lines that otf2-print shows of definitions and records; words: neutral_text()."""
    done = subprocess.run(["otf2-print", "--show-global-defs", anchor], capture_output=True,
                          text=True, errors="replace", timeout=600, check=False)
    events = subprocess.run(["otf2-print", anchor], capture_output=True, text=True,
                            errors="replace", timeout=600, check=False)
    text = done.stdout + events.stdout
    return (neutral_text(text, words) if words else text).splitlines()


def metric_words(report):
    """All names and descriptions of metrics in a report as JSON, with the metric that they mean."""
    words = {}
    for metric in json.loads(report)["metrics"]:
        for key in ("name", "description"):
            if metric.get(key):
                words.setdefault(metric[key], f"<{metric['id']} {key}>")
    return words


def neutral_text(text, words):
    """The text with names of metrics, of either build, replaced by the metric's identifier."""
    both = words[1] | words[0]
    longest_first = sorted(both, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    return re.sub(pattern, lambda match: both[match.group()], text)


def pruned(value, prose, parent=""):
    """JSON without versions and, unless `prose`, without the fields that hold sentences of ours."""
    if isinstance(value, list):
        return [pruned(element, prose, parent) for element in value]
    if not isinstance(value, dict):
        return value
    left_out = set(VERSION_KEYS)
    if not prose:
        left_out |= PROSE_KEYS | ({"name"} if parent in NAMED_LISTS else set())
    return {key: pruned(element, prose, key) for key, element in value.items()
            if key not in left_out}


def json_lines(content, prose):
    """A line for each value of a JSON text, with its path; 15.0 and 15 are the same number."""
    def number(value):
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def walk(value, path):
        if isinstance(value, dict) and value:
            for key, element in value.items():
                yield from walk(element, f"{path}.{key}")
        elif isinstance(value, list) and value:
            for index, element in enumerate(value):
                yield from walk(element, f"{path}[{index}]")
        else:
            yield f"{path}: {json.dumps(number(value))}"
    return list(walk(pruned(json.loads(content), prose), ""))


def text_lines(content, prose):
    """The lines of a text, without the version."""
    del prose
    return re.sub(r"fermata \d+\.\d+\.\d+\S*?(?=\W|$)", "fermata", content.decode()).splitlines()


def protobuf_lines(content, prose):
    """The fields of a message in protobuf's wire format, whatever its schema; names as text."""
    del prose
    lines = []
    walk_message(content, "", lines)
    return lines


def varint(content, at):
    """Returns a number and the position behind it."""
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def walk_message(content, path, lines):
    """Adds a line for each field to `lines`; raises LookupError or ValueError: not a message."""
    at = 0
    while at < len(content):
        tag, at = varint(content, at)
        field, kind = f"{path}.{tag >> 3}", tag & 7
        if kind == 0:
            value, at = varint(content, at)
            lines.append(f"{field}: {value}")
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            lines.append(f"{field}: {content[at:at + size].hex()}")
            at += size
        elif kind == 2:
            size, at = varint(content, at)
            if at + size > len(content):
                raise ValueError("a field is longer than its message")
            append_bytes(content[at:at + size], field, lines)
            at += size
        else:
            raise ValueError(f"wire type {kind}")


def append_bytes(content, path, lines):
    """Adds a field that may be text, a message or anything else."""
    if content and all(0x20 <= byte < 0x7f for byte in content):
        lines.append(f"{path}: {content.decode()}")
        return
    inner = []
    try:
        walk_message(content, path, inner)
        lines.extend(inner)
    except (ValueError, LookupError):
        lines.append(f"{path}: {content.hex()}")


def cubex_lines(content, prose):
    """The anchor's lines and the other members' contents of a Cube file."""
    lines = []
    with tarfile.open(fileobj=io.BytesIO(content)) as members:
        for member in members:
            data = members.extractfile(member).read()
            if member.name != "anchor.xml":
                lines.append(f"{member.name}: {data.hex()}")
                continue
            text = "\n".join(text_lines(data, prose))
            if not prose:
                text = re.sub(r"<(disp_name|descr)>.*?</\1>", r"<\1/>", text, flags=re.DOTALL)
                text = re.sub(r'<attr key="Warning (\d+)" value=".*?"/>', r'<attr key="Warning \1"/>', text)
            lines.extend(text.splitlines())
    return lines


# Decoders of the exports: (content, whether prose counts) -> lines
EXPORTS = {"cubex": cubex_lines, "csv": text_lines, "speedscope": json_lines,
           "perfetto": protobuf_lines, "perfetto-json": json_lines, "graphviz": text_lines}


def json_of(ignore_text):
    """The decoder of JSON."""
    return lambda content: json_lines(content, not ignore_text)


def page_parts(path):
    """The data of a page: of the report and of the timeline; not the viewer itself."""
    return b"\n".join(re.findall(rb'id="fermata-(?:report|timeline)">\s*([^<]*)<',
                                 path.read_bytes()))


def page_of(ignore_text):
    """The decoder of page_parts(): each part is a length, JSON of that length, and columns."""
    def lines(content):
        result = []
        for part in content.splitlines():
            data = zlib.decompress(base64.b64decode(part))
            size, = struct.unpack_from("<I", data)
            result += json_lines(data[4:4 + size], not ignore_text)
            result.append(f"columns: {data[4 + size:].hex()}")
        return result
    return lines


def first_line(old, new):
    """Where two lists of lines differ first."""
    for number, (line, other) in enumerate(itertools.zip_longest(old, new), 1):
        if line != other:
            return f"line {number}: {shortened(line)}, then {shortened(other)}"
    return "the same lines"


def shortened(line):
    return "none" if line is None else repr(line if len(line) < 200 else line[:200] + "...")


def first_difference(old, new, decode, words):
    """Where two contents differ first; None: only in what may differ."""
    if decode is None:
        at = next((i for i, pair in enumerate(zip(old, new)) if pair[0] != pair[1]),
                  min(len(old), len(new)))
        return f"{len(old)} and {len(new)} bytes, from byte {at} on"
    lines = [decode(content) for content in (old, new)]
    if words:
        lines = [neutral_text("\n".join(of), words).splitlines() for of in lines]
    return None if lines[0] == lines[1] else first_line(*lines)
