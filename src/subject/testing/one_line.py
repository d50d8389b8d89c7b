"""A subject of the Python SDK that is written in a line, for src/subject/sdk_options_test.cpp: the argument is its program."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))

import numpy as np
from posproof_subject import hello, serve

exec(sys.argv[1])
