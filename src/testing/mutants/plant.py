"""Writes mutants into a source, each behind a switch: one build holds all of them, and the environment says which runs."""
import bisect


class Planted:
    """The text of a source with its mutants, and which of them stands where in it."""

    def __init__(self, text, sites):
        """`sites`: (number of the mutant, its site), in the order in which they were found."""
        self._out = []
        self._length = 0
        self._spans = []
        self.overlapping = []
        inserts = [(site.begin, number, site) for number, site in sites if site.inserts]
        wraps = self._nested([(number, site) for number, site in sites if not site.inserts])
        self._text = text
        self._inserts = sorted(inserts, key=lambda insert: insert[:2])
        self._write('#include "core/mutants_switch.h"\n#line 1\n')
        self._first = self._length
        self._range(0, len(text), wraps)
        self.text = "".join(self._out)
        body = self.text[self._first:]
        self._lines = [0] + [at + 1 for at, char in enumerate(body) if char == "\n"]

    def _nested(self, wraps):
        """The wraps as a tree; one that overlaps another without being inside it is left out."""
        wraps.sort(key=lambda wrap: (wrap[1].begin, -wrap[1].end))
        top, stack = [], []
        for number, site in wraps:
            while stack and stack[-1][1].end <= site.begin:
                stack.pop()
            if stack and stack[-1][1].end < site.end:
                self.overlapping.append(number)
                continue
            entry = (number, site, [])
            (stack[-1][2] if stack else top).append(entry)
            stack.append(entry)
        return top

    def _write(self, text):
        self._out.append(text)
        self._length += len(text)

    def _range(self, begin, end, wraps):
        at = begin
        for wrap in wraps:
            self._plain(at, wrap[1].begin, False)
            self._wrap(*wrap)
            at = wrap[1].end
        self._plain(at, end, True)

    def _plain(self, begin, end, with_end):
        """The text as it is, with the statements that are inserted into it."""
        at = begin
        first = bisect.bisect_left(self._inserts, (begin,))
        for offset, number, site in self._inserts[first:]:
            if offset > end or (offset == end and not with_end):
                break
            self._write(self._text[at:offset])
            start = self._length
            self._write(f" if ({self._asks(number, site)}) {site.code} ")
            self._spans.append((start, self._length, number))
            at = offset
        self._write(self._text[at:end])

    @staticmethod
    def _asks(number, site):
        return f"::posproof_mutants::active{'_at_run_time' if site.at_run_time else ''}({number})"

    def _wrap(self, number, site, inner):
        start = self._length
        if site.type == "statement":
            self._write("{ ")
            self._range(site.begin, site.end, inner)
            self._write(f" if ({self._asks(number, site)}) {site.code} }}")
        else:
            self._write(f"({self._asks(number, site)} ? static_cast<{site.type}>({site.code}) : static_cast<{site.type}>(")
            self._range(site.begin, site.end, inner)
            self._write("))")
        self._spans.append((start, self._length, number))

    def blamed(self, line, column):
        """The mutants to leave out for what the compiler says of a place: the innermost one there, or those of the line."""
        if line > len(self._lines):
            return []
        begin = self._lines[line - 1] + self._first
        end = (self._lines[line] + self._first) if line < len(self._lines) else self._length
        at = begin + column - 1
        around = [span for span in self._spans if span[0] <= at < span[1]]
        if around:
            return [min(around, key=lambda span: span[1] - span[0])[2]]
        return [number for start, stop, number in self._spans if start < end and stop > begin]
