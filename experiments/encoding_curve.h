#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/document.h"
#include "core/encoding.h"

// What an encoding does with the distance of two tokens, as one small figure.
namespace posproof::experiments {

// By kind, from the exact encoding:
//   table:      p_0 . p_t of sines and cosines, |p_t - p_0| of others, along each axis of the position
//   rotary:     the logit of a query and a key of ones, the query t tokens later
//   bias:       the bias of up to four heads
//   contextual: the logit of a query and a key of ones
//   attention:  the weight of each of 32 tokens of ones in what the last one reads
// The series and the axes say so; `words` are the parameters, for the caption. None where the encoding is
// defined at one position only.
std::optional<document::Plot> encoding_curve(std::string_view id, const Encoding& exact,
                                             const std::string& words);

}  // namespace posproof::experiments
