#pragma once

#include "core/claim.h"

// What encodings declare of themselves. A statement that follows from one is claimed with the fact, once; a
// failure that follows is claimed with the fact too, and where no witness serves all of its encodings, each
// brings its own. What is true of every encoding is said by the property itself: `universal`.
namespace posproof::facts {

extern const Fact acts_on_logits_alone;
extern const Fact is_added_to_the_tokens;  // x_i + p_i: what a table does
extern const Fact depends_on_position_alone;
extern const Fact depends_on_offset_alone;
extern const Fact distinguishes_positions;
extern const Fact has_rows_0_and_1_first;
extern const Fact has_rows_that_are_positions;
extern const Fact takes_steps_that_bf16_shows;
extern const Fact moves_rigidly;
extern const Fact moves_by_rotations;
extern const Fact rotates_by_each_number;  // of a position with several
extern const Fact ends;

}  // namespace posproof::facts
