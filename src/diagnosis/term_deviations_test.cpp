// Logits that depend on content, wrong in one of their terms.
#include "diagnosis/term_deviations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "attention/reference_attention.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"
#include "run/catalogued.h"

namespace posproof::term_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

// A logit of the declared encoding, made again from that of other contents and positions.
using Logit = Function<double(std::span<const double> q, std::span<const double> k, Position i, Position j)>;
using Wrong = Function<double(const Logit& declared, std::span<const double> q, std::span<const double> k,
                              Position i, Position j)>;

Sentences of(const std::string& family, const std::string& words, const Wrong& wrong) {
  return said(family, words, [wrong, family](const Parameters& parameters) {
    auto own = as<Contextual>(encoding_named(family).make(parameters));
    own.logits = [wrong, declared = own](const Tensor& q, const Tensor& k, const Positions& queries,
                                         const Positions& keys) {
      Tensor out({1, q.rows(), k.rows()});
      const Logit one = [&declared](std::span<const double> a, std::span<const double> b, Position i,
                                    Position j) {
        const Position at[] = {i}, key[] = {j};
        return declared
            .logits(Tensor({1, a.size()}, {a.begin(), a.end()}), Tensor({1, b.size()}, {b.begin(), b.end()}),
                    at, key)
            .data[0];
      };
      for (std::size_t r = 0; r < q.rows(); ++r)
        for (std::size_t c = 0; c < k.rows(); ++c)
          out.at(r, c) = wrong(one, q.row(r), k.row(c), queries[r], keys[c]);
      return out;
    };
    return Encoding(own);
  });
}

// The declared logit with its terms times these: without content, of the query, of the key, of both.
Wrong times(double without, double query, double key, double both) {
  return [=](const Logit& declared, std::span<const double> q, std::span<const double> k, Position i,
             Position j) {
    const std::vector<double> none(q.size());
    const double zero = declared(none, none, i, j), of_q = declared(q, none, i, j) - zero,
                 of_k = declared(none, k, i, j) - zero, all = declared(q, k, i, j);
    return without * zero + query * of_q + key * of_k + both * (all - zero - of_q - of_k);
  };
}

TEST(TermDeviations, name_a_term_that_is_multiplied_or_missing) {
  EXPECT_EQ(of("shaw", "dim=4 clip=2", times(1, 0, 1, 1)), (Sentences{"the term of the query is missing"}));
  EXPECT_EQ(of("shaw", "dim=4 clip=2", times(1, 2, 1, 1)),
            (Sentences{"the term of the query is not divided by sqrt(4)"}));
  EXPECT_EQ(of("shaw", "dim=4 clip=2", times(1, 1, 1, 0.3)),
            (Sentences{"the term of query and key is 0.3 times the declared one"}));
}

// Of calls of more than six queries and keys, the later ones are looked at too.
// The key meets the rows that are the query's; of twice its content, or of one channel alone, no rule is
// known.
TEST(TermDeviations, name_contents_in_each_other_s_place) {
  const auto exchanged = [](double times, std::size_t channels) -> Wrong {
    return [=](const Logit& declared, std::span<const double> q, std::span<const double> k, Position i,
               Position j) {
      const std::vector<double> none(q.size());
      std::vector<double> other(q.begin(), q.end());
      for (std::size_t c = 0; c < channels; ++c) other[c] = times * k[c];
      return declared(q, k, i, j) - declared(q, none, i, j) + declared(other, none, i, j);
    };
  };
  EXPECT_EQ(
      of("shaw", "dim=4 clip=2", exchanged(1, 4)),
      (Sentences{"the key's content stands in the term of the query, and the query's in that of the key"}));
  EXPECT_EQ(
      of("shaw", "dim=4 clip=2", exchanged(3, 4)),
      (Sentences{"the key's content stands in the term of the query, and the query's in that of the key",
                 "the term of the query is 3 times the declared one"}));
  for (const std::string& one : of("shaw", "dim=4 clip=2", exchanged(1, 3)))
    EXPECT_EQ(one.find("content stands"), one.npos) << one;
}

TEST(TermDeviations, name_no_term_that_is_another_in_the_first_rows_alone) {
  const auto reference = as<Contextual>(encoding_named("shaw").make(Case::parse("dim=4 clip=2")));
  const auto truth = as<Contextual>(encoding_named("shaw").oracle(Case::parse("dim=4 clip=2")));
  std::vector<double> numbers;
  for (std::size_t n = 0; n < 48; ++n) numbers.push_back(std::sin(static_cast<double>(3 * n + 1)));
  const Tensor q({12, 4}, numbers), k({12, 4}, {numbers.rbegin(), numbers.rend()});
  Call call;
  call.contents = {q, k};
  for (Position t = 0; t < 12; ++t) call.positions.whole.push_back(t), call.keys.whole.push_back(t);
  const auto said_of = [&](const Function<bool(std::size_t i, std::size_t j)>& is_another) {
    Tensor answer = truth.logits(q, k, call.positions.whole, call.keys.whole);
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j < 12; ++j) answer.at(i, j) *= is_another(i, j) ? 3 : 1;
    Sentences out;
    for (const Deviation& one : term_deviations(reference, truth, all_f32, {{{}, call, answer}}))
      out.insert(out.end(), one.sentences.begin(), one.sentences.end());
    return out;
  };
  EXPECT_FALSE(said_of([](std::size_t, std::size_t) { return true; }).empty());
  EXPECT_EQ(said_of([](std::size_t i, std::size_t) { return i < 6; }), Sentences{});
  EXPECT_EQ(said_of([](std::size_t, std::size_t j) { return j < 6; }), Sentences{});
  // Both directions count.
  EXPECT_EQ(said_of([](std::size_t i, std::size_t j) { return j <= i; }), Sentences{});
}

// Transformer-XL's logit has all four terms: each is left out, of answers that were recorded.
TEST(TermDeviations, name_each_of_four_terms_that_is_missing) {
  const EncodingSpec& spec = encoding_named("transformer_xl");
  const Parameters words = with(spec, Case::parse("dim=4"));
  const auto reference = spec.make<Contextual>(words), truth = spec.oracle<Contextual>(words);
  std::vector<double> numbers;
  for (std::size_t n = 0; n < 24; ++n) numbers.push_back(std::sin(static_cast<double>(3 * n + 1)));
  const Tensor q({6, 4}, numbers), k({6, 4}, {numbers.rbegin(), numbers.rend()}), none({6, 4});
  Call call;
  call.contents = {q, k};
  for (Position t = 0; t < 6; ++t) call.positions.whole.push_back(3 * t), call.keys.whole.push_back(2 * t);
  const auto logits = [&](const Tensor& a, const Tensor& b) {
    return truth.logits(a, b, call.positions.whole, call.keys.whole).data;
  };
  const std::vector<double> all = logits(q, k), of_q = logits(q, none), of_k = logits(none, k),
                            neither = logits(none, none);
  const auto said_without = [&](const Function<double(std::size_t n)>& term) {
    Tensor answer({1, 6, 6}, all);
    for (std::size_t n = 0; n < all.size(); ++n) answer.data[n] -= term(n);
    Sentences out;
    for (const Deviation& one : term_deviations(reference, truth, all_f32, {{{}, call, answer}}))
      out.insert(out.end(), one.sentences.begin(), one.sentences.end());
    return out;
  };
  EXPECT_EQ(said_without([&](std::size_t n) { return neither[n]; }),
            Sentences{"the term without content is missing"});
  EXPECT_EQ(said_without([&](std::size_t n) { return of_q[n] - neither[n]; }),
            Sentences{"the term of the query is missing"});
  EXPECT_EQ(said_without([&](std::size_t n) { return of_k[n] - neither[n]; }),
            Sentences{"the term of the key is missing"});
  EXPECT_EQ(said_without([&](std::size_t n) { return all[n] - of_q[n] - of_k[n] + neither[n]; }),
            Sentences{"the term of query and key is missing"});
}

// A term that is multiplied is off by as many times what the declared one may be, and one that is left out by
// no less.
TEST(TermDeviations, allow_a_multiplied_term_as_many_times_the_error) {
  const auto reference = as<Contextual>(encoding_named("shaw").make(Case::parse("dim=4 clip=2")));
  const auto truth = as<Contextual>(encoding_named("shaw").oracle(Case::parse("dim=4 clip=2")));
  std::vector<double> numbers;
  for (std::size_t n = 0; n < 24; ++n) numbers.push_back(std::sin(static_cast<double>(3 * n + 1)));
  const Tensor q({6, 4}, numbers), k({6, 4}, {numbers.rbegin(), numbers.rend()});
  Call call;
  call.contents = {q, k};
  for (Position t = 0; t < 6; ++t) call.positions.whole.push_back(t), call.keys.whole.push_back(t);
  const auto error_of = [&](double factor) {
    Tensor answer = truth.logits(q, k, call.positions.whole, call.keys.whole);
    for (double& logit : answer.data) logit *= factor;
    const auto all = term_deviations(reference, truth, all_f32, {{{}, call, answer}});
    EXPECT_FALSE(all.empty()) << factor;
    double most = 0;
    for (const Deviation& one : all)
      most = std::max(most, logit_error(as<Contextual>(one.corrected), q.row(0), k.row(0), 3, 2, all_f32));
    return most / logit_error(truth, q.row(0), k.row(0), 3, 2, all_f32);
  };
  // A factor is fitted to 36 logits in double: for each no more than one rounding of a number below 8.
  EXPECT_NEAR(error_of(3), 3, 36 * 0x1p-51);
  EXPECT_NEAR(error_of(-5), 5, 36 * 0x1p-51);
  EXPECT_EQ(error_of(0.25), 1);
  // Three errors of a logit are allowed, times the factor, and what the four factors are known to: together
  // less than twelve times that for any of these logits.
  const double allowed = 3 * 3 * logit_error(truth, q.row(1), k.row(1), 1, 1, all_f32);
  for (const auto& [times, fits] : {std::pair{0.5, true}, {12.0, false}}) {
    Tensor answer = truth.logits(q, k, call.positions.whole, call.keys.whole);
    for (double& logit : answer.data) logit *= 3;
    answer.at(1, 1) += times * allowed;
    EXPECT_EQ(!term_deviations(reference, truth, all_f32, {{{}, call, answer}}).empty(), fits) << times;
  }
}

// What it gives for keys after the query means nothing, and is not looked at.
TEST(TermDeviations, name_a_term_of_what_looks_back_alone) {
  const auto no_past = [missing = times(1, 0, 1, 1)](const Logit& declared, std::span<const double> q,
                                                     std::span<const double> k, Position i, Position j) {
    return j > i ? 1e3 : missing(declared, q, k, i, j);
  };
  EXPECT_EQ(of("music_transformer", "dim=4", no_past), (Sentences{"the term of the query is missing"}));
}

TEST(TermDeviationsInFull, name_terms_of_each_content) {
  EXPECT_EQ(of("transformer_xl", "dim=2", times(0, 1, 0, 1)),
            (Sentences{"the term without content is missing", "the term of the key is missing"}));
  EXPECT_EQ(of("tupe", "dim=16 length=17", times(0.25, 1, 1, 1)),
            (Sentences{"the term without content is divided by sqrt(16) once more"}));
  EXPECT_EQ(of("deberta", "dim=9 span=4", times(1, 1, -1, 1)),
            (Sentences{"the term of the key has the other sign"}));
}

TEST(TermDeviationsInFull, name_the_positions_of_all_terms_or_of_one) {
  const auto exchanged = [](const Logit& declared, std::span<const double> q, std::span<const double> k,
                            Position i, Position j) { return declared(q, k, j, i); };
  EXPECT_EQ(of("deberta", "dim=4 span=4", exchanged),
            (Sentences{"the two directions are swapped: query and key are exchanged"}));
  const auto of_keys = [](const Logit& declared, std::span<const double> q, std::span<const double> k,
                          Position i, Position j) {
    const std::vector<double> none(q.size());
    return declared(q, k, i, j) - declared(none, k, i, j) + declared(none, k, j, i);
  };
  EXPECT_EQ(of("deberta", "dim=4 span=4", of_keys),
            (Sentences{"in the term of the key: the two directions are swapped: query and key "
                       "are exchanged"}));
  const auto twice_as_far = [](const Logit& declared, std::span<const double> q, std::span<const double> k,
                               Position i, Position j) {
    const std::vector<double> none(q.size());
    return 3 * (declared(q, k, i, j) - declared(q, none, i, j)) + declared(q, none, i, i - 2 * (i - j));
  };
  EXPECT_EQ(of("shaw", "dim=4 clip=5", twice_as_far),
            (Sentences{"distances are doubled", "the term of query and key is 3 times the declared one"}));
}

// Each logit of the declared encoding at another distance.
Wrong at_distance(const Function<Position(Position)>& other) {
  return [other](const Logit& declared, std::span<const double> q, std::span<const double> k, Position i,
                 Position j) { return declared(q, k, i, i - other(i - j)); };
}

TEST(TermDeviations, name_the_distance_from_which_on_a_logit_is_the_same) {
  for (const Position last : {1, 2, 4})
    EXPECT_EQ(of("shaw", "dim=4 clip=5",
                 at_distance([=](Position d) { return std::clamp<Position>(d, -last, last); })),
              (Sentences{fmt::format("distances past {0} count as {0}", last)}));
  EXPECT_EQ(
      of("shaw", "dim=4 clip=5", at_distance([](Position d) { return std::clamp<Position>(d, -1, 5); })),
      (Sentences{"distances of later keys past 1 count as 1"}));
  EXPECT_EQ(
      of("shaw", "dim=4 clip=5", at_distance([](Position d) { return std::clamp<Position>(d, -3, 4); })),
      (Sentences{"distances of later keys past 3 count as 3, distances of earlier keys past 4 count as 4"}));
  // Past the last, distances count as 0.
  EXPECT_EQ(of("shaw", "dim=4 clip=5", at_distance([](Position d) { return d > 4 ? 0 : d; })),
            (Sentences{"the term of the query is wrong; the term without content and the term of the key and "
                       "the term of query and key are as declared",
                       "wrong for keys 5 or more before the query alone"}));
}

// Of f64, whose fitted factors are off 1 by more than a logit is.
TEST(TermDeviations, name_the_largest_offset_of_one_side_in_f64) {
  const auto clipped = [](Position lowest) {
    return [lowest](const Parameters& parameters) {
      auto own = as<Contextual>(encoding_named("shaw").make(parameters));
      own.logits = [declared = own, lowest](const Tensor& q, const Tensor& k, const Positions& i,
                                            const Positions& j) {
        Tensor out({1, q.rows(), k.rows()});
        for (std::size_t r = 0; r < q.rows(); ++r)
          for (std::size_t c = 0; c < k.rows(); ++c) {
            const Tensor query({1, q.width()}, {q.row(r).begin(), q.row(r).end()}),
                key({1, k.width()}, {k.row(c).begin(), k.row(c).end()});
            const Position at[] = {std::max(i[r] - j[c], lowest)}, none[] = {0};
            out.at(r, c) = declared.logits(query, key, at, none).data[0];
          }
        return out;
      };
      return Encoding(own);
    };
  };
  EXPECT_EQ(said("shaw", "dim=16 clip=16", clipped(-15), all_f64),
            (Sentences{"distances of later keys past 15 count as 15"}));
  EXPECT_EQ(said("shaw", "dim=16 clip=16", clipped(-16), all_f64), Sentences{});
}

TEST(TermDeviations, name_directions_that_are_not_told_apart) {
  EXPECT_EQ(of("shaw", "dim=4 clip=5", at_distance([](Position d) { return std::abs(d); })),
            (Sentences{"both directions have the logit of the distance"}));
  EXPECT_EQ(of("shaw", "dim=4 clip=5", at_distance([](Position d) { return -std::abs(d); })),
            (Sentences{"both directions have the logit of a key after the query"}));
}

TEST(TermDeviationsInFull, say_which_terms_are_others_where_no_rule_is_known) {
  const auto other_key = [](const Logit& declared, std::span<const double> q, std::span<const double> k,
                            Position i, Position j) { return declared(q, k, i, j) + 0.25 * k.front(); };
  EXPECT_EQ(
      of("deberta", "dim=4 span=4", other_key),
      (Sentences{"the term of the key is wrong; the term without content and the term of the query and the "
                 "term of query and key are as declared"}));
  // At one offset alone.
  EXPECT_EQ(
      of("shaw", "dim=4 clip=5",
         [](const Logit& declared, std::span<const double> q, std::span<const double> k, Position i,
            Position j) {
           return declared(q, k, i, j) + (j == i + 2 ? 0.25 * q.front() + 0.5 * q.back() : 0);
         }),
      (Sentences{
          "the term of the query is wrong; the term without content and the term of the key and the term of "
          "query and key are as declared",
          "wrong for keys 2 after the query alone"}));
  const auto no_sum = [](const Logit& declared, std::span<const double> q, std::span<const double> k,
                         Position i, Position j) { return declared(q, k, i, j) + q.front() * q.front(); };
  EXPECT_EQ(of("shaw", "dim=4 clip=5", no_sum),
            (Sentences{"each query's logits have a constant more or less: "
                       "equal after a softmax"}));
  const auto all_others = [](const Logit& declared, std::span<const double> q, std::span<const double> k,
                             Position i, Position j) {
    return declared(q, k, i, j) + 0.25 * (1 + q.front()) * (1 + k.front());
  };
  EXPECT_EQ(of("shaw", "dim=4 clip=5", all_others), Sentences{});
}

// RoPE's logit has one term, of both contents: its positions are moved with it.
TEST(TermDeviations, name_the_positions_of_the_term_of_both) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters words = with(spec, Case::parse("dim=4 heads=1"));
  const Contextual reference = *attention::to_logits(spec.make(words)),
                   truth = *attention::to_logits(spec.oracle(words));
  std::vector<double> numbers;
  for (std::size_t n = 0; n < 24; ++n) numbers.push_back(std::sin(static_cast<double>(3 * n + 1)));
  const Tensor q({6, 4}, numbers), k({6, 4}, {numbers.rbegin(), numbers.rend()});
  Call call;
  call.contents = {q, k};
  for (Position t = 0; t < 6; ++t) call.positions.whole.push_back(3 * t), call.keys.whole.push_back(2 * t);
  const auto negative = [](std::vector<Position> positions) {
    for (Position& t : positions) t = -t;
    return positions;
  };
  Sentences out;
  const Tensor exchanged =  // the offset of j from i, in place of that of i from j
      truth.logits(q, k, negative(call.positions.whole), negative(call.keys.whole));
  for (const Deviation& one : term_deviations(reference, truth, all_f32, {{{}, call, exchanged}}))
    out.insert(out.end(), one.sentences.begin(), one.sentences.end());
  EXPECT_EQ(out, Sentences{"the two directions are swapped: query and key are exchanged"});
}

}  // namespace
}  // namespace posproof::term_deviations_test
