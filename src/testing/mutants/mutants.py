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
from reading import FOLDERS, NOT_OURS, ROOT  # noqa: E402
from scratch import Failed, Scratch, say  # noqa: E402

TARGETS = ("posproof", "posproof_tests")
# Left out whole, and counted: what is compiled once for each instruction set.
KERNELS = re.compile(r"^src/exact/(kernel|simd|isa)[a-z0-9_]*\.(h|cpp)$")
# Headers that more sources of the program include are left out by name: a fault in one would compile nearly everything.
MOST_INCLUDING = 48


def sources():
    """The sources that ship, by their paths."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\0")
    return [path for path in listed if path and (ROOT / path).is_file()]


def widely_included(files, sources_, most=MOST_INCLUDING):
    """Those headers of `files` that more than `most` of the program's sources include, with their number."""
    count = collections.Counter(header for path in sources_ if path.endswith(".cpp") and not NOT_OURS.search(path)
                                for header in reading.included(path, set()))
    return {path: count[path] for path in files if path.endswith(".h") and count[path] > most}


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


def measure(scratch, cells, jobs, fast):
    """The tests that are green without a mutant, with what they reach, and the mutants that starting the tests reaches: the same
    for one build, and remembered."""
    binaries = hashlib.sha256(b"".join((scratch.build / name).read_bytes() for name in TARGETS)).hexdigest()[:16]
    kept = scratch.folder / f"tests-{binaries}{'-fast' if fast else ''}.pickle"
    if kept.is_file():
        return pickle.loads(kept.read_bytes())

    tests = suite.tests_of(scratch.build, ("long", "slow") if fast else ("long",))
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
    parser.add_argument("--fast", action="store_true", help="only tests of `./run test`, without those of cmake/slow_tests.txt")
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
    scratch = Scratch(options.scratch, options.jobs)
    paths = sources()
    files = _chosen_files(paths, options.files)
    if not files:
        raise Failed(f"no source of src/ or properties/ matches `{' '.join(options.files or [])}`")
    scratch.folder.mkdir(parents=True, exist_ok=True)
    scratch.follow(paths)
    scratch.configure()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    reader = reading.Reader(scratch, options.clang, options.jobs, say)
    kernels = [path for path in files if KERNELS.match(path)]
    wide = widely_included(files, [path for path in paths if path.split("/")[0] in FOLDERS])
    weights = {path: reading.weight((ROOT / path).read_text()) for path in files if path not in kernels and path not in wide}
    chosen, found = reading.sample(weights, reader.read, options.number, options.seed)
    excluded = reader.excluded
    excluded["kernels compiled for each instruction set (files)"] = len(kernels)
    excluded[f"headers that more than {MOST_INCLUDING} sources include (files)"] = len(wide)
    if wide:
        say("left out: " + ", ".join(f"{path} ({count} sources include it)" for path, count in sorted(wide.items())))
    say(f"{sum(map(len, found.values()))} sites in {len(found)} of {len(weights)} files; left out there: {dict(excluded)}")
    numbered = list(enumerate(chosen, 1))
    dropped = build(scratch, paths, numbered, TARGETS)
    for number, reason in dropped.items():
        excluded[reason] += 1
    numbered = [entry for entry in numbered if entry[0] not in dropped]
    lines = {number: line_of(site) for number, site in numbered}  # now: who edits a source meanwhile changes nothing
    cells = Cells(scratch, options.jobs)
    tests, started = measure(scratch, cells, options.jobs, options.fast)
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
            "sites": sum(map(len, found.values())), "excluded": dict(excluded), "wide": sorted(wide), "fast": options.fast, "results": results}


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
