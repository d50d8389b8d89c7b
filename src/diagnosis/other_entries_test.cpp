// Biases of released models: the numbers in the table are trained, and the look-up is the declared one.
#include "diagnosis/other_entries.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::other_entries_test {
namespace {

using testing::said;
using testing::Sentences;

using Entry = Function<double(double number, bool odd)>;  // of a query in an odd row

const Sentences trained{
    "the table holds other numbers, trained ones perhaps; they are looked up as declared: entries of the same row "
    "and head are the same"};

Sentences of(const std::string& id, const std::string& words, const Entry& entry) {
  return said(id, words, [=](const Parameters& parameters) {
    Bias own = as<Bias>(encoding_named(id).make(parameters));
    own.bias = [right = own.bias, entry](const Positions& queries, const Positions& keys) {
      Tensor out = right(queries, keys);
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c)
          out.at(r, c) = entry(out.at(r, c), std::fmod(queries.at(r % queries.size(), 0), 2) != 0);
      return out;
    };
    return Encoding(own);
  });
}

double drawn(double number) {
  return std::sin(12.9898 * number + 78.233);
}

TEST(OtherEntries, are_named_where_the_look_up_is_the_declared_one) {
  const Entry all = [](double number, bool) { return drawn(number); };
  EXPECT_EQ(of("t5_bias", "heads=2", all), trained);
  EXPECT_EQ(of("t5_bias", "heads=3 direction=unidirectional buckets=16", all), trained);
  EXPECT_EQ(of("relative_table", "heads=2 height=3 width=4", all), trained);
  EXPECT_EQ(of("relative_table", "heads=2 axes=line width=9", all), trained);
}

TEST(OtherEntries, are_none_where_a_row_has_two_numbers_or_another_rows) {
  const Entry two = [](double number, bool odd) { return drawn(number) + (odd ? 0x1p-20 : 0); };
  EXPECT_NE(of("relative_table", "heads=2 height=3 width=4", two), trained);
  // The numbers of the rows themselves, exchanged.
  EXPECT_NE(of("t5_bias", "heads=2", [](double number, bool) { return number < 64 ? 63 - number : number; }),
            trained);
  // Drawn numbers of the declared table, each in the place of the next.
  const EncodingSpec& spec = encoding_named("t5_bias");
  const std::string seeded = "heads=2 table=seeded table_seed=3";
  const Sentences found = said("t5_bias", seeded, [&](const Parameters& parameters) {
    Parameters numbers = parameters;
    numbers.set("table", std::string("index"));
    Bias own = as<Bias>(spec.make(parameters));
    const Bias index = as<Bias>(spec.make(numbers));
    std::map<double, double> entry_of;  // by its number
    std::vector<Position> all(400);
    std::iota(all.begin(), all.end(), Position{0});
    const Tensor of_number = index.bias(all, all), entries = own.bias(all, all);
    for (std::size_t n = 0; n < entries.data.size(); ++n)
      entry_of.emplace(of_number.data[n], entries.data[n]);
    own.bias = [=](const Positions& queries, const Positions& keys) {
      Tensor out = index.bias(queries, keys);
      for (double& entry : out.data) {
        const auto next = entry_of.upper_bound(entry);
        entry = next == entry_of.end() ? entry_of.begin()->second : next->second;
      }
      return out;
    };
    return Encoding(own);
  });
  EXPECT_NE(found, trained);
}

// One call of so many tokens that see each other, without a search; each entry is looked up by its number.
TEST(OtherEntries, are_named_where_numbers_come_again_and_are_always_the_same) {
  const EncodingSpec& spec = encoding_named("t5_bias");
  const Parameters parameters = with(spec, Case::parse("heads=1"));
  const Encoding declared = spec.oracle(parameters);
  const Bias index = as<Bias>(spec.make(with(spec, Case::parse("heads=1 table=index"))));
  const auto found = [&](std::size_t tokens, double more_of_the_last) {
    std::vector<Position> all(tokens);
    std::iota(all.begin(), all.end(), Position{0});
    Answered one;
    one.call.positions.whole = one.call.keys.whole = all;
    one.answer = index.bias(all, all);
    for (double& entry : one.answer.data) entry = drawn(entry);
    // The middle of the last row: of an offset that comes again.
    one.answer.at(tokens - 1, tokens / 2) += more_of_the_last;
    return other_entries(declared, spec, parameters, {one}).has_value();
  };
  EXPECT_TRUE(found(12, 0));
  EXPECT_FALSE(found(12, 1));
  EXPECT_FALSE(found(4, 0)) << "7 offsets, of which 16 entries are 9 more";
}

}  // namespace
}  // namespace posproof::other_entries_test
