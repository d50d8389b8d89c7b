#pragma once

// All of RapidCheck that is used, and the only file that includes it: its generators, its splittable random
// numbers and its lazy sequences, driven by the loops of search.cpp and shrink.cpp. Not rc::check, which
// obeys RC_PARAMS (with a stale value there it passes after 0 cases), runs its first case at size 0 and
// shrinks without a deadline. Not thread-safe: parallel runs are processes. For generate.cpp and shrink.cpp
// alone; it is slow to compile.
#include <rapidcheck/Gen.h>
#include <rapidcheck/Random.h>
#include <rapidcheck/Seq.h>
#include <rapidcheck/seq/Create.h>
#include <rapidcheck/seq/Transform.h>
#include <rapidcheck/shrinkable/Create.h>
