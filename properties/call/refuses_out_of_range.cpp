#include "catalogue/properties/call/refuses_out_of_range.h"

#include <fmt/format.h>

#include "calls.h"
#include "core/failure.h"
#include "negative_examples.h"

namespace posproof::properties_call_refuses_out_of_range {
namespace {

using namespace calls;

// One position outside, the last one, alone or behind some that are inside. Never a negative one: a caller
// counts from 0, and a language in which -1 is the last row is not wrong for it.
std::vector<Position> asked(const Encoding& encoding, Draw& draw) {
  const Domain& domain = positions_of(encoding);
  if (!domain.ends) throw Inapplicable{"it is defined everywhere"};
  const Domain near{1, 1 << 16};
  const Position by = draw.position("by", near);
  std::vector<Value> sides = {Value(std::string("after"))};
  if (domain.lo > 0) sides.emplace_back(std::string("before"));
  const bool after = std::get<std::string>(draw.one_of("side", sides)) == "after";
  const Position outside = after ? domain.hi + by : std::max<Position>(0, domain.lo - by);
  choice::Size inside{{0, 1}, 2};
  for (const std::int64_t n : tile_edges)
    if (n < longest(encoding)) inside.sizes.push_back(n);
  std::vector<Position> positions = drawn_positions(domain, draw.size("inside", inside), 1, draw, "i");
  positions.push_back(outside);
  return positions;
}

// Asked for in a sequence that would have them all.
Residual check(const Encoding& encoding, Precision, Draw& draw) {
  const Domain& domain = positions_of(encoding);
  const std::vector<Position> positions = asked(encoding, draw);
  Call call = sequence(encoding, positions, &draw);
  call.length = std::max(call.length, domain.hi + 1);
  try {
    answer(encoding, call);
  } catch (const Refusal&) {
    return holds_if(true);
  } catch (const Failure& failure) {  // an error is a refusal, too; a crash or another shape is none
    if (failure.how != Failure::How::raised) throw;
    return holds_if(true);
  }
  const bool after = positions.back() > domain.hi;
  throw Failure(Failure::How::answered_otherwise, "answers a position outside",
                fmt::format("position {} is answered, and {} is the {}", positions.back(),
                            after ? domain.hi : domain.lo, after ? "last" : "first"));
}

Encoding answering(Position first, Position (*moved)(Position t)) {
  Table table{.dim = 1, .positions = {first, 7}};
  table.positions.ends = true;
  table.rows = [moved](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 1});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const Position row = moved(positions[r]);
      if (row < 0 || row > 7) throw Refusal("past the end");
      rows.at(r, 0) = static_cast<double>(row);
    }
    return rows;
  };
  return table;
}

Encoding clamped() {
  return answering(0, [](Position t) { return std::min<Position>(t, 7); });
}

// It looks at the first position of a call alone.
Encoding looks_at_the_first() {
  Table table = as<Table>(answering(0, [](Position t) { return t; }));
  table.rows = [exact = table.rows](const Positions& positions, Position length) {
    if (positions.size() == 1) return exact(positions, length);
    return Tensor({positions.size(), 1});
  };
  return table;
}

// Positions far outside come round to the table, as in 16 bits.
Encoding wrapped() {
  return answering(0, [](Position t) { return t < (1 << 15) ? t : Position{7}; });
}

// Rotated, biased and scored anywhere.
Encoding endless(Encoding (*right)()) {
  Domain eight(0, 7);
  eight.ends = true;
  return with_positions(right(), eight);
}

// Row t - 1 of a table that begins at 1: where t is 0, an index from the end, which some languages allow.
Encoding from_the_end() {
  return answering(1, [](Position t) { return t == 0 ? Position{7} : t; });
}

}  // namespace

const Property entry{
    .statement = "A position outside the table is refused, not answered.",
    .formula = "f(t) is defined only for lo <= t <= hi",
    .source = "microsoft/onnxruntime#28205, vllm-project/vllm#44286: silent reads past the end of a table",
    .checks = {CallCheck{&names_positions, &check}},
    .must_reject =
        {{"a table of 8 rows that answers every later position with the last", &clamped},
         {"a table of 8 rows that looks at the first position of a call alone", &looks_at_the_first},
         {"a table of 8 rows that answers positions from 32768 on", &wrapped},
         {"a rotation of positions 0 to 7 that rotates beyond", [] { return endless(&right_rotary); }},
         {"a bias of positions 0 to 7 that goes on beyond", [] { return endless(&right_bias); }},
         {"logits of positions 0 to 7 that go on beyond", [] { return endless(&right_contextual); }},
         {"a table of positions 1 to 7 that takes 0, the row before its first, for the last", &from_the_end}},
    .needs = Needs::live_subject,
    .yes_or_no = true,
};

}  // namespace posproof::properties_call_refuses_out_of_range
