// A formula that is misread is refuted, and the diagnosis says how it is misread: the first of each family
// here, all in misreadings_long.cpp. What is near to one has no name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "catalogue/encodings/kerple.h"
#include "catalogue/encodings/log_cpb.h"
#include "catalogue/encodings/sandwich.h"
#include "diagnosis/testing/misread.h"
#include "misreadings/right.h"
#include "subject/testing/subjects.h"

namespace posproof::misreadings_test {
namespace {

using testing::expect_named, testing::parameters_of, testing::said_of, testing::Sentences;

std::vector<std::string> families() {
  std::vector<std::string> out;
  for (const auto& [id, family] : catalogue::misreadings()) out.emplace_back(id);
  return out;
}

class MisreadFamily : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(all, MisreadFamily, ::testing::ValuesIn(families()),
                         [](const auto& of) { return of.param; });

TEST_P(MisreadFamily, its_first_is_named) {
  for (const auto& [id, family] : catalogue::misreadings())
    if (id == GetParam()) expect_named(GetParam(), family->misreadings.front());
}

TEST(Misread, the_last_of_a_family_is_named_too) {
  for (const auto& [id, family] : catalogue::misreadings())
    if (id == "relative_table") expect_named("relative_table", family->misreadings.back());
}

TEST(Misread, families_are_encodings_and_sentences_differ) {
  for (const auto& [id, family] : catalogue::misreadings()) {
    EXPECT_NO_THROW(encoding_named(id)) << id;
    std::set<std::string_view> sentences;
    for (const Misreading& one : family->misreadings)
      EXPECT_TRUE(sentences.insert(one.what).second) << id << ": " << one.what;
  }
}

// Where a misreading is the same as what is right it says so, and is none.
TEST(Misread, where_it_makes_no_difference_there_is_none) {
  for (const auto& [id, family] : catalogue::misreadings()) {
    if (id != "kerple") continue;
    const Parameters power = parameters_of("kerple", "kernel=power");
    std::size_t none = 0;
    for (const Misreading& one : family->misreadings) try {
        one.make(power);
      } catch (const Refusal&) {
        ++none;
      }
    EXPECT_EQ(none, family->misreadings.size() - 2);
  }
}

// Answers that are rounded to f32 everywhere, at positions below 0 by more than above it, too.
TEST(Misread, in_f32_on_both_sides_of_0) {
  for (const std::string wrong : {"linear", "axes_swapped"}) {
    const Parameters parameters = parameters_of("nerf", "axes=2 frequencies=6");
    const EncodingSpec& spec = encoding_named("nerf");
    const Encoding truth = spec.oracle(parameters);
    const Subject subject = open(testing::python("src/subject/testing/real_functions.py", wrong),
                                 {.encoding = "nerf", .parameters = parameters, .declared = {truth}});
    const std::vector<Explanation> said = diagnose(spec, "nerf", parameters, subject, Case{}, 1);
    ASSERT_EQ(said.size(), 1u) << wrong;
    EXPECT_EQ(said.front().what, wrong == "linear" ? "the frequencies are 1, 2, 3, .., not 1, 2, 4, .."
                                                   : "the sines and cosines have the axes in reverse order");
  }
}

// An exponent that is none of those, beside misreadings with exponents.
TEST(Misread, near_ones_have_no_name) {
  const Parameters kerple = parameters_of("kerple", "heads=2 kernel=log_power r2=[0.5,3] exponent=[1.5]");
  EXPECT_EQ(said_of("kerple", kerple,
                    misread::with_entry(encodings::kerple, kerple,
                                        [](std::size_t head, Position i, Position j) {
                                          const auto d =
                                              static_cast<long double>(std::max<Position>(i - j, 0));
                                          const long double r2 = head == 0 ? 0.5L : 3;
                                          return -std::log1p(std::pow(r2 * d, 1.501L));
                                        })),
            Sentences{});
  const Parameters sandwich = parameters_of("sandwich", "heads=1 dim=4");
  EXPECT_EQ(said_of("sandwich", sandwich,
                    misread::with_entry(encodings::sandwich, sandwich,
                                        [](std::size_t, Position i, Position j) {
                                          const auto d =
                                              static_cast<long double>(std::max<Position>(i - j, 0));
                                          return (std::sin(0.01L * d) + std::cos(0.0001L * d)) / 8;
                                        })),
            Sentences{});
  // The coordinates of a window, which other functions of the offset are near to.
  const Parameters window = parameters_of("log_cpb", "hidden=8 heads=2 height=5 width=7 std=0.5");
  Bias bias = misread::right<Bias>(encodings::log_cpb, window);
  bias.bias = [own = bias.bias](const Positions& queries, const Positions& keys) {
    Tensor out = own(queries, keys);
    for (double& x : out.data) x = 15.9 * x / 16 + 0.0001 * x * x;
    return out;
  };
  EXPECT_EQ(said_of("log_cpb", window, bias), Sentences{});
}

// Between what is right and what is misread.
TEST(Misread, shares_of_them_have_no_name) {
  const std::pair<std::string, std::string> all[] = {{"fire", "the number of the query's row"},
                                                     {"fire", "the number of keys of the call"},
                                                     {"timestep_embedding", "is truncated"},
                                                     {"timestep_embedding", "is rounded"},
                                                     {"resized_table", "is read column by column"},
                                                     {"music_transformer", "the vector of one less"},
                                                     {"music_transformer", "count from 0, the first"},
                                                     {"deberta", "of the whole table"},
                                                     {"dape", "of each head in turn"},
                                                     {"pope", "of a key is max(x, 0)"},
                                                     {"sandwich", "rounded down"}};
  for (const auto& [id, words] : all)
    for (const auto& [family_id, family] : catalogue::misreadings()) {
      if (family_id != id) continue;
      const auto one = std::ranges::find_if(family->misreadings, [part = words](const Misreading& of) {
        return of.what.find(part) != of.what.npos;
      });
      ASSERT_NE(one, family->misreadings.end()) << words;
      const Parameters given = parameters_of(id, one->setting);
      const Encoding right = encoding_named(id).make(given), wrong = one->make(given);
      const Sentences said = said_of(id, given, answered_by(right, [&](const Call& call) {
                                       Tensor out = answer(right, call);
                                       const Tensor other = answer(wrong, call);
                                       for (std::size_t n = 0; n < out.data.size(); ++n)
                                         out.data[n] += (other.data[n] - out.data[n]) / 4;
                                       return out;
                                     }));
      EXPECT_EQ(std::ranges::count(said, one->what), 0) << one->what;
    }
}

}  // namespace
}  // namespace posproof::misreadings_test
