// The oracle beside the references, which are written apart, at settings and calls in which terms differ that
// are the same or 0 in others: several batch rows, keys, queries and layers, and normalised grids.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/failure.h"
#include "core/hard.h"
#include "run/catalogued.h"

namespace posproof::references_test {
namespace {

struct Asked {
  std::string family, words;
  std::vector<Position> positions, keys = {};
  std::size_t batch = 1;
};

// The call, with contents that differ from token to token.
Call call_of(const Asked& asked, const Encoding& encoding) {
  Call call;
  call.batch = asked.batch;
  call.positions = {asked.positions, {}, positions_of(encoding).axes};
  call.keys = {asked.keys, {}, positions_of(encoding).axes};
  call.length = 64;
  const Signature& is = signature(encoding);
  for (std::size_t c = 0; c < is.takes.size(); ++c) {
    Tensor content(shape_of_content(encoding, call, c));
    for (std::size_t n = 0; n < content.data.size(); ++n)
      content.data[n] = static_cast<double>((5 * n + 3 * c) % 17) / 4 - 2;
    call.contents.push_back(std::move(content));
  }
  return call;
}

const std::vector<Asked> all = {
    {"axial_rope", "dim=8 heads=2", {1, 2, 3, 40, 0, 7, 5, 9}, {}, 2},
    {"axial_rope", "dim=8 heads=2 coordinates=cells grid=[50,10]", {1, 2, 3, 4, 0, 7, 5, 9}, {}, 2},
    {"decomposed_relative", "dim=4 grid=[5,3]", {0, 0, 3, 1}, {4, 2, 1, 0, 0, 2}},
    {"decomposed_relative",
     "dim=4 grid=[5,3] key_grid=[3,5] table=linear table_rows=[4,6]",
     {0, 0, 3, 1},
     {2, 4, 1, 0, 0, 3}},
    {"dynamic_position_bias", "width=3 depth=1 heads=2", {0, 9}, {3, 5, 20}},
    {"dynamic_position_bias", "width=3 depth=3 heads=2", {0, 9}, {3, 5, 20}},
    {"music_transformer", "dim=4 length=4 beyond=zero", {0, 3, 9}, {0, 2, 5}},
    {"music_transformer", "dim=4 length=4 beyond=repeat", {0, 3, 9}, {0, 2, 5}},
    {"pope", "dim=4", {0, 5, 9}, {7, 2}},
    {"random_fourier", "dim=4 form=phase", {0, 1, 7}},
    {"resized_table", "dim=3 kept_rows=2 method=linear", {0, 1, 2, 9}},
    {"sandwich", "heads=2 centre=none", {0, 9}, {3, 5}},
    {"sincos_2d", "dim=8 normalize=detr grid=[5,3]", {0, 0, 3, 2}},
    {"sincos_2d", "dim=8 normalize=centred grid=[5,3]", {0, 0, 3, 2}},
    {"sinusoidal", "dim=4 padding_row=0", {0, 1, 5}},
    {"sinusoidal", "dim=4 padding_row=3 offset=2", {0, 1, 5}},
    {"xpos", "dim=4", {0, 5, 700}},
};

TEST(References, answer_as_the_oracle_does) {
  for (const Asked& asked : all) {
    const EncodingSpec& spec = encoding_named(asked.family);
    const Parameters parameters = with(spec, Case::parse(asked.words));
    const Encoding truth = spec.oracle(parameters), reference = spec.make(parameters);
    const Call call = call_of(asked, truth);
    const Tensor ought = answer(truth, call), is = answer(reference, call),
                 allowed = bound(truth, call, ought, all_f64).error;
    ASSERT_EQ(is.shape, ought.shape) << asked.family;
    for (std::size_t e = 0; e < is.data.size(); ++e)
      EXPECT_LE(std::abs(is.data[e] - ought.data[e]), allowed.data[e] + unit_f64 * std::abs(ought.data[e]))
          << asked.family << " " << asked.words << " " << e;
  }
}

// Of those that derive it apart.
TEST(References, are_allowed_what_the_oracle_is) {
  for (const Asked& asked : all) {
    const EncodingSpec& spec = encoding_named(asked.family);
    const Parameters parameters = with(spec, Case::parse(asked.words));
    const Encoding truth = spec.oracle(parameters), reference = spec.make(parameters);
    const Call call = call_of(asked, truth);
    const Tensor ought = answer(truth, call);
    const Tensor a = bound(truth, call, ought, all_f32).error,
                 b = bound(reference, call, ought, all_f32).error;
    for (std::size_t e = 0; e < a.data.size(); ++e)  // some hundred operations in double at most
      EXPECT_NEAR(b.data[e], a.data[e], 0x1p-44 * a.data[e])
          << asked.family << " " << asked.words << " " << e;
  }
}

// The oracle has powers of 1 + u, the reference as many u.
TEST(References, of_contents_alone_are_allowed_what_the_oracle_is) {
  const EncodingSpec& spec = encoding_named("none");
  const Parameters parameters = with(spec, Case::parse("dim=64"));
  const Encoding truth = spec.oracle(parameters), reference = spec.make(parameters);
  Call call = sequence(truth, {3, 5});
  for (Tensor& content : call.contents)
    for (std::size_t n = 0; n < content.data.size(); ++n)
      content.data[n] = 1 - static_cast<double>(n % 7) / 4;
  const Tensor ought = answer(truth, call);
  for (const char* words : {"f32", "bf16", "f16", "bf16/bf16"}) {
    const Precision p = Precision::parse(words);
    const Tensor a = bound(truth, call, ought, p).error, b = bound(reference, call, ought, p).error;
    for (std::size_t e = 0; e < a.data.size(); ++e) {
      EXPECT_GE(a.data[e], b.data[e] * (1 - 0x1p-40)) << words;
      EXPECT_LE(a.data[e], b.data[e] * (1 + 67 * std::max(p.angle, p.result))) << words;
    }
  }
}

// ... where a bound has terms of its own.
TEST(References, are_allowed_what_the_oracle_is_where_a_setting_has_more_to_round) {
  const std::vector<Asked> more = {
      {"alibi", "heads=2 form=asymmetric future_factor=0.3 future_offset=1", {0, 9}, {3, 5, 20}},
      {"rope", "dim=8 scaling=longrope factors=[1,2,3,5]", {1, 40, 9}},
      {"sinusoidal", "dim=4 scale=0.3", {1, 5, 700}},
  };
  for (const Asked& asked : more) {
    const EncodingSpec& spec = encoding_named(asked.family);
    const Parameters parameters = with(spec, Case::parse(asked.words));
    const Encoding truth = spec.oracle(parameters), reference = spec.make(parameters);
    const Call call = call_of(asked, truth);
    const Tensor ought = answer(truth, call), a = bound(truth, call, ought, all_f32).error,
                 b = bound(reference, call, ought, all_f32).error;
    for (std::size_t e = 0; e < a.data.size(); ++e)  // some hundred operations in double at most
      EXPECT_NEAR(b.data[e], a.data[e], 0x1p-44 * a.data[e]) << asked.family << " " << e;
  }
}

// A search of our own encodings is led by these, as one of a program is.
TEST(References, seek_the_hard_positions_of_the_oracle) {
  for (const auto& [id, words] : {std::pair{"rope", "dim=8"},
                                  {"rope", "dim=8 scaling=dynamic_ntk original_length=100"},
                                  {"sinusoidal", "dim=8"}}) {
    const EncodingSpec& spec = encoding_named(id);
    const Parameters parameters = with(spec, Case::parse(words));
    const std::vector<Position> hard = positions_of(spec.oracle(parameters)).hard;
    EXPECT_FALSE(hard.empty()) << id;
    EXPECT_EQ(positions_of(spec.make(parameters)).hard, hard) << id << " " << words;
  }
}

// Without frequencies they are powers of 2 and their neighbours, and the ends.
TEST(References, of_whole_numbers_have_hard_positions_too) {
  for (const std::string id : {"raw_index", "one_hot", "normalized_index"}) {
    const EncodingSpec& spec = encoding_named(id);
    const Domain domain = positions_of(spec.oracle(with(spec, Case::parse("dim=8"))));
    EXPECT_EQ(domain.hard, hard_positions(std::span<const Pair>{}, domain.lo, domain.hi)) << id;
    EXPECT_FALSE(domain.hard.empty()) << id;
  }
}

// t / L is a quotient of numbers below 2^53.
TEST(References, of_shares_of_a_length_have_lengths_up_to_2_51) {
  const EncodingSpec& spec = encoding_named("normalized_index");
  const auto oracle = spec.oracle<Table>(with(spec, Case::parse("dim=1 range=per_length")));
  const Position at[] = {1}, most = Position{1} << 51;
  EXPECT_EQ(oracle.rows(at, most).data.front(), 0x1p-51);
  EXPECT_THROW(oracle.rows(at, most + 1), Refusal);
}

}  // namespace
}  // namespace posproof::references_test
