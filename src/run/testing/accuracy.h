#pragma once

#include <string>
#include <vector>

#include "attention/reference_attention.h"
#include "run/accuracy.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/trial.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

// An encoding at some parameters, its exact rows, and the accuracy of a file.
namespace posproof::testing {

struct Setting {
  std::string encoding, parameters;

  const EncodingSpec& spec() const { return encoding_named(encoding); }
  Parameters all() const { return with(spec(), Case::parse(parameters)); }
  Encoding truth() const { return spec().oracle(all()); }
  Subject open(const std::string& words) const {
    return posproof::open(
        words, {.encoding = encoding, .parameters = all(), .declared = attention::in_every_kind(truth())});
  }
};

// The exact rows, each entry rounded to the format.
inline Tensor exact_rows(const Setting& setting, std::size_t count, Format format) {
  std::vector<Position> at;
  for (std::size_t t = 0; t < count; ++t) at.push_back(static_cast<Position>(t));
  Tensor rows = as<Table>(setting.truth()).rows(at, static_cast<Position>(count));
  for (double& value : rows.data) value = nearest(format, value);
  return rows;
}

inline Accuracy of_file(const Setting& setting, const Tensor& values, bool single,
                        const std::string& precision = "", const AccuracyOptions& options = {}) {
  const Written file("accuracy.npy", values, single);
  return accuracy(setting.truth(), setting.open(file.subject() + precision), options);
}

// Of every position in order, the first that agreement refutes.
inline Position first_refuted(const Setting& setting, const Subject& subject) {
  const auto one = trial(agreement(setting.truth()), subject.encoding, subject.precision);
  const Domain& domain = as<Table>(subject.encoding).positions;
  for (Position t = domain.lo; t <= domain.hi; ++t)
    if (std::holds_alternative<Refuted>(replay(*one, case_of(setting.truth(), domain, t)))) return t;
  return -1;
}

inline const Setting small{"sinusoidal", "dim=8"};

}  // namespace posproof::testing
