"""Plants faults in a copy of the sources and says how many of them no test notices."""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import pickle
import queue
import random
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import page  # noqa: E402
import plant  # noqa: E402
import reading  # noqa: E402
import suite  # noqa: E402
from reading import FOLDERS, HERE, NOT_OURS, ROOT  # noqa: E402

TARGETS = ("posproof", "posproof_tests")
# Left out whole, and counted: what is compiled once for each instruction set.
KERNELS = re.compile(r"^src/exact/(kernel|simd|isa)[a-z0-9_]*\.(h|cpp)$")
SWITCH = {"src/core/mutants_switch.h": "switch.h", "src/core/mutants_switch.cpp": "switch.cpp"}


def say(text):
    print(text, file=sys.stderr, flush=True)


class Failed(Exception):
    """What the user can do something about; its text says what."""


def sources():
    """The sources that ship, by their paths."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\0")
    return [path for path in listed if path and (ROOT / path).is_file()]


def shadow(path):
    """Where the copy keeps a mutated header: who does not see a mutant includes the header as it is, and need not be compiled."""
    return path.replace("src/", "mutated/", 1) if path.startswith("src/") and path.endswith(".h") else path


def sees(path, headers):
    """Whether a source is compiled with the mutated ones of its headers: a test with those that it names itself."""
    if not NOT_OURS.search(path):
        return not headers.isdisjoint(reading.included(path, set()))
    text = (ROOT / path).read_text()
    return any(f'#include "{header.removeprefix("src/")}"' in text for header in headers)


class Scratch:
    """A copy of the tree with its own build."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.tree = self.folder / "tree"
        self.build = self.tree / "build" / "release"

    def write(self, path, text):
        """Only what changed, so that only that is compiled again."""
        target = self.tree / path
        if target.is_file() and target.read_bytes() == text:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            target.unlink()
        target.write_bytes(text)

    def copy(self, paths, mutated):
        """The tree as it is, with the files of `mutated` as they are given."""
        for path in paths:
            if shadow(path) != path or path not in mutated:
                self.write(path, (ROOT / path).read_bytes())
                shutil.copymode(ROOT / path, self.tree / path)
        for path, text in mutated.items():
            self.write(shadow(path), text)
        for path, name in SWITCH.items():
            self.write(path, (HERE / name).read_bytes())
        self._remove_all_but([*paths, *map(shadow, mutated)])
        self.write("CMakeLists.txt", (ROOT / "CMakeLists.txt").read_bytes() + self._options(paths, mutated).encode())

    @staticmethod
    def _options(paths, mutated):
        """How the sources with mutants are compiled."""
        headers = {path for path in mutated if shadow(path) != path}
        # What stands in src/ itself finds the plain header beside it first.
        sources_ = [path for path in paths if path.split("/")[0] in FOLDERS and path.endswith(".cpp") and path != "src/main.cpp"]
        seeing = [path for path in sources_ if headers and sees(path, headers)]
        changed = sorted({path for path in mutated if path.endswith(".cpp")}.union(seeing))
        lines = ["", ""]
        for listed, setting in ((changed, 'COMPILE_OPTIONS "-w;-fdiagnostics-column-unit=byte"'),
                                ([path for path in changed if not NOT_OURS.search(path)], 'COMPILE_OPTIONS "-O1"'),
                                (seeing, 'INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/mutated"')):
            if listed:
                lines.append(f"set_property(SOURCE {' '.join(listed)} APPEND PROPERTY {setting})")
        return "\n".join(lines) + "\n"

    def follow(self, paths):
        """The files that are new, without those that are gone, so that the build knows of both; what is mutated stays so."""
        for path in paths:
            if not (self.tree / path).is_file():
                self.write(path, (ROOT / path).read_bytes())
        self._remove_all_but(paths)

    def _remove_all_but(self, paths):
        kept = {*paths, *SWITCH}
        for folder in {path.split("/")[0] for path in paths if "/" in path}:
            for file in (self.tree / folder).rglob("*"):
                if file.is_file() and str(file.relative_to(self.tree)) not in kept:
                    file.unlink()

    def configure(self):
        words = ["cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
        if shutil.which("ccache"):
            words.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        self.build.mkdir(parents=True, exist_ok=True)
        ran = subprocess.run(words, capture_output=True, text=True)
        if ran.returncode != 0:
            raise Failed(f"configuring the scratch copy failed:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")

    def compile(self, targets=()):
        """(whether it built, what the compiler said)."""
        words = ["ninja", "-C", str(self.build), "-k", "0", *targets]
        # Errors are read, in English. Another LC_ALL would be another compiler to ccache: what other builds have left is found.
        english = os.environ.get("LC_ALL", os.environ.get("LANG", "C")).startswith(("C", "POSIX", "en"))
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.tree), **({} if english else {"LC_ALL": "C"})}
        ran = subprocess.run(words, capture_output=True, text=True, env=environment)
        return ran.returncode == 0, ran.stdout + ran.stderr

    def commands(self):
        """For each source of the tree, by its path there: how it is compiled."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        found = {}
        for entry in entries:
            file = pathlib.Path(entry["file"])
            if file.is_relative_to(self.tree) and not file.is_relative_to(self.tree / "build"):
                found.setdefault(str(file.relative_to(self.tree)), entry)
        return found


def _chosen_files(paths, globs):
    files = [path for path in paths if path.split("/")[0] in FOLDERS and path.endswith((".cpp", ".h"))
             and not NOT_OURS.search(path)]
    if globs:
        files = [path for path in files if any(fnmatch.fnmatch(path, glob) for glob in globs)]
    return files


_ERROR = re.compile(r"^(\S+?):(\d+):(\d+): (error|fatal error|note|  +required from|.*required from|.*in .constexpr. expansion)", re.M)


def build(scratch, paths, numbered, targets):
    """Builds the copy with those mutants that compile: which did not. Those are remembered: to find them is a build."""
    kept = scratch.folder / "dropped.pickle"
    known = pickle.loads(kept.read_bytes()) if kept.is_file() else {}
    place = {number: (site.file, hashlib.sha256((ROOT / site.file).read_bytes()).hexdigest(), site.begin, site.end, site.code)
             for number, site in numbered}
    dropped = {number: known[place[number]] for number, _ in numbered if place[number] in known}
    for attempt in range(60):
        by_file = collections.defaultdict(list)
        for number, site in numbered:
            if number not in dropped:
                by_file[site.file].append((number, site))
        planted, mutated = {}, {}
        for path, listed in by_file.items():
            text = (ROOT / path).read_bytes().decode("latin-1")
            planted[path] = plant.Planted(text, listed)
            for number in planted[path].overlapping:
                dropped[number] = "overlaps another mutant"
            mutated[path] = planted[path].text.encode("latin-1")
        scratch.copy(paths, mutated)
        say(f"building with {len(numbered) - len(dropped)} mutants")
        built, said = scratch.compile(targets)
        if built:
            kept.write_bytes(pickle.dumps({**known, **{place[number]: reason for number, reason in dropped.items()}}))
            return dropped
        (scratch.folder / f"build-{attempt}.log").write_text(said)
        before = len(dropped)
        for first in said.split("FAILED: ")[1:]:
            blamed = _blamed(first, scratch, planted)
            for number in blamed:
                dropped.setdefault(number, "does not compile behind a switch")
        if len(dropped) == before:
            raise Failed(f"the scratch copy does not build; see {scratch.folder}/build-{attempt}.log")
    raise Failed("the scratch copy does not build after 60 attempts")


def _blamed(said, scratch, planted):
    """Of each error, the mutants at its place; where that is no mutated file, at the places that led to it."""
    blamed, waiting = set(), []
    for file, line, column, what in _ERROR.findall(said):
        path = os.path.relpath(os.path.join(scratch.build, file), scratch.tree)
        path = path.replace("mutated/", "src/", 1) if path.startswith("mutated/") else path
        here = planted[path].blamed(int(line), int(column)) if path in planted else []
        if "error" in what:
            blamed.update(here or (waiting[-1] if waiting else []))
            waiting = [] if here else waiting
        elif here:
            waiting.append(here)
            if not blamed:
                blamed.update(here)
    return blamed


class Cells:
    """As many cells as tests run at a time."""

    def __init__(self, scratch, jobs):
        self._free = queue.Queue()
        for number in range(jobs):
            self._free.put(suite.Cell(scratch.folder / f"cell{number}", scratch.tree))

    def use(self, function):
        cell = self._free.get()
        try:
            return function(cell)
        finally:
            self._free.put(cell)


def measure(scratch, cells, jobs):
    """The tests that are green without a mutant, with what they reach, and the mutants that starting the tests reaches: the same
    for one build, and remembered."""
    binaries = hashlib.sha256(b"".join((scratch.build / name).read_bytes() for name in TARGETS)).hexdigest()[:16]
    kept = scratch.folder / f"tests-{binaries}.pickle"
    if kept.is_file():
        return pickle.loads(kept.read_bytes())

    tests = suite.tests_of(scratch.build)
    started = cells.use(lambda cell: suite.at_start(scratch.build, cell))

    def one(test):
        return test, cells.use(lambda cell: suite.measure(test, cell, started))
    green = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, (test, (passed, output)) in enumerate(pool.map(one, tests)):
            if number % 100 == 0:
                say(f"measured {number} of {len(tests)} tests")
            if passed:
                green.append(test)
            else:
                say(f"{test.name} is red without a mutant and is left out:\n{output[-600:]}")
    if not green:
        raise Failed("no test is green without a mutant; is bubblewrap permitted here?")
    for old in kept.parent.glob("tests-*.pickle"):
        old.unlink()
    measured = green, frozenset(number for number, count in enumerate(started) if count)
    kept.write_bytes(pickle.dumps(measured))
    return measured


def judge(numbered, tests, started, cells, jobs, budget, report):
    """Runs every mutant against the tests that reach it; one that starting a test reaches against all of them, these first."""
    reaching = collections.defaultdict(list)
    for test in tests:
        for number in test.reaches:
            reaching[number].append(test)

    def seen(number, asked):
        return cells.use(lambda cell: suite.notices(number, asked, cell, budget)) if asked else suite.Outcome(False)

    def one(entry):
        number, _ = entry
        known = {test.name for test in reaching[number]}
        groups = [reaching[number], [test for test in tests if test.name not in known] if number in started else []]
        if not any(groups):
            return entry, "never reached", suite.Outcome(False)
        spent, cut, unsure = 0.0, False, False
        for golden in (False, True):
            for group in groups if not cut else ():
                outcome = seen(number, [test for test in group if test.golden == golden])
                spent, cut, unsure = spent + outcome.seconds, cut or outcome.cut, unsure or outcome.unsure
                if outcome.red:
                    seen_by = ("undecided" if unsure else "golden page alone") if golden else "red"
                    return entry, seen_by, outcome
        return entry, "undecided" if unsure else "survived", suite.Outcome(False, seconds=spent, cut=cut, unsure=unsure)

    # Those that no test reaches are known at once; the rest goes by chance, so that what is known early is a fair sample.
    entries = list(numbered)
    random.Random(0).shuffle(entries)
    entries.sort(key=lambda entry: bool(reaching[entry[0]]) or entry[0] in started)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, entry) for entry in entries]
        for future in concurrent.futures.as_completed(futures):
            (number, site), status, outcome = future.result()
            report(number, site, status, outcome, len(reaching[number]))


def line_of(site):
    """The line on which a site begins, as it is written."""
    return (ROOT / site.file).read_text().splitlines()[site.line - 1].strip()


def parse(words):
    parser = argparse.ArgumentParser(prog="./run mutants", description=__doc__)
    parser.add_argument("number", nargs="?", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--files", action="append", metavar="GLOB", help="only in these sources, as `src/run/*.cpp`")
    parser.add_argument("--json", metavar="FILE", help="everything that is known of every mutant")
    parser.add_argument("--page", metavar="FILE", help="the page, as reports/mutants.md")
    parser.add_argument("--from", dest="known", metavar="FILE", help="plant nothing: what an earlier run wrote with --json")
    parser.add_argument("--again", metavar="FILE", help="what was red in an earlier run, by its --json, or is equivalent is not run again")
    parser.add_argument("--at-least", type=float, metavar="PERCENT", help="exit 1 where fewer turn a test red")
    parser.add_argument("--survivors", metavar="FILE", help="append survivors to a file while it runs")
    parser.add_argument("--scratch", metavar="DIR", default=str(ROOT / "build" / "mutants"), help="where the copy is built")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS",
                        help="of tests for one mutant; one that is still green then survives (all tests)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (2)")
    parser.add_argument("--clang", default="clang++", help="the compiler that reads the sources (clang++)")
    options = parser.parse_args(words)
    for name in ("number", "jobs"):
        if getattr(options, name) < 1:
            parser.error(f"`{getattr(options, name)}`: {name} is 1 or more")
    for path in (options.json, options.page, options.survivors):
        if path and not os.access(pathlib.Path(path).resolve().parent, os.W_OK):
            parser.error(f"`{path}` cannot be written: no such folder, or it is not yours")
    for program in () if options.known else (options.clang, "bwrap", "cmake", "ninja", "git"):
        if not shutil.which(program):
            say(f"there is no `{program}` here; `./run packages mutants` says what is needed")
            sys.exit(77)
    return options


def planted(options):
    """Plants what was asked for: the results."""
    again = json.loads(pathlib.Path(options.again).read_text())["results"] if options.again else []
    reasons = page.equivalents()
    settled = [result for result in again if result["status"] == "red" or page.key(result) in reasons]
    scratch = Scratch(options.scratch)
    paths = sources()
    files = _chosen_files(paths, options.files)
    if not files:
        raise Failed(f"no source of src/ or properties/ matches `{' '.join(options.files or [])}`")
    scratch.folder.mkdir(parents=True, exist_ok=True)
    scratch.follow(paths)
    scratch.configure()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    reader = reading.Reader(scratch, options.clang, options.jobs, say)
    weights = {path: reading.weight((ROOT / path).read_text()) for path in files if not KERNELS.match(path)}
    chosen, found = reading.sample(weights, reader.read, options.number, options.seed)
    excluded = reader.excluded
    excluded["kernels compiled for each instruction set (files)"] = sum(bool(KERNELS.match(path)) for path in files)
    say(f"{sum(map(len, found.values()))} sites in {len(found)} of {len(weights)} files; left out there: {dict(excluded)}")
    numbered = list(enumerate(chosen, 1))
    dropped = build(scratch, paths, numbered, TARGETS)
    for number, reason in dropped.items():
        excluded[reason] += 1
    numbered = [entry for entry in numbered if entry[0] not in dropped]
    lines = {number: line_of(site) for number, site in numbered}  # now: who edits a source meanwhile changes nothing
    cells = Cells(scratch, options.jobs)
    tests, started = measure(scratch, cells, options.jobs)
    start = time.monotonic()

    def described(number, site):
        return {"number": number, "file": site.file, "line": site.line, "operator": site.operator, "before": site.before,
                "after": site.after, "text": lines[number]}

    known = {page.key(result): result for result in settled}
    results = [{**known[key], **described(*entry)} for entry in numbered if (key := page.key(described(*entry))) in known]
    numbered = [entry for entry in numbered if page.key(described(*entry)) not in known]

    def report(number, site, status, outcome, reached_by):
        results.append({**described(number, site), "status": status, "test": outcome.test, "late": outcome.late,
                        "cut": outcome.cut, "reached_by": reached_by, "seconds": round(outcome.seconds, 2)})
        survived = sum(result["status"] not in ("red", "undecided") for result in results)
        if status != "red" and options.survivors:
            said = f"{status}{', by the fastest tests' if outcome.cut else ''}, reached by {reached_by} tests"
            with open(options.survivors, "a") as file:
                file.write(f"{site.file}:{site.line}\t{site.operator}\t{site.before}\t=>\t{site.after}\t[{said}]\n")
        if status != "red" or len(results) % 20 == 0:
            say(f"{len(results)} of {len(known) + len(numbered)}, {survived} survive, {time.monotonic() - start:.0f} s: {status} "
                f"{site.file}:{site.line} {site.operator}: {site.before} => {site.after}")

    judge(numbered, tests, started, cells, options.jobs, options.budget, report)
    results.sort(key=lambda result: result["number"])
    return {"seed": options.seed, "asked": options.number, "commit": commit, "files": len(weights), "read": len(found),
            "sites": sum(map(len, found.values())), "excluded": dict(excluded), "results": results}


def main(words):
    options = parse(words)
    reasons = page.equivalents()
    run = json.loads(pathlib.Path(options.known).read_text()) if options.known else planted(options)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(run, indent=1) + "\n")
    if options.page:
        pathlib.Path(options.page).write_text(page.page(run, reasons))
    print(page.text(run, reasons))
    red, _, survivors = page.judged(run["results"], reasons)
    return 1 if 100 * len(red) < (options.at_least or 0) * (len(red) + len(survivors)) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Failed, page.Refused, OSError, json.JSONDecodeError) as failed:
        say(f"./run mutants: {failed}")
        sys.exit(2)
