#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "run/matrix.h"
#include "run/sharpness.h"

// The matrix as the reports have it: measured once in a process, for whoever writes it.
namespace posproof::experiments {

// The properties that ask for an effect of some least size.
using LeastEffects = std::set<std::string, std::less<>>;

// What the negative examples of each property prove to be seen, by kind.
struct SeenOf {
  std::string property;
  MeasuredExample sharpest;
};

struct MeasuredMatrix {
  MatrixOptions options;
  std::vector<Cell> cells;
  std::vector<SeenOf> seen;
  LeastEffects least;
};

const MeasuredMatrix& measured_matrix();

// By how much a witness fails: `1.95`, the error; of a property that asks for a least effect the error is
// what is missing, so what there is stands before what is asked for: `3.1e-05 of 0.00049`.
std::string failed_by(const std::string& property, const Refuted& refuted, const LeastEffects& least);

}  // namespace posproof::experiments
