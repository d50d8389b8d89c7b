#include "calls.h"

#include <gtest/gtest.h>

#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/is_stateless.h"
#include "catalogue/properties/call/refuses_out_of_range.h"
#include "catalogue/properties/call/takes_positions_in_any_order.h"
#include "catalogue/properties/call/treats_batch_rows_independently.h"
#include "catalogue/properties/call/treats_heads_alike.h"
#include "core/failure.h"
#include "core/function.h"
#include "negative_examples.h"
#include "run/sharpness.h"
#include "search/testing/asked.h"

namespace posproof::calls_test {
namespace {

using namespace calls;
using watched::ask;
using watched::Asked;
using watched::Watched;
using watched::words_of;

// As wide as a model: two tokens are as much as is drawn.
Encoding wide_rotary() {
  return Rotary{.dim = 128, .heads = 32, .rotate = [](const Tensor& x, const Positions&, Role) { return x; }};
}
Encoding wide_table() {
  return Table{.dim = 8192, .rows = [](const Positions& positions, Position) {
                 return Tensor({positions.size(), 8192});
               }};
}
Encoding wide_bias() {
  return biases::bias_of(64, [](std::size_t, Position, Position) { return 1.0; });
}
Encoding three_heads() {
  return Rotary{.dim = 2, .heads = 3, .rotate = [](const Tensor& x, const Positions&, Role) { return x; }};
}

// What a check draws in a case, and what it asks then.
struct Known {
  const Property& property;
  Encoding (*right)();
  std::string_view words, drawn;
  std::vector<std::string> calls;
};

namespace asked = properties::call;

const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      {asked::agrees_in_chunks,
       &right_table,
       "n=4 prefill=2 then=steps i=5",
       "n 2,3,4,5,6|16,17,31,32,33,64,127,128,129, prefill 1..3, then steps/chunk, i 0..1048573",
       {"rows [5,6,7,8] of 9", "rows [5,6] of 9", "rows [7] of 9", "rows [8] of 9"}},
      {asked::agrees_in_chunks,
       &right_table,
       "n=5 prefill=2 then=chunk i=0",
       "n 2,3,4,5,6|16,17,31,32,33,64,127,128,129, prefill 1..4, then steps/chunk, i 0..1048572",
       {"rows [0,1,2,3,4] of 5", "rows [0,1] of 5", "rows [2,3,4] of 5"}},
      {asked::agrees_in_chunks,
       &right_table,
       "n=16 prefill=3 then=steps arranged=consecutive i=7",
       "n 2,3,4,5,6|16,17,31,32,33,64,127,128,129, prefill 1..15, then steps/chunk, arranged consecutive/left_padded/packed/spread, i 0..1048561",
       {"rows [7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22] of 23", "rows [7,8,9] of 23", "rows [10] of 23",
        "rows [11] of 23", "rows [12] of 23", "rows [13] of 23", "rows [14,15,16,17,18,19,20,21,22] of 23"}},
      {asked::agrees_in_chunks,
       &right_rotary,
       "n=3 prefill=1 then=steps i=7 batch=2 x=[1*48] role=key",
       "n 2,3,4,5,6|16,17,31,32,33,64,127,128,129, prefill 1..2, then steps/chunk, i 0..1048574, batch 1..3, x [48], role query/key",
       {"rotate [7,8,9,7,8,9] in 2 rows as keys", "rotate [7,7] in 2 rows as keys",
        "rotate [8,8] in 2 rows as keys", "rotate [9,9] in 2 rows as keys"}},
      {asked::agrees_in_chunks,
       &right_rotary,
       "n=3 prefill=2 then=chunk i=7 batch=1 x=[1*24] role=query",
       "n 2,3,4,5,6|16,17,31,32,33,64,127,128,129, prefill 1..2, then steps/chunk, i 0..1048574, batch 1..3, x [24], role query/key",
       {"rotate [7,8,9] in 1 rows as queries", "rotate [7,8] in 1 rows as queries",
        "rotate [9] in 1 rows as queries"}},
      {asked::agrees_in_chunks,
       &right_bias,
       "n=3 prefill=1 then=steps i=4",
       "n 2,3,4,5,6|16,17,31,32,33,64,127,128,129, prefill 1..2, then steps/chunk, i 0..1048574",
       {"bias [4,5,6] x [4,5,6]", "bias [4] x [4]", "bias [5] x [4,5]", "bias [6] x [4,5,6]"}},
      {asked::agrees_in_chunks,
       &right_contextual,
       "n=3 prefill=1 then=chunk i=9 q=[1*6] k=[0.5*6]",
       "n 2,3,4,5,6|16,17,31,32,33,64,127,128,129, prefill 1..2, then steps/chunk, i 0..1048574, q [6], k [6]",
       {"logits [9,10,11] x [9,10,11]", "logits [9] x [9]", "logits [10,11] x [9,10,11]"}},
      {asked::is_stateless,
       &right_table,
       "n=2 m=3 i=5 j=9",
       "n 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129, m 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129,0, i 0..1048575, j 0..1048574",
       {"rows [5,6] of 7", "rows [9,10,4108] of 4109", "rows [5,6] of 7"}},
      {asked::is_stateless,
       &right_table,
       "n=2 m=0 i=5",
       "n 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129, m 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129,0, i 0..1048575",
       {"rows [5,6] of 7", "rows [] of 0", "rows [5,6] of 7"}},
      {asked::is_stateless,
       &right_table,
       "n=1 m=17 i=5 arranged_j=left_padded padding_j=16 j=9",
       "n 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129, m 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129,0, i 0..1048576, arranged_j consecutive/left_padded/packed/spread, padding_j 1..16, j 0..1048560",
       {"rows [5] of 6", "rows [9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,4106] of 4107", "rows [5] of 6"}},
      {asked::is_stateless,
       &right_rotary,
       "n=2 m=1 i=5 j=0 batch=2 x=[1*32]",
       "n 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129, m 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129,0, i 0..1048575, j 0..1048576, batch 1..3, x [32]",
       {"rotate [5,6,5,6] in 2 rows as queries", "rotate [0] in 1 rows as keys",
        "rotate [5,6,5,6] in 2 rows as queries"}},
      {asked::is_stateless,
       &right_bias,
       "n=2 m=1 i=5 j=3",
       "n 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129, m 1,2,3,4,5,6,7,8|16,17,31,32,33,64,127,128,129,0, i 0..1048575, j 0..1048576",
       {"bias [5,6] x [5,6]", "bias [3] x [3]", "bias [5,6] x [5,6]"}},
      {asked::is_stateless,
       &right_contextual,
       "n=2 m=1 i=5 j=3 q=[1*4] k=[1*4]",
       "n 1,2,3,4,5|16,17,31,32,33,64,127,128,129, m 1,2,3,4,5|16,17,31,32,33,64,127,128,129,0, i 0..1048575, j 0..1048576, q [4], k [4]",
       {"logits [5,6] x [5,6]", "logits [3] x [3]", "logits [5,6] x [5,6]"}},
      {asked::takes_positions_in_any_order,
       &right_table,
       "n=2 t1=7 t2=3 shuffle=[2,0,1]",
       "n 1,2,3,4|16,17,31,32,33,64,127,128,129, t1 0..1048576, t2 0..1048576, shuffle order of 3",
       {"rows [7,3,7] of 8", "rows [7,7,3] of 8"}},
      {asked::takes_positions_in_any_order,
       &right_table,
       "n=16 arranged=consecutive t1=3 shuffled=reversed",
       "n 1,2,3,4|16,17,31,32,33,64,127,128,129, arranged consecutive/left_padded/packed/spread, t1 0..1048561, shuffled reversed/halves_swapped/middle_exchanged",
       {"rows [3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18] of 19",
        "rows [18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3] of 19"}},
      {asked::takes_positions_in_any_order,
       &right_table,
       "n=16 arranged=consecutive t1=3 shuffled=halves_swapped",
       "n 1,2,3,4|16,17,31,32,33,64,127,128,129, arranged consecutive/left_padded/packed/spread, t1 0..1048561, shuffled reversed/halves_swapped/middle_exchanged",
       {"rows [3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,3] of 19",
        "rows [11,12,13,14,15,16,17,18,3,3,4,5,6,7,8,9,10] of 19"}},
      {asked::takes_positions_in_any_order,
       &right_table,
       "n=16 arranged=consecutive t1=3 shuffled=middle_exchanged",
       "n 1,2,3,4|16,17,31,32,33,64,127,128,129, arranged consecutive/left_padded/packed/spread, t1 0..1048561, shuffled reversed/halves_swapped/middle_exchanged",
       {"rows [3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18] of 19",
        "rows [3,4,5,6,7,8,9,11,10,12,13,14,15,16,17,18] of 19"}},
      {asked::takes_positions_in_any_order,
       &right_rotary,
       "n=1 t1=7 shuffle=[1,0] batch=2 x=[1*32] role=key",
       "n 1,2,3,4|16,17,31,32,33,64,127,128,129, t1 0..1048576, shuffle order of 2, batch 1..3, x [32], role query/key",
       {"rotate [7,7,7,7] in 2 rows as keys", "rotate [7,7,7,7] in 2 rows as keys"}},
      {asked::takes_positions_in_any_order,
       &right_bias,
       "nq=2 tq1=7 tq2=3 shuffleq=[2,0,1] nk=1 tk1=4 shufflek=[1,0]",
       "nq 1,2,3,4|16,17,31,32,33,64,127,128,129, tq1 0..1048576, tq2 0..1048576, shuffleq order of 3, nk 1,2,3,4|16,17,31,32,33,64,127,128,129, tk1 0..1048576, shufflek order of 2",
       {"bias [7,3,7] x [4,4]", "bias [7,7,3] x [4,4]"}},
      {asked::takes_positions_in_any_order,
       &right_bias,
       "nq=1 tq1=7 shuffleq=[0,1] nk=2 tk1=4 tk2=9 shufflek=[2,0,1]",
       "nq 1,2,3,4|16,17,31,32,33,64,127,128,129, tq1 0..1048576, shuffleq order of 2, nk 1,2,3,4|16,17,31,32,33,64,127,128,129, tk1 0..1048576, tk2 0..1048576, shufflek order of 3",
       {"bias [7,7] x [4,9,4]", "bias [7,7] x [4,4,9]"}},
      {asked::treats_batch_rows_independently,
       &right_rotary,
       "batch=3 n=2 i1=5 i2=9 i3=0 x=[1*48] row=2 role=key",
       "batch 1..3, n 1,2,3,4,5|16,17,31,32,33,64,127,128,129, i1 0..1048575, i2 0..1048575, i3 0..1048575, x [48], row 1..3, role query/key",
       {"rotate [5,6,9,10,0,1] in 3 rows as keys", "rotate [9,10] in 1 rows as keys"}},
      {asked::treats_batch_rows_independently,
       &right_rotary,
       "batch=2 n=16 arranged=consecutive i1=5 i2=9 x=[1*4] row=2 role=query",
       "batch 1..3, n 1,2,3,4,5|16,17,31,32,33,64,127,128,129, arranged consecutive/left_padded/packed/spread, i1 0..1048561, i2 0..1048561, x [4], row 1..2, role query/key",
       {"rotate [5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24] in 2 rows as queries",
        "rotate [9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24] in 1 rows as queries"}},
      {asked::agrees_in_chunks,
       &wide_rotary,
       "n=2 prefill=1 then=chunk i=7 batch=1 x=[1*8192] role=query",
       "n 2|16, prefill 1..1, then steps/chunk, i 0..1048575, batch 1..3, x [8192], role query/key",
       {"rotate [7,8] in 1 rows as queries", "rotate [7] in 1 rows as queries",
        "rotate [8] in 1 rows as queries"}},
      {asked::agrees_in_chunks,
       &wide_table,
       "n=3 prefill=1 then=chunk i=7",
       "n 2,3,4,5,6|, prefill 1..2, then steps/chunk, i 0..1048574",
       {"rows [7,8,9] of 10", "rows [7] of 10", "rows [8,9] of 10"}},
      {asked::agrees_in_chunks,
       &wide_bias,
       "n=2 prefill=1 then=chunk i=7",
       "n 2,3,4,5,6|16,17,31,32, prefill 1..1, then steps/chunk, i 0..1048575",
       {"bias [7,8] x [7,8]", "bias [7] x [7]", "bias [8] x [7,8]"}},
      {asked::is_stateless,
       &wide_rotary,
       "n=16 arranged=spread i=7 m=1 j=3 batch=1 x=[1*128]",
       "n 1,2|16, m 1,2|16,0, arranged consecutive/left_padded/packed/spread, i 0..1048561, j 0..1048576, batch 1..1, x [128]",
       {"rotate [7,65542,131078,196613,262149,327684,393220,458755,524291,589827,655362,720898,786433,851969,917504,983040] in 1 rows as queries",
        "rotate [3] in 1 rows as keys",
        "rotate [7,65542,131078,196613,262149,327684,393220,458755,524291,589827,655362,720898,786433,851969,917504,983040] in 1 rows as queries"}},
      {asked::treats_batch_rows_independently,
       &wide_rotary,
       "batch=2 n=1 i1=5 i2=9 x=[1*8192] row=1 role=query",
       "batch 1..2, n 1|, i1 0..1048576, i2 0..1048576, x [8192], row 1..2, role query/key",
       {"rotate [5,9] in 2 rows as queries", "rotate [5] in 1 rows as queries"}},
      {asked::treats_heads_alike,
       &three_heads,
       "batch=1 n=1 i1=5 x=[1*6] by=2 role=query",
       "batch 1..3, n 1,2,3,4,5|16,17,31,32,33,64,127,128,129, i1 0..1048576, x [6], by 1..2, role query/key",
       {"rotate [5] in 1 rows as queries", "rotate [5] in 1 rows as queries"}},
      {asked::treats_heads_alike,
       &right_rotary,
       "batch=2 n=2 i1=5 i2=9 x=[1*32] by=1 role=key",
       "batch 1..3, n 1,2,3,4,5|16,17,31,32,33,64,127,128,129, i1 0..1048575, i2 0..1048575, x [32], by 1..1, role query/key",
       {"rotate [5,6,9,10] in 2 rows as keys", "rotate [5,6,9,10] in 2 rows as keys"}},
  };
  return all;
}

TEST(Calls, are_drawn_and_asked_for_as_the_statements_say) {
  for (const Known& one : known()) {
    const Asked asked = ask(one.property, one.right(), all_f32, one.words);
    EXPECT_EQ(asked.drawn, one.drawn) << one.words;
    std::vector<std::string> calls;
    for (const Call& call : asked.calls) calls.push_back(words_of(one.right(), call));
    EXPECT_EQ(calls, one.calls) << one.words;
    EXPECT_EQ(asked.residual.error, 0) << one.words;
  }
}

// By how much an entry of one answer may be off for a right one: infinite where nothing is compared with it.
struct Allowed {
  const Known& known;
  const std::vector<Call>& calls;
  Precision p;

  double at(std::size_t n, std::size_t entry) const {
    if (!compared(n, entry)) return no_ceiling;
    const double own = twice(n, entry);
    if (!shifts_rows()) return own;
    const std::size_t keys = calls[n].keys.size(), row = entry / keys * keys;
    const std::size_t of_query =
        row + place(calls[n].keys, calls[n].positions.whole[row / keys % queries(n)]);
    if (entry != of_query) return own + twice(n, of_query);
    double least = no_ceiling;  // the others of the row are relative to it
    for (std::size_t other = row; other < row + keys; ++other)
      if (other != entry && compared(n, other)) least = std::min(least, own + twice(n, other));
    return least;
  }

 private:
  std::size_t queries(std::size_t n) const { return calls[n].positions.size(); }
  static std::size_t place(const TokenPositions& keys, Position t) {
    return static_cast<std::size_t>(std::find(keys.whole.begin(), keys.whole.end(), t) - keys.whole.begin());
  }
  bool shifts_rows() const {
    return &known.property == &asked::agrees_in_chunks && kind(known.right()) == "bias";
  }
  double twice(std::size_t n, std::size_t entry) const {
    const Encoding right = known.right();
    return 2 * bound(right, calls[n], answer(right, calls[n]), p).error.data[entry];
  }
  bool compared(std::size_t n, std::size_t entry) const {
    if (&known.property == &asked::is_stateless) return n != 1;
    if (&known.property == &asked::treats_batch_rows_independently && n == 0) {
      const auto row = static_cast<std::size_t>(Case::parse(known.words).integer("row")) - 1;
      const std::size_t each = count(shape_of_answer(known.right(), calls[0])) / calls[0].batch;
      return entry / each == row;
    }
    if (&known.property != &asked::agrees_in_chunks || n != 0 || calls[0].keys.size() == 0) return true;
    // Of the whole, what a query sees in the chunk that it is in.
    const std::size_t keys = calls[0].keys.size();
    for (std::size_t chunk = 1; chunk < calls.size(); ++chunk) {
      const auto& at = calls[chunk].positions.whole;
      if (std::count(at.begin(), at.end(), calls[0].positions.whole[entry / keys % queries(0)]) != 0)
        return entry % keys < calls[chunk].keys.size();
    }
    return false;
  }
};

TEST(Calls, every_entry_of_every_answer_counts_as_far_as_its_bound) {
  for (const Known& one : known())
    for (const Precision& p : {all_f32, bf16}) {
      const std::vector<Call> calls = ask(one.property, one.right(), p, one.words).calls;
      for (std::size_t n = 0; n < calls.size(); ++n) {
        const std::size_t entries = count(shape_of_answer(one.right(), calls[n]));
        for (std::size_t entry = 0; entry < entries && entries < 200; ++entry)
          for (const double share : {0.95, 1.05}) {
            const double allowed = Allowed{one, calls, p}.at(n, entry);
            // Nothing is allowed where nothing is rotated.
            const double much = std::isinf(allowed) ? 1 : allowed == 0 ? 0x1p-40 : share * allowed;
            const double off = entry % 2 == 0 ? much : -much;
            const Residual found =
                ask(one.property, one.right(), p, one.words, [&](std::size_t call, Tensor& answer) {
                  if (call == n) answer.data[entry] += off;
                }).residual;
            EXPECT_EQ(found.holds(), std::isinf(allowed) || (share < 1 && allowed > 0))
                << one.words << ", " << p.text() << ": entry " << entry << " of answer " << n << " is off by "
                << off << ": " << found.error << " of " << found.bound;
          }
      }
    }
}

// A constant of a row of biases does not matter to a chunk, of logits it does.
TEST(AgreesInChunks, a_row_of_biases_may_be_shifted_in_a_chunk) {
  const auto shifted = [](std::size_t call, Tensor& answer) {
    if (call == 2)
      for (double& value : answer.data) value += 0.5;
  };
  EXPECT_TRUE(ask(asked::agrees_in_chunks, right_bias(), all_f32, "n=3 prefill=1 then=steps i=4", shifted)
                  .residual.holds());
  EXPECT_EQ(ask(asked::agrees_in_chunks, right_contextual(), all_f32,
                "n=3 prefill=1 then=chunk i=9 q=[1*6] k=[0.5*6]",
                [](std::size_t call, Tensor& answer) {
                  if (call == 2)
                    for (double& value : answer.data) value += 0.5;
                })
                .residual.error,
            0.5);
}

// Entries 5 and 5.25 and 5.5 at position 5; each of two answers is allowed 2 units.
TEST(IsStateless, allows_twice_the_bound_of_an_entry) {
  const Residual found = ask(asked::is_stateless, right_table(), all_f32, "n=1 m=1 i=5 j=9",
                             [](std::size_t call, Tensor& answer) { answer.data[1] += call == 2 ? 0.25 : 0; })
                             .residual;
  EXPECT_EQ(found.error, 0.25);
  EXPECT_EQ(found.bound, 2 * 2 * unit_f32 * 5.5);
  EXPECT_EQ(found.ceiling, no_ceiling);
}

Table of_eight(Position first, const Function<Tensor(const Positions&)>& rows) {
  Table table{.dim = 1, .positions = {first, first + 7}};
  table.positions.ends = true;
  table.rows = [rows](const Positions& positions, Position) { return rows(positions); };
  return table;
}

TEST(RefusesOutOfRange, asks_past_either_end_and_never_below_0) {
  struct {
    Position first;
    std::string_view words, drawn, call;
  } const all[] = {
      {0, "by=3 side=after inside=0", "by 1..65536, side after, inside 0,1|16,17,31,32,33,64,127,128,129",
       "rows [10] of 11"},
      {4, "by=1 side=before inside=1 i=5",
       "by 1..65536, side after/before, inside 0,1|16,17,31,32,33,64,127,128,129, i 4..11",
       "rows [5,3] of 12"},
      {4, "by=9 side=before inside=0",
       "by 1..65536, side after/before, inside 0,1|16,17,31,32,33,64,127,128,129", "rows [0] of 12"},
  };
  for (const auto& one : all) {
    const Table table = of_eight(one.first, [](const Positions&) -> Tensor { throw Refusal("outside"); });
    std::string call;
    const Encoding heard = answered_by(table, [&](const Call& asked) {
      call = words_of(table, asked);
      return answer(table, asked);
    });
    Watched draw(one.words);
    const Residual found = (*trial(asked::refuses_out_of_range, heard, all_f32))(draw);
    EXPECT_EQ(draw.asked(), one.drawn);
    EXPECT_EQ(call, one.call);
    EXPECT_EQ(found.error, 0);
    EXPECT_EQ(found.ceiling, 1);
  }
}

TEST(RefusesOutOfRange, an_error_is_a_refusal_and_a_crash_or_another_shape_is_none) {
  const auto asked_of = [](const Function<Tensor(const Positions&)>& rows) {
    return ask(asked::refuses_out_of_range, of_eight(0, rows), all_f32, "by=3 side=after inside=0").residual;
  };
  const auto failing = [](Failure::How how) {
    return [how](const Positions&) -> Tensor { throw Failure(how, "outside", "rows: outside"); };
  };
  EXPECT_TRUE(asked_of(failing(Failure::How::raised)).holds());
  EXPECT_THROW(asked_of(failing(Failure::How::died)), Failure);
  EXPECT_THROW(asked_of(failing(Failure::How::answered_otherwise)), Failure);
  EXPECT_THROW(asked_of([](const Positions&) { return Tensor({2, 1}); }), Failure);
  try {
    asked_of([](const Positions&) { return Tensor({1, 1}); });
    ADD_FAILURE() << "position 10 was answered";
  } catch (const Failure& answered) {
    EXPECT_EQ(answered.how, Failure::How::answered_otherwise);
    EXPECT_STREQ(answered.what(), "position 10 is answered, and 7 is the last");
  }
}

TEST(RefusesOutOfRange, is_not_asked_of_what_is_defined_everywhere) {
  EXPECT_THROW(ask(asked::refuses_out_of_range, right_table(), all_f32, ""), Inapplicable);
}

TEST(TreatsHeadsAlike, moves_the_heads_on_and_the_last_ones_to_the_front) {
  const auto calls = ask(asked::treats_heads_alike, three_heads(), all_f32,
                         "batch=1 n=1 i1=5 x=[1,2,3,4,5,6] by=2 role=query")
                         .calls;
  EXPECT_EQ(calls[1].contents[0].data, (std::vector<double>{5, 6, 1, 2, 3, 4}));
}

TEST(TreatsHeadsAlike, is_not_asked_of_one_head) {
  Rotary one{.dim = 2, .rotate = [](const Tensor& x, const Positions&, Role) { return x; }};
  EXPECT_THROW(ask(asked::treats_heads_alike, one, all_f32, ""), Inapplicable);
}

TEST(TreatsBatchRowsIndependently, one_row_is_another_case) {
  EXPECT_THROW(
      ask(asked::treats_batch_rows_independently, right_rotary(), all_f32, "batch=1 n=1 i1=5 x=[1*8]"),
      Discard);
}

TEST(Calls, wrong_corners_say_which_entry_is_wrong_by_how_much_in_which_format) {
  std::vector<std::string> words;
  for (const NegativeExample& one : wrong_corners(&right_table, {4, 16})) words.push_back(one.wrong);
  EXPECT_EQ(words, (std::vector<std::string>{
                       "a table whose last entry in every answer is larger by 4 units, in f32",
                       "a table whose first entry in every answer is smaller by 4 units, in f32",
                       "a table whose last entry in every answer is larger by 16 units, in bf16",
                       "a table whose first entry in every answer is smaller by 16 units, in bf16"}));
}

// Which kinds each is asked of.
TEST(Calls, are_asked_of_the_kinds_that_have_what_they_speak_of) {
  using Kinds = std::vector<std::string_view>;
  EXPECT_EQ(kinds_of(asked::agrees_in_chunks), (Kinds{"table", "rotary", "bias", "contextual"}));
  EXPECT_EQ(kinds_of(asked::is_stateless), (Kinds{"table", "rotary", "bias", "contextual"}));
  EXPECT_EQ(kinds_of(asked::refuses_out_of_range), (Kinds{"table", "rotary", "bias", "contextual"}));
  EXPECT_EQ(kinds_of(asked::takes_positions_in_any_order), (Kinds{"table", "rotary", "bias"}));
  EXPECT_EQ(kinds_of(asked::treats_batch_rows_independently), (Kinds{"rotary"}));
  EXPECT_EQ(kinds_of(asked::treats_heads_alike), (Kinds{"rotary"}));
}

}  // namespace
}  // namespace posproof::calls_test
