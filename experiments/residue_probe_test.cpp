#include "residue_probe.h"

#include <gtest/gtest.h>

namespace posproof::experiments::residue_probe_test {
namespace {

TEST(ResidueProbe, reads_powers_of_two_off_bits) {
  const Probe bits(binary_rows(5, 32));
  EXPECT_EQ(bits.read(4).inside, 1);
  EXPECT_EQ(bits.read(8).after, 1);
  EXPECT_LT(bits.read(3).inside, 1);
}

// Positions that share their lowest bits have equal outputs: the first residue is read, not that which
// rounding makes the largest. By NumPy: 156 and 77 of 1,024.
TEST(ResidueProbe, reads_the_first_of_equal_outputs) {
  const Read eleven = Probe(binary_rows(11, 2048)).read(11);
  EXPECT_EQ(eleven.inside, 156.0 / 1024);
  EXPECT_EQ(eleven.after, 77.0 / 1024);
}

// Rows that are sine and cosine of 2 pi t / 3 say t mod 3.
TEST(ResidueProbe, reads_the_period_of_a_wave) {
  Matrix wave(24, 2);
  for (Index t = 0; t < 24; ++t) {
    const double angle = 2 * 3.14159265358979323846 * static_cast<double>(t) / 3;
    wave.row(t) << std::sin(angle), std::cos(angle);
  }
  EXPECT_EQ(Probe(wave).read(3).inside, 1);
  EXPECT_EQ(Probe(wave).read(3).after, 1);
}

// A column that is weak beside the others is read where its direction is kept: without it the outputs for
// even and odd are equal, and the first is taken.
TEST(ResidueProbe, leaves_weak_directions_out) {
  Matrix rows(24, 3);
  for (Index t = 0; t < 24; ++t) {
    const double angle = 2 * 3.14159265358979323846 * static_cast<double>(t) / 3;
    rows.row(t) << std::sin(angle), std::cos(angle), t % 2 == 0 ? 1e-3 : -1e-3;
  }
  EXPECT_EQ(Probe(rows).read(2).after, 1);
  EXPECT_EQ(Probe(rows, 1e-2).read(2).after, 0.5);
}

// From 0, 1, 2, 3 to their squares: the best line misses by 1 at every position.
TEST(ResidueProbe, misses_what_no_affine_map_gives) {
  Matrix line(4, 1), square(4, 1);
  line << 0, 1, 2, 3;
  square << 0, 1, 4, 9;
  EXPECT_NEAR(affine_residual(line, square), 1, 1e-12);
  EXPECT_NEAR(affine_residual(line, 5 * line), 0, 1e-12);
}

}  // namespace
}  // namespace posproof::experiments::residue_probe_test
