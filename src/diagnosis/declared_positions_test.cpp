// A program is asked for the positions that it says it has: whatever explains what it gives there is asked
// for them, too.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "catalogue/defects.h"
#include "catalogue/misreadings.h"
#include "core/call.h"
#include "diagnosis/diagnosis.h"
#include "diagnosis/made_candidate.h"
#include "diagnosis/testing/wrong_encodings.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/narrowed.h"
#include "search/trial.h"

namespace posproof::declared_positions_test {
namespace {

using namespace testing;

// What is said of one that has these positions; of one that is not refuted its verdict.
Sentences said_of(const std::string& family, const std::string& words, const Make& make,
                  const Domain& positions) {
  const EncodingSpec& spec = encoding_named(family);
  const Parameters parameters = with(spec, Case::parse(words));
  const Subject subject{.name = "made",
                        .description = "",
                        .encoding = with_positions(make(parameters), positions),
                        .precision = all_f32};
  const Encoding truth = as_far_as(spec.oracle(parameters), subject);
  const Verdict verdict = search(*trial(agreement(truth), subject.encoding, all_f32),
                                 {.id = "declared_positions_test", .budget = {.cases = 1000, .shrinks = 0}});
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr) return {std::string(name(verdict))};
  Sentences out;
  for (const Explanation& one : diagnose(spec, family, parameters, subject, refuted->counterexample, 1))
    if (one.kind != Explanation::Kind::place) out.push_back(one.what);
  return out;
}

const Domain about_0{-512, 511}, far{0, Position{1} << 22};

Make moved(const std::string& family, const Function<Position(Position)>& to) {
  return asked_for(family, at(to));
}

TEST(DeclaredPositions, are_those_of_what_explains_them) {
  const std::string dim = "dim=16";
  for (const std::string family : {"rope", "sinusoidal"}) {
    EXPECT_EQ(said_of(family, dim, moved(family, [](Position t) { return t; }), about_0), Sentences{"holds"});
    EXPECT_EQ(said_of(family, dim, moved(family, [](Position t) { return std::abs(t); }), about_0),
              Sentences{"positions below 0 count as their absolute value"})
        << family;
    EXPECT_EQ(
        said_of(family, dim, moved(family, [](Position t) { return std::max<Position>(t, 0); }), about_0),
        Sentences{"positions below 0 count as 0"})
        << family;
    EXPECT_EQ(said_of(family, dim, moved(family, [](Position t) { return t < 3000000 ? t : 0; }), far),
              Sentences{"positions past 2999999 count as 0"})
        << family;
  }
  // No name is that of one that is near.
  EXPECT_EQ(said_of("rope", dim, moved("rope", [](Position t) { return t < 0 ? 1 - t : t; }), about_0),
            Sentences{});
  // Conventions, defects and other frequencies.
  EXPECT_EQ(said_of(
                "rope", dim,
                [](Parameters p) {
                  p.set("layout", std::string("interleaved"));
                  return encoding_named("rope").make(p);
                },
                about_0)
                .front(),
            "--layout interleaved");
  EXPECT_EQ(said_of("rope", dim, with_frequencies([](std::size_t, double w) { return 1.5 * w; }), about_0),
            Sentences{"every pair rotates at 1.5 times the declared frequency"});
}

// A table before 0, which a candidate has not.
TEST(DeclaredPositions, are_answered_by_every_candidate_or_refused) {
  const auto answers = [](const Encoding& one, Position t, const std::string& name) {
    const auto begin = std::chrono::steady_clock::now();
    try {
      answer(one, sequence(one, {t}));
    } catch (const std::exception&) {  // it is not compared there
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(500))
        << name << " at " << t;
  };
  std::size_t asked = 0;
  const auto ask = [&](const Function<Encoding()>& make, const std::string& name) {
    const auto made = made_candidate(make);
    if (!made || !signature(*made).positions) return;
    const Position last = Position{1} << 40;
    const Encoding wide = widened(*made, -last, last);
    if (positions_of(wide).lo != -last) return;
    ++asked;
    for (const Position t : {Position{-1}, Position{-512}, last, -last}) answers(wide, t, name);
  };
  for (const auto& [id, family] : catalogue::defects())
    for (const Defect& one : family->defects)
      ask(
          [&, of = id] {
            return one.make(with(encoding_named(std::string(of)), Case::parse(std::string(one.setting))));
          },
          std::string(one.name));
  for (const auto& [id, family] : catalogue::misreadings())
    for (const Misreading& one : family->misreadings)
      ask(
          [&, of = id] {
            return one.make(with(encoding_named(std::string(of)), Case::parse(std::string(one.setting))));
          },
          std::string(one.what));
  EXPECT_GT(asked, 50u);
}

}  // namespace
}  // namespace posproof::declared_positions_test
