#pragma once

#include <vector>

#include "residue_probe.h"

// Random attention layers of one head, and a linear probe for the position in their outputs.
namespace posproof::experiments {

struct Layer {
  Matrix query, key, value, output;  // [dim, dim], independent normal entries of variance 1/dim
};

Layer random_layer(attention::Generator& numbers, Index dim);

// Each row less its mean, over its standard deviation: Ba, Kiros, Hinton 2016, eq. 4, without gain and shift.
Matrix layer_normalised(Matrix x);

// softmax(q k^T / sqrt(d)) v W_o of one sequence, plus x where there is a residual stream, normalised.
Matrix layer_output(const Layer& layer, const Matrix& x, bool residual, bool causal);

// Each sequence's rows less their mean: what a token has that is not the sequence's.
std::vector<Matrix> less_their_means(std::vector<Matrix> sequences);

// Coefficient of determination of a linear probe for the position, with a constant where one is asked for,
// fitted to the first sequences and read on those from `held_out` on; 0 where it is worse than the mean of
// all positions.
double position_read(const std::vector<Matrix>& sequences, std::size_t fitted, std::size_t held_out,
                     bool constant = true);

}  // namespace posproof::experiments
