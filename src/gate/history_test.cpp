#include "gate/history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>

#include "core/call.h"
#include "core/failure.h"
#include "core/function.h"
#include "core/term.h"
#include "gate/history_calls.h"
#include "run/catalogued.h"
#include "run/sharpness.h"
#include "search/budget_clock.h"
#include "search/trial.h"

namespace posproof::history_test {
namespace {

// An implementation whose objects remember: what a call is answered with, given the calls before it.
struct Memory {
  int calls = 0;
  Position longest = 0;
  std::size_t shape = 0;
};
using Remembering = Function<Tensor(const Encoding& right, Memory& memory, const Call& call)>;

struct Made {
  Encoding truth;
  Subject subject;
  std::shared_ptr<int> renewed = std::make_shared<int>(0);
};

Made made(const Encoding& truth, Remembering function) {
  Made out{truth, {}};
  const auto memory = std::make_shared<Memory>();
  out.subject = {"made", "", out.truth, all_f64, true};
  out.subject.encoding =
      answered_by(out.truth, [right = out.truth, memory, function = std::move(function)](const Call& call) {
        ++memory->calls;
        return function(right, *memory, call);
      });
  out.subject.renew = [memory, renewed = out.renewed] {
    *memory = {};
    ++*renewed;
  };
  return out;
}

Made made(std::string_view id, std::string_view parameters, Remembering function) {
  const EncodingSpec& spec = encoding_named(id);
  return made(spec.oracle(with(spec, Case::parse(parameters))), std::move(function));
}

Verdict searched(const Made& made) {
  return history_searched(made.truth, made.subject, {.id = std::string(history_id)});
}

const std::pair<std::string_view, std::string_view> kinds[] = {
    {"sinusoidal", "dim=8"}, {"rope", "dim=8"}, {"alibi", "heads=2"}, {"none", "dim=4"}};

TEST(History, what_remembers_nothing_holds_in_every_kind) {
  for (const auto& [id, parameters] : kinds) {
    const Made right =
        made(id, parameters, [](const Encoding& of, Memory&, const Call& call) { return answer(of, call); });
    const Verdict verdict = searched(right);
    const auto* holds = std::get_if<Holds>(&verdict);
    ASSERT_NE(holds, nullptr) << id << ": " << name(verdict);
    EXPECT_GE(holds->cases, 25u) << id;
    EXPECT_EQ(*right.renewed, id == "sinusoidal" ? 9
                              : id == "rope" ? 11
                                                 : 14)
        << "one new object for each sequence";
  }
}

// MPT's rows count from the last token of the call, and are rounded as numbers that large.
TEST(History, what_shifts_its_rows_holds_where_that_does_not_matter) {
  for (const auto& [rows, holds] : {std::pair{"any", true}, {"relative", false}}) {
    Made shifted =
        made("alibi", fmt::format("heads=2 rows={}", rows), [](const Encoding&, Memory&, const Call& call) {
          const Position last =
              std::max(std::ranges::max(call.positions.whole), std::ranges::max(call.keys.whole));
          Tensor out({2, call.positions.size(), call.keys.size()});
          for (std::size_t r = 0; r < out.rows(); ++r)
            for (std::size_t c = 0; c < out.width(); ++c) {
              const float slope = r < call.positions.size() ? 0x1p-4F : 0x1p-8F;
              out.at(r, c) = slope * static_cast<float>(call.keys.whole[c] - last);
            }
          return out;
        });
    shifted.subject.precision = all_f32;
    EXPECT_EQ(std::holds_alternative<Holds>(searched(shifted)), holds) << rows;
  }
}

// Angles that are kept while the first row and the shape are those of the call before.
TEST(History, what_knows_a_call_by_its_first_row_is_refuted) {
  for (const std::int64_t fewest : {1, 16}) {
    const auto kept = std::make_shared<TokenPositions>();
    const Made memo = made("rope", "dim=8", [kept, fewest](const Encoding& of, Memory& memory, Call call) {
      if (memory.calls == 1) *kept = {};
      const auto tokens = static_cast<std::ptrdiff_t>(call.positions.whole.size() / call.batch);
      const auto& now = call.positions.whole;
      const bool same = kept->whole.size() == now.size() && tokens >= fewest &&
                        std::equal(now.begin(), now.begin() + tokens, kept->whole.begin());
      if (!same) *kept = call.positions;
      call.positions = *kept;
      return answer(of, call);
    });
    EXPECT_TRUE(std::holds_alternative<Refuted>(searched(memo))) << fewest;
  }
}

// Angles that are kept while the numbers of one axis are those of the call before: the first's, or the
// last's.
TEST(History, what_knows_a_call_by_one_axis_is_refuted) {
  for (const auto& [id, parameters, of_position] :
       {std::tuple{"m_rope", "dim=12 sections=[2,2,2]", std::size_t{3}},
        {"axial_rope", "dim=8", std::size_t{2}}})
    for (const std::size_t axis : {std::size_t{0}, of_position - 1})
      for (const std::int64_t fewest : {1, 16}) {
        const std::size_t axes = of_position;
        const auto kept = std::make_shared<TokenPositions>();
        const Made memo = made(id, parameters, [=](const Encoding& of, Memory& memory, Call call) {
          if (memory.calls == 1) *kept = {};
          const auto& now = call.positions.whole;
          bool same =
              kept->whole.size() == now.size() && now.size() >= static_cast<std::size_t>(fewest) * axes;
          for (std::size_t at = axis; same && at < now.size(); at += axes) same = kept->whole[at] == now[at];
          if (!same) *kept = call.positions;
          call.positions = *kept;
          return answer(of, call);
        });
        EXPECT_TRUE(std::holds_alternative<Refuted>(searched(memo))) << id << axis << fewest;
      }
}

// A table of distances is made for a prompt, and tokens far behind it take its last: of a bias, and of
// logits.
TEST(History, what_keeps_the_distances_of_a_prompt_is_refuted) {
  for (const auto& [id, parameters] :
       {std::pair{"alibi", "heads=2"}, {"t5_bias", "heads=2"}, {"shaw", "dim=4 clip=9"}}) {
    const Made kept = made(id, parameters, [](const Encoding& of, Memory& memory, Call call) {
      const auto& queries = call.positions.whole;
      auto& keys = call.keys.whole;
      if (memory.calls == 1) memory.longest = 0;
      if (queries.size() > 1 || memory.longest == 0)
        memory.longest = std::max(memory.longest, std::ranges::max(queries) - std::ranges::min(keys) + 1);
      else
        for (Position& key : keys) key = std::max(key, queries[0] - memory.longest + 1);
      return answer(of, call);
    });
    const Verdict verdict = searched(kept);
    ASSERT_TRUE(std::holds_alternative<Refuted>(verdict)) << id;
    EXPECT_EQ(std::get<Refuted>(verdict).counterexample.integer("before"), 1) << id;
  }
}

// What takes no other keys than queries is asked for none.
TEST(History, asks_self_attention_for_as_many_keys_as_queries) {
  std::size_t across = 0;
  const Made itself = made("alibi", "heads=2", [&](const Encoding& of, Memory&, const Call& call) {
    across += call.keys.size() != call.positions.size();
    if (call.keys.size() != call.positions.size()) throw Inapplicable{"as many queries as keys"};
    return answer(of, call);
  });
  EXPECT_TRUE(std::holds_alternative<Holds>(searched(itself)));
  EXPECT_EQ(across, 1u);
}

// A run that is told by its ends: the tokens between them in another order have its answer, from every
// object.
TEST(History, what_is_wrong_in_every_object_is_refuted_where_agreement_holds) {
  const Made ends = made("alibi", "heads=2", [](const Encoding& of, Memory&, Call call) {
    for (std::vector<Position>* all : {&call.positions.whole, &call.keys.whole})
      if (!all->empty() && all->back() - all->front() + 1 == static_cast<Position>(all->size()))
        std::iota(all->begin(), all->end(), all->front());
    return answer(of, call);
  });
  EXPECT_FALSE(std::holds_alternative<Refuted>(searched(ends)));
  const Verdict verdict =
      history_searched(ends.truth, ends.subject, {.id = std::string(history_id)}, Agrees::yes);
  ASSERT_TRUE(std::holds_alternative<Refuted>(verdict)) << name(verdict);
  EXPECT_EQ(std::get<Refuted>(verdict).counterexample.integer("before"), 0);
  EXPECT_EQ(std::get<Refuted>(verdict).counterexample.integer("step"), 0);
}

// By 2^-30 of each entry, in the last call only, from the third call of an object on.
TEST(History, what_changes_by_little_with_the_calls_is_refuted_in_every_kind) {
  for (const auto& [id, parameters] : kinds) {
    const Made drifting = made(id, parameters, [](const Encoding& of, Memory& memory, const Call& call) {
      Tensor out = answer(of, call);
      if (memory.calls > 2)
        for (double& value : out.data) value *= 1 + 0x1p-30;
      return out;
    });
    const Verdict verdict = searched(drifting);
    const auto* refuted = std::get_if<Refuted>(&verdict);
    ASSERT_NE(refuted, nullptr) << id << ": " << name(verdict);
    EXPECT_EQ(refuted->counterexample.integer("before"), 2) << id << ": " << refuted->counterexample.text();
    const auto one = trial(history(drifting.truth, drifting.subject), drifting.subject.encoding, all_f64);
    EXPECT_TRUE(std::holds_alternative<Refuted>(replay(*one, refuted->counterexample))) << id;
  }
}

// A bias in doubles is off by a few units of rounding at most; this one by 32.
TEST(History, what_changes_by_some_units_with_the_calls_is_refuted) {
  const Made drifting = made("alibi", "heads=2", [](const Encoding& of, Memory& memory, const Call& call) {
    Tensor out = answer(of, call);
    if (memory.calls > 2)
      for (double& value : out.data) value *= 1 + 0x1p-48;
    return out;
  });
  EXPECT_TRUE(std::holds_alternative<Refuted>(searched(drifting)));
}

TEST(History, an_error_after_other_calls_is_refuted_and_one_of_every_object_is_not) {
  const auto raising = [](bool after_others) {
    return made("rope", "dim=8", [after_others](const Encoding& of, Memory& memory, const Call& call) {
      if (call.batch == 3 && (memory.calls > 1 || !after_others))
        throw Failure(Failure::How::raised, "no batches", "rotate: no batches");
      return answer(of, call);
    });
  };
  const Verdict after = searched(raising(true));
  const auto* refuted = std::get_if<Refuted>(&after);
  ASSERT_NE(refuted, nullptr) << name(after);
  EXPECT_EQ(refuted->instead, "rotate: no batches");
  EXPECT_EQ(refuted->counterexample.integer("before"), 1) << refuted->counterexample.text();
  EXPECT_EQ(refuted->found_after, 9u) << "the ninth call is the first of three rows";
  const Made late = raising(true);
  const Verdict unshrunk =
      history_searched(late.truth, late.subject, {.id = "late", .budget = {.shrinks = 0}});
  EXPECT_EQ(std::get<Refuted>(unshrunk).counterexample.integer("before"), 1) << "calls that it does not need";
  EXPECT_FALSE(std::holds_alternative<Refuted>(searched(raising(false)))) << "agreement says so";
}

// Of 107 calls two raise in every object; the one that is asked next was asked what the one before it was.
TEST(History, goes_on_with_an_object_that_was_asked_the_same) {
  int asked = 0;
  const Made raising = made("rope", "dim=8", [&asked](const Encoding& of, Memory& memory, const Call& call) {
    if (call.batch == 3 && call.positions.size() == 24)
      throw Failure(Failure::How::raised, "no batches", "rotate: no batches");
    if (call.role == Role::key && call.positions.size() == 8) asked = std::max(asked, memory.calls);
    return answer(of, call);
  });
  const Verdict verdict = searched(raising);
  ASSERT_TRUE(std::holds_alternative<Holds>(verdict)) << name(verdict);
  EXPECT_EQ(std::get<Holds>(verdict).cases, 105u);
  EXPECT_EQ(asked, 11);
}

// A bias is of tokens of a window, which are no sequence; a row of a grid's table may be any.
TEST(History, of_a_bias_is_of_one_number_a_position) {
  const Remembering right = [](const Encoding& of, Memory&, const Call& call) { return answer(of, call); };
  EXPECT_TRUE(std::holds_alternative<NotApplicable>(searched(made("relative_table", "heads=2", right))));
  EXPECT_TRUE(std::holds_alternative<Holds>(searched(made("sincos_2d", "dim=8", right))));
}

// Places of a grid of so many rows and columns are kept, and one more too late.
TEST(History, sees_a_cache_of_a_grid_that_grows_one_call_too_late) {
  const Verdict verdict = searched(made("sincos_2d", "dim=8", [](const Encoding& of, Memory& memory, const Call& call) {
    constexpr Position rows = 64;
    Call asked = call;
    const Position last = std::ranges::max(call.positions.whole);
    if (last > rows) memory.longest = last;
    for (Position& t : asked.positions.whole) t -= memory.longest == 0 && t == rows ? 1 : 0;
    return answer(of, asked);
  }));
  EXPECT_TRUE(std::holds_alternative<Refuted>(verdict)) << name(verdict);
}

// A program that is set up by the first query leaves keys before it as they are.
TEST(History, asks_for_keys_first) {
  const Verdict verdict = searched(made("rope", "dim=8", [](const Encoding& of, Memory& memory, const Call& call) {
    if (call.role == Role::query) memory.longest = 1;
    Call asked = call;
    if (memory.longest == 0)
      for (Position& t : asked.positions.whole) t = 0;
    return answer(of, asked);
  }));
  EXPECT_TRUE(std::holds_alternative<Refuted>(verdict)) << name(verdict);
}

// Whatever it is asked, it is wrong: that is for agreement to say.
TEST(History, what_is_wrong_in_a_new_object_too_says_nothing) {
  const Made wrong = made("sinusoidal", "dim=8", [](const Encoding& of, Memory&, const Call& call) {
    Tensor out = answer(of, call);
    for (double& value : out.data) value += 1e-3;
    return out;
  });
  const Verdict verdict = searched(wrong);
  EXPECT_TRUE(std::holds_alternative<Undecided>(verdict)) << name(verdict);
  EXPECT_LT(*wrong.renewed, 40);
}

// A subject of ten positions is asked for these alone, in calls that are as long as they are.
TEST(History, stays_within_the_positions_that_there_are) {
  std::set<Position> seen;
  std::set<std::size_t> lengths, batches;
  std::set<Role> roles;
  std::set<double> contents;
  Made short_one = made("rope", "dim=8", [&](const Encoding& of, Memory&, const Call& call) {
    seen.insert(call.positions.whole.begin(), call.positions.whole.end());
    lengths.insert(call.positions.whole.size() / call.batch);
    batches.insert(call.batch);
    roles.insert(call.role);
    const auto& x = call.contents.front().data;
    contents.insert(x.begin(), x.end());
    return answer(of, call);
  });
  Domain domain(3, 12);
  domain.ends = true;
  short_one.subject.encoding = with_positions(short_one.subject.encoding, domain);
  EXPECT_TRUE(std::holds_alternative<Holds>(searched(short_one)));
  EXPECT_EQ(*seen.begin(), 3);
  EXPECT_EQ(*seen.rbegin(), 12);
  EXPECT_EQ(*lengths.rbegin(), 10u);
  EXPECT_EQ(*lengths.begin(), 1u);
  EXPECT_EQ(batches, (std::set<std::size_t>{1, 2, 3, 5}));
  EXPECT_EQ(roles.size(), 2u);
  EXPECT_TRUE(contents.contains(1) && contents.contains(-0.5) && contents.contains(0.25) &&
              contents.contains(0.75));
}

// What is asked in any case, in this order: first position and tokens, batch rows, role of each call. An
// object is new where a line begins.
TEST(History, asks_these_calls_of_new_objects) {
  std::string asked;
  Made plain = made("rope", "dim=2", [&](const Encoding& of, Memory& memory, const Call& call) {
    asked +=
        fmt::format("{}{}+{}x{}{}", memory.calls == 1 ? "\n" : " ", call.positions.whole.front(),
                    call.positions.whole.size() / call.batch, call.batch, call.role == Role::key ? "k" : "");
    return answer(of, call);
  });
  searched(plain);
  const std::string first =
      "\n0+1x1 0+8x1 0+33x1 0+129x1 500+13x1 4090+7x1 1048574+3x1 0+8x1 0+8x3 100+8x3 0+8x1k 100+8x1 0+5x2k"
      "\n1048576+1x1 0+4x1 0+64x1 0+4x5 0+4x1 1000+4x1k 3+1x1"
      "\n0+17x1 17+1x1 18+1x1 0+5x1 5+1x1 0+17x2 17+1x2 0+17x1"
      "\n0+4x1 0+4x1 3+4x1 3+4x1 0+7x1 6+7x1 0+6x1 0+6x1"
      "\n0+8x1k 0+8x1 3+5x2k"
      "\n0+16x3 0+16x3 0+16x3 16+1x3 16+1x3 16+1x3"
      "\n32+1x1 64+1x1 128+1x1 256+1x1 512+1x1 1024+1x1 2048+1x1 4096+1x1 8192+1x1 16384+1x1 32768+1x1 65536+1x1 131072+1x1 "
      "262144+1x1"
      "\n48+1x1 96+1x1 192+1x1 384+1x1 768+1x1 1536+1x1 3072+1x1 6144+1x1 12288+1x1 24576+1x1 49152+1x1 98304+1x1 196608+1x1"
      "\n100+1x1 200+1x1 500+1x1 1000+1x1 2000+1x1 5000+1x1 10000+1x1 20000+1x1 50000+1x1 100000+1x1 200000+1x1"
      "\n77+1x1 197+1x1 257+1x1 320+1x1 577+1x1 640+1x1 729+1x1 1370+1x1 1500+1x1 1601+1x1 3600+1x1 4032+1x1"
      "\n7168+1x1 14336+1x1 28672+1x1 32000+1x1 40960+1x1 81920+1x1 120000+1x1 128000+1x1 130048+1x1 163840+1x1 202752+1x1 "
      "256000+1x1";
  EXPECT_EQ(asked, first);
}

// Tokens of a call that change places are seen: each has a content of its own.
TEST(History, sees_tokens_of_a_later_call_in_each_others_place) {
  const Made mixed = made("none", "dim=4", [](const Encoding& of, Memory& memory, const Call& call) {
    Tensor out = answer(of, call);
    if (memory.calls > 3 && out.rows() >= 2)
      std::swap_ranges(out.row(0).begin(), out.row(0).end(), out.row(1).begin());
    return out;
  });
  const Verdict verdict =
      history_searched(mixed.truth, mixed.subject, {.id = "mixed", .budget = {.shrinks = 10}});
  EXPECT_TRUE(std::holds_alternative<Refuted>(verdict)) << name(verdict);
}

// What was answered is kept, and found again by the number of tokens and one position, or two.
TEST(History, sees_a_cache_that_is_found_by_less_than_its_positions) {
  using Of = Function<Position(const std::vector<Position>&)>;
  const std::pair<std::string, Of> all[] = {
      {"first", [](const std::vector<Position>& t) { return t.front(); }},
      {"last", [](const std::vector<Position>& t) { return t.back(); }},
      {"smallest", [](const std::vector<Position>& t) { return std::ranges::min(t); }},
      {"largest", [](const std::vector<Position>& t) { return std::ranges::max(t); }},
      {"first and last", [](const std::vector<Position>& t) { return t.front() + 10000 * t.back(); }},
      {"sum",
       [](const std::vector<Position>& t) { return std::accumulate(t.begin(), t.end(), Position{0}); }}};
  const auto found_by = [](const std::string& id, const std::string& parameters, const Of& key) {
    const auto kept = std::make_shared<std::map<std::pair<Shape, Position>, Tensor>>();
    return name(searched(made(id, parameters, [=](const Encoding& of, Memory& memory, const Call& call) {
      if (memory.calls == 1) kept->clear();
      const Tensor right = answer(of, call);
      return kept->emplace(std::pair(right.shape, key(call.positions.whole)), right).first->second;
    })));
  };
  for (const auto& [what, key] : all) {
    EXPECT_EQ(found_by("sinusoidal", "dim=8", key), "refuted") << what;
    EXPECT_EQ(found_by("learned", "dim=8 length=7", key), "refuted") << what;
  }
}

// A cache of as many rows grows where a position is above their number, and not where it is that: the
// position before is taken, or there is no row. An object that was asked for the far end has one.
TEST(History, sees_a_cache_that_grows_one_call_too_late) {
  for (const auto& [id, parameters, length] : {std::tuple{"sinusoidal", "dim=8", 2048},
                                               {"rope", "dim=8", 2048},
                                               {"rope", "dim=8", 1000},
                                               {"rope", "dim=8", 49152},
                                               {"rope", "dim=8", 77},
                                               {"rope", "dim=8", 40960},
                                               {"sinusoidal", "dim=8", 1500},
                                               {"learned", "dim=8 length=400", 256},
                                               {"alibi", "heads=2", 1024}})
    for (const bool declines : {false, true}) {
      const Verdict verdict = searched(
          made(id, parameters,
               [rows = Position{length}, declines](const Encoding& of, Memory& memory, const Call& call) {
                 Call asked = call;
                 const Position last = std::ranges::max(call.positions.whole);
                 if (last > rows) memory.longest = last;
                 if (memory.longest == 0 && last == rows) {
                   if (declines) throw Refusal("no such row");
                   for (Position& t : asked.positions.whole) t -= t == rows ? 1 : 0;
                   for (Position& t : asked.keys.whole) t -= t == rows ? 2 : 0;
                 }
                 return answer(of, asked);
               }));
      const auto* refuted = std::get_if<Refuted>(&verdict);
      ASSERT_NE(refuted, nullptr) << id << length << name(verdict);
      EXPECT_EQ(refuted->counterexample.integer("before"), 1) << refuted->counterexample.text();
      EXPECT_EQ(refuted->instead.empty(), !declines) << refuted->instead;
    }
}

// Of a rotation whose positions have several numbers, all of them go on.
TEST(History, of_a_rotation_has_as_many_numbers_as_its_positions) {
  for (const auto& [id, parameters, length] : {std::tuple{"m_rope", "dim=8 sections=[1,2,1]", Position{2048}},
                                               {"axial_rope", "dim=8 axes=3 parts=[2,4,2]", Position{1000}}})
    for (const bool late : {false, true}) {
      std::set<Position> seen;
      const Verdict verdict = searched(
          made(id, parameters, [&, rows = length](const Encoding& of, Memory& memory, const Call& call) {
            EXPECT_EQ(call.positions.axes, 3u);
            EXPECT_EQ(call.positions.size() % call.batch, 0u);
            seen.insert(call.positions.whole.begin(), call.positions.whole.end());
            Call asked = call;
            const Position last = std::ranges::max(call.positions.whole);
            if (last > rows) memory.longest = last;
            if (late && memory.longest == 0 && last == rows)
              for (Position& t : asked.positions.whole) t = std::min(t, rows - 1);
            return answer(of, asked);
          }));
      EXPECT_EQ(name(verdict), late ? "refuted" : "holds") << id;
      EXPECT_TRUE(seen.contains(length)) << id;
    }
}

// A grid of its own has no place outside of it.
TEST(History, stays_on_a_grid) {
  std::set<std::pair<Position, Position>> places;
  const Made grid = made("axial_rope", "dim=8 coordinates=cells grid=[5,3]",
                         [&](const Encoding& of, Memory&, const Call& call) {
                           for (std::size_t at = 0; at < call.positions.whole.size(); at += 2)
                             places.emplace(call.positions.whole[at], call.positions.whole[at + 1]);
                           return answer(of, call);
                         });
  EXPECT_EQ(name(searched(grid)), "holds");
  for (const auto& [row, column] : places) EXPECT_TRUE(row >= 0 && row < 5 && column >= 0 && column < 3);
  EXPECT_GE(places.size(), 5u);
}

// One that declines at its own end does so in every object.
TEST(History, what_is_declined_in_a_new_object_too_is_no_fault) {
  int declined = 0;
  const Made short_one = made("rope", "dim=8", [&](const Encoding& of, Memory&, const Call& call) {
    if (std::ranges::max(call.positions.whole) < 2048) return answer(of, call);
    ++declined;
    throw Refusal("no such row");
  });
  const Verdict verdict = searched(short_one);
  EXPECT_TRUE(std::holds_alternative<Holds>(verdict)) << name(verdict);
  EXPECT_LT(declined, 60);
  EXPECT_LT(*short_one.renewed, 20);
}

TEST(History, a_case_has_the_calls_before_in_their_order) {
  const EncodingSpec& rope = encoding_named("rope");
  const histories::Callee callee{rope.oracle(with(rope, Case::parse("dim=4"))), Domain(0, 10)};
  EXPECT_EQ(
      histories::case_of(callee, {{0, 1}, {3, 2}, {9, 4, 2, "key"}, {5, 5}}, 2).text(),
      "before=2 n1=1 t1=0 batch1=1 role1=query n2=2 step2=1 t2=3 batch2=1 role2=query n=4 step=1 t=7 batch=2 rows_apart=0 role=key "
      "x=[1,-0.5,0.25,0.75]");
}

// What the search says, which the property says of a single case, too.
std::string why_not_asked(const Made& made) {
  const Verdict verdict = searched(made);
  const auto* none = std::get_if<NotApplicable>(&verdict);
  if (none == nullptr) return std::string(name(verdict));
  const Property property = history(made.truth, made.subject);
  const Verdict of_a_case =
      search(trial(property, made.subject.encoding, all_f64).value(), Plan{.id = "history"});
  const auto* again = std::get_if<NotApplicable>(&of_a_case);
  return again != nullptr && again->why == none->why ? none->why : "two reasons";
}

TEST(History, is_not_asked_of_what_cannot_be_started_anew) {
  Made file =
      made("rope", "dim=8", [](const Encoding& of, Memory&, const Call& call) { return answer(of, call); });
  file.subject.renew = {};
  EXPECT_TRUE(std::holds_alternative<NotApplicable>(searched(file)));
  EXPECT_EQ(why_not_asked(file), "the subject cannot be started anew");
}

TEST(History, says_why_it_is_not_asked_of_what_can_be_started_anew) {
  const Remembering right = [](const Encoding& of, Memory&, const Call& call) { return answer(of, call); };
  EXPECT_EQ(why_not_asked(made("relative_table", "heads=2", right)),
            "the calls are of a sequence, and a position has 2 numbers");
  Made other = made("rope", "dim=4", right);
  other.subject.encoding = made("sinusoidal", "dim=4", right).subject.encoding;
  EXPECT_EQ(why_not_asked(other), "the subject answers as table, and the exact encoding, a rotary, does not");
}

// Of calls that take 10 ms at least, 28 in all, no more than 13 begin within 80 ms: on a busy machine the
// clock of budgets takes back up to nine tenths of the 50 ms before it was read, and those may have begun
// before the search.
TEST(History, ends_when_its_time_is_over) {
  const Made slow = made("rope", "dim=8", [](const Encoding& of, Memory&, const Call& call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return answer(of, call);
  });
  for (const auto& [time, most] : {std::pair{0, 0u}, {80, 13u}}) {
    const Verdict verdict = history_searched(
        slow.truth, slow.subject, {.id = "time", .budget = {.time = std::chrono::milliseconds(time)}});
    const auto* undecided = std::get_if<Undecided>(&verdict);
    ASSERT_NE(undecided, nullptr) << name(verdict);
    EXPECT_LE(undecided->held.cases, most) << undecided->why;
  }
}

// The ninth call fails, and needs one before it: they are left out one at a time while there is time.
TEST(History, tells_all_calls_where_there_is_no_time_to_leave_some_out) {
  for (const auto& [pause, before] : {std::pair{0, 1}, {220, 8}}) {
    bool paused = false;
    const Made late =
        made("rope", "dim=2", [&, ms = pause](const Encoding& of, Memory& memory, const Call& call) {
          if (call.batch != 3 || memory.calls == 1) return answer(of, call);
          // Of the clock of budgets, which leaves out waits for a processor.
          const auto end = BudgetClock::now() + std::chrono::milliseconds(paused ? 0 : ms);
          while (BudgetClock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(10));
          paused = true;
          throw Failure(Failure::How::raised, "no batches", "rotate: no batches");
        });
    const Verdict verdict =
        history_searched(late.truth, late.subject,
                         {.id = "late", .budget = {.shrinks = 0, .time = std::chrono::milliseconds(200)}});
    const auto* refuted = std::get_if<Refuted>(&verdict);
    ASSERT_NE(refuted, nullptr) << name(verdict);
    EXPECT_EQ(refuted->counterexample.integer("before"), before) << refuted->counterexample.text();
  }
}

// From the second call of an object on, a corner of every answer is off by so many units of itself: sharp, as
// the answer of another object is allowed as much again.
TEST(History, refutes_what_changes_by_little_in_a_corner_in_every_kind) {
  constexpr Precision bf16{unit_f32, unit_bf16};
  const struct {
    std::string_view id, parameters;
    double in_f32, in_bf16;
  } all[] = {{"sinusoidal", "dim=4", 24, 6},
             {"rope", "dim=4", 48, 6},
             {"alibi", "heads=2", 128, 8},
             {"none", "dim=4", 48, 16}};
  for (const auto& [id, parameters, in_f32, in_bf16] : all)
    for (const bool last : {true, false})
      for (const Precision& p : {all_f32, bf16}) {
        const double by = (last ? 1 : -1) * (p == bf16 ? in_bf16 : in_f32) * p.result;
        const EncodingSpec& spec = encoding_named(id);
        const Encoding truth = spec.make(with(spec, Case::parse(parameters)));  // fast, and exact enough
        Made drifting = made(truth, [last, by](const Encoding& of, Memory& memory, const Call& call) {
          Tensor out = answer(of, call);
          // A bias is 0 at the query's own key, and the mask hides what comes after it: the first key.
          const std::size_t row = std::holds_alternative<Bias>(of) ? out.width() : 1;
          const std::size_t entry = last ? out.data.size() - row : row > 1 ? row : 0;
          if (memory.calls > 1) out.data[entry] *= 1 + by;
          return out;
        });
        drifting.subject.precision = p;
        const NegativeExample example{"drifting", [&] { return drifting.subject.encoding; }, p};
        const Sharpness found = sharpness(history(drifting.truth, drifting.subject), example,
                                          {.id = std::string(history_id), .budget = {.cases = 48}});
        EXPECT_TRUE(found.is_sharp())
            << id << (last ? ", last, " : ", first, ") << p.text() << ": " << found.text();
      }
}

// One table entry of 5 in f32: against the exact one 2 units and the rounding of the truth are allowed,
// against another object's answer twice as much.
TEST(History, allows_the_bound_of_an_entry_or_twice_that_of_another_answer) {
  Table table{.dim = 1};
  table.rows = [](const Positions& positions, Position) { return Tensor({positions.size(), 1}, {5}); };
  const auto asked = [&](double always, double afterwards) {
    Made one{table, {"made", "", table, all_f32, true}};
    const auto calls = std::make_shared<int>(0);
    one.subject.renew = [calls] { *calls = 0; };
    one.subject.encoding = answered_by(table, [=](const Call&) {
      return Tensor({1, 1}, {5 + always + (++*calls > 1 ? afterwards : 0)});
    });
    Replay draw(Case::parse("before=1 n1=1 t1=0 n=1 t=3"));
    return (*trial(history(one.truth, one.subject), one.subject.encoding, all_f32))(draw);
  };
  const double allowed = 2 * unit_f32 * 5 + unit_f64 * 5;
  EXPECT_EQ(asked(0x1p-23, 0).error, 0x1p-23);
  EXPECT_EQ(asked(0x1p-23, 0).bound, allowed);
  EXPECT_EQ(asked(0, 0.5).error, 0.5);
  EXPECT_EQ(asked(0, 0.5).bound, 2 * allowed);
  EXPECT_EQ(asked(0.5, 0).error, 0) << "every object is as wrong";
  EXPECT_EQ(asked(0.5, 0.25).error, 0.25);
  const ScaledTerm none(Term::ours, 0);
  EXPECT_EQ(asked(0, 0.5).bound, 4 * unit_f32 * 5);
}

// As many tokens from the same first position, to the same last one, or both, in another order or further
// apart.
TEST(History, asks_for_as_many_tokens_in_other_orders_and_further_apart) {
  std::vector<std::vector<std::vector<Position>>> asked;
  Made plain = made("rope", "dim=2", [&](const Encoding& of, Memory& memory, const Call& call) {
    if (memory.calls == 1) asked.emplace_back();
    asked.back().push_back(call.positions.whole);
    return answer(of, call);
  });
  searched(plain);
  EXPECT_EQ(asked.at(3), (std::vector<std::vector<Position>>{{0, 1, 2, 3},
                                                             {0, 2, 4, 6},
                                                             {3, 4, 5, 6},
                                                             {3, 2, 1, 0},
                                                             {0, 1, 2, 3, 4, 5, 6},
                                                             {6, 5, 4, 3, 2, 1, 0},
                                                             {0, 1, 2, 3, 4, 5},
                                                             {0, 4, 3, 2, 1, 5}}));
}

// Query and key are the position before, both: of one token that is the same offset, of two it is not.
TEST(History, sees_a_cache_of_a_bias_that_grows_one_call_too_late_by_another_key) {
  const Verdict verdict =
      searched(made("alibi", "heads=2", [](const Encoding& of, Memory& memory, const Call& call) {
        constexpr Position rows = 1024;
        Call asked = call;
        const Position last = std::ranges::max(call.positions.whole);
        if (last > rows) memory.longest = last;
        for (std::vector<Position>* at : {&asked.positions.whole, &asked.keys.whole})
          for (Position& t : *at) t -= memory.longest == 0 && t == rows ? 1 : 0;
        return answer(of, asked);
      }));
  EXPECT_TRUE(std::holds_alternative<Refuted>(verdict)) << name(verdict);
}

// The same of a cache by distance, which a query alone reaches whose first key stands so far before it.
TEST(History, sees_a_cache_of_distances_that_grows_one_call_too_late) {
  for (const Position rows : {64, 96, 500, 640, 1024}) {
    const Verdict verdict =
        searched(made("alibi", "heads=2", [rows](const Encoding& of, Memory& memory, const Call& call) {
          Call asked = call;
          const Position farthest =
              std::ranges::max(call.positions.whole) - std::ranges::min(call.keys.whole);
          if (farthest > rows) memory.longest = farthest;
          for (Position& t : asked.keys.whole)
            t += memory.longest == 0 && std::ranges::max(call.positions.whole) - t == rows ? 1 : 0;
          return answer(of, asked);
        }));
    EXPECT_TRUE(std::holds_alternative<Refuted>(verdict)) << rows << name(verdict);
  }
}

}  // namespace
}  // namespace posproof::history_test
