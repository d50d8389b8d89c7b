#include <gtest/gtest.h>

#include <array>

#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/encodings/timestep_embedding.h"
#include "encodings/made.h"
#include "exact/exact_table.h"

namespace posproof::timestep_embedding_test {
namespace {

using Doubles = std::vector<double>;

Table made_by(bool oracle, const EncodingSpec& spec, std::string_view parameters) {
  const Parameters all = with(spec, Case::parse(parameters));
  return as<Table>(oracle ? spec.oracle(all) : spec.make(all));
}

Doubles row(const Table& table, double t) {
  return table.rows(Positions(std::span(&t, 1)), 1).data;
}

// Numbers from 40 digits (Python's decimal): t = 2.5 and 1000 x 0.375.
TEST(TimestepEmbedding, has_these_rows) {
  for (const bool oracle : {false, true}) {
    const auto expect_row = [&](std::string_view parameters, double t, const Doubles& golden) {
      const Doubles found = row(made_by(oracle, encodings::timestep_embedding, parameters), t);
      ASSERT_EQ(found.size(), golden.size());
      for (std::size_t c = 0; c < golden.size(); ++c)
        EXPECT_DOUBLE_EQ(found[c], golden[c]) << parameters << " column " << c;
    };
    expect_row("dim=6", 2.5,
               {0.59847214410395655, 0.024997395914712332, 0.00024999999739583334, -0.8011436155469337,
                0.99968751627570263, 0.99999996875000019});
    expect_row("dim=7 layout=cos_sin shift=0 scale=1000", 0.375,
               {-0.40805454148374776, 0.12685580794912169, 0.69100851127534835, -0.9129575516827102,
                -0.99192116823343157, 0.72284662089894758, 0});
  }
}

// At whole steps it is sinusoidal's: DDPM's in tensor2tensor's divisor, ggml's in the paper's.
TEST(TimestepEmbedding, is_sinusoidal_at_whole_steps) {
  const struct {
    std::string_view own, sinusoidal;
  } rows[] = {{"dim=6", "dim=6 layout=sin_cos divisor=half_minus_one"},
              {"dim=7", "dim=7 layout=sin_cos divisor=half_minus_one odd=zero_pad"},
              {"dim=6 shift=0 layout=cos_sin max_period=100", "dim=6 layout=cos_sin base=100"}};
  for (const auto& [own, sinusoidal] : rows)
    for (const Position t : {0, 1, 999, 1 << 20}) {
      const std::array at = {t};
      EXPECT_EQ(row(made_by(true, encodings::timestep_embedding, own), static_cast<double>(t)),
                made_by(true, encodings::sinusoidal, sinusoidal).rows(at, t + 1).data)
          << own << " " << t;
    }
}

TEST(TimestepEmbedding, is_that_of_the_scaled_step) {
  for (const bool oracle : {false, true})
    EXPECT_EQ(row(made_by(oracle, encodings::timestep_embedding, "dim=8 scale=1000"), 0.25),
              row(made_by(oracle, encodings::timestep_embedding, "dim=8"), 250));
}

// The fast way has the scale, too.
TEST(TimestepEmbedding, is_had_at_speed_at_whole_steps) {
  const Table table = made_by(true, encodings::timestep_embedding, "dim=7 layout=cos_sin scale=1000");
  Doubles fast(2 * 7);
  exact::exact_table(table)->fill(Format::f64, 999, 2, fast.data());
  const std::array<Position, 2> at = {999, 1000};
  EXPECT_EQ(fast, table.rows(at, 1001).data);
}

TEST(TimestepEmbedding, declares_its_ladder_and_its_errors) {
  for (const bool oracle : {false, true}) {
    const Table table = made_by(oracle, encodings::timestep_embedding, "dim=7 layout=cos_sin scale=1000");
    ASSERT_EQ(table.pairs.size(), 3u);
    EXPECT_EQ(table.pairs[1].first, 4u);
    EXPECT_EQ(table.pairs[1].second, 1u);
    EXPECT_DOUBLE_EQ(table.pairs[1].frequency, 10);
    EXPECT_DOUBLE_EQ(table.pairs[1].frequency_error.roundings, 2 + 3 * 6.907755278982137);
    EXPECT_EQ(table.pairs[1].frequency_error.condition, 1);
    EXPECT_DOUBLE_EQ(made_by(oracle, encodings::timestep_embedding, "dim=7 scale=0.001")
                         .pairs[1]
                         .frequency_error.roundings,
                     2 + 3 * 6.907755278982137);
    EXPECT_TRUE(table.positions.real);
    EXPECT_EQ(made_by(oracle, encodings::timestep_embedding, "").pairs[1].frequency_error.roundings, 0);
  }
}

TEST(TimestepEmbedding, refuses_widths_without_frequencies) {
  const auto& spec = encodings::timestep_embedding;
  EXPECT_EQ(refused(spec, "dim=1 shift=0"), "`dim=1`; allowed: widths with a frequency");
  EXPECT_EQ(refused(spec, "dim=3"), "`dim=3 shift=1`; allowed: widths with two frequencies");
  EXPECT_EQ(refused(spec, "dim=3 shift=0"), "not refused");
  EXPECT_EQ(refused(spec, "shift=2"), "`shift=2`; allowed: whole numbers from 0 to 1");
}

}  // namespace
}  // namespace posproof::timestep_embedding_test
