#pragma once

#include <array>
#include <utility>
#include <vector>

#include "draws.h"
#include "subspace.h"

// How many directions the rows of positions take, and what is left of tokens and of outputs without them.
namespace posproof::experiments::position_subspace {

constexpr std::size_t wide = 512, vocabulary = 32000;
constexpr Index window = 512;  // positions

struct Counted {
  std::size_t dim;
  Index length;
  std::array<Index, 4> holding;  // 90, 99, 99.9, 99.99 % of the energy
  Index above_1e4, above_1e5;    // singular values above 1e-4, 1e-5 of the largest

  Index rank() const { return std::min<Index>(length, static_cast<Index>(dim)); }  // in exact numbers
};

constexpr std::array<double, 4> shares = {0.9, 0.99, 0.999, 0.9999};

struct Growth {
  std::size_t dim;
  std::vector<std::pair<double, double>> counted, predicted;  // length, directions for 99.9 %
};

struct Spectrum {
  Index length;
  std::vector<std::pair<double, double>> strength;  // number, log10 of the part of the largest
};

struct Removed {
  double scale;
  std::vector<std::pair<double, double>> wrong;  // directions removed, probability of a wrong token
};

struct Overlap {                   // of random tokens with the directions that hold 99.9 % of the rows
  Drawn uniform, zipf, strongest;  // share of the energy of a text's tokens; of their strongest direction
  double expected;                 // directions / width
};

struct Rotated {  // largest difference of an entry of the output, a block of width 16
  Drawn all, without_table, layer_norm;
};

struct Square {
  std::size_t dim;
  double weakest;  // the smallest singular value of as many positions, over the largest
};

struct Measured {
  std::vector<Counted> counted;
  std::vector<Spectrum> spectra;
  std::vector<Growth> growth;
  std::vector<Removed> removed;
  std::vector<Square> squares;
  Overlap overlap;
  Rotated rotated;
  Index kept = 0;                               // directions that hold 99.9 % at width 512, 512 positions
  Index ranked = 0;                             // singular values above 1e-6 of the largest there
  double left = 0;                              // largest |p_t|^2 outside `ranked` directions
  std::vector<std::pair<Index, double>> later;  // rows after the window: the share outside these
  std::size_t wrong = 0;                        // tokens of scale 0.02 decoded wrong after these were removed
  double most_kept = 0;                         // largest |p_t|^2 outside `kept` directions

  const Counted& at(std::size_t dim, Index length) const;
};

Measured measure();

}  // namespace posproof::experiments::position_subspace
