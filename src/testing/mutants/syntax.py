"""The syntax tree of a C++ file, as clang prints it, with the place of every node in its file."""
import json
import re
import shlex
import subprocess


class Node:
    """What clang calls kind, with the bytes [begin, end) of `file` that it takes. `file` is None where a macro is part of it."""
    __slots__ = ("kind", "raw", "file", "begin", "end", "in_macro", "children")

    def __init__(self, raw):
        self.kind = raw.get("kind", "")
        self.raw = raw
        self.file = self.begin = self.end = None
        self.in_macro = False
        self.children = []

    @property
    def type(self):
        """The type without its aliases, as clang spells it; empty where there is none."""
        type_ = self.raw.get("type", {})
        return type_.get("desugaredQualType", type_.get("qualType", ""))


class _Places:
    """clang names a file only where it differs from the one named before, so places are read in the order of the text."""

    def __init__(self):
        self.file = None

    def read(self, place):
        """(file, offset, length of the token, in a macro); None where there is no place."""
        if "expansionLoc" in place:
            for part in ("spellingLoc", "expansionLoc"):
                self._bare(place[part])
            bare = place["expansionLoc"]
            return (self.file, bare["offset"], bare["tokLen"], True) if "offset" in bare else None
        self._bare(place)
        return (self.file, place["offset"], place["tokLen"], False) if "offset" in place else None

    def _bare(self, place):
        if "file" in place:
            self.file = place["file"]


def _tree(raw, places):
    node = Node(raw)
    if "loc" in raw:
        places.read(raw["loc"])
    if "range" in raw:
        begin = places.read(raw["range"]["begin"]) if raw["range"].get("begin") else None
        end = places.read(raw["range"]["end"]) if raw["range"].get("end") else None
        if begin and end and begin[0] == end[0]:
            node.file, node.begin, node.end = begin[0], begin[1], end[1] + end[2]
            node.in_macro = begin[3] or end[3]
    node.children = [_tree(child, places) for child in raw.get("inner", ())]
    return node


class Unreadable(Exception):
    """clang gave no tree: the text is in error, or clang is."""


def trees_of(dump):
    """The declarations in the output of clang's -ast-dump=json."""
    decoder, at, places = json.JSONDecoder(), 0, _Places()
    while (at := dump.find("{", at)) >= 0:
        raw, at = decoder.raw_decode(dump, at)
        yield _tree(raw, places)


def flags_of(command):
    """What of a compiler's command another compiler needs to read the same text."""
    words, flags = iter(shlex.split(command)), []
    for word in words:
        if word in ("-I", "-isystem", "-D", "-U", "-include"):
            flags += [word, next(words)]
        elif re.match(r"-(I|isystem|D|U|std=|march=|mavx)", word):
            flags.append(word)
    return flags


def trees(clang, command, directory, file):
    """The declarations of posproof's namespace that the compiler sees in `file`."""
    words = [clang, *flags_of(command), "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", file]
    # clang 14 crashes on some conversions by inherited constructors, as in the table at the foot of a property. What the
    # file keeps to itself stands in an unnamed namespace, which holds none.
    for names in ("posproof", "anonymous"):
        ran = subprocess.run([*words, "-Xclang", f"-ast-dump-filter={names}"], cwd=directory, capture_output=True, text=True)
        if ran.returncode == 0:
            return list(trees_of(ran.stdout))
    raise Unreadable(f"clang does not read {file}:\n{ran.stderr[:2000]}")
