// What is said of calls that agreement does not ask for: of three tokens and more in no order.
#include "diagnosis/property_calls.h"

#include <gtest/gtest.h>

#include <string>

#include "core/call.h"
#include "core/function.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof::property_calls_test {
namespace {

using Change = Function<void(Position* row, std::size_t tokens)>;

// Of a rotation that changes the positions of each row.
std::string said_of(const Change& change) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=4 heads=1")));
  const Encoding wrong = answered_by(truth, [=](Call call) {
    const std::size_t n = call.batch == 0 ? 0 : call.positions.whole.size() / call.batch;
    for (std::size_t b = 0; b < call.batch && n > 0; ++b) change(&call.positions.whole[b * n], n);
    return answer(truth, call);
  });
  const Subject subject{"made", "", wrong, all_f64};
  const Property& property = property_named("call/takes_positions_in_any_order");
  const Verdict verdict =
      search(*trial(property, wrong, all_f64), {.id = "property_calls_test", .budget = {.cases = 1000}});
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr) return std::string(name(verdict));
  return deviation_in_calls_of(property, subject, truth, refuted->counterexample, 1).value_or("nothing");
}

void count_on(Position* row, std::size_t tokens) {
  for (std::size_t n = 1; n < tokens; ++n) row[n] = row[0] + static_cast<Position>(n);
}

TEST(PropertyCalls, say_what_is_taken_for_consecutive) {
  EXPECT_EQ(said_of([](Position*, std::size_t) {}), "holds");
  EXPECT_EQ(said_of([](Position* row, std::size_t n) {
              if (row[n - 1] - row[0] == static_cast<Position>(n) - 1) count_on(row, n);
            }),
            "where a row of n tokens ends n - 1 behind its first position, its tokens count on from that, "
            "whatever stands between");
  EXPECT_EQ(said_of(&count_on), "tokens count on from the first of their row");
}

// A condition that nothing known says.
TEST(PropertyCalls, say_nothing_of_what_they_do_not_explain) {
  EXPECT_EQ(said_of([](Position* row, std::size_t n) {
              if (n > 2 && row[1] < row[0] && row[2] > row[0]) row[2] += 5;
            }),
            "nothing");
}

}  // namespace
}  // namespace posproof::property_calls_test
