"""Whether what llvm-cov says is counted right."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import coverage  # noqa: E402


def lcov(file, *entries):
    return "\n".join([f"SF:{coverage.ROOT / file}", *entries, "end_of_record"])


def everywhere(*entries):
    return "\n".join(lcov(f"{folder}/a.cpp", *entries) for folder in coverage.FOLDERS)


class Coverage(unittest.TestCase):
    def test_a_template_is_reached_where_one_instance_reaches_it(self):
        found = coverage.counts(lcov("src/core/a.h", "DA:1,0", "DA:1,2", "DA:2,0", "BRDA:1,0,0,0", "BRDA:1,0,0,3", "BRDA:1,0,1,-"))
        one = found["src/core/a.h"]
        self.assertEqual((one.lines, one.unread, one.branches, one.untaken), (2, [2], 2, [(1, 0, 1)]))

    def test_what_is_left_is_named(self):
        text, _ = coverage.report(coverage.counts(lcov("src/run/a.cpp", "DA:1,1", "DA:2,0", "DA:3,0", "DA:7,0", "BRDA:1,0,0,0")))
        self.assertIn("src/run/a.cpp: lines 2-3, 7\nsrc/run/a.cpp: branches of lines 1", text)

    def test_each_folder_has_to_reach_both(self):
        lines = [f"DA:{n},1" for n in range(1, 98)]
        branches = [f"BRDA:1,0,{n},1" for n in range(92)]
        enough = everywhere(*lines, "DA:98,0", "DA:99,0", "DA:100,0", *branches, *[f"BRDA:2,0,{n},0" for n in range(8)])
        self.assertTrue(coverage.report(coverage.counts(enough))[1])
        one_line_less = enough + "\n" + lcov("src/search/b.cpp", "DA:1,0")
        self.assertFalse(coverage.report(coverage.counts(one_line_less))[1])
        one_branch_less = enough + "\n" + lcov("src/search/b.cpp", "DA:1,1", "BRDA:1,0,0,0")
        self.assertFalse(coverage.report(coverage.counts(one_branch_less))[1])

    def test_a_folder_without_a_line_is_not_covered(self):
        text, enough = coverage.report(coverage.counts(everywhere("DA:1,1", "BRDA:1,0,0,1").replace("src/report/", "src/other/")))
        self.assertFalse(enough)
        self.assertIn("src/report   100.0 % of 0 lines, 100.0 % of 0 branches   too few", text)


if __name__ == "__main__":
    unittest.main()
