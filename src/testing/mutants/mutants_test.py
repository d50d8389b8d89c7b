"""Whether the tool finds every site of a small source, and plants what the compiler takes. Exit code 77: no clang."""
import array
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutants  # noqa: E402
import page  # noqa: E402
import plant  # noqa: E402
import reading  # noqa: E402
import scratch  # noqa: E402
import sites  # noqa: E402
import suite  # noqa: E402

SOURCE = """\
#include <cstdlib>
#define HALF(x) ((x) / 2)
namespace posproof {
constexpr int width = 3 + 4;
static_assert(width > 6);
double scaled(double x, bool twice);
double sum(const double* values, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += values[i];
  return total;
}
int sign(int x) {
  if (x < 0 && x != -5) return -1;  // as in the paper
  return x == 0 ? 0 : HALF(2);
}
constexpr int twice(int x) { return x * 2; }
template <class Real>
int counted(const Real (&all)[3], Real least) {
  int found = 0;
  for (Real one : all) found += [&](Real x) { return x >= least; }(one);
  return found;
}
int counted_of(const int (&all)[3]) { return counted(all, all[0]); }
void print(double x) {
  while (x > 1.5) {
    x = scaled(x, !true);
    std::abs(x);
  }
}
}
"""

MAIN = """
namespace posproof { double scaled(double, bool) { return 0; } int sign(int); double sum(const double*, int); }
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
int main() {
  if (fork() == 0) { posproof::sign(-1); _exit(0); }
  wait(nullptr);
  const double values[] = {1, 2, 3, 4};
  std::printf("%d %d %g", posproof::sign(0), posproof::sign(-3), posproof::sum(values, 3));
}
"""

# operator, line, before, after: every site of SOURCE, and no other.
SITES = {
    ("early return", 7, "sum()", "return {}"),
    ("comparison", 9, "i < n", "i <= n"),
    ("loop runs once", 9, "for (int i = 0; i < n; ++i)", "break at its end"),
    ("statement left out", 9, "total += values[i]", "nothing"),
    ("sign", 9, "total += values[i]", "total -= values[i]"),
    ("index off by one", 9, "i", "(i) + 1"),
    ("only the first", 9, "i", "0"),
    ("early return", 12, "sign()", "return {}"),
    ("branch always taken", 13, "x < 0 && x != -5", "true"),
    ("branch never taken", 13, "x < 0 && x != -5", "false"),
    ("condition dropped", 13, "x < 0 && x != -5", "x < 0"),
    ("condition dropped", 13, "x < 0 && x != -5", "x != -5"),
    ("comparison", 13, "x < 0", "x <= 0"),
    ("comparison", 13, "x != -5", "x == -5"),
    ("sign", 13, "-5", "5"),
    ("constant times 16", 13, "5", "16 * 5"),
    ("sign", 13, "-1", "1"),
    ("constant times 16", 13, "1", "16 * 1"),
    ("branch always taken", 14, "x == 0", "true"),
    ("branch never taken", 14, "x == 0", "false"),
    ("comparison", 14, "x == 0", "x != 0"),
    ("early return", 16, "twice()", "return {}"),
    ("term dropped", 16, "x * 2", "x"),
    ("term dropped", 16, "x * 2", "2"),
    ("constant times 16", 16, "2", "16 * 2"),
    ("early return", 18, "counted()", "return {}"),
    ("loop runs once", 20, "for (Real one : all)", "break at its end"),
    ("statement left out", 20, "found += [&](Real x) { return x >= least; }(one)", "nothing"),
    ("comparison", 20, "x >= least", "x > least"),
    ("early return", 23, "counted_of()", "return {}"),
    ("index off by one", 23, "0", "(0) + 1"),
    ("argument ignored", 23, "all[0]", "0"),
    ("early return", 24, "print()", "return"),
    ("loop runs once", 25, "while (x > 1.5)", "break at its end"),
    ("comparison", 25, "x > 1.5", "x >= 1.5"),
    ("constant times 16", 25, "1.5", "16 * 1.5"),
    ("statement left out", 26, "x = scaled(x, !true)", "nothing"),
    ("argument ignored", 26, "x", "0"),
    ("argument ignored", 26, "!true", "false"),
    ("negation dropped", 26, "!true", "true"),
    ("flag flipped", 26, "true", "false"),
    ("statement left out", 27, "std::abs(x)", "nothing"),
    ("sign", 27, "std::abs(x)", "x"),
    ("argument ignored", 27, "x", "0"),
}


def found_in(folder):
    file = folder / "small.cpp"
    file.write_text(SOURCE)
    (path, found, excluded), = sites.sites_in(("clang++", "c++ -std=c++20", str(folder), str(file), {str(file): SOURCE}))
    return found, excluded


class Folder(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)


class Sites(Folder):
    def test_are_those_of_the_text(self):
        found, excluded = found_in(self.folder)
        self.assertEqual({(site.operator, site.line, site.before, site.after) for site in found}, SITES)
        self.assertEqual(len(found), len(SITES))
        self.assertGreater(excluded["macro"], 0)
        self.assertGreater(excluded["constexpr variable"], 0)
        self.assertGreater(excluded["not evaluated at run time"], 0)
        self.assertEqual({site.line for site in found if site.at_run_time}, {16})


    def test_leave_out_what_is_wrong_already(self):
        text = """
            namespace posproof {
            struct Encoding { double x; };
            double check(double x) { return x + 1; }
            Encoding shifted(double by) { return {by + 1}; }
            }
        """
        for folder, left in (("properties", [4]), ("src", [4, 5])):
            (self.folder / folder).mkdir()
            file = self.folder / folder / "one.cpp"
            file.write_text(text)
            (_, found, excluded), = sites.sites_in(("clang++", "c++ -std=c++20", str(self.folder), str(file), {str(file): text}))
            self.assertEqual(sorted({site.line for site in found}), left)
            self.assertEqual(excluded["negative example: another wrong encoding"] > 0, left == [4])

    def test_leave_out_the_list_of_what_is_wrong_already(self):
        text = """namespace posproof {
struct NegativeExample { double x; };
struct Property { double before; NegativeExample must_reject; double behind; };
NegativeExample off(double by) { return {by + 1}; }
const Property entry{
    .before = 1.0 + 2,
    .must_reject = {off(3.0 + 4)
                        .x},
    .behind = 5.0 + 6,
};
}
"""
        for folder, left in (("properties", [6, 9]), ("src", [4, 6, 7, 9])):
            (self.folder / folder).mkdir()
            file = self.folder / folder / "one.cpp"
            file.write_text(text)
            (_, found, _), = sites.sites_in(("clang++", "c++ -std=c++20", str(self.folder), str(file), {str(file): text}))
            self.assertEqual(sorted({site.line for site in found}), left)


class EndlessLoops(Folder):
    def test_stay_endless(self):
        text = "namespace posproof {\nint next(int x) {\n  while (true) {\n    if (++x % 7 == 0) return x;\n  }\n}\n}\n"
        file = self.folder / "endless.cpp"
        file.write_text(text)
        (_, found, excluded), = sites.sites_in(("clang++", "c++ -std=c++20", str(self.folder), str(file), {str(file): text}))
        self.assertNotIn("flag flipped", {site.operator for site in found})
        self.assertIn("comparison", {site.operator for site in found})
        self.assertEqual(excluded["condition of an endless loop"], 1)


class Planting(Folder):
    def planted(self):
        found, _ = found_in(self.folder)
        return plant.Planted(SOURCE, list(enumerate(found, 1))), found

    def test_keeps_the_lines(self):
        planted, found = self.planted()
        self.assertEqual(len(planted.text.splitlines()), 2 + len(SOURCE.splitlines()))
        self.assertEqual(planted.overlapping, [])

    def test_one_program_holds_all_and_the_environment_says_which_runs(self):
        planted, found = self.planted()
        here = pathlib.Path(__file__).parent
        (self.folder / "core").mkdir()
        shutil.copy(here / "switch.h", self.folder / "core" / "mutants_switch.h")
        (self.folder / "planted.cpp").write_text(planted.text + MAIN)
        ran = subprocess.run(["clang++", "-std=c++20", "-w", "-I", str(self.folder), str(self.folder / "planted.cpp"),
                              str(here / "switch.cpp"), "-o", str(self.folder / "program")], capture_output=True, text=True)
        self.assertEqual(ran.stderr, "")

        def printed(**environment):
            return subprocess.run([str(self.folder / "program")], env=environment, capture_output=True, text=True).stdout

        numbers = {(site.line, site.before, site.after): number for number, site in enumerate(found, 1)}
        self.assertEqual(printed(), "0 -1 6")
        self.assertEqual(printed(POSPROOF_MUTANT=str(numbers[13, "x < 0", "x <= 0"])), "-1 -1 6")
        self.assertEqual(printed(POSPROOF_MUTANT=str(numbers[13, "-1", "1"])), "0 1 6")
        self.assertEqual(printed(POSPROOF_MUTANT=str(numbers[9, "i < n", "i <= n"])), "0 -1 10")
        self.assertEqual(printed(POSPROOF_MUTANT=str(numbers[9, "for (int i = 0; i < n; ++i)", "break at its end"])), "0 -1 1")
        self.assertEqual(printed(POSPROOF_MUTANT=str(numbers[12, "sign()", "return {}"])), "0 0 6")

        counts = self.folder / "counts"
        with open(counts, "wb") as file:
            file.truncate(suite.COUNT * suite.MOST)
        printed(POSPROOF_MUTANTS_REACHED=str(counts))
        reached = array.array("I", counts.read_bytes())
        self.assertEqual(reached[numbers[13, "x < 0", "x <= 0"]], 3)  # one of them in the child
        self.assertEqual(reached[numbers[9, "total += values[i]", "nothing"]], 3)
        self.assertEqual(reached[numbers[24, "print()", "return"]], 0)

    def test_finds_the_mutant_at_a_place_of_the_compilers(self):
        planted, found = self.planted()
        line = planted.text.splitlines()[2 + 13 - 1]
        wanted = next(number for number, site in enumerate(found, 1) if site.after == "x <= 0")
        self.assertEqual(planted.blamed(13, line.index("x <= 0") + 1), [wanted])
        other = next(number for number, site in enumerate(found, 1) if site.before == "print()")
        self.assertEqual(planted.blamed(24, 1), [other])
        self.assertEqual(planted.blamed(1, 1), [])


class Reading(unittest.TestCase):
    """What includes what, in files of the project itself."""

    def test_a_header_is_read_with_one_source_that_includes_it(self):
        known = ["src/core/case.cpp", "src/core/residual.cpp", "src/gate/gate.cpp"]
        self.assertEqual(reading.read_for(["src/core/case.cpp"], known), known[:1])
        self.assertEqual(reading.read_for(["src/core/case.cpp", "src/core/case.h"], known), known[:1])
        self.assertEqual(reading.read_for(["src/core/residual.h"], known), known[1:2])
        self.assertEqual(reading.read_for(["src/gate/gate.h"], known), known[2:])
        self.assertNotIn("core/draw.h", (reading.ROOT / "src/gate/gate.cpp").read_text())
        self.assertEqual(reading.read_for(["src/core/draw.h"], known[2:]), known[2:])


class ByHand(unittest.TestCase):
    """Faults that somebody wrote down, of a file of the project itself."""

    def test_stands_where_its_line_says(self):
        entry = {"file": "src/report/junit.cpp", "after": "bound"}
        lines = (reading.ROOT / entry["file"]).read_text().splitlines()
        entry["text"], entry["before"] = next((line.strip(), "error") for line in lines if "error" in line and "//" not in line)
        site, = mutants.by_hand([entry])
        text = (reading.ROOT / entry["file"]).read_bytes()
        self.assertEqual(text[site.begin:site.end], b"error")
        self.assertEqual(lines[site.line - 1].strip(), entry["text"])
        self.assertEqual((site.operator, site.type, site.code), ("by hand", "std::decay_t<decltype(error)>", "bound"))

    def test_is_refused_where_there_is_no_such_line(self):
        entry = {"file": "src/core/residual.cpp", "text": "no such line", "before": "no", "after": "yes"}
        with self.assertRaisesRegex(mutants.Failed, "has no line `no such line` with `no`"):
            mutants.by_hand([entry])

    def test_files_are_drawn_by_weight_and_repeat(self):
        drawn = reading.drawn_files({"a": 1, "b": 9, "c": 0}, 1000, 3)
        self.assertEqual((set(drawn), sum(drawn.values())), ({"a", "b"}, 1000))
        self.assertTrue(50 < drawn["a"] < 150)
        self.assertEqual(drawn, reading.drawn_files({"a": 1, "b": 9, "c": 0}, 1000, 3))


class Sampling(unittest.TestCase):
    """Of two files: `b.cpp` weighs nine times as much, and holds as many sites as `a.cpp`."""

    def setUp(self):
        self.found = {name: [sites.Site(operator, name, at, at + 1, "0", "int", at, "x", "0", False)
                             for at in range(10) for operator in ("sign", "comparison")] for name in ("a.cpp", "b.cpp")}
        self.asked = []

    def sampled(self, number, seed, **weights):
        def read(paths):
            self.asked.append(paths)
            return {path: self.found.get(path, []) for path in paths}
        return reading.sample({f"{name}.cpp": weight for name, weight in weights.items()}, read, number, seed)[0]

    def test_is_in_proportion_and_repeats(self):
        chosen = self.sampled(10, 1, a=1, b=9)
        self.assertEqual(collections.Counter(site.file for site in chosen), {"a.cpp": 1, "b.cpp": 9})
        self.assertEqual(chosen, self.sampled(10, 1, a=1, b=9))
        self.assertNotEqual(chosen, self.sampled(10, 2, a=1, b=9))
        self.assertEqual(len(set(map(id, chosen))), 10)

    def test_reads_only_what_holds_a_fault(self):
        self.assertEqual(len(self.sampled(3, 1, a=1, b=1000000, c=0)), 3)
        self.assertEqual(self.asked, [["b.cpp"]])

    def test_what_a_file_cannot_hold_goes_to_others(self):
        self.assertEqual(collections.Counter(site.file for site in self.sampled(30, 1, a=1, b=9, c=20)),
                         {"a.cpp": 10, "b.cpp": 20})
        self.assertEqual(sorted(path for paths in self.asked for path in paths), ["a.cpp", "b.cpp", "c.cpp"])

    def test_takes_all_where_more_are_asked_for(self):
        self.assertEqual(len(self.sampled(1000, 1, a=1, b=9)), 40)

    def test_weighs_code_and_not_words(self):
        self.assertEqual(reading.weight('#include "a/b.h"\n// 1 + 1\nint x = f(1) + "a - 2"[0];\nif (a == b && !c) return *d;'), 9)


class Copying(unittest.TestCase):
    """Which sources are compiled with a mutated header, in files of the project itself."""

    def test_a_header_is_mutated_beside_its_place(self):
        self.assertEqual(scratch.shadow("src/core/residual.h"), "mutated/core/residual.h")
        self.assertEqual(scratch.shadow("src/core/residual.cpp"), "src/core/residual.cpp")
        self.assertEqual(scratch.shadow("properties/table/rows.h"), "properties/table/rows.h")

    def test_libraries_see_it_and_tests_that_name_it(self):
        sources = ["src/core/residual_test.cpp", "src/core/residual.cpp", "src/gate/gate.cpp", "src/core/case_test.cpp"]
        self.assertNotIn("core/residual.h", (reading.ROOT / "src/core/case_test.cpp").read_text())
        said = scratch.Scratch._options(sources, {"src/core/residual.h": b"", "src/core/case.cpp": b""})
        self.assertIn("target_include_directories(${folder} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/mutated)", said)
        self.assertIn("set_property(SOURCE src/core/residual_test.cpp APPEND PROPERTY INCLUDE_DIRECTORIES", said)
        said = scratch.Scratch._options(sources, {"src/core/case.cpp": b""})
        self.assertIn("target_compile_options(${folder} PRIVATE -O1", said)
        self.assertNotIn("mutated", said)

    def test_headers_that_many_sources_include_are_left_out(self):
        files, sources = ["src/core/residual.h", "src/core/residual.cpp", "src/gate/history.h"], [
            "src/core/residual.cpp", "src/core/case.cpp", "src/gate/history.cpp", "src/core/residual_test.cpp"]
        included = {path for path in files if any(path in reading.included(source, set()) for source in sources[:3])}
        self.assertEqual(included, {"src/core/residual.h", "src/gate/history.h"})
        self.assertEqual(mutants.widely_included(files, sources, most=1), {"src/core/residual.h": 2})
        self.assertEqual(mutants.widely_included(files, sources, most=2), {})


class Asking(Folder):
    def test_tests_are_those_without_a_label(self):
        (self.folder / "CTestTestfile.cmake").write_text("".join(
            f'add_test(a.{name} "true")\nset_tests_properties(a.{name} PROPERTIES LABELS "{labels}")\n'
            for name, labels in (("plain", "pages"), ("both", "pages;slow"), ("slow", "slow"), ("long", "long"))))
        named = lambda without: [test.name for test in suite.tests_of(self.folder, without)]
        self.assertEqual(named(("long",)), ["a.plain", "a.both", "a.slow"])
        self.assertEqual(named(("long", "slow")), ["a.plain"])

    def test_those_of_a_suite_are_told_apart(self):
        (self.folder / "CTestTestfile.cmake").write_text(
            'add_test(A "true" "--gtest_filter=A.a:A.b/0")\nadd_test(B "true" "--gtest_filter=B.c")\n'
            'add_test("C.d # 0" "true" "--gtest_filter=C.d/0")\n'
            'set_tests_properties("C.d # 0" PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")\n')
        found = [(test.name, test.command[1:], test.filter, test.skips) for test in suite.tests_of(self.folder, ())]
        self.assertEqual(found, [(name, ["--gtest_filter=" + only], only, skips) for name, only, skips in (
            ("A.a", "A.a", ""), ("A.b/0", "A.b/0", ""), ("B.c", "B.c", ""), ("C.d # 0", "C.d/0", "SKIPPED"))])


class Noticing(unittest.TestCase):
    """A program of two tests, `a` and `b`, that does with and without a mutant what it is told."""

    def outcome(self, *, mutant, alone=None, plain="green", skips=""):
        said = {"green": (0, ""), "red": (1, "[  FAILED  ] b (1 ms)\n"), "crash": (139, ""), "late": (None, ""),
                "endless": (suite.OUT_OF_PROCESSOR_TIME, ""), "skip": (1, "no numpy")}
        self.ran = []

        class Program:
            folder = None

            def run(_, words, directory, seconds, environment):
                filter_ = next(word.partition("=")[2] for word in words if "filter" in word)
                with_mutant = environment.get("POSPROOF_MUTANT") == "7"
                self.ran.append((filter_, with_mutant))
                if not with_mutant:
                    return said[plain]
                if filter_ == "a":
                    return said["green"]
                return said[mutant if filter_ == "a:b" or alone is None else alone]
        tests = [suite.Test(name, ["program"], "", name, skips, 0.01, frozenset([7])) for name in ("a", "b")]
        return suite.notices(7, "src/a.cpp", tests, Program(), 99)

    def test_red_twice_and_green_without_is_noticed(self):
        self.assertEqual(self.outcome(mutant="green").red, False)
        found = self.outcome(mutant="red")
        self.assertEqual((found.red, found.test, found.late, found.unsure), (True, "b", False, False))
        self.assertEqual(self.ran, [("a:b", True), ("b", True), ("b", False)])
        self.assertEqual(self.outcome(mutant="crash").test, "a")

    def test_red_once_is_not(self):
        self.assertEqual(self.outcome(mutant="red", alone="green").red, False)
        self.assertEqual(self.ran[-1], ("a", True))

    def test_red_without_the_mutant_is_not(self):
        self.assertEqual(self.outcome(mutant="red", plain="red").red, False)
        self.assertEqual(self.outcome(mutant="crash", plain="crash").red, False)

    def test_what_never_ends_is_noticed_where_it_ends_without_the_mutant(self):
        for late in ("late", "endless"):
            found = self.outcome(mutant=late)
            self.assertEqual((found.red, found.late, found.unsure), (True, True, False))
            self.assertEqual(len(self.ran), 2)
            found = self.outcome(mutant=late, plain=late)
            self.assertEqual((found.red, found.late, found.unsure), (False, False, True))

    @unittest.skipUnless(shutil.which("bwrap"), "no bubblewrap")
    def test_an_endless_loop_is_ended_by_the_time_of_the_processor(self):
        with tempfile.TemporaryDirectory() as folder:
            cell = suite.Cell(pathlib.Path(folder) / "cell", folder)
            self.assertEqual(cell.run(["sh", "-c", "while :; do :; done"], folder, 1, {}, 600)[0], suite.OUT_OF_PROCESSOR_TIME)
            self.assertEqual(cell.run(["sleep", "9"], folder, 0.1, {})[0], None)


class Measuring(unittest.TestCase):
    """A program whose tests run in one process, and another one without a listener."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ran = []

    def run_(self, words, directory, seconds, environment):
        self.ran.append(words)
        if "POSPROOF_MUTANTS_TESTS" in environment:
            (self.folder / "tests").write_text("A.a\tgreen\t1500\t/t/src/a_test.cpp\t 3 7\nA.b\tred\t2\t/t/src/a_test.cpp\t\n")
        else:
            reached = self.folder / "reached"
            counts = array.array("I", bytes(reached.stat().st_size))
            counts[5] = 2
            reached.write_bytes(counts.tobytes())
        return (1, "[  FAILED  ] A.b") if words[-1] == "A.b" else (0, "")

    def test_one_process_tells_of_every_test_and_what_is_red_or_missing_is_run_alone(self):
        tests = [suite.Test(name, ["p", name], "", name) for name in ("A.a", "A.b", "A.c")] + [suite.Test("other", ["q"], "")]
        found = suite.measured(tests, unittest.mock.Mock(folder=self.folder, run=self.run_))
        self.assertEqual(found["A.a"], ("green", 1.5, frozenset([3, 7]), "/t/src/a_test.cpp"))
        self.assertEqual((found["A.b"][0], found["A.b"][2]), ("[  FAILED  ] A.b", frozenset([5])))
        self.assertEqual([found["A.c"][0], found["other"][0], found["other"][2]], ["green", "green", frozenset([5])])
        self.assertEqual(self.ran, [["p", "--gtest_filter=A.a:A.b:A.c", "--gtest_brief=1"], ["p", "A.b"], ["p", "A.c"], ["q"]])

    def test_a_process_is_that_of_one_suite_of_one_program(self):
        def test(program, name):
            return suite.Test(name, [program], "", name if program != "r" else "")
        tests = [test("p", "A.a"), test("p", "B.a"), test("p", "A.b"), test("q", "A.c"), test("r", "x"), test("r", "y"),
                 test("p", "A.d")]
        self.assertEqual([[one.name for one in group] for group in suite.suites(tests, 2)],
                         [["A.a", "A.b"], ["A.d"], ["B.a"], ["A.c"], ["x"], ["y"]])

    def test_a_run_is_taken_up_where_it_was_interrupted(self):
        common = {"file": "f", "text": "t", "operator": "o", "before": "b"}
        results = [{**common, "after": status, "status": status} for status in ("red", "survived", "undecided")]
        kept = self.folder / "run.json"
        mutants.keep(kept, {"binaries": "1", "results": results})
        self.assertEqual([one["status"] for one in mutants.settled(kept, "1")], ["red", "survived"])
        self.assertEqual([one["status"] for one in mutants.settled(kept, "2")], ["red"])
        self.assertEqual(mutants.settled(None, "1"), [])
        self.assertEqual(list(self.folder.glob("*.part")), [])


class Judging(unittest.TestCase):
    """Mutants of which a fake suite says what they turn red."""

    def setUp(self):
        real = suite.notices
        self.addCleanup(setattr, suite, "notices", real)
        red = {1: "a", 2: "reports.page", 4: "a", 6: "reports.page"}
        suite.notices = lambda number, file, asked, cell, budget: suite.Outcome(
            red.get(number) in [test.name for test in asked], seconds=1, cut=number == 6,
            unsure=number == 7 and asked[0].name == "a")

    def use(self, function):
        return function(None)

    def test_asks_the_other_tests_of_a_suite_too(self):
        tests = [suite.Test("A.first", [], "", "A.first", reaches=frozenset([3])), suite.Test("A.later", [], "", "A.later"),
                 suite.Test("B.other", [], "", "B.other")]
        asked = []
        suite.notices = lambda number, file, tests, cell, budget: asked.append((file, [test.name for test in tests])) or suite.Outcome(False)
        site = sites.Site("sign", "f", 1, 2, "0", "int", 1, "x", "0", False)
        mutants.judge([(3, site)], tests, frozenset(), self, 1, 99, lambda *_: None)
        self.assertEqual(asked, [("f", ["A.first"]), ("f", ["A.later"])])
        asked.clear()
        mutants.judge([(3, site)], tests, frozenset([3]), self, 1, 99, lambda *_: None)
        self.assertEqual(asked, [("f", ["A.first"]), ("f", ["A.later", "B.other"])])

    def test_an_interrupt_ends_what_runs(self):
        self.addCleanup(setattr, suite, "running", suite.running)
        running = suite.running = suite.Running()
        began = threading.Event()

        def notices(number, file, asked, cell, budget):
            process = subprocess.Popen(["sleep", "600"], start_new_session=True)
            running.add(process)
            began.set()
            process.wait()
            running.remove(process)
        suite.notices = notices
        told = []

        def report(*what):
            told.append(what)
            if began.wait(60):
                raise KeyboardInterrupt
        site = sites.Site("sign", "f", 1, 2, "0", "int", 1, "x", "0", False)
        tests = [suite.Test("a", [], "", "a", reaches=frozenset([3]))]
        with self.assertRaises(KeyboardInterrupt):
            mutants.judge([(3, site), (4, site)], tests, frozenset(), self, 2, 99, report)
        self.assertEqual([what[2] for what in told], ["never reached"])

    def test_says_what_becomes_of_a_mutant(self):
        tests = [suite.Test("a", [], "", "a", reaches=frozenset([1, 3, 6, 7])),
                 suite.Test("reports.page", [], "", "reports.page", reaches=frozenset([1, 2, 6]))]
        said = {}
        numbered = [(number, sites.Site("sign", "f", 1, 2, "0", "int", 1, "x", "0", False)) for number in range(1, 8)]
        mutants.judge(numbered, tests, frozenset([4]), self, 2, 99,
                      lambda number, site, status, outcome, reached: said.update({number: (status, outcome.cut, reached)}))
        self.assertEqual(said, {1: ("red", False, 2), 2: ("golden page alone", False, 1), 3: ("survived", False, 1),
                                4: ("red", False, 0), 5: ("never reached", False, 0), 6: ("survived", True, 2),
                                7: ("undecided", False, 1)})


class Batches(unittest.TestCase):
    def test_those_beside_the_source_come_first_and_its_folder_counts_as_faster(self):
        def test(name, file, seconds, reaches=60):
            return suite.Test(name, [], "", name, seconds=seconds, reaches=frozenset(range(reaches)), file=file)
        beside, named = test("Gate.a", "src/gate/gate_test.cpp", 1), test("explains.gate", "src/run/conformance_test.cpp", 1.5)
        folder, far = test("History.b", "src/gate/history_test.cpp", 4), test("Case.c", "src/core/case_test.cpp", 2)
        slow, specific = test("Gate.slow", "src/gate/gate_test.cpp", 9), test("Case.d", "src/core/case_test.cpp", 2, 1)
        self.assertEqual([suite.distance(one, "src/gate/gate.cpp") for one in (beside, named, folder, far)], [0, 0, 1, 2])
        first, rest = suite.order([far, slow, specific, folder, named, beside], "src/gate/gate.cpp")
        self.assertEqual(first, [beside, named, specific])
        self.assertEqual(rest, [folder, far, slow])

    def test_hold_every_test_once_the_specific_and_the_fast_first(self):
        tests = [suite.Test(f"t{n}", [], "", f"t{n}", seconds=n / 10, reaches=frozenset(range(50))) for n in range(1, 60)]
        tests.append(suite.Test("specific", [], "", "specific", seconds=1.5, reaches=frozenset([7])))
        groups = suite.batches(tests)
        self.assertEqual(sorted(test.name for group in groups for test in group), sorted(test.name for test in tests))
        self.assertEqual([test.name for test in groups[0]], ["specific", *(f"t{n}" for n in range(1, 8))])
        self.assertEqual([test.name for test in groups[1]], ["t8", "t9"])
        self.assertEqual(groups[-1][-1].name, "t59")


class Page(unittest.TestCase):
    def setUp(self):
        common = {"file": "src/core/a.cpp", "line": 3, "operator": "sign", "before": "-x", "test": "", "late": False,
                  "reached_by": 1, "seconds": 0}
        self.results = [{**common, "number": 1, "text": "a", "after": "x", "status": "red"},
                        {**common, "number": 2, "text": "b", "after": "x", "status": "survived"},
                        {**common, "number": 3, "text": "c", "after": "x", "status": "golden page alone"}]
        self.run_ = {"seed": 1, "asked": 3, "commit": "1234567", "files": 8, "read": 2, "sites": 9, "excluded": {"macro": 2}, "results": self.results}

    def test_a_golden_page_alone_does_not_count(self):
        red, equal, survivors = page.judged(self.results, {})
        self.assertEqual(([r["number"] for r in red], equal, [r["number"] for r in survivors]), ([1], [], [2, 3]))
        self.assertIn("1 of 3 mutants turn a test red (33.3 %), 2 survive; 0 more are equivalent", page.text(self.run_, {}))

    def test_what_was_not_decided_counts_on_neither_side(self):
        self.results[1]["status"] = "undecided"
        self.assertIn("1 of 2 mutants turn a test red (50.0 %), 1 survive", page.text(self.run_, {}))
        self.assertIn("1 were not decided", page.text(self.run_, {}))
        self.assertIn("Of 1 nothing is known", page.page(self.run_, {}))

    def test_says_of_which_sources_the_faults_are(self):
        said = page.page(self.run_, {})
        self.assertIn("`./run mutants 3 --seed 1 --page reports/mutants.md` writes this page.", said)
        self.assertIn("3 sites were drawn from the 8 files of `src/` and `properties/`: of a file", said)
        self.run_.update({"only": ["src/gate/*", "src/run/*"], "sources": 2, "fast": True})
        said = page.page(self.run_, {})
        self.assertIn("`./run mutants 3 --seed 1 --files 'src/gate/*' --files 'src/run/*' --sources 2 --fast --page reports/mutants.md`", said)
        self.assertIn("3 sites were drawn from 2 files, which were drawn from the 8 files of `src/` and `properties/` that match "
                      "`src/gate/*`, `src/run/*`: of a file", said)

    def test_what_was_interrupted_says_so(self):
        said = "Interrupted: 3 of 9 mutants were judged, in an order by chance."
        self.assertNotIn("Interrupted", page.text(self.run_, {}) + page.page(self.run_, {}))
        self.run_["planted"] = 9
        self.assertIn(said, page.text(self.run_, {}))
        self.assertIn(said, page.page(self.run_, {}))
        self.assertIn("9 could be compiled behind a switch.", page.page(self.run_, {}))
        self.run_["planted"] = 3
        self.assertNotIn("Interrupted", page.text(self.run_, {}) + page.page(self.run_, {}))

    def test_what_was_cut_short_says_so(self):
        self.results[1]["cut"] = True
        self.assertIn("every test that reaches it is green, of the fastest", page.text(self.run_, {}))
        self.assertIn("| every test that reaches it is green, of the fastest |", page.page(self.run_, {}))

    def test_an_equivalent_mutant_counts_on_neither_side(self):
        reasons = {page.key(self.results[1]): "x is 0"}
        self.assertIn("1 of 2 mutants turn a test red (50.0 %), 1 survive; 1 more are equivalent", page.text(self.run_, reasons))
        self.assertIn("| x is 0 |", page.page(self.run_, reasons))

    def test_an_entry_has_a_reason_and_a_line_that_is_there(self):
        entry = {"file": "a.cpp", "text": "return -x;", "operator": "sign", "before": "-x", "after": "x", "because": "x is 0"}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "a.cpp").write_text("{\n  return -x;\n}\n")

            def listed(**other):
                (folder / "equivalent.json").write_text(json.dumps([{**entry, **other}]))
                return page.equivalents(folder / "equivalent.json", folder)

            self.assertEqual(listed(), {("a.cpp", "return -x;", "sign", "-x", "x"): "x is 0"})
            for other in ({"because": " "}, {"text": "return x;"}, {"file": "b.cpp"}, {"more": 1}):
                self.assertRaises(page.Refused, listed, **other)

    def test_the_list_that_is_checked_in_can_be_read(self):
        page.equivalents()


if __name__ == "__main__":
    if not shutil.which("clang++"):
        print("no clang++: the tool is not tested")
        sys.exit(77)
    unittest.main()
