#pragma once

#include <string>
#include <string_view>

#include "core/spec.h"
#include "report/words.h"
#include "run/accuracy.h"
#include "subject/subject.h"

// How exact a subject is, in words.
namespace posproof::report {

// Who was compared with what.
struct AccuracyReport {
  std::string_view encoding;  // id
  const Parameters& parameters;
  const Subject& subject;
  const Accuracy& accuracy;
};

// Whether this is only known to be no smaller than the largest error: of sines and cosines, errors up to half
// a unit in the last place of the amplitude are not told apart.
bool is_only_a_bound(const Accuracy& accuracy, double error);

// Whether errors are from the exact value as f64 has it: of what is no sine or cosine, where answers are in
// f64, too. In narrower formats that value serves as the exact one.
bool is_from_rounded(const Accuracy& accuracy);

// The summary, a few lines: how many entries, how many not correctly rounded, the largest errors and where,
// and whether they are within what rounding allows. For a gate, which has a heading of its own.
std::string summary(const Accuracy& accuracy, const Precision& precision, const Style& style);

// A heading, the summary, what rounded frequencies explain, and error against position, one line an octave.
std::string accuracy(const AccuracyReport& report, const Style& style);

}  // namespace posproof::report
