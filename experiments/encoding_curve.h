#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/document.h"
#include "core/encoding.h"
#include "core/spec.h"

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

// A sentence for the caption where the curve is that of numbers which stand for trained ones, or are drawn:
// of their places in the table, or of a seed, another of which has another curve. Nothing elsewhere.
std::string of_stand_ins(std::string_view id, const EncodingSpec& spec, const Parameters& parameters,
                         const document::Plot& curve);

}  // namespace posproof::experiments
