// One ctest test for each encoding and claim (`rope.score.depends_on_offset`) and for its agreement with the
// oracle
// (`rope.agrees_with_its_oracle`), one for each property's negative examples
// (`rejects.score.depends_on_offset`): the property must refute every one of them within the usual search;
// one for each identity of two encodings and its negative examples
// (`identities.llama3_is_by_parts`); and one for each defect
// (`defects.rope.angles_in_bf16`): the property named in advance must refute it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/identities.h"
#include "catalogue/properties.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/claims.h"
#include "run/identities.h"
#include "run/recorded.h"
#include "run/sharpness.h"
#include "search/trial.h"
#include "testing/function_tests.h"

namespace posproof::conformance_test {
namespace {

std::string dotted(std::string_view id) {
  std::string out(id);
  std::replace(out.begin(), out.end(), '/', '.');
  return out;
}

// One fixture for all: GoogleTest wants the tests of a suite, such as `rope`, to share theirs.
class Conformance : public ::testing::Test {};

// Negative examples in f32 or in 16 bits that are wrong by more than 16 bounds: mistakes as they were made.
struct Blunt {
  std::string_view id, wrong, why;
};
constexpr std::array<Blunt, 3> blunt_examples = {{
    {"axes/is_one_ladder_where_numbers_are_equal",
     "a rotation whose frequencies begin anew on the second axis", "a whole ladder is another"},
    {"rotary/composes", "a rotation that rounds positions past 65536 to multiples of 16",
     "a position is off by up to 8"},
    {"score/depends_on_offset", "angles in bf16 where f32 is claimed", "bf16 has 2^16 times the unit of f32"},
}};
bool is_blunt(std::string_view id, std::string_view wrong) {
  return std::ranges::any_of(blunt_examples,
                             [&](const Blunt& one) { return one.id == id && one.wrong == wrong; });
}

TEST(BluntExamples, are_some_of_the_catalogue) {
  for (const Blunt& one : blunt_examples) {
    bool found = false;
    for (const auto& [id, property] : catalogue::properties())
      for (const NegativeExample& example : property->must_reject)
        found = found || (id == one.id && example.wrong == one.wrong);
    EXPECT_TRUE(found) << one.id << ": " << one.wrong;
  }
}

class Rejects : public Conformance {
 public:
  Rejects(std::string_view id, const Property& property) : id_(id), property_(property) {}
  void TestBody() override {
    ASSERT_FALSE(property_.must_reject.empty()) << id_ << " has no negative example that it refutes";
    for (const NegativeExample& example : property_.must_reject) {
      const auto one = trial(property_, example.make(), example.precision);
      ASSERT_TRUE(one.has_value()) << id_ << " does not apply to " << example.wrong;
      const Verdict verdict = search(*one, {.id = std::string(id_)});
      const auto* errored = std::get_if<Errored>(&verdict);
      EXPECT_TRUE(std::holds_alternative<Refuted>(verdict))
          << id_ << " accepts " << example.wrong << ": " << name(verdict) << " "
          << (errored ? errored->what : "");
    }
    sees_little();
  }

 private:
  // In every kind that it speaks of, in f32 and in 16 bits: whoever makes a bound 16 times as large is told.
  void sees_little() {
    if (property_.yes_or_no) return;
    const std::vector<MeasuredExample> examples = measured_examples(id_, property_);
    for (const MeasuredExample& of : sharpest(property_, examples)) {
      const char* format = of.in_16_bits ? "bf16 or f16" : "f32";
      ASSERT_NE(of.example, nullptr) << id_ << " has no negative example of a " << of.kind << " encoding in "
                                     << format;
      EXPECT_TRUE(of.sharpness.is_sharp())
          << id_ << ", " << of.kind << ", " << format << ": the sharpest, `" << of.example->wrong
          << "`, is wrong by " << of.sharpness.text() << "; 16 is the most";
    }
    for (const MeasuredExample& of : examples)
      EXPECT_NE(of.sharpness.is_sharp(), is_blunt(id_, of.example->wrong))
          << id_ << ": `" << of.example->wrong << "` is wrong by " << of.sharpness.text()
          << "; 16 is the most, and more where it stands among the blunt ones";
  }

  std::string_view id_;
  const Property& property_;
};

// An identity of our own references, and its twins that are wrong by little: one at least by at most 16 times
// what f32 allows.
class Identical : public Conformance {
 public:
  Identical(std::string id, const Identity& identity) : id_(std::move(id)), identity_(identity) {}
  void TestBody() override {
    const Verdict verdict = identity_searched(identity_, {.id = id_});
    const ClaimResult judged = stand(verdict);
    EXPECT_EQ(judged.status, ClaimStatus::as_claimed)
        << id_ << ": " << name(judged.status) << ": " << judged.why;
    const auto* held = std::get_if<Holds>(&verdict);
    if (held != nullptr) {
      EXPECT_GE(held->cases - held->vacuous, 100u) << id_;
    }
    refutes_wrong_sides();
  }

 private:
  void refutes_wrong_sides() {
    double sharpest = 0;
    for (const WrongSide& wrong : identity_.must_reject) {
      const Property property = property_of(identity_, Case::parse(wrong.setting));
      const auto of = std::ranges::find(property.must_reject, wrong.wrong, &NegativeExample::wrong);
      ASSERT_NE(of, property.must_reject.end());
      const Sharpness found = sharpness(property, *of, {.id = std::string(id_)});
      EXPECT_TRUE(found.refuted()) << id_ << " accepts: " << wrong.wrong;
      if (found.refuted() && wrong.precision == all_f32 && (sharpest == 0 || found.times < sharpest))
        sharpest = found.times;
    }
    EXPECT_GT(sharpest, 1) << id_ << " has no negative example in f32";
    EXPECT_LE(sharpest, sharp) << id_ << ": the sharpest is wrong by so many bounds; 16 is the most";
  }

  std::string id_;
  const Identity& identity_;
};

class Agreeing : public Conformance {
 public:
  Agreeing(std::string id, const EncodingSpec& spec) : id_(std::move(id)), spec_(spec) {}
  void TestBody() override {
    const ClaimResult judged = stand(agreement_searched(spec_, {.id = id_}));
    EXPECT_EQ(judged.status, ClaimStatus::as_claimed)
        << id_ << ": " << name(judged.status) << ": " << judged.why;
  }

 private:
  std::string id_;
  const EncodingSpec& spec_;
};

class Shipped : public Conformance {
 public:
  Shipped(std::string id, const Defect& defect, const EncodingSpec& spec)
      : id_(std::move(id)), defect_(defect), spec_(spec) {}
  void TestBody() override {
    const Parameters parameters = with(spec_, Case::parse(defect_.setting));
    const Property property =
        defect_.refuted_by != nullptr ? *defect_.refuted_by : agreement(spec_.oracle(parameters));
    const auto one = trial(property, defect_.make(parameters), defect_.precision);
    ASSERT_TRUE(one.has_value()) << id_ << " is of a kind that its property is not asked of";
    const Verdict verdict = search(*one, {.id = id_, .budget = {.shrinks = 0}});
    EXPECT_TRUE(std::holds_alternative<Refuted>(verdict)) << id_ << " is not refuted: " << name(verdict);
  }

 private:
  std::string id_;
  const Defect& defect_;
  const EncodingSpec& spec_;
};

class Claimed : public Conformance {
 public:
  Claimed(std::string id, const Claim& claim, const EncodingSpec& spec)
      : id_(std::move(id)), claim_(claim), spec_(spec) {}
  void TestBody() override {
    const ClaimResult judged = judge(claim_, spec_, {.id = id_});
    EXPECT_EQ(judged.status, ClaimStatus::as_claimed)
        << id_ << ": " << name(judged.status) << ": " << judged.why;
  }

 private:
  std::string id_;
  const Claim& claim_;
  const EncodingSpec& spec_;
};

void add(const std::string& suite, const std::string& test, auto make) {
  ::testing::RegisterTest(suite.c_str(), test.c_str(), nullptr, nullptr, __FILE__, __LINE__, make);
}

// Which suites are run: all, or those that a filter names which is made of names. ctest starts a process for
// each test, and what all encodings claim takes longer to find out than most tests.
class Suites {
 public:
  explicit Suites(const std::string& filter) {
    if (filter.find_first_of("*?-") != std::string::npos) return;
    named_.emplace();
    for (std::size_t at = 0; at < filter.size();) {
      const std::size_t end = std::min(filter.find(':', at), filter.size());
      named_->insert(filter.substr(at, std::min(filter.find('.', at), end) - at));
      at = end + 1;
    }
  }

  bool has(std::string_view suite) const { return !named_ || named_->contains(suite); }

 private:
  std::optional<std::set<std::string, std::less<>>> named_;
};

void add_rejections() {
  for (const auto& [id, property] : catalogue::properties())
    add("rejects", dotted(id),
        [id = id, property = property]() -> Conformance* { return new Rejects(id, *property); });
}

void add_identities() {
  for (const auto& [id, identity] : catalogue::identities()) {
    add("identities", std::string(id), [id = id, identity = identity]() -> Conformance* {
      return new Identical(std::string(id), *identity);
    });
  }
}

void add_claims(std::string_view id, const EncodingSpec& spec) {
  add(std::string(id), std::string(agreement_id),
      [key = fmt::format("{} {}", id, agreement_id), &spec]() -> Conformance* {
        return new Agreeing(key, spec);
      });
  std::size_t number = 0;
  const std::vector<Claim>& claims = claims_of(spec);
  for (const Claim& claim : claims) {
    const std::string property(id_of(*claim.property));
    // One encoding may claim a property several times, under different conditions.
    const auto same = std::count_if(claims.begin(), claims.begin() + static_cast<std::ptrdiff_t>(number++),
                                    [&](const Claim& other) { return other.property == claim.property; });
    const std::string suffix = same == 0 ? "" : fmt::format(".{}", same + 1);
    add(std::string(id), dotted(property) + suffix,
        [key = fmt::format("{} {}{}", id, property, suffix), &claim, &spec]() -> Conformance* {
          return new Claimed(key, claim, spec);
        });
  }
}

void add_defects() {
  for (const auto& [family, defects] : catalogue::defects()) {
    const EncodingSpec& spec = encoding_named(family);
    for (const Defect& defect : defects->defects) {
      const std::string test = fmt::format("{}.{}", family, defect.name);
      add("defects", test,
          [test, &defect, &spec]() -> Conformance* { return new Shipped(test, defect, spec); });
    }
  }
}

void add_those_of(const Suites& suites) {
  if (suites.has("rejects")) add_rejections();
  if (suites.has("identities")) add_identities();
  for (const auto& [id, spec] : catalogue::encodings())
    if (suites.has(id)) add_claims(id, *spec);
  if (suites.has("defects")) add_defects();
}

}  // namespace
}  // namespace posproof::conformance_test

int main(int argc, char** argv) {
  // Who starts the tests under nohup, or in the background of a script, ignores some: all that they start
  // would, too.
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM}) std::signal(signal, SIG_DFL);
  testing::InitGoogleTest(&argc, argv);
  const posproof::conformance_test::Suites suites(testing::GTEST_FLAG(filter));
  posproof::testing::add_function_tests([&](std::string_view suite) { return suites.has(suite); });
  posproof::conformance_test::add_those_of(suites);
  const int code = RUN_ALL_TESTS();
  // Nothing that ran is no pass.
  if (code == 0 && !testing::GTEST_FLAG(list_tests) &&
      ::testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    fmt::print(stderr, "no test has a name like `{}`\n", testing::GTEST_FLAG(filter));
    return 1;
  }
  // What ctest is told of a suite: cmake/suites.cmake.
  const bool some_are_skipped = ::testing::UnitTest::GetInstance()->skipped_test_count() > 0;
  return code == 0 && some_are_skipped ? 77 : code;
}
