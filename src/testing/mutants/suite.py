"""The tests, how long they take, which mutants they reach, and whether they notice one."""
import array
import collections
import dataclasses
import json
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

MOST = 65536  # mutants in one build: switch.cpp
COUNT = array.array("I").itemsize
SKIPPED = 77  # conformance_test.cpp: nothing is red, and something was skipped
OUT_OF_PROCESSOR_TIME = 128 + signal.SIGXCPU  # what bubblewrap makes of it
# Tests that compile something, or that link and do nothing: no mutant changes what they say.
NO_WITNESS = re.compile(r"^(consumer|links_alone|catalogue|mutants|coverage)\.")
# Tests that compare a page of reports/ as it is checked in. Who regenerates the page accepts the fault.
GOLDEN = re.compile(r"^reports\.")


@dataclasses.dataclass
class Test:
    name: str
    command: list
    directory: str
    filter: str = ""     # of GoogleTest, where the program is one; such tests run together
    skips: str = ""      # what it prints where it is skipped
    seconds: float = 0
    reaches: frozenset = frozenset()
    file: str = ""       # the source in which a test of GoogleTest stands

    @property
    def suite(self):
        """Those of one suite are measured in one process."""
        return self.filter.partition(".")[0]

    @property
    def golden(self):
        return bool(GOLDEN.match(self.name))


@dataclasses.dataclass
class Outcome:
    red: bool
    test: str = ""
    late: bool = False
    cut: bool = False    # not every test was run
    seconds: float = 0
    unsure: bool = False  # a test was late, and without the mutant too


def tests_of(build, without):
    """What ctest runs, but for these labels and for tests that cannot see a mutant."""
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True)
    found = []
    for test in json.loads(shown.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", ())}
        if "command" not in test or not set(without).isdisjoint(properties.get("LABELS", ())) or NO_WITNESS.match(test["name"]):
            continue
        words, directory = test["command"], properties.get("WORKING_DIRECTORY", str(build))
        filters = [word.partition("=")[2] for word in words if word.startswith("--gtest_filter=")]
        skips = properties.get("SKIP_REGULAR_EXPRESSION", [""])
        if filters and not skips[0]:  # of cmake/suites.cmake
            found += [Test(name, [words[0], "--gtest_filter=" + name], directory, name) for name in filters[0].split(":")]
        else:
            found.append(Test(test["name"], words, directory, filters[0] if filters else "", skips[0]))
    return found


def _limits(processor_seconds):
    """A mutant may take all memory or fill the disk, or never end: it is stopped. What a process may take is processor time,
    so that other work of the machine makes nothing late. Signals do what they do in a terminal; a shell without one ignores
    some of them, and so would every process from here on."""
    gib = 1 << 30
    resource.setrlimit(resource.RLIMIT_AS, (24 * gib, 24 * gib))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * gib, 4 * gib))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds + 5))
    for name in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(name, signal.SIG_DFL)


class Stopped(Exception):
    """Somebody interrupted: what runs is ended, and nothing else is begun."""


class Running:
    """The processes of all cells, so that an interrupt ends them."""

    def __init__(self):
        self._lock, self._processes, self.stopping = threading.Lock(), set(), False

    def add(self, process):
        with self._lock:
            self._processes.add(process)
            if self.stopping:
                os.killpg(process.pid, signal.SIGKILL)

    def remove(self, process):
        with self._lock:
            self._processes.discard(process)
            if self.stopping:
                raise Stopped

    def stop(self):
        with self._lock:
            self.stopping = True
            for process in self._processes:
                os.killpg(process.pid, signal.SIGKILL)


running = Running()


class Cell:
    """Where tests of a mutant run: it sees its own processes only, and writes nowhere but in a /tmp of its own. A mutant may
    kill what it should not, or remove it."""

    def __init__(self, folder, scratch, writable=()):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self._words = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", str(folder), "/tmp",
                       "--ro-bind", str(scratch), str(scratch)]
        for path in writable:
            self._words += ["--bind", str(path), str(path)]
        self._words += ["--unshare-pid", "--die-with-parent", "--"]

    def run(self, words, directory, seconds, environment, patience=6):
        """(exit code, output); the exit code is None where it was late. `seconds` is what a process may take of a processor;
        that times `patience` is what all may take together with waiting."""
        process = subprocess.Popen(self._words + words, cwd=directory, env={**os.environ, "TMPDIR": "/tmp", **environment},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True, preexec_fn=lambda: _limits(math.ceil(seconds)))
        running.add(process)
        try:
            output, _ = process.communicate(timeout=patience * seconds)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            code = None
        running.remove(process)
        return code, output.decode("utf-8", "replace")


def counted(words, directory, cell, environment=None):
    """(exit code, output, how often each mutant was asked for, seconds) of a program without a mutant."""
    reached = cell.folder / "reached"
    with open(reached, "wb") as file:
        file.truncate(COUNT * MOST)
    start = time.monotonic()
    code, output = cell.run(words, directory, 600, {"POSPROOF_MUTANTS_REACHED": "/tmp/reached", **(environment or {})})
    return code, output, array.array("I", reached.read_bytes()), time.monotonic() - start


def at_start(build, cell):
    """The mutants that are asked for before the first test: what initialises constants reaches some in every test."""
    program = str(build / "posproof_tests")
    return reached_by(counted([program, "--gtest_list_tests"], str(build), cell)[2])


def reached_by(counts):
    return frozenset(number for number, count in enumerate(counts) if count)


def measured_alone(test, cell):
    """Runs a test without a mutant: ("green" or what it said, seconds, what it reaches, no source)."""
    code, output, counts, seconds = counted(test.command, test.directory, cell)
    return "green" if code in (0, SKIPPED) else output[-600:], seconds, reached_by(counts), ""


def heard(text):
    """What listener.cpp wrote: for each test that ended what `measured_alone` gives, with its source."""
    found = {}
    for line in text.splitlines():
        name, said, milliseconds, file, numbers = line.split("\t")
        found[name] = said, int(milliseconds) / 1000, frozenset(map(int, numbers.split())), file
    return found


def measured(tests, cell):
    """Runs tests without a mutant, those of GoogleTest in one process: by name, what `measured_alone` gives of each. In one
    process what is computed once and remembered is reached by the first alone; those of another suite have another process."""
    found = {}
    together = [test for test in tests if test.filter]
    if together:
        told = cell.folder / "tests"
        told.unlink(missing_ok=True)
        words = [together[0].command[0], "--gtest_filter=" + ":".join(test.filter for test in together), "--gtest_brief=1"]
        counted(words, together[0].directory, cell, {"POSPROOF_MUTANTS_TESTS": "/tmp/tests"})
        of_filter = heard(told.read_text()) if told.is_file() else {}
        found = {test.name: of_filter[test.filter] for test in together if of_filter.get(test.filter, ("red",))[0] == "green"}
    # What is red may be green alone; and a program may have no listener, or end before its time.
    return {**found, **{test.name: measured_alone(test, cell) for test in tests if test.name not in found}}


def suites(tests, most=100):
    """Groups that are measured in one process each: of one program, one suite, and not so many that the last runs alone."""
    groups = collections.defaultdict(list)
    for test in tests:
        groups[test.command[0], test.suite or test.name].append(test)
    return [group[at:at + most] for group in groups.values() for at in range(0, len(group), most)]


def distance(test, file):
    """How far a test stands from the source that a mutant is in: 0 beside it or by its name, 1 in its folder, 2 elsewhere."""
    source, beside = pathlib.PurePath(file), pathlib.PurePath(test.file)
    if not source.stem:
        return 2
    if beside.stem == source.stem + "_test" or re.search(rf"\b{re.escape(source.stem)}\b", test.name):
        return 0
    return 1 if source.parent in beside.parents else 2


def order(tests, file=""):
    """Those beside the source come first, then the few that reach least, then the fastest; of those in its folder first, as
    long as they take no more than four times as long."""
    first, spent = [], 0.0
    for most, sort in ((3, lambda test: (distance(test, file), test.seconds)), (5, lambda test: (len(test.reaches), test.seconds))):
        names = {test.name for test in first}
        for test in sorted((test for test in tests if test.name not in names), key=sort)[:20]:
            if spent + test.seconds <= most and (most == 5 or distance(test, file) == 0):
                first.append(test)
                spent += test.seconds
    names = {test.name for test in first}
    rest = [test for test in tests if test.name not in names]
    return first, sorted(rest, key=lambda test: test.seconds * (4 if distance(test, file) == 2 else 1))


def batches(tests, file=""):
    """Groups that run in one process each, of growing length: most mutants are seen by the first."""
    first, rest = order(tests, file)
    groups, limit = ([first] if first else []), 2.0
    group, spent = [], 0.0
    for test in rest:
        if group and (spent + test.seconds > limit or len(group) >= 500):
            groups.append(group)
            group, spent, limit = [], 0.0, min(2 * limit, 30)
        group.append(test)
        spent += test.seconds
    return groups + ([group] if group else [])


def _commands(group):
    """One for all tests of a program of GoogleTest, one for each of the others."""
    programs = collections.defaultdict(list)
    for test in group:
        if test.filter:
            programs[test.command[0]].append(test)
    for program, together in programs.items():
        filters = ":".join(test.filter for test in together)
        yield together, [program, "--gtest_filter=" + filters, "--gtest_fail_fast", "--gtest_brief=1"]
    for test in group:
        if not test.filter:
            yield [test], test.command


def _green(code, output, asked):
    """Whether this says that nothing is wrong; a test that is skipped has said nothing."""
    return code in (0, SKIPPED) or bool(len(asked) == 1 and asked[0].skips and code is not None and re.search(asked[0].skips, output))


def _failed(output, asked):
    """The test that is red, with the words that run it alone; all that were asked where the program ended without a name."""
    match = re.search(r"\[  FAILED  \] ([^\s,]+)", output)
    found = [test for test in asked if match and match.group(1) in (test.name, test.filter)]
    return found or asked


def _seconds(tests):
    return 20 + 6 * sum(test.seconds for test in tests)


def _sees(number, asked, words, cell):
    """Runs tests in one process with a mutant. What is red is run again alone, and without the mutant: a test that is red for
    another reason, as for a machine with other work, is passed over."""
    start = time.monotonic()

    def said(outcome):
        outcome.seconds = time.monotonic() - start
        return outcome

    def run(tests, command, mutant):
        environment = {"POSPROOF_MUTANT": str(mutant)} if mutant else {}
        code, output = cell.run(command, tests[0].directory, _seconds(tests), environment)
        return code, output, _green(code, output, tests)

    unsure = False
    while asked:
        code, output, green = run(asked, words, number)
        if green:
            break
        late = code in (None, OUT_OF_PROCESSOR_TIME)
        failed = _failed(output, asked)
        (alone, command), = _commands(failed)
        again = late or not run(alone, command, number)[2]
        before = time.monotonic()
        control = run(alone, command, 0)
        if again and control[2] and (code is not None or time.monotonic() - before < _seconds(alone)):
            return said(Outcome(True, alone[0].name, late))
        unsure = unsure or late
        asked = [test for test in asked if test not in alone]
        words = next(iter(_commands(asked)), (None, None))[1]
    return said(Outcome(False, unsure=unsure))


def notices(number, file, tests, cell, budget):
    """Runs tests with a mutant of this source until one is red, as many as take `budget` seconds without one."""
    spent, planned, unsure = 0.0, 0.0, False
    for group in batches(tests, file):
        if planned >= budget:
            return Outcome(False, seconds=spent, cut=True, unsure=unsure)
        planned += sum(test.seconds for test in group)
        for asked, words in _commands(group):
            outcome = _sees(number, asked, words, cell)
            spent, unsure = spent + outcome.seconds, unsure or outcome.unsure
            if outcome.red:
                return Outcome(True, outcome.test, outcome.late, seconds=spent)
    return Outcome(False, seconds=spent, unsure=unsure)
