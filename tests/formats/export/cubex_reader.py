# SPDX-License-Identifier: BSD-3-Clause
"""An independent reader of .cubex files, for tests: written from the description of the format, not
from the exporter. It is as strict as the strictest of the readers that people use.

read(bytes) gives a Cube: metrics, call paths, locations, and values as the file has them; their
inclusive and exclusive forms are computed here.
"""

import struct
import xml.etree.ElementTree as ElementTree
import zlib
from dataclasses import dataclass, field

BLOCK = 512
DERIVED = ("POSTDERIVED", "PREDERIVED_INCLUSIVE", "PREDERIVED_EXCLUSIVE")
TYPES = {
    "DOUBLE": "d", "FLOAT": "d", "MINDOUBLE": "d", "MAXDOUBLE": "d",
    "INTEGER": "q", "INT64": "q", "UINT64": "Q",
    "INT": "i", "INT32": "i", "UNSIGNED INT": "I", "UINT32": "I",
    "INT16": "h", "UINT16": "H", "INT8": "b", "UINT8": "B",
}
SPARSE, DENSE = 1, 3


class Malformed(Exception):
    """The file is not what the format says."""


def require(condition, what):
    if not condition:
        raise Malformed(what)


def members(archive):
    """{name: content} of a ustar archive; checksums, order of blocks and its end must be right."""
    found, position, end = {}, 0, 0
    while end < 2:
        header = archive[position : position + BLOCK]
        require(len(header) == BLOCK, "the archive ends without two blocks of zeros")
        position += BLOCK
        if not any(header):
            end += 1
            continue
        require(end == 0, "a block of zeros within the archive")
        checksum = sum(header[:148]) + 8 * ord(" ") + sum(header[156:])
        require(header[148:154].rstrip(b"\0 ") == b"%6.6o" % checksum, "checksum of a header")
        require(header[257:265] == b"ustar\x0000", "not a ustar header")
        require(header[156:157] == b"0", "not a regular file")
        name = header[:100].rstrip(b"\0").decode("ascii")
        size = int(header[124:135], 8)
        # Readers disagree about whether such a member has another block.
        require(size == 0 or size % BLOCK != 0, f"{name}: size is a multiple of {BLOCK}")
        require(name not in found, f"{name} is there twice")
        found[name] = archive[position : position + size]
        require(len(found[name]) == size, f"{name} is cut off")
        padding = archive[position + size : position + -(-size // BLOCK) * BLOCK]
        require(not any(padding), f"{name}: padding is not zero")
        position += -(-size // BLOCK) * BLOCK
    require(not any(archive[position:]), "something behind the end of the archive")
    return found


@dataclass
class Index:
    order: str  # of bytes, as struct has it
    rows: list | None  # row ids, ascending; None: all


def index(content):
    require(content[:11] == b"CUBEX.INDEX", "not an index")
    order = "<" if content[11:15] == struct.pack("<I", 1) else ">"
    one, version, form = struct.unpack_from(order + "IHB", content, 11)
    require((one, version) == (1, 0), "endianness or version of an index")
    require(form in (SPARSE, DENSE), f"format {form} of an index")
    if form == DENSE:
        return Index(order, None)
    (count,) = struct.unpack_from(order + "I", content, 18)
    require(len(content) - (22 + 4 * count) in (0, 1), "length of an index")
    rows = list(struct.unpack_from(f"{order}{count}I", content, 22))
    require(rows == sorted(set(rows)), "rows of an index do not ascend")
    return Index(order, rows)


def rows(content, order, width):
    """The rows of a .data member, in their order."""
    if content[:10] == b"CUBEX.DATA":
        count, rest = divmod(len(content) - 10, width)
        require(rest in (0, 1), "length of data")  # one byte: not to be a multiple of 512
        return [content[10 + width * i : 10 + width * (i + 1)] for i in range(count)]
    require(content[:11] == b"ZCUBEX.DATA", "not data")
    (count,) = struct.unpack_from(order + "Q", content, 11)
    streams, found = 19 + 24 * count, []
    for i in range(count):
        start, packed, size = struct.unpack_from(order + "3Q", content, 19 + 24 * i)
        require(start == i * width, "rows are not in order")
        found.append(zlib.decompress(content[streams + packed : streams + packed + size]))
        require(len(found[-1]) == width, "length of a row")
    return found


@dataclass
class Metric:
    id: int
    name: str
    unit: str
    inclusive: bool  # its rows are, along the call tree
    data_type: str
    parent: "Metric | None"
    children: list = field(default_factory=list)
    values: dict = field(default_factory=dict)  # (cnode, location) -> value as stored


@dataclass
class Cnode:
    id: int
    region: dict
    parent: "Cnode | None"
    children: list = field(default_factory=list)
    parameters: list = field(default_factory=list)  # (type, key, value)


@dataclass
class Location:
    id: int
    name: str
    thread: int
    rank: int
    process: str
    nodes: list  # names of the system tree from the root


def shape(element, required, optional=()):
    """Children of an element are in the order that the grammar wants: `required` once each, then
    any number of `optional` in their order."""
    tags = [child.tag for child in element]
    require(tags[: len(required)] == list(required), f"<{element.tag}>: {tags}")
    rest, last = tags[len(required) :], 0
    for tag in rest:
        require(tag in optional, f"<{tag}> in <{element.tag}>")
        require(optional.index(tag) >= last, f"<{tag}> is late in <{element.tag}>")
        last = optional.index(tag)


def number(element, attribute):
    """A number in an attribute, as the scanner of the format reads it."""
    text = element.get(attribute)
    require(text is not None and text.isdecimal(), f"{attribute} of <{element.tag}>")
    return int(text)


class Cube:
    def __init__(self, archive):
        self.members = members(archive)
        require("anchor.xml" in self.members, "no anchor.xml")
        self.anchor = self.members["anchor.xml"].decode("utf-8").rstrip("\n")
        self.check_text()
        root = ElementTree.fromstring(self.anchor)
        require(root.get("version") in ("4.0", "4.1", "4.2", "4.3", "4.4", "4.5"), "version")
        self.check_order(root)
        self.attributes = {a.get("key"): a.get("value") for a in root.findall("attr")}
        self.metrics = self.read_metrics(root.find("metrics"))
        self.roots, self.cnodes = self.read_program(root.find("program"))
        self.locations = self.read_system(root.find("system"))
        self.topologies = self.read_topologies(root.find("system"))
        self.enumerate()
        for metric in self.metrics:
            self.read_values(metric)

    def check_text(self):
        require(self.anchor.startswith('<?xml version="1.0" encoding="UTF-8"?>'), "xml declaration")
        require('<cube version="4.4">' in self.anchor, "not literally the version")
        for what in ("<!--", "<![CDATA[", "='"):
            tags = "<".join(text.split(">")[0] for text in self.anchor.split("<"))
            require(what not in "<" + tags, f"{what} in the anchor")

    @staticmethod
    def check_order(root):
        order = ["attr", "doc", "metrics", "program", "system", "severity"]
        tags = [order.index(child.tag) for child in root]
        require(tags == sorted(tags), "order of sections")
        require({2, 3, 4} <= set(tags) and len(set(tags)) == len(tags) - tags.count(0) + (0 in tags),
                "sections are missing or double")

    @staticmethod
    def read_metrics(section):
        found = []

        def read(element, parent):
            shape(element, ("disp_name", "uniq_name", "dtype", "uom"),
                  ("val", "url", "descr", "attr", "cubepl", "cubeplinit", "cubeplaggr", "metric"))
            kind, data_type = element.get("type"), element.findtext("dtype")
            require(kind in ("INCLUSIVE", "EXCLUSIVE") + DERIVED, f"metric type {kind}")
            require(data_type in TYPES, f"data type {data_type}")
            metric = Metric(number(element, "id"), element.findtext("uniq_name"),
                            element.findtext("uom"), kind == "INCLUSIVE", data_type, parent)
            require(element.findtext("disp_name"), "a metric without a name to show")
            found.append(metric)
            if parent is not None:
                parent.children.append(metric)
            for child in element.findall("metric"):
                read(child, metric)

        for element in section:
            require(element.tag == "metric", f"<{element.tag}> in <metrics>")
            read(element, None)
        require(found, "no metric")
        require(len({m.id for m in found}) == len(found), "ids of metrics are not unique")
        require(len({m.name for m in found}) == len(found), "names of metrics are not unique")
        return found

    @staticmethod
    def read_program(section):
        tags = [child.tag for child in section]
        require(tags == sorted(tags, key=["region", "cnode"].index), "order in <program>")
        regions = {}
        for element in section.findall("region"):
            shape(element, ("name", "mangled_name", "paradigm", "role", "url", "descr"))
            region = {tag: element.findtext(tag) for tag in ("name", "paradigm", "role")}
            region.update(mod=element.get("mod"), begin=int(element.get("begin")))
            require(number(element, "id") not in regions, "ids of regions are not unique")
            regions[number(element, "id")] = region
        cnodes, roots = {}, []

        def read(element, parent):
            shape(element, (), ("parameter", "attr", "cnode"))
            require(number(element, "calleeId") in regions, "a call path of no region")
            cnode = Cnode(number(element, "id"), regions[number(element, "calleeId")], parent)
            require(cnode.id not in cnodes, "ids of call paths are not unique")
            cnode.parameters = [(p.get("partype"), p.get("parkey"), p.get("parvalue"))
                                for p in element.findall("parameter")]
            cnodes[cnode.id] = cnode
            (roots if parent is None else parent.children).append(cnode)
            return cnode

        pending = [(element, None) for element in reversed(section.findall("cnode"))]
        while pending:  # call trees may be deeper than Python's stack
            element, parent = pending.pop()
            cnode = read(element, parent)
            pending += [(child, cnode) for child in reversed(element.findall("cnode"))]
        require(regions and roots, "no region or no call path")
        return roots, cnodes

    @staticmethod
    def read_system(section):
        tags = [child.tag for child in section]
        require(tags == sorted(tags, key=["systemtreenode", "topologies"].index), "order in <system>")
        found = []

        def read(element, above):
            shape(element, ("name", "class"), ("descr", "attr", "locationgroup", "systemtreenode"))
            names = above + [element.findtext("name")]
            for group in element.findall("locationgroup"):
                shape(group, ("name", "rank", "type"), ("attr", "location"))
                require(group.findtext("type") == "process", "type of a location group")
                require(group.find("location") is not None, "a location group without locations")
                for location in group.findall("location"):
                    shape(location, ("name", "rank", "type"), ("attr",))
                    require(location.findtext("type") in ("thread", "gpu"), "type of a location")
                    found.append(Location(number(location, "Id"), location.findtext("name"),
                                          int(location.findtext("rank")),
                                          int(group.findtext("rank")), group.findtext("name"),
                                          names))
            for child in element.findall("systemtreenode"):
                read(child, names)

        for kind in ("systemtreenode", "locationgroup", "location"):
            ids = [number(e, "Id") for e in section.iter(kind)]
            require(len(set(ids)) == len(ids), f"ids of <{kind}> are not unique")
        for element in section.findall("systemtreenode"):
            read(element, [])
        require(found, "no location")
        return sorted(found, key=lambda location: location.id)

    def read_topologies(self, section):
        """[(name, [(name, size, periodic)], {id of a location: coordinates})]"""
        require(len(section.findall("topologies")) <= 1, "<topologies> twice")
        ids, found = {location.id for location in self.locations}, []
        for cart in section.findall("topologies/*"):
            require(cart.tag == "cart" and set(cart.attrib) == {"name", "ndims"}, "a topology")
            shape(cart, (), ("dim", "coord"))
            dimensions = []
            for dim in cart.findall("dim"):
                require(list(dim.attrib) == ["name", "size", "periodic"], "attributes of a dimension")
                require(dim.get("periodic") in ("true", "false"), "periodic")
                dimensions.append((dim.get("name"), number(dim, "size"), dim.get("periodic") == "true"))
            require(len(dimensions) == number(cart, "ndims") > 0, "number of dimensions")
            places = {}
            for coord in cart.findall("coord"):
                place = tuple(map(int, coord.text.split(" ")))
                require(number(coord, "locId") in ids, "a place of no location")
                require(number(coord, "locId") not in places, "two places of a location")
                require(len(place) == len(dimensions), "coordinates and dimensions")
                require(all(0 <= c < size for c, (_, size, _) in zip(place, dimensions)), "outside")
                places[number(coord, "locId")] = place
            require(len(set(places.values())) == len(places), "two locations at one place")
            found.append((cart.get("name"), dimensions, places))
        return found

    def enumerate(self):
        """The order of rows, of both kinds of metrics."""
        self.exclusive_order, self.inclusive_order = [], []
        pending = list(reversed(self.roots))
        while pending:
            cnode = pending.pop()
            self.exclusive_order.append(cnode.id)
            pending += reversed(cnode.children)
        # A root; then of each node all children, then what is below each child in turn.
        for root in self.roots:
            self.inclusive_order.append(root.id)
            pending = [root]
            while pending:
                cnode = pending.pop()
                self.inclusive_order += [child.id for child in cnode.children]
                pending += reversed(cnode.children)

    def read_values(self, metric):
        data, its_index = (self.members.get(f"{metric.id}.{part}") for part in ("data", "index"))
        require((data is None) == (its_index is None), f"half of the data of {metric.name}")
        if data is None:
            return
        where = index(its_index)
        form = f"{where.order}{len(self.locations)}{TYPES[metric.data_type]}"
        order = self.inclusive_order if metric.inclusive else self.exclusive_order
        found = rows(data, where.order, struct.calcsize(form))
        ids = range(len(order)) if where.rows is None else where.rows
        require(len(found) == len(ids), f"{len(found)} rows for {len(ids)} of {metric.name}")
        for row, content in zip(ids, found):
            require(row < len(order), f"row {row} of {metric.name}")
            for location, value in zip(self.locations, struct.unpack(form, content)):
                if value != 0:
                    metric.values[order[row], location.id] = value

    def children_first(self):
        return [self.cnodes[i] for i in reversed(self.exclusive_order)]

    def by_call_path(self, metric, inclusive):
        """{(cnode, location): value}, along the call tree as asked for; parts of the metric are in
        it."""
        values = dict(metric.values)
        if metric.inclusive == inclusive:
            return values
        for cnode in self.children_first() if inclusive else reversed(self.children_first()):
            for child in cnode.children:
                for location in self.locations:
                    value = values.get((child.id, location.id), 0)
                    if value != 0:
                        at = (cnode.id, location.id)
                        values[at] = values.get(at, 0) + (value if inclusive else -value)
        return values

    def exclusive(self, metric):
        """{(cnode, location): value}, exclusive along the metric tree and the call tree."""
        values = self.by_call_path(metric, False)
        for child in metric.children:
            for at, value in self.by_call_path(child, False).items():
                values[at] = values.get(at, 0) - value
        return values


def read(archive):
    return Cube(archive)
