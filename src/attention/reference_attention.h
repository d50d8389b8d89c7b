#pragma once

#include <optional>
#include <vector>

#include "core/encoding.h"

namespace posproof::attention {

// The reference operator with the encoding in its place: softmax(logits / sqrt(d) + bias) v.
//   table:      added to queries, keys and values (it acts on the token)
//   rotary:     rotates queries and keys
//   bias:       is added to the logits after the factor 1/sqrt(d)
//   contextual: gives the logits
//   attention:  is the operator already
// Positions are row numbers, counted from the encoding's first position where that is past 0. An encoding of
// several heads splits the width among them; a bias, which says nothing of the width, has 4 channels a head.
Attention reference_attention(const Encoding& encoding);

// The encoding's logits as the softmax sees them, with their error bound; none for an attention operator.
std::optional<Contextual> to_logits(const Encoding& encoding);

// The encoding as a subject may answer for it, the nearest first: itself, its logits where they can be seen,
// the whole operator.
std::vector<Encoding> in_every_kind(const Encoding& encoding);

// The one of these of the subject's kind; null without one.
const Encoding* same_kind(const std::vector<Encoding>& kinds, const Encoding& subject);

}  // namespace posproof::attention
