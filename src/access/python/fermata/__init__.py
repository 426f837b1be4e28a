# SPDX-License-Identifier: BSD-3-Clause
"""A recorded and analysed run as tables of columns (docs/trace-as-data.md).

    import fermata
    trace = fermata.Trace("experiment")
    trace.calls                    # a table: calls of communication libraries
    trace.calls.enter              # a column: one element for each row, without a copy
    trace.calls[7].partner.region  # a row; columns that refer to rows give rows, or None
    trace.stack(location, time)    # what a location is in at a time: rows of functions and calls
    trace.queue(location, time)    # what is sent to it and not received: rows of sends

A column of numbers is a NumPy array that cannot be written, or a memoryview without NumPy; its
elements that refer to rows are their numbers, -1 for none. A column of texts is a list. Times are
ticks since the begin of the run; Trace.seconds() converts them. `print(trace)` lists the tables,
`print(trace.calls)` the columns of one.

Part of fermata, under the BSD-3-Clause license (see LICENSE).
"""
import ctypes
import os

try:
    import numpy
except ImportError:
    numpy = None

try:
    from fermata import _library
except ImportError:  # a copy of this file alone
    _library = None

__all__ = ["Error", "Row", "Table", "Trace"]

_INT32, _INT64, _FLOAT64, _TEXT = 1, 2, 3, 4
_NUMBERS = {_INT32: (ctypes.c_int32, "i"), _INT64: (ctypes.c_int64, "q"),
            _FLOAT64: (ctypes.c_double, "d")}


class Error(Exception):
    """An archive cannot be read."""


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("description", ctypes.c_char_p),
                ("refers_to", ctypes.c_char_p), ("type", ctypes.c_int), ("data", ctypes.c_void_p)]


class _Frame(ctypes.Structure):
    _fields_ = [("table", ctypes.c_char_p), ("row", ctypes.c_int64)]


def _load():
    path = os.environ.get("FERMATA_TRACE_LIBRARY")
    if path is None and _library is not None:
        path = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(_library.__file__)),
                                             _library.PATH))
    library = ctypes.CDLL(path or "libfermata-trace.so.1")
    pointer, number, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    for name, result, arguments in (
            ("open_with", pointer, (text, ctypes.c_uint, text, ctypes.c_char_p, number)),
            ("close", None, (pointer,)), ("ticks_per_second", ctypes.c_double, (pointer,)),
            ("warnings", number, (pointer,)), ("warning", text, (pointer, number)),
            ("tables", number, (pointer,)), ("table_name", text, (pointer, number)),
            ("table_description", text, (pointer, number)), ("rows", number, (pointer, number)),
            ("columns", number, (pointer, number)),
            ("column", ctypes.POINTER(_Column), (pointer, number, number)),
            ("stack", number, (pointer, number, ctypes.c_int64, ctypes.POINTER(_Frame), number)),
            ("queue", number, (pointer, number, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64),
                               number))):
        function = getattr(library, "fermata_trace_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_loaded = None


def _functions():
    """The library, loaded when it is needed first."""
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


class _Handle:
    """Owns the memory of a run: columns hold it, so that it lives as long as one of them."""

    def __init__(self, archive, threads, options):
        self.library, self.pointer = _functions(), None
        why = ctypes.create_string_buffer(1024)
        words = ",".join(f"{name}={value}" for name, value in options.items() if value is not None)
        self.pointer = self.library.fermata_trace_open_with(os.fsencode(archive), threads,
                                                            words.encode(), why, len(why))
        if not self.pointer:
            raise Error(why.value.decode(errors="replace"))

    def __del__(self):
        if self.pointer:
            self.library.fermata_trace_close(self.pointer)


def _decode(text):
    return None if text is None else text.decode(errors="replace")


class Row:
    """A row of a table: its columns are attributes. Two rows are equal if they are the same."""
    __slots__ = ("table", "row")

    def __init__(self, table, row):
        self.table, self.row = table, row

    def __getattr__(self, name):
        return self.table._value(name, self.row)

    def __eq__(self, other):
        return isinstance(other, Row) and self.table is other.table and self.row == other.row

    def __hash__(self):
        return hash((id(self.table), self.row))

    def __repr__(self):
        values = ", ".join(f"{name}={self.table.column(name)[self.row]!r}"
                           for name in self.table.columns)
        return f"{self.table._name}[{self.row}]({values})"


class Table:
    """A table of a run: columns are attributes, rows are table[number]."""

    def __init__(self, trace, handle, number):
        library, pointer = handle.library, handle.pointer
        self._name = _decode(library.fermata_trace_table_name(pointer, number))
        self._description = _decode(library.fermata_trace_table_description(pointer, number))
        self.columns = {}  # name: (type, description, table that it refers to, address)
        self._trace_tables, self._handle, self._made = trace, handle, {}
        self._rows = library.fermata_trace_rows(pointer, number)
        for i in range(library.fermata_trace_columns(pointer, number)):
            column = library.fermata_trace_column(pointer, number, i).contents
            self.columns[_decode(column.name)] = (column.type, _decode(column.description),
                                                  _decode(column.refers_to), column.data)

    def __len__(self):
        return self._rows

    def __iter__(self):
        return (Row(self, i) for i in range(self._rows))

    def __getitem__(self, row):
        row = int(row)
        if not -self._rows <= row < self._rows:
            raise IndexError(f"{self._name} has {self._rows} rows, none with the number {row}")
        return Row(self, row % self._rows)

    def column(self, name):
        """All elements of a column."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.columns:
            raise AttributeError(f"{self._name} has no column {name}")
        return self.column(name)

    def __dir__(self):
        return [*super().__dir__(), *self.columns]

    def __repr__(self):
        lines = [f"{self._name}: {self._rows} rows. {self._description}"]
        for name, (kind, description, refers_to, _) in self.columns.items():
            what = {_INT32: "int32", _INT64: "int64", _FLOAT64: "float64", _TEXT: "text"}[kind]
            lines.append(f"  {name:14} {f'row of {refers_to}' if refers_to else what:22} "
                         f"{description}")
        return "\n".join(lines)

    def _make(self, name):
        kind, _, _, address = self.columns[name]
        if kind == _TEXT:
            texts = (ctypes.c_char_p * self._rows).from_address(address) if self._rows else ()
            return [_decode(text) for text in texts]
        number, code = _NUMBERS[kind]
        array = ((number * self._rows).from_address(address) if self._rows else (number * 0)())
        array._fermata = self._handle  # the memory is that of the run
        view = memoryview(array).cast("B").cast(code).toreadonly()
        return view if numpy is None else numpy.asarray(view)

    def _value(self, name, row):
        if name not in self.columns:
            raise AttributeError(f"{self._name} has no column {name}")
        value = self.column(name)[row]
        kind, _, refers_to, _ = self.columns[name]
        if refers_to is not None:
            return None if value < 0 else Row(self._trace_tables[refers_to], int(value))
        return int(value) if kind in (_INT32, _INT64) else value


class Trace:
    """Reads and analyses an archive.

    archive: experiment directory (with traces.otf2) or path of an anchor file
    threads: of the analysis; 0: one for each processor
    clock, progress: as the options of `fermata analyze`: "linear", "clc", "none"; "evidence", "target", "async"
    """

    def __init__(self, archive, threads=0, clock=None, progress=None):
        handle = self._handle = _Handle(archive, threads, {"clock": clock, "progress": progress})
        library, pointer = handle.library, handle.pointer
        self.ticks_per_second = library.fermata_trace_ticks_per_second(pointer)
        self.warnings = [_decode(library.fermata_trace_warning(pointer, i))
                         for i in range(library.fermata_trace_warnings(pointer))]
        self.tables = {}
        for number in range(library.fermata_trace_tables(pointer)):
            table = Table(self.tables, handle, number)
            self.tables[table._name] = table
            setattr(self, table._name, table)

    def seconds(self, ticks):
        """Ticks (a number or a NumPy array) in seconds."""
        return ticks / self.ticks_per_second

    def metric(self, name):
        """The row of a metric, by its id."""
        return self.metrics[self.metrics.id.index(name)]

    def is_within(self, metric, name):
        """Whether a metric (a row of metrics) is the one with this id, or a part of it."""
        while metric is not None and metric.id != name:
            metric = metric.parent
        return metric is not None

    def _ask(self, function, kind, location, time):
        """What a function of the library finds for a location (a row, or its number) at a time."""
        number = location.row if isinstance(location, Row) else int(location)
        if not 0 <= number < len(self.locations):
            raise IndexError(f"there is no location {number}")
        room = 16
        while True:
            found = (kind * room)()
            count = function(self._handle.pointer, number, int(time), found, room)
            if count <= room:
                return found[:count]
            room = count

    def stack(self, location, time):
        """The region stack of a location at a time (ticks): rows of functions and calls that it is in,
        the outermost one first. What is entered at this tick is on it, what is left is not."""
        frames = self._ask(self._handle.library.fermata_trace_stack, _Frame, location, time)
        return [self.tables[_decode(frame.table)][frame.row] for frame in frames]

    def queue(self, location, time, source=None):
        """The messages that are sent to the process of a location and not received at a time (ticks):
        rows of sends, in the order in which they began; with `source`, those of this location."""
        rows = self._ask(self._handle.library.fermata_trace_queue, ctypes.c_int64, location, time)
        sends = [self.sends[row] for row in rows]
        if source is None:
            return sends
        number = source.row if isinstance(source, Row) else int(source)
        return [send for send in sends if send.call.location.row == number]

    def blamed(self, wait):
        """The rows of blame of a wait state (a row of waits), by time."""
        first = wait.first_blame
        return [] if first is None else [self.blame[first.row + i] for i in range(wait.blames)]

    def __repr__(self):
        return "\n".join(f"{name:14} {len(table):>10} rows  {table._description}"
                         for name, table in self.tables.items())
