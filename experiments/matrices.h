#pragma once

#include <Eigen/Core>

#include "attention/generator.h"

// Tables and random tokens as Eigen sees them, one position or token a row.
namespace posproof::experiments {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Eigen::Index;

// The rows of positions 0, ..., length - 1 of the reference encoding, base 10000.
Matrix sinusoidal_rows(std::size_t dim, Index length);

// Independent normal entries of variance 1, drawn row by row.
Matrix normal(attention::Generator& numbers, Index rows, Index columns);

}  // namespace posproof::experiments
