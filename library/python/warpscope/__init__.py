"""Reads the captures of Warpscope, as NumPy arrays.

    import warpscope

    capture = warpscope.Capture("run.wscope")
    for shader in capture.shaders.values():
        print(shader.id, shader.name)
    for counters in capture.counters("simt_efficiency"):
        print(counters.shader, counters.executions.sum(), counters.active.sum())
    for launch in capture.records():
        print(launch.launch, len(launch.records))
    print(capture.rays()["direction"].mean(axis=0))

This is a thin layer over the library libwarpscope. Its headers say what each member means: chunks.h for chunks,
instrument.h for sites and blocks, root.h for counters, records.h and stream.h for records, ray_events.h for rays. The
library describes its structs itself, so a member that a later version has appears here under its own name.

A whole program, which recomputes what compaction would save: compaction.py in the examples of this package
(/usr/share/doc/python3-warpscope/examples), in the source tree examples/reading.

Numbers that stand for nothing are NONE. A Capture belongs to one thread at a time.
"""
import ctypes
import os
import types

import numpy

__all__ = ["Capture", "Counters", "Error", "LaunchRecords", "NONE", "chunks"]

#: An id, index or offset that does not exist.
NONE = 0xFFFFFFFF

_LIBRARY = "libwarpscope.so.0"
_ERROR_SIZE = 512
_CHUNK_SIZE = 4096  # more than a struct ws_chunk has, now and in later versions of the library
_READ_CHUNK, _READ_END = 0, 1

# enum ws_member_kind
_U32, _U64, _BOOL, _TEXT, _TEXTS, _BYTES, _WORDS, _PLANES, _ROWS, _STRUCT, _LIST = range(11)
_PLAIN = {_U32: "<u4", _U64: "<u8", _BOOL: "?"}

# enum ws_site_kind
_SITE_BLOCK, _SITE_DATA, _SITE_COUNT, _SITE_ENTRY = 0, 2, 3, 4
_PLACES = (5, 6, 7, 8, 9, 10, 12)

# enum ws_ray_event
_RAY_TRACE = 1


class Error(Exception):
    """A capture that cannot be read. The text names the file and the remedy."""


class _Members(ctypes.Structure):
    pass


class _Member(ctypes.Structure):
    """struct ws_chunk_member of chunk_members.h."""

    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("offset", ctypes.c_uint32), ("count_offset", ctypes.c_uint32),
                ("bins_offset", ctypes.c_uint32), ("repeat", ctypes.c_uint32), ("later", ctypes.c_bool), ("element", ctypes.POINTER(_Members))]


_Members._fields_ = [("list", ctypes.POINTER(_Member)), ("count", ctypes.c_uint32), ("size", ctypes.c_uint32)]


class _Summary(ctypes.Structure):
    """struct ws_reader_summary of reader.h."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("chunks", "bytes", "damaged", "orphaned", "unknown")]
    _fields_ += [(name, ctypes.c_bool) for name in ("broken", "stopped", "closed")]


class _Launch(ctypes.Structure):
    """struct ws_stream_launch of stream.h."""

    _fields_ = [("launch", ctypes.c_uint64), ("submission", ctypes.c_uint64), ("device", ctypes.c_uint32), ("bins", ctypes.c_uint32),
                ("words", ctypes.c_void_p), ("word_count", ctypes.c_uint32), ("records", ctypes.c_void_p),
                ("record_count", ctypes.c_uint32), ("missing", ctypes.c_uint64), ("truncated", ctypes.c_bool),
                ("stream_word_count", ctypes.c_uint32), ("limited", ctypes.c_bool)]


# struct ws_record of stream.h
_RECORD = numpy.dtype([("lanes", "<u8", 2)] + [(name, "<u4") for name in (
    "position", "context", "entry", "shader", "site", "kind", "lane_count", "word", "words_per_warp", "words_per_lane")])


def _load():
    path = os.environ.get("WARPSCOPE_LIBRARY", _LIBRARY)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{error}; install libwarpscope, or name its file in WARPSCOPE_LIBRARY") from None
    void, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in (
            ("ws_reader_open", void, [text, void]), ("ws_reader_next", ctypes.c_int, [void, void, void]),
            ("ws_reader_summary", ctypes.POINTER(_Summary), [void]), ("ws_reader_destroy", None, [void]),
            ("ws_reader_members", ctypes.POINTER(_Members), [ctypes.c_uint32]), ("ws_stream_create", void, []),
            ("ws_stream_destroy", None, [void]), ("ws_stream_limit", None, [void, ctypes.c_uint64]), ("ws_stream_take", ctypes.c_bool, [void, void, void, void]),
            ("ws_stream_end", ctypes.c_bool, [void, void, void])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def _array(address, dtype, count):
    """A copy of `count` elements in C memory."""
    dtype = numpy.dtype(dtype)
    if not address or count == 0:
        return numpy.empty(0, dtype)
    return numpy.frombuffer(ctypes.string_at(address, count * dtype.itemsize), dtype)


def _number(address):
    return ctypes.c_uint32.from_address(address).value


def _pointer(address):
    return ctypes.c_void_p.from_address(address).value


class _Struct:
    """How the members of one struct are read: as an array where it has numbers only, else one by one."""

    known = {}

    def __init__(self, members):
        self.members = [members.list[i] for i in range(members.count)]
        self.names = [member.name.decode() for member in self.members]
        self.size = members.size
        self.dtype = None
        if all(member.kind in _PLAIN for member in self.members):
            formats = [(_PLAIN[member.kind], member.repeat) if member.repeat > 1 else _PLAIN[member.kind] for member in self.members]
            self.dtype = numpy.dtype({"names": self.names, "formats": formats,
                                      "offsets": [member.offset for member in self.members], "itemsize": self.size})

    @classmethod
    def of(cls, pointer):
        address = ctypes.addressof(pointer.contents)
        if address not in cls.known:
            cls.known[address] = cls(pointer.contents)
        return cls.known[address]

    def read(self, address):
        return types.SimpleNamespace(**{name: self._member(member, address) for name, member in zip(self.names, self.members)})

    def read_list(self, address, count):
        if self.dtype is not None:
            return _array(address, self.dtype, count)
        return [self.read(address + i * self.size) for i in range(count)]

    def _member(self, member, address):
        at = address + member.offset
        kind = member.kind
        if kind in _PLAIN:
            values = _array(at, _PLAIN[kind], max(member.repeat, 1))
            return values if member.repeat > 1 else values[0].item()
        if kind == _STRUCT:
            return _Struct.of(member.element).read_list(at, member.repeat)
        if kind == _TEXT:
            return ctypes.string_at(_pointer(at)).decode(errors="replace")
        count = _number(address + member.count_offset)
        if kind == _TEXTS:
            return [ctypes.string_at(_pointer(_pointer(at) + 8 * i)).decode(errors="replace") for i in range(count)]
        if kind == _LIST:
            return _Struct.of(member.element).read_list(_pointer(at), count)
        if kind == _ROWS:
            bins = _number(address + member.bins_offset)
            return _array(_pointer(at), "<u4", count * bins).reshape(count, bins)
        return _array(_pointer(at), "u1" if kind == _BYTES else "<u4", count)


class _Reader:
    """An open capture: gives the address and the type of each chunk."""

    def __init__(self, path):
        self.error = ctypes.create_string_buffer(_ERROR_SIZE)
        self.chunk = ctypes.create_string_buffer(_CHUNK_SIZE)
        self.reader = _library.ws_reader_open(os.fsencode(path), self.error)
        if not self.reader:
            self.fail()
        # The union begins behind type, number and offset of struct ws_chunk.
        self.union = ctypes.addressof(self.chunk) + 24

    def fail(self):
        raise Error(self.error.value.decode(errors="replace"))

    def next(self):
        """The type of the next chunk as four characters; None at the end."""
        result = _library.ws_reader_next(self.reader, self.chunk, self.error)
        if result == _READ_CHUNK:
            return self.chunk.raw[:4].decode()
        if result != _READ_END:
            self.fail()
        return None

    def content(self):
        members = _library.ws_reader_members(int.from_bytes(self.chunk.raw[:4], "little"))
        return _Struct.of(members).read(self.union)

    def summary(self):
        summary = _library.ws_reader_summary(self.reader).contents
        return types.SimpleNamespace(**{name: getattr(summary, name) for name, _ in _Summary._fields_})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _library.ws_reader_destroy(self.reader)
        self.reader = None


def chunks(path):
    """Yields (type, content) of each chunk in the order of the file: ("SHDR", namespace with id, module, name, ...)."""
    with _Reader(path) as reader:
        while (kind := reader.next()) is not None:
            yield kind, reader.content()


class Counters:
    """The counter rows of one pass in one shader and launch: of each counted site its histogram. A sampled shader (`record
    --sample`) has several sets of them, each of other warps."""

    def __init__(self, launch, shader, sites, words, weight=1, group=0):
        self.launch = launch      #: index of the launch
        self.shader = shader      #: id
        self.sites = sites        #: their sites, as in the SITE chunk
        self.words = words        #: per site: [n - 1] is how often n lanes were active, in the warps that counted (root.h)
        self.weight = weight      #: for how many executions each of `words` stands: 1, or of a sampled shader more
        self.group = group        #: of a sampled shader: number of the set; the sets of a shader in a launch are added

    @property
    def executions(self):
        """Per site: how many warps ran it; of a sampled shader an estimate."""
        return self.words.sum(axis=1, dtype=numpy.uint64) * numpy.uint64(self.weight)

    @property
    def active(self):
        """Per site: active lanes, summed over the executions; of a sampled shader an estimate."""
        return self.words @ numpy.arange(1, self.words.shape[1] + 1, dtype=numpy.uint64) * numpy.uint64(self.weight)


class LaunchRecords:
    """The records of one launch (stream.h)."""

    def __init__(self, capture, launch):
        self._capture = capture
        self.launch = launch.launch          #: index
        self.submission = launch.submission  #: index
        self.device = launch.device          #: id
        self.missing = launch.missing        #: words that did not fit on the device
        self.truncated = launch.truncated    #: whether records are missing
        self.limited = launch.limited        #: whether that is because they take more memory than they may
        self.words = _array(launch.words, "<u4", launch.word_count)
        self.stream_words = self.words[:launch.stream_word_count]  #: those that shaders appended; behind them stand copies
        self.records = _array(launch.records, _RECORD, launch.record_count)  #: one row per record, in the order of the stream

    def lanes(self, of=None):
        """One row for each active lane of the records (those of the indices `of`; None: all): record, lane, and word, the index
        of the lane's own words in `words`."""
        index = numpy.arange(len(self.records)) if of is None else numpy.asarray(of)
        records = self.records[index]
        bits = numpy.unpackbits(records["lanes"].view("u1").reshape(len(records), 16), axis=1, bitorder="little")
        row, lane = numpy.nonzero(bits)
        rank = (numpy.cumsum(bits, axis=1) - 1)[row, lane]
        table = numpy.empty(len(row), [("record", "u4"), ("lane", "u1"), ("word", "u4")])
        table["record"], table["lane"] = index[row], lane
        table["word"] = (records["word"] + records["words_per_warp"])[row] + rank * records["words_per_lane"][row]
        return table

    def threads(self):
        """Per record and lane the first work word of the thread (records.h, WORK IDS), NONE where no thread entered: of rays
        the flat launch id, of fragments the pixel x | y << 16, of vertices their index; of compute the index in the workgroup."""
        entries = numpy.flatnonzero(self.records["entry"] == numpy.arange(len(self.records)))
        lanes = self.lanes(entries)
        table = numpy.full((len(self.records), 128), NONE, "u4")
        table[lanes["record"], lanes["lane"]] = self.words[lanes["word"]]
        return table[self.records["entry"]]

    def tagged(self, of, tag=None):
        """The indices of the records of a pass, and of one tag of it (passes.h), in their order."""
        found = numpy.zeros(len(self.records), bool)
        for shader in numpy.unique(self.records["shader"]):
            sites = self._capture.sites_of(shader, of, tag)
            numbers = [sites["row"][numpy.isin(sites["kind"], _PLACES)], sites["index"][sites["kind"] == _SITE_DATA]]
            found |= (self.records["shader"] == shader) & numpy.isin(self.records["site"], numpy.concatenate(numbers))
        return numpy.flatnonzero(found)


class Capture:
    """A capture file. Definitions, launches and counters are read at once; records when they are asked for."""

    def __init__(self, path):
        self.path = path
        self.info = None      #: the chunk INFO
        self.devices = {}     #: by id
        self.modules = {}     #: by id; `words` is the SPIR-V
        self.sites = {}       #: by module id: entries, blocks, sites, passes
        self.shaders = {}     #: by id
        self.pipelines = {}   #: by id
        self.launches = {}    #: by index; each with `shaders`, its counters, and with `frame`
        self.times = []       #: the chunks TIME
        self.skips = []       #: what was not instrumented
        self.messages = []    #: what the layer said
        self.other = {}       #: all other chunks but records and blobs, by type
        tables = {"DEVC": self.devices, "MODL": self.modules, "SHDR": self.shaders, "PIPE": self.pipelines}
        lists = {"TIME": self.times, "SKIP": self.skips, "MESG": self.messages}
        with _Reader(path) as reader:
            while (kind := reader.next()) is not None:
                if kind in ("RECS", "BLOB"):
                    continue
                content = reader.content()
                if kind == "INFO":
                    self.info = content
                elif kind == "SITE":
                    self.sites[content.module] = content
                elif kind == "SUBM":
                    self._add_launches(content)
                elif kind in tables:
                    tables[kind][content.id] = content
                elif kind in lists:
                    lists[kind].append(content)
                else:
                    self.other.setdefault(kind, []).append(content)
            self.summary = reader.summary()  #: what was read, and whether the file is whole (struct ws_reader_summary)

    def _add_launches(self, submission):
        weights = iter(submission.weights.tolist())
        for launch in submission.launches:
            for rows in launch.shaders:
                rows.weight, rows.group = next(weights, 1), next(weights, 0)
            launch.submission, launch.frame, launch.device = submission.index, submission.frame, submission.device
            known = self.launches.setdefault(launch.index, launch)
            if known is not launch:  # a submission that goes on in a further chunk (WS_SUBMISSION_CONTINUED)
                known.shaders += launch.shaders

    def sites_of(self, shader, of=None, tag=None):
        """The sites of a shader's module, of one pass and tag: the members of struct ws_site_info, and `index`."""
        chunk = self.sites.get(self.shaders[int(shader)].module)
        if chunk is None:
            return numpy.empty(0, [(name, "u4") for name in ("pass", "tag", "kind", "block", "offset", "row", "index")])
        sites = numpy.empty(len(chunk.sites), [(name, "u4") for name in chunk.sites.dtype.names] + [("index", "u4")])
        for name in chunk.sites.dtype.names:
            sites[name] = chunk.sites[name]
        sites["index"] = numpy.arange(len(sites))
        chosen = numpy.ones(len(sites), bool)
        if of is not None:
            chosen &= sites["pass"] == (chunk.passes.index(of) if of in chunk.passes else NONE - 1)
        if tag is not None:
            chosen &= sites["tag"] == tag
        return sites[chosen]

    def counters(self, of="simt_efficiency", tag=None):
        """Yields Counters for each shader of each launch, of the sites that a pass counts."""
        for launch in self.launches.values():
            for rows in launch.shaders:
                sites = self.sites_of(rows.shader, of, tag)
                sites = sites[numpy.isin(sites["kind"], (_SITE_BLOCK, _SITE_COUNT))]
                sites = sites[(sites["row"] >= rows.row_first) & (sites["row"] < rows.row_first + rows.row_count)]
                yield Counters(launch.index, rows.shader, sites, rows.words[sites["row"] - rows.row_first], rows.weight, rows.group)

    def records(self, limit=None):
        """Yields LaunchRecords for each launch with records, of at most `limit` bytes each; None: what files of programs
        need (stream.h, MEMORY)."""
        stream = _library.ws_stream_create()
        if not stream:
            raise MemoryError
        if limit is not None:
            _library.ws_stream_limit(stream, limit)
        launch = ctypes.POINTER(_Launch)()
        try:
            with _Reader(self.path) as reader:
                while reader.next() is not None:
                    if not _library.ws_stream_take(stream, reader.chunk, ctypes.byref(launch), reader.error):
                        reader.fail()
                    if launch:
                        yield LaunchRecords(self, launch.contents)
                if not _library.ws_stream_end(stream, ctypes.byref(launch), reader.error):
                    reader.fail()
                if launch:
                    yield LaunchRecords(self, launch.contents)
        finally:
            _library.ws_stream_destroy(stream)

    def rays(self):
        """The rays that were traced (pass ray_events), one row per ray in the order of the records: launch, shader, site, thread,
        lane, and what traceRay was given. Which hits became of them: `warpscope export FILE --rays rays.csv`."""
        tables = [numpy.empty(0, _RAY)]
        for launch in self.records():
            lanes = launch.lanes(launch.tagged("ray_events", _RAY_TRACE))
            words = launch.words[lanes["word"][:, None] + numpy.arange(10, dtype="u4")] if len(lanes) else numpy.empty((0, 10), "u4")
            records = launch.records[lanes["record"]]
            floats = numpy.ascontiguousarray(words).view("<f4")
            rays = numpy.empty(len(lanes), _RAY)
            rays["launch"], rays["shader"], rays["site"] = launch.launch, records["shader"], records["site"]
            rays["thread"], rays["lane"] = launch.threads()[lanes["record"], lanes["lane"]], lanes["lane"]
            rays["origin"], rays["direction"], rays["tmin"], rays["tmax"] = floats[:, 0:3], floats[:, 3:6], floats[:, 6], floats[:, 7]
            rays["flags"], rays["cull_mask"], rays["miss_index"] = words[:, 8], words[:, 9] & 0xFF, words[:, 9] >> 16
            rays["sbt_offset"], rays["sbt_stride"] = words[:, 9] >> 8 & 0xF, words[:, 9] >> 12 & 0xF
            tables.append(rays)
        return numpy.concatenate(tables)


_RAY = numpy.dtype([("launch", "u8"), ("shader", "u4"), ("site", "u4"), ("thread", "u4"), ("lane", "u1"), ("origin", "f4", 3),
                    ("direction", "f4", 3), ("tmin", "f4"), ("tmax", "f4"), ("flags", "u4"), ("cull_mask", "u1"), ("sbt_offset", "u1"),
                    ("sbt_stride", "u1"), ("miss_index", "u2")])
