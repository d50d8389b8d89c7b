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
import sites as text_sites  # noqa: E402
import suite  # noqa: E402
import syntax  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FOLDERS = ("src", "properties")
TARGETS = ("posproof", "posproof_tests")
# Left out whole, and counted: what is compiled once for each instruction set, and what is no part of the program.
KERNELS = re.compile(r"^src/exact/(kernel|simd|isa)[a-z0-9_]*\.(h|cpp)$")
NOT_OURS = re.compile(r"(_test|_long|_search)\.cpp$|/testing/|^src/main\.cpp$")


def say(text):
    print(text, file=sys.stderr, flush=True)


class Failed(Exception):
    """What the user can do something about; its text says what."""


def sources():
    """The sources that ship, by their paths."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\0")
    return [path for path in listed if path and (ROOT / path).is_file()]


class Scratch:
    """A copy of the tree with its own build."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.tree = self.folder / "tree"
        self.build = self.tree / "build" / "release"
        self.mutated = []

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
        self.mutated = sorted(path for path in mutated if path.endswith(".cpp"))
        for path in paths:
            source = ROOT / path
            self.write(path, mutated.get(path, b"") if path in mutated else source.read_bytes())
            if path not in mutated:
                shutil.copymode(source, self.tree / path)
        self._remove_all_but(paths)
        self.write("src/core/mutants_switch.h", (HERE / "switch.h").read_bytes())
        self.write("src/core/mutants_switch.cpp", (HERE / "switch.cpp").read_bytes())
        cmake = (ROOT / "CMakeLists.txt").read_text()
        options = "-O1;-w;-fdiagnostics-column-unit=byte"
        if self.mutated:
            files = "\n  ".join(self.mutated)
            cmake += f'\nset_property(SOURCE\n  {files}\n  APPEND PROPERTY COMPILE_OPTIONS "{options}")\n'
        self.write("CMakeLists.txt", cmake.encode())

    def follow(self, paths):
        """The files that are new, without those that are gone, so that the build knows of both; what is mutated stays so."""
        for path in paths:
            if not (self.tree / path).is_file():
                self.write(path, (ROOT / path).read_bytes())
        self._remove_all_but(paths)

    def _remove_all_but(self, paths):
        kept = set(paths) | {"src/core/mutants_switch.h", "src/core/mutants_switch.cpp"}
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
        ran = subprocess.run(words, capture_output=True, text=True,
                             env={**os.environ, "CCACHE_BASEDIR": str(self.tree), "LC_ALL": "C"})
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


def sites_in(task):
    """Every site in the files that one source holds or includes: (path, sites, excluded) of each."""
    clang, command, directory, file, texts = task
    found = {}
    try:
        trees = syntax.trees(clang, command, directory, file)
    except syntax.Unreadable as unreadable:
        say(str(unreadable))
        return [(file, [], collections.Counter({"clang cannot print the tree (files)": 1}))]
    for tree in trees:
        queue_ = [tree]
        while queue_:
            node = queue_.pop()
            if node.kind in ("NamespaceDecl", "LinkageSpecDecl"):
                queue_ += node.children
                continue
            if node.file not in texts:
                continue
            if node.file not in found:
                found[node.file] = text_sites.Sites(node.file, texts[node.file])
            found[node.file].walk(node)
    return [(path, sites.found, sites.excluded) for path, sites in found.items()]


def _chosen_files(paths, globs):
    files = [path for path in paths if path.split("/")[0] in FOLDERS and path.endswith((".cpp", ".h"))
             and not NOT_OURS.search(path)]
    if globs:
        files = [path for path in files if any(fnmatch.fnmatch(path, glob) for glob in globs)]
    return files


_INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def included(path, seen):
    """Adds the headers of the project that a file includes, however far away."""
    for name in _INCLUDE.findall((ROOT / path).read_text()):
        for folder in (pathlib.PurePath(path).parent, *FOLDERS):
            header = os.path.normpath(f"{folder}/{name}")
            if header not in seen and (ROOT / header).is_file():
                seen.add(header)
                included(header, seen)
    return seen


def read_for(wanted, known):
    """The sources to read: those that are wanted, and for each header that none of them includes one that does."""
    chosen = [path for path in known if path in wanted]
    missing = {path for path in wanted if path.endswith(".h")}.difference(*(included(path, set()) for path in chosen))
    for path in known:
        if missing and path not in chosen and missing & (headers := included(path, set())):
            chosen.append(path)
            missing -= headers
    return chosen


def sites(scratch, files, clang, jobs):
    """All sites of `files` by path, and how many were left out, by reason."""
    excluded = collections.Counter()
    wanted = [path for path in files if not KERNELS.match(path)]
    texts = {str(ROOT / path): (ROOT / path).read_bytes().decode("latin-1") for path in wanted}
    everything = hashlib.sha256()
    for path in sorted(p for p in sources() if p.endswith((".h", ".cpp"))):
        if path.split("/")[0] in FOLDERS:
            everything.update(path.encode() + (ROOT / path).read_bytes())
    for tool in ("sites.py", "syntax.py"):
        everything.update((HERE / tool).read_bytes())
    everything.update("\n".join(wanted).encode())
    cache = scratch.folder / f"sites-{everything.hexdigest()[:16]}.pickle"
    if cache.is_file():
        return pickle.loads(cache.read_bytes())

    commands = {path: entry for path, entry in scratch.commands().items()
                if path.split("/")[0] in FOLDERS and not NOT_OURS.search(path)}
    tasks = []
    for path in read_for(wanted, sorted(commands)):
        entry = commands[path]
        command = entry["command"].replace(str(scratch.tree), str(ROOT)).replace(f"{ROOT}/build/", f"{scratch.tree}/build/")
        tasks.append((clang, command, entry["directory"], str(ROOT / path), texts))
    found = {}
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for number, results in enumerate(pool.map(sites_in, tasks)):
            if number % 50 == 0:
                say(f"read {number} of {len(tasks)} sources")
            for file, sites_found, left_out in results:
                path = os.path.relpath(file, ROOT)
                if path not in found:
                    found[path] = sites_found
                    excluded.update(left_out)
                elif path.endswith(".h"):  # a template that another source instantiates adds nothing; a macro may
                    known = {(site.operator, site.begin, site.end, site.code) for site in found[path]}
                    found[path] += [site for site in sites_found
                                    if (site.operator, site.begin, site.end, site.code) not in known]
    for path, listed in found.items():
        for site in listed:
            site.file = path
    excluded["kernels compiled for each instruction set (files)"] = sum(bool(KERNELS.match(path)) for path in files)
    for old in scratch.folder.glob("sites-*.pickle"):
        old.unlink()
    cache.write_bytes(pickle.dumps((found, excluded)))
    return found, excluded


def sample(found, number, seed):
    """As many of each file as its share of all sites says; in a file, every operator has the same chance."""
    total = sum(map(len, found.values()))
    if number >= total:
        return [site for path in sorted(found) for site in found[path]]
    random_ = random.Random(f"{seed}")
    shares = {path: number * len(listed) / total for path, listed in found.items()}
    counts = {path: int(share) for path, share in shares.items()}
    paths = sorted(found)
    while sum(counts.values()) < number:  # what is left goes by chance, in proportion to what rounding cut off
        path = random_.choices(paths, [max(shares[path] - counts[path], 0) for path in paths])[0]
        counts[path] += 1
    chosen = []
    for path in paths:
        by_operator = collections.defaultdict(list)
        for site in found[path]:
            by_operator[site.operator].append(site)
        for listed in by_operator.values():
            random_.shuffle(listed)
        for _ in range(counts[path]):
            operator = random_.choice(sorted(by_operator))
            chosen.append(by_operator[operator].pop())
            if not by_operator[operator]:
                del by_operator[operator]
    return sorted(chosen, key=lambda site: (site.file, site.begin, -site.end))


_ERROR = re.compile(r"^(\S+?):(\d+):(\d+): (error|fatal error|note|  +required from|.*required from|.*in .constexpr. expansion)", re.M)


def build(scratch, paths, numbered, targets):
    """Builds the copy with those mutants that compile: which did not."""
    dropped = {}
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
        spent, cut = 0.0, False
        for golden in (False, True):
            for group in groups if not cut else ():
                outcome = seen(number, [test for test in group if test.golden == golden])
                spent, cut = spent + outcome.seconds, cut or outcome.cut
                if outcome.red:
                    return entry, "golden page alone" if golden else "red", outcome
        return entry, "survived", suite.Outcome(False, seconds=spent, cut=cut)

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
    scratch = Scratch(options.scratch)
    paths = sources()
    files = _chosen_files(paths, options.files)
    if not files:
        raise Failed(f"no source of src/ or properties/ matches `{' '.join(options.files or [])}`")
    scratch.folder.mkdir(parents=True, exist_ok=True)
    scratch.follow(paths)
    scratch.configure()
    found, excluded = sites(scratch, files, options.clang, options.jobs)
    say(f"{sum(map(len, found.values()))} sites in {len(found)} files; left out: {dict(excluded)}")
    chosen = sample(found, options.number, options.seed)
    numbered = list(enumerate(chosen, 1))
    dropped = build(scratch, paths, numbered, TARGETS)
    for number, reason in dropped.items():
        excluded[reason] += 1
    numbered = [entry for entry in numbered if entry[0] not in dropped]
    lines = {number: line_of(site) for number, site in numbered}  # now: who edits a source meanwhile changes nothing
    cells = Cells(scratch, options.jobs)
    tests, started = measure(scratch, cells, options.jobs)
    results = []
    start = time.monotonic()

    def report(number, site, status, outcome, reached_by):
        results.append({"number": number, "file": site.file, "line": site.line, "operator": site.operator, "before": site.before,
                        "after": site.after, "text": lines[number], "status": status, "test": outcome.test,
                        "late": outcome.late, "cut": outcome.cut, "reached_by": reached_by, "seconds": round(outcome.seconds, 2)})
        survived = sum(result["status"] != "red" for result in results)
        if status != "red" and options.survivors:
            said = f"{status}{', by the fastest tests' if outcome.cut else ''}, reached by {reached_by} tests"
            with open(options.survivors, "a") as file:
                file.write(f"{site.file}:{site.line}\t{site.operator}\t{site.before}\t=>\t{site.after}\t[{said}]\n")
        if status != "red" or len(results) % 20 == 0:
            say(f"{len(results)} of {len(numbered)}, {survived} survive, {time.monotonic() - start:.0f} s: {status} "
                f"{site.file}:{site.line} {site.operator}: {site.before} => {site.after}")

    judge(numbered, tests, started, cells, options.jobs, options.budget, report)
    results.sort(key=lambda result: result["number"])
    return {"seed": options.seed, "asked": options.number, "sites": sum(map(len, found.values())), "excluded": dict(excluded),
            "results": results}


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
