#pragma once

#include <initializer_list>
#include <string_view>

#include "core/call.h"
#include "core/identity.h"

// What checks of identities are made of. All of it is of calls, whatever the kinds.
namespace posproof::identities {

// An answer, and how far each entry may be from what the other side of the identity gives.
struct Side {
  Tensor value, error;
};

// What the subject answers, allowed what its precision may lose; what the right one answers to its own call,
// allowed the roundings of an oracle.
Side left_side(const Sides& sides, const Call& call);
Side right_side(const Sides& sides, const Call& call);

// The entry that says most against both being the same answer of the left encoding to that call.
Residual compared(const Sides& sides, const Call& call, const Side& there, const Side& here);

// A call of the left encoding at positions where both are defined, and both sides of it.
Residual same_answers(const Sides& sides, Draw& draw);
// The same at positions up to `last`.
Residual same_answers_up_to(const Sides& sides, Draw& draw, Position last);

// Parameters of the right encoding: of these names those of the left one, and the words on top.
Parameters taken(const Arguments& left, std::initializer_list<std::string_view> names,
                 std::string_view words = "");

// The last entry of every answer times 1 + 2^-19: some 3 bounds of f32 where little is lost.
Encoding last_entry_off(const Encoding& right_one);

// Of rope, what a ladder and its channels need.
extern const std::initializer_list<std::string_view> of_a_ladder;

// In the length that a rope was trained on, of its slowest and its fastest pair before they are scaled.
struct Rotations {
  double least, most;
};
Rotations rotations_of(const Arguments& rope);

}  // namespace posproof::identities
