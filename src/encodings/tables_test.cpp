// The encodings of a few lines: the tables without a ladder, and none. Then all of them on their grids.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "catalogue/encodings.h"
#include "catalogue/encodings/binary.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/none.h"
#include "catalogue/encodings/normalized_index.h"
#include "catalogue/encodings/one_hot.h"
#include "catalogue/encodings/raw_index.h"
#include "core/error.h"
#include "encodings/made.h"
#include "encodings/seeded.h"
#include "exact/numbers.h"

namespace posproof::tables_test {
namespace {

using Doubles = std::vector<double>;

Doubles row(const EncodingSpec& spec, std::string_view parameters, Position t, Position length) {
  const std::array<Position, 1> at = {t};
  return made<Table>(spec, parameters).rows(at, length).data;
}

std::string refused_row(const EncodingSpec& spec, std::string_view parameters, Position t, Position length) {
  try {
    row(spec, parameters, t, length);
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "not refused";
}

// The first output of Java's and of every other SplittableRandom(0).
TEST(Seeded, is_the_generator_of_the_paper) {
  EXPECT_EQ(mixed(0), 0xe220a8397b1dcdafu);
}

// By 40 digits, of SplitMix64(1 << 32) and (2 << 32).
TEST(Seeded, has_shares_and_normal_numbers) {
  EXPECT_EQ(seeded_share(1, 0), 0.76630175733908601);
  EXPECT_DOUBLE_EQ(seeded_normal(1, 0, 1), 0.51257260628194634);
  EXPECT_DOUBLE_EQ(seeded_normal(2, 3, 10), -11.982712070206178);
  for (std::uint64_t n = 0; n < 200; ++n) {
    EXPECT_EQ(seeded_share(7, n), exact::seeded_share(7, n));
    EXPECT_DOUBLE_EQ(seeded_normal(7, n, 2), exact::seeded_normal(2, 7, n));
  }
}

TEST(Learned, is_a_row_of_its_table) {
  EXPECT_EQ(row(encodings::learned, "dim=3 length=4", 2, 3), (Doubles{6, 7, 8}));
  EXPECT_EQ(row(encodings::learned, "dim=3 length=4 offset=1", 2, 3), (Doubles{9, 10, 11}));
  const auto seeded = row(encodings::learned, "dim=8 table=seeded", 0, 1);
  EXPECT_DOUBLE_EQ(seeded[0], 0.018449926954247006);
  EXPECT_DOUBLE_EQ(seeded[1], -0.025909330923421528);
  EXPECT_DOUBLE_EQ(row(encodings::learned, "dim=8 table=seeded", 1, 2)[1], -0.004722736597997504);
  EXPECT_DOUBLE_EQ(row(encodings::learned, "dim=8 table=seeded table_seed=2", 0, 1)[0], 0.028063742202579265);
  EXPECT_DOUBLE_EQ(row(encodings::learned, "dim=8 table=seeded std=1", 0, 1)[1], -1.2954665461710764);
}

// By mpmath: 6, 7 and 8 over the root of 3.
TEST(Learned, has_the_rows_of_a_table_times_the_inverse_root_of_its_width) {
  const Doubles golden = {3.4641016151377545871, 4.0414518843273803516, 4.6188021535170061161};
  const std::string_view words = "dim=3 length=4 scale=inverse_root_of_dim";
  const Position at = 2;
  EXPECT_EQ(row(encodings::learned, words, 2, 3), golden);
  const auto exact = encodings::learned.oracle<Table>(with(encodings::learned, Case::parse(words)));
  EXPECT_EQ(exact.rows({&at, 1}, 3).data, golden);
  // The number and the product in the answer's format, the root and its reciprocal in f32.
  for (const Table& table : {exact, made<Table>(encodings::learned, words)})
    EXPECT_DOUBLE_EQ(table.error(4, all_f32), 16 * unit_f32);
  EXPECT_EQ(row(encodings::learned, "dim=4 table=seeded scale=inverse_root_of_dim", 3, 4)[1],
            row(encodings::learned, "dim=4 table=seeded", 3, 4)[1] / 2);
}

TEST(Learned, ends_where_its_table_ends) {
  const auto& spec = encodings::learned;
  EXPECT_EQ(made<Table>(spec, "length=4 offset=1").positions.hi, 2);
  EXPECT_EQ(refused_row(spec, "length=4", 3, 4), "not refused");
  EXPECT_EQ(refused_row(spec, "length=4", 4, 5),
            "position 4 is outside the table, which holds positions 0 to 3");
  EXPECT_EQ(refused_row(spec, "length=4 offset=1", 3, 4),
            "position 3 is outside the table, which holds positions 0 to 2");
  EXPECT_EQ(refused_row(spec, "length=4 offset=1", -1, 4),
            "position -1 is outside the table, which holds positions 0 to 2");
}

TEST(Learned, begins_where_its_table_begins) {
  const auto& spec = encodings::learned;
  EXPECT_EQ(row(spec, "dim=1 length=4 offset=-2", 3, 4), (Doubles{1}));
  EXPECT_EQ(made<Table>(spec, "length=4 offset=-2").positions.lo, 2);
  EXPECT_EQ(refused_row(spec, "length=4 offset=-2", 1, 4),
            "position 1 is outside the table, which holds positions 2 to 5");
}

// nn.Embedding's padding_idx: RoBERTa's positions begin behind it, and a token of padding has
// position -1 (cumsum(mask) * mask - 1).
TEST(Learned, has_a_row_of_padding) {
  const auto& spec = encodings::learned;
  const auto exact = [&](std::string_view words, Position t) {
    const std::array<Position, 1> at = {t};
    return spec.oracle<Table>(with(spec, Case::parse(words))).rows(at, 9).data;
  };
  const std::string_view roberta = "dim=2 length=6 offset=2 padding_row=1";
  EXPECT_EQ(row(spec, roberta, -1, 4), (Doubles{0, 0}));
  EXPECT_EQ(row(spec, roberta, 0, 4), (Doubles{4, 5}));
  EXPECT_EQ(exact(roberta, -1), (Doubles{0, 0}));
  EXPECT_EQ(exact(roberta, 0), (Doubles{4, 5}));
  EXPECT_EQ(made<Table>(spec, roberta).positions.lo, -1);
  EXPECT_EQ(spec.oracle<Table>(with(spec, Case::parse(roberta))).positions.lo, -1);
  EXPECT_EQ(refused_row(spec, roberta, -2, 4),
            "position -2 is outside the table, which holds positions -1 to 3");
  EXPECT_THROW(exact(roberta, -2), Refusal);
  EXPECT_EQ(row(spec, "dim=2 length=6 padding_row=3", 3, 4), (Doubles{0, 0}));
  EXPECT_EQ(exact("dim=2 length=6 padding_row=3", 3), (Doubles{0, 0}));
  EXPECT_EQ(made<Table>(spec, "dim=2 length=6 padding_row=3").positions.lo, 0);
  EXPECT_EQ(refused(spec, "length=4 padding_row=4"),
            "`padding_row=4 length=4`; allowed: rows below the length");
}

TEST(Learned, refuses_what_makes_no_sense) {
  const auto& spec = encodings::learned;
  EXPECT_EQ(refused(spec, "dim=0"), "`dim=0`; allowed: whole numbers from 1 to 1048576");
  EXPECT_EQ(refused(spec, "length=0"), "`length=0`; allowed: whole numbers from 1 to 1048576");
  EXPECT_EQ(refused(spec, "length=4 offset=4"), "`offset=4 length=4`; allowed: offsets below the length");
  EXPECT_EQ(refused(spec, "table=trained"), "`table=trained`; allowed: index, seeded");
  EXPECT_EQ(refused(spec, "table_seed=0.5"),
            "`table_seed=0.5`; allowed: whole numbers from -9007199254740992 to 9007199254740992");
  EXPECT_EQ(refused(spec, "std=0"), "`std=0`; allowed: finite numbers above 0");
}

TEST(RawIndex, is_the_position) {
  EXPECT_EQ(row(encodings::raw_index, "dim=2", 1048576, 1048577), (Doubles{1048576, 1048576}));
  EXPECT_EQ(row(encodings::raw_index, "offset=2", 5, 6), (Doubles{7}));
  EXPECT_EQ(refused(encodings::raw_index, "dim=-1"), "`dim=-1`; allowed: whole numbers from 1 to 1048576");
  EXPECT_EQ(refused(encodings::raw_index, "offset=4503599627370497"),
            "`offset=4503599627370497`; allowed: whole numbers from -4503599627370496 to 4503599627370496");
  const Table exact = as<Table>(encodings::raw_index.oracle(with(encodings::raw_index, Parameters{})));
  constexpr Position most = Position{1} << 52;
  for (const Position t : {-most, most}) {
    const std::array<Position, 1> at = {t}, past = {t < 0 ? t - 1 : t + 1};
    EXPECT_EQ(exact.rows(at, 0).data, (Doubles{static_cast<double>(t)}));
    EXPECT_THROW(exact.rows(past, 0), Refusal) << t;
  }
}

TEST(NormalizedIndex, is_a_share_of_the_length) {
  const auto& spec = encodings::normalized_index;
  EXPECT_EQ(row(spec, "dim=2", 3, 7), (Doubles{0.5, 0.5}));
  EXPECT_EQ(row(spec, "range=per_length", 3, 8), (Doubles{0.375}));
  EXPECT_EQ(row(spec, "range=shifted", 3, 8), (Doubles{0.5}));
  EXPECT_EQ(row(spec, "range=centred", 0, 5), (Doubles{-1}));
  EXPECT_EQ(row(spec, "range=centred", 3, 5), (Doubles{0.5}));
  EXPECT_EQ(row(spec, "range=shifted", 0, 1), (Doubles{1}));
  // The collision of a short and a long sequence that makes it useless as a position.
  EXPECT_EQ(row(spec, "", 1, 3), row(spec, "", 50, 101));
}

// What is centred is a difference, of which both terms may be as large as 2; a share is one quotient.
TEST(NormalizedIndex, that_is_centred_is_allowed_a_difference) {
  const auto& spec = encodings::normalized_index;
  for (const std::string range : {"zero_one", "per_length", "shifted", "centred"}) {
    const Parameters all = with(spec, Case::parse("range=" + range));
    for (const Table& table : {spec.make<Table>(all), spec.oracle<Table>(all)}) {
      EXPECT_EQ(static_cast<bool>(table.error), range == "centred") << range;
      if (table.error) {
        EXPECT_EQ(table.error(0.25, all_f32), difference_error(all_f32, 0.25, 2));
      }
    }
  }
}

TEST(NormalizedIndex, refuses_what_makes_no_sense) {
  const auto& spec = encodings::normalized_index;
  EXPECT_EQ(refused(spec, "range=unit"), "`range=unit`; allowed: zero_one, per_length, shifted, centred");
  EXPECT_EQ(refused_row(spec, "", 0, 1),
            "`range=zero_one` of a sequence of 1 token divides by 0; allowed: 2 or more");
  EXPECT_EQ(refused_row(spec, "range=centred", 0, 1),
            "`range=centred` of a sequence of 1 token divides by 0; allowed: 2 or more");
  EXPECT_EQ(refused_row(spec, "", 7, 7), "position 7 is outside a sequence of 7 tokens");
  EXPECT_EQ(refused_row(spec, "", -1, 7), "position -1 is outside a sequence of 7 tokens");
  EXPECT_EQ(row(spec, "", 6, 7), (Doubles{1}));
  EXPECT_EQ(row(spec, "", 0, 7), (Doubles{0}));
  const Table exact = as<Table>(spec.oracle(with(spec, Case::parse("dim=2"))));
  for (const Position outside : {-1, 7}) {
    const std::array<Position, 1> at = {outside};
    EXPECT_THROW(exact.rows(at, 7), Refusal) << outside;
  }
  const std::array<Position, 2> ends = {0, 6};
  EXPECT_EQ(exact.rows(ends, 7).data, (Doubles{0, 0, 1, 1}));
}

TEST(Binary, is_the_digits_of_the_position) {
  const auto& spec = encodings::binary;
  EXPECT_EQ(row(spec, "dim=4", 11, 12), (Doubles{1, 1, 0, 1}));
  EXPECT_EQ(row(spec, "dim=4 order=msb_first", 11, 12), (Doubles{1, 0, 1, 1}));
  EXPECT_EQ(row(spec, "dim=4 values=signs", 11, 12), (Doubles{1, 1, -1, 1}));
  EXPECT_EQ(row(spec, "dim=4 values=signs order=msb_first", 1, 12), (Doubles{-1, -1, -1, 1}));
  EXPECT_EQ(row(spec, "dim=70", 1, 2)[69], 0);
  EXPECT_EQ(made<Table>(spec, "dim=4").positions.hi, 15);
  EXPECT_EQ(made<Table>(spec, "dim=64").positions.hi, Position{1} << 20);
  EXPECT_EQ(refused_row(spec, "dim=4", 16, 17),
            "position 16 is outside the table, which holds positions 0 to 15");
  EXPECT_EQ(refused(spec, "order=big_endian"), "`order=big_endian`; allowed: lsb_first, msb_first");
  EXPECT_EQ(refused(spec, "values=gray"), "`values=gray`; allowed: bits, signs");
}

TEST(OneHot, is_one_channel) {
  EXPECT_EQ(row(encodings::one_hot, "dim=3", 1, 2), (Doubles{0, 1, 0}));
  EXPECT_EQ(row(encodings::one_hot, "dim=3", 2, 3), (Doubles{0, 0, 1}));
  EXPECT_EQ(refused_row(encodings::one_hot, "dim=3", 3, 4),
            "position 3 is outside the table, which holds positions 0 to 2");
  EXPECT_EQ(refused(encodings::one_hot, "dim=0"), "`dim=0`; allowed: whole numbers from 1 to 1048576");
}

TEST(None, is_the_scaled_product_at_every_position) {
  const std::array<Position, 2> queries = {5, 1000};
  const std::array<Position, 1> keys = {7};
  const Tensor q({2, 4}, {1, 2, 3, 4, 0, 1, 0, 0}), k({1, 4}, {1, 1, 1, 3});
  const auto rsqrt = made<Contextual>(encodings::none, "dim=4"),
             one = made<Contextual>(encodings::none, "dim=4 scale=one");
  EXPECT_EQ(rsqrt.logits(q, k, queries, keys), Tensor({1, 2, 1}, {9, 0.5}));
  EXPECT_EQ(one.logits(q, k, queries, keys), Tensor({1, 2, 1}, {18, 1}));
  EXPECT_EQ(logit_error(rsqrt, q.row(0), k.row(0), 5, 7, all_f32), 7 * (unit_f32 + unit_f64) * 18 / 2);
  EXPECT_THROW(one.logits(k, k, queries, keys), std::invalid_argument);
  EXPECT_THROW(one.logits(q, q, queries, keys), std::invalid_argument);
  EXPECT_EQ(refused(encodings::none, "scale=sqrt"), "`scale=sqrt`; allowed: rsqrt, one; near it: rsqrt");
}

// Whether a relation of the spec speaks of it: no other parameter makes a combination senseless.
bool is_related(const EncodingSpec& spec, const Parameter& parameter) {
  const auto is_it = [&](std::string_view name) { return name == parameter.name; };
  return std::ranges::any_of(spec.parameters.relations, [&](const Relation& relation) {
    return std::ranges::any_of(relation.between, is_it) ||
           std::ranges::any_of(relation.where.all, [&](const auto& among) { return is_it(among.parameter); });
  });
}

// What a grid refuses is drawn again, which takes microseconds: one combination in twelve must make sense, or
// a search over it learns little.
TEST(Encodings, refuse_few_of_their_own_grid) {
  for (const auto& [id, spec] : catalogue::encodings()) {
    std::size_t all = 0, refusals = 0;
    Enumerate draw;
    do {
      Parameters parameters;
      for (const Parameter& parameter : spec->parameters)
        parameters.set(parameter.name, is_related(*spec, parameter) && parameter.matters_where.met(parameters)
                                           ? draw.one_of(parameter.name, parameter.grid)
                                           : parameter.standard);
      ++all;
      try {
        const Arguments allowed(spec->parameters, parameters);
      } catch (const Refusal&) {
        ++refusals;
      }
    } while (draw.next());
    EXPECT_LE(12 * refusals, 11 * all) << id << " refuses " << refusals << " of " << all;
  }
}

}  // namespace
}  // namespace posproof::tables_test
