"""Plants faults in a copy of the sources and says how many of them no test notices."""
import argparse
import collections
import concurrent.futures
import contextlib
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
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import page  # noqa: E402
import plant  # noqa: E402
import reading  # noqa: E402
import sites  # noqa: E402
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


@contextlib.contextmanager
def in_threads(jobs):
    """A pool that an interrupt ends, with the processes that its threads wait for."""
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        yield pool
    except BaseException:
        suite.running.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def binaries(scratch):
    """What was built: a mutant of the same programs is judged once."""
    return hashlib.sha256(b"".join((scratch.build / name).read_bytes() for name in TARGETS)).hexdigest()[:16]


def measure(scratch, cells, jobs, fast, built):
    """The tests that are green without a mutant, with what they reach, and the mutants that starting the tests reaches: the same
    for one build, and remembered."""
    kept = scratch.folder / f"tests-{built}{'-fast' if fast else ''}.pickle"
    if kept.is_file():
        return pickle.loads(kept.read_bytes())

    tests = suite.tests_of(scratch.build, ("long", "slow") if fast else ("long",))
    started = cells.use(lambda cell: suite.at_start(scratch.build, cell))
    groups = suite.suites(tests)
    green, done, start, told = [], 0, time.monotonic(), time.monotonic()
    with in_threads(jobs) as pool:
        futures = {pool.submit(cells.use, lambda cell, group=group: suite.measured(group, cell)): group for group in groups}
        for future in concurrent.futures.as_completed(futures):
            group, found = futures[future], future.result()
            for test in group:
                said, test.seconds, test.reaches, test.file = found[test.name]
                test.file = os.path.relpath(test.file, scratch.tree) if test.file else ""
                if said == "green":
                    green.append(test)
                else:
                    say(f"{test.name} is red without a mutant and is left out:\n{said}")
            done += len(group)
            if time.monotonic() - told > 30:
                told = time.monotonic()
                say(f"measured {done} of {len(tests)} tests after {told - start:.0f} s")
    if not green:
        raise Failed("no test is green without a mutant; is bubblewrap permitted here?")
    for old in kept.parent.glob("tests-*.pickle"):
        old.unlink()
    known = green, started
    kept.write_bytes(pickle.dumps(known))
    say(f"measured {len(green)} tests in {time.monotonic() - start:.0f} s; they take {sum(test.seconds for test in green):.0f} s")
    return known


def judge(numbered, tests, started, cells, jobs, budget, report):
    """Runs every mutant against the tests that reach it, then against the others of their suites, which may use what those have
    left; one that starting a test reaches against all of them. An interrupt ends it: what was reported is known."""
    reaching, suites = collections.defaultdict(list), collections.defaultdict(list)
    for test in tests:
        suites[test.suite or test.name].append(test)
        for number in test.reaches:
            reaching[number].append(test)

    def groups_of(number):
        near = reaching[number]
        names = {test.name for test in near}
        beside = tests if number in started else [test for suite_ in dict.fromkeys(test.suite or test.name for test in near)
                                                  for test in suites[suite_]]
        return near, [test for test in beside if test.name not in names]

    def one(entry):
        number, site = entry
        groups = groups_of(number)
        if not any(groups):
            return entry, "never reached", suite.Outcome(False)
        spent, cut, unsure = 0.0, False, False
        for golden in (False, True):
            for group in groups if not cut else ():
                asked = [test for test in group if test.golden == golden]
                if not asked:
                    continue
                outcome = cells.use(lambda cell: suite.notices(number, site.file, asked, cell, budget))
                spent, cut, unsure = spent + outcome.seconds, cut or outcome.cut, unsure or outcome.unsure
                if outcome.red:
                    seen_by = ("undecided" if unsure else "golden page alone") if golden else "red"
                    return entry, seen_by, outcome
        return entry, "undecided" if unsure else "survived", suite.Outcome(False, seconds=spent, cut=cut, unsure=unsure)

    # Those that no test reaches are known at once; the rest goes by chance, so that what is known early is a fair sample.
    entries = list(numbered)
    random.Random(0).shuffle(entries)
    entries.sort(key=lambda entry: bool(reaching[entry[0]]) or entry[0] in started)
    with in_threads(jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(one, entry) for entry in entries]):
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
    parser.add_argument("--sources", type=int, metavar="N", help="draw N sources first, so that fewer are read and compiled (any number)")
    parser.add_argument("--by-hand", metavar="FILE", help="plant these, too: a JSON array of {file, text, before, after}")
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


def by_hand(listed):
    """Faults that somebody wrote down: `before`, an expression on the line `text` of `file`, becomes `after`."""
    found = []
    for entry in listed:
        text = (ROOT / entry["file"]).read_bytes().decode("latin-1")
        line = next((number for number, line in enumerate(text.split("\n"), 1)
                     if line.strip() == entry["text"] and entry["before"] in line), None)
        if line is None:
            raise Failed(f"`{entry['file']}` has no line `{entry['text']}` with `{entry['before']}`")
        begin = text.index(entry["before"], sum(map(len, text.split("\n")[:line - 1])) + line - 1)
        found.append(sites.Site("by hand", entry["file"], begin, begin + len(entry["before"]), entry["after"],
                                f"std::decay_t<decltype({entry['before']})>", line, entry["before"], entry["after"], False))
    return found


def planted(options):
    """Plants what was asked for: the results."""
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
    drawn = reading.drawn_files(weights, options.sources, options.seed) if options.sources else weights
    chosen, found = reading.sample(drawn, reader.read, options.number, options.seed)
    excluded = reader.excluded
    excluded["kernels compiled for each instruction set (files)"] = len(kernels)
    excluded[f"headers that more than {MOST_INCLUDING} sources include (files)"] = len(wide)
    if wide:
        say("left out: " + ", ".join(f"{path} ({count} sources include it)" for path, count in sorted(wide.items())))
    say(f"{sum(map(len, found.values()))} sites in {len(found)} of {len(weights)} files; left out there: {dict(excluded)}")
    if options.by_hand:
        chosen = chosen + by_hand(json.loads(pathlib.Path(options.by_hand).read_text()))
    numbered = list(enumerate(chosen, 1))
    dropped = build(scratch, paths, numbered, TARGETS)
    for number, reason in dropped.items():
        excluded[reason] += 1
    numbered = [entry for entry in numbered if entry[0] not in dropped]
    lines = {number: line_of(site) for number, site in numbered}  # now: who edits a source meanwhile changes nothing
    cells = Cells(scratch, options.jobs)
    built = binaries(scratch)
    tests, started = measure(scratch, cells, options.jobs, options.fast, built)
    start = told = time.monotonic()

    def described(number, site):
        return {"number": number, "file": site.file, "line": site.line, "operator": site.operator, "before": site.before,
                "after": site.after, "text": lines[number]}

    run = {"seed": options.seed, "asked": options.number, "commit": commit, "files": len(weights), "read": len(found),
           "sites": sum(map(len, found.values())), "excluded": dict(excluded), "wide": sorted(wide), "fast": options.fast,
           "only": options.files or [], "sources": options.sources, "binaries": built, "planted": len(numbered), "results": []}
    known = {page.key(result): result for result in settled(options.again, built)}
    results = run["results"]
    results += [{**known[key], **described(*entry)} for entry in numbered if (key := page.key(described(*entry))) in known]
    numbered = [entry for entry in numbered if page.key(described(*entry)) not in known]

    def report(number, site, status, outcome, reached_by):
        nonlocal told
        results.append({**described(number, site), "status": status, "test": outcome.test, "late": outcome.late,
                        "cut": outcome.cut, "reached_by": reached_by, "seconds": round(outcome.seconds, 2)})
        survived = sum(result["status"] not in ("red", "undecided") for result in results)
        if status != "red" and options.survivors:
            said = f"{status}{', by the fastest tests' if outcome.cut else ''}, reached by {reached_by} tests"
            with open(options.survivors, "a") as file:
                file.write(f"{site.file}:{site.line}\t{site.operator}\t{site.before}\t=>\t{site.after}\t[{said}]\n")
        if options.json:
            keep(options.json, run)
        if status != "red" or time.monotonic() - told > 30:
            told = time.monotonic()
            judged = len(results) - run["planted"] + len(numbered)
            left = (told - start) / judged * (len(numbered) - judged)
            say(f"{len(results)} of {run['planted']}, {survived} survive, {told - start:.0f} s, about {left:.0f} s left: {status} "
                f"{site.file}:{site.line} {site.operator}: {site.before} => {site.after}")

    say(f"judging {len(numbered)} of {run['planted']} mutants")
    try:
        judge(numbered, tests, started, cells, options.jobs, options.budget, report)
    except KeyboardInterrupt:
        say(f"interrupted after {len(results)} of {run['planted']} mutants")
    results.sort(key=lambda result: result["number"])
    return run


def settled(path, built):
    """Of an earlier run: all that it found of the same programs; of others, what was red or is equivalent."""
    if not path:
        return []
    run, reasons = json.loads(pathlib.Path(path).read_text()), page.equivalents()
    return [result for result in run["results"]
            if result["status"] == "red" or page.key(result) in reasons
            or run.get("binaries") == built and result["status"] != "undecided"]


def keep(path, run):
    """Written aside, so that an interrupt leaves what was known before."""
    aside = pathlib.Path(f"{path}.part")
    aside.write_text(json.dumps(run, indent=1) + "\n")
    aside.replace(path)


def main(words):
    options = parse(words)
    reasons = page.equivalents()
    run = json.loads(pathlib.Path(options.known).read_text()) if options.known else planted(options)
    if options.json:
        keep(options.json, run)
    if options.page:
        pathlib.Path(options.page).write_text(page.page(run, reasons))
    print(page.text(run, reasons))
    red, _, survivors = page.judged(run["results"], reasons)
    if len(run["results"]) < run.get("planted", 0):
        return 130
    return 1 if 100 * len(red) < (options.at_least or 0) * (len(red) + len(survivors)) else 0


def interrupted(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGINT, interrupted)  # a shell without a terminal ignores it
    try:
        sys.exit(main(sys.argv[1:]))
    except (Failed, page.Refused, OSError, json.JSONDecodeError) as failed:
        say(f"./run mutants: {failed}")
        sys.exit(2)
    except KeyboardInterrupt:
        say("./run mutants: interrupted before the first mutant was judged")
        sys.exit(130)
