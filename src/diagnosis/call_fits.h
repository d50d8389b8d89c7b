#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagnosis/call_deviations.h"
#include "diagnosis/call_effects.h"
#include "diagnosis/call_places.h"

// Rows of recorded answers beside those of a model.
namespace posproof {

struct RowFit {
  bool right = true;
  bool tells = false;  // some entry may be off by less than a quarter of what the row is
};

// Tokens, or queries, in a row of the batch.
std::size_t tokens_of(const Call& call);

// Rows of the answer to one call. Entries that the mask hides are passed over, and rows count from their
// first entry where a constant on them does not matter. `columns` are those that tell; empty: all.
std::vector<RowFit> fits(const Model& model, const Encoding& declared, const Call& asked, const Tensor& given,
                         const Tensor& expected, Position far, const std::vector<std::size_t>& columns = {});

// Of what an effect gives for one call, head by head where heads differ; `steps` are its own.
std::vector<RowFit> fits(const Effect& effect, const Steps& steps, const Model& model,
                         const Encoding& declared, const Call& asked, const Tensor& given);

std::vector<bool> right_rows(const Model& model, const Encoding& declared, const Call& asked,
                             const Tensor& given, const Tensor& expected, Position far);

// Whether the model's answers are said closely enough to tell them from others, in 8 of the rows that are
// wrong, or in half of them: where every entry may be off by a quarter of its row and more, almost anything
// is explained. What is random lies within a quarter in 8 rows by a chance of 2^-16 at most.
bool tells_of_most(const Model& model, const Encoding& declared, const std::vector<Answered>& answered,
                   const Explained& alone);

// The columns in which some answer is wrong, rising.
std::vector<std::size_t> wrong_columns(const Model& model, const Encoding& declared,
                                       const std::vector<Answered>& answered);

RowInCall seen(const AnsweredRow& row, const std::vector<Answered>& answered);

}  // namespace posproof
