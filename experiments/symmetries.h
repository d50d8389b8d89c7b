#pragma once

#include <array>
#include <string>
#include <vector>

#include "draws.h"

// How far operations of a network, with random weights, treat all orders of their tokens alike.
namespace posproof::experiments::symmetries {

constexpr std::size_t dim = 16, tokens = 6;

// Entries are of size 1 and sums have at most 64 terms: what is below is rounding, what is above is not.
constexpr double rounding = 1e-12, effect = 1e-3;

constexpr std::array<std::size_t, 3> lengths = {4, 8, 16};
constexpr std::size_t of_positions = 11;  // the operations before keep positions, those from there on do not

// Of an operation on a sequence x, whose tokens are put in the order P.
struct Residuals {
  std::string name;
  std::array<std::size_t, 2> parameters;  // for 6 and for 12 tokens
  Drawn equivariance;                     // |f(P x) - P f(x)|
  Drawn invariance;                       // |f(P x) - f(x)|
};

// Of attention A, whose queries and keys are put in other orders one without the other.
struct Apart {
  std::string operation;
  Drawn queries, keys;  // |A(PQ, K, V) - P A(Q, K, V)| and |A(Q, PK, PV) - A(Q, K, V)|
};

struct Changed {  // rows that are others when token 2 of 6 is another
  std::string what;
  std::size_t rows;
};

// Of the same token at other positions.
struct Moved {
  std::string quantity;
  Drawn change;  // largest less smallest, over all positions
};

// Of a mean over the outputs: whether it is a function of the bag of words.
struct Bag {
  std::string operation;
  std::size_t same;  // of the 720 orders of six tokens: the mean of the outputs is the same
};

struct Measured {
  std::vector<Residuals> operations;  // 6 tokens
  std::array<std::vector<Residuals>, lengths.size()> by_length;
  std::vector<Apart> apart;
  std::vector<Changed> changed;
  std::vector<Moved> moved;
  Drawn against_batched;
  std::vector<Bag> bags;
};

Measured measure();

}  // namespace posproof::experiments::symmetries
