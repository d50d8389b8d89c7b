#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/function.h"
#include "core/verdict.h"
#include "run/error_profile.h"
#include "run/places.h"
#include "search/budget_clock.h"
#include "subject/subject.h"

namespace posproof {

// One entry. The position is the number of the place where tokens are on a grid. The column is that of a
// table's row or of a rotary's answer (its channel; on a grid head * dim + channel); of a bias, head * keys +
// number of the key.
struct Entry {
  Position position;
  std::size_t column;
};

// How exact a subject is, every entry of every position: what was compared with the exact real numbers, and
// what came of it.
struct Accuracy {
  Format format = Format::f64;        // in which entries are called correctly rounded, and whose units count
  Position first = 0, last = -1;      // the positions that were asked for, both included
  std::optional<Places> places = {};  // of a grid, which those are the numbers of
  std::size_t columns = 0;            // entries of a row
  std::size_t keys = 0;               // of a bias: that many of the columns are one head's
  std::size_t channels = 0;           // of a rotary on a grid: the same
  bool of_rotations = false;          // columns are channels of both rotated basis vectors of each pair
  bool hides_later_keys = false;      // a causal bias: keys after the query are not compared
  bool of_angles = false;             // entries are sines and cosines, times the amplitude
  double amplitude = 1;
  double rounding = 0;  // of angles: half a unit in the last place of the amplitude; no error
                        // up to it is told from another

  std::uint64_t rows = 0;       // positions that were compared
  std::uint64_t declined = 0;   // positions that the subject declined
  Position first_declined = 0;  // where there are such
  std::uint64_t entries =
      0;                    // compared: of a rotary both basis vectors; heads that answer alike count as one
  std::uint64_t wrong = 0;  // of these, not the exact value correctly rounded (to nearest, ties to even)

  double ulp = 0;  // the largest error in units in the last place, of the entries that are wrong
  Entry ulp_at = {0, 0};
  // The largest |entry - exact|, infinite for NaN. Of a sine or cosine with amplitude 1 that is the least
  // that its angle is off by, in radians: |sin a - sin b| <= |a - b|. Where no entry is known to be further
  // off than half a unit in the last place of the amplitude, that is a bound, and no entry.
  double largest = 0;
  std::optional<Entry> largest_at = {};
  // Against the distance of the position from 0, of a place the largest of its numbers.
  std::vector<PositionRange> profile = {};

  // How many are wrong against the table whose frequencies were first rounded to a format.
  struct Against {
    Format frequencies;
    std::uint64_t wrong;
  };
  std::vector<Against> against = {};

  // The entry that is the largest share of what rounding allows it, as a case of agreement (run/agreement.h),
  // and how many rows could not have been refuted at all. Where all entries are correctly rounded, and of a
  // wrong one in double that is off by less than half a unit in the last place of the amplitude, the bound is
  // taken for the error.
  Residual worst = {0, 0, 0};
  Case worst_at = {};
  std::uint64_t vacuous = 0;

  // The first position of an entry further off than rounding allows, as a case that agreement replays.
  struct Beyond {
    Entry at;
    Case again;
    Residual residual;
  };
  std::optional<Beyond> beyond = {};

  std::optional<Refuted> failed = {};   // the subject gave no answer: see core/failure.h
  std::optional<Errored> errored = {};  // the subject ended the comparison
  std::string stopped = {};             // why not all was compared, or nothing: out of time, another kind
  bool out_of_time = false;
};

struct AccuracyOptions {
  // Only these, both ends included, of a grid those numbers of each axis; else all that the subject has, and
  // of a live one that says nothing of where it ends the first 4096 (1024 of a bias). A grid has to end.
  std::optional<std::pair<Position, Position>> positions = {};
  // A live subject that says nothing is asked for all positions of the encoding, too; not a bias, whose pairs
  // are too many.
  bool everything = false;
  bool attribution = true;  // ask the tables of rounded frequencies as well: twice as much again
  unsigned threads = 1;
  std::optional<BudgetClock::time_point> deadline = {};
  Function<void(Position done, Position of)> progress = {};
};

// Compares every entry of the subject with the encoding's exact one, on a grid at every place: the bytes of a
// table file where they lie, a live subject in batches. A rotary is asked for (1, 0) in every pair as a query
// and for (0, 1) as a key, all heads at once. Nothing but std::bad_alloc and std::invalid_argument
// (positions) leaves it.
Accuracy accuracy(const Encoding& truth, const Subject& subject, const AccuracyOptions& options = {});

}  // namespace posproof
