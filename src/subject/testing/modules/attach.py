"""Small modules that are called as those of well-known projects are, each attached as it would be there: for
src/gate/modules_test.cpp.

    attach.py NAME          one of them
    attach.py wrong_NAME    its twin with one mistake

The code here is written from the documentation of what the projects' signatures are; nothing in it is theirs.
"""

import sys

from attached import by_name, wrong

import biases, grids, rotations, rotations_in_parts, tables  # noqa: E401, F401

name = sys.argv[1][len("wrong_"):] if wrong else sys.argv[1]
if name not in by_name:
    sys.exit(f"there is no module `{name}`; there are {', '.join(sorted(by_name))}")
by_name[name]()
