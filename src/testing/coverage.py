"""Lines and branches that the tests reach, by folder: `./run coverage` calls it. Exit code 1: fewer than asked for."""
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("src/core", "src/search", "src/run", "src/diagnosis", "src/identify", "src/gate", "src/command", "src/report")
LINES, BRANCHES = 97, 92  # per cent, of each folder


def lcov(build):
    """What llvm-cov has to say, as lcov writes it, of the sources that are asked about."""
    profiles = [str(path) for path in (build / "profiles").glob("*.profraw")]
    if not profiles:
        sys.exit(f"{build / 'profiles'} holds no profile: run the tests first, `ctest --preset coverage`")
    merged = build / "tests.profdata"
    subprocess.run(["llvm-profdata", "merge", "-sparse", *profiles, "-o", str(merged)], check=True)
    files = [str(path) for folder in FOLDERS for ending in ("*.h", "*.cpp") for path in sorted((ROOT / folder).rglob(ending))
             if not path.name.endswith("_test.cpp") and "testing" not in path.parts]
    return subprocess.run(["llvm-cov", "export", "-format=lcov", f"-instr-profile={merged}", str(build / "posproof_tests"),
                           "-object", str(build / "posproof"), *files], check=True, capture_output=True, text=True).stdout


class Counts:
    """Of a file or a folder: how many lines and branches there are, and those that nothing reaches."""

    def __init__(self):
        self.lines = self.branches = 0
        self.unread = []    # lines
        self.untaken = []   # (line, which branches of it)

    def __iadd__(self, other):
        self.lines += other.lines
        self.branches += other.branches
        self.unread += other.unread
        self.untaken += other.untaken
        return self

    def shares(self):
        return (100 - 100 * len(self.unread) / max(self.lines, 1), 100 - 100 * len(self.untaken) / max(self.branches, 1))


def counts(text):
    """By file. A line or a branch of a template is reached where one instance reaches it."""
    lines, branches, file = collections.defaultdict(dict), collections.defaultdict(dict), ""
    for entry in text.splitlines():
        kind, _, rest = entry.partition(":")
        if kind == "SF":
            file = str(pathlib.Path(rest).relative_to(ROOT))
        elif kind == "DA":
            line, count = rest.split(",")[:2]
            lines[file][int(line)] = lines[file].get(int(line), 0) + int(count)
        elif kind == "BRDA":
            line, block, branch, taken = rest.split(",")
            at = int(line), int(block), int(branch)
            branches[file][at] = branches[file].get(at, 0) + (0 if taken == "-" else int(taken))
    found = {}
    for name in sorted(set(lines) | set(branches)):
        one = found[name] = Counts()
        one.lines, one.branches = len(lines[name]), len(branches[name])
        one.unread = sorted(line for line, count in lines[name].items() if not count)
        one.untaken = sorted(at for at, count in branches[name].items() if not count)
    return found


def ranges(numbers):
    """1 2 3 7 -> 1-3, 7"""
    out = []
    for number in numbers:
        if out and out[-1][1] == number - 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def report(found):
    """(text, whether every folder reaches what is asked for)."""
    enough, text = True, []
    for folder in FOLDERS:
        total = Counts()
        for name, one in found.items():
            if name.startswith(folder + "/"):
                total += one
        lines, branches = total.shares()
        good = lines >= LINES and branches >= BRANCHES and total.lines > 0
        enough = enough and good
        text.append(f"{folder:12} {lines:5.1f} % of {total.lines} lines, {branches:5.1f} % of {total.branches} branches"
                    + ("" if good else f"   too few: {LINES} % and {BRANCHES} % are asked for"))
    for name, one in found.items():
        if one.unread:
            text.append(f"{name}: lines {ranges(one.unread)}")
        if one.untaken:
            text.append(f"{name}: branches of lines {ranges(sorted({at[0] for at in one.untaken}))}")
    return "\n".join(text), enough


if __name__ == "__main__":
    printed, enough = report(counts(lcov(pathlib.Path(sys.argv[1]).resolve())))
    print(printed)
    sys.exit(0 if enough else 1)
