// Tables as their projects write them, in float32: functions of real numbers, and trained grids that are
// resized. The right ones hold and come near the bound, and one that is wrong in one place alone is refuted.
#include <gtest/gtest.h>

#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/search.h"
#include "search/trial.h"
#include "subject/testing/subjects.h"

namespace posproof::run_real_functions_test {
namespace {

// Of agreement alone, over 100 cases, without a diagnosis.
Verdict verdict(const std::string& encoding, const std::string& parameters, const std::string& wrong) {
  const EncodingSpec& spec = encoding_named(encoding);
  const Parameters all = with(spec, Case::parse(parameters));
  const Encoding truth = spec.oracle(all);
  const std::string script = encoding == "resized_table" ? encoding : "real_functions";
  const Subject subject = open(testing::python("src/subject/testing/" + script + ".py", wrong),
                               {.encoding = encoding, .parameters = all, .declared = {truth}});
  const Plan plan{.id = std::string(agreement_id), .budget = {.cases = 100, .shrinks = 0, .shrink_time = {}}};
  return search(*trial(agreement(truth), subject.encoding, subject.precision), plan);
}

// A bound that right code uses a tenth of at its worst.
void expect(const std::string& encoding, const std::string& parameters,
            const std::vector<std::string>& wrong) {
  const Verdict right = verdict(encoding, parameters, "");
  ASSERT_EQ(name(right), "holds") << encoding << " " << parameters;
  EXPECT_GE(std::get<Holds>(right).worst.error_over_bound(), 0.1) << encoding << " " << parameters;
  for (const std::string& one : wrong)
    EXPECT_EQ(name(verdict(encoding, parameters, one)), "refuted")
        << encoding << " " << parameters << ": " << one;
}

TEST(RealFunctions, of_diffusion_timesteps) {
  expect("timestep_embedding", "dim=16", {"whole_timesteps", "other_shift", "not_flipped"});
  expect("timestep_embedding", "dim=7 layout=cos_sin shift=0 scale=1000", {"padded_first", "scale_ignored"});
}

TEST(RealFunctions, of_nerf) {
  expect("nerf", "axes=3 frequencies=4", {"pi_ignored", "axes_swapped"});
  expect("nerf", "axes=2 frequencies=6 bands=linear last_band=16 input=first order=part_frequency_axis",
         {"one_more"});
  expect("nerf", "axes=2 factor=one order=frequency_part_axis input=first", {"from_two", "input_other_end"});
  expect("nerf", "axes=2 factor=one frequencies=4 order=part_frequency_axis", {"cosines_first"});
  expect("nerf", "factor=two_pi frequencies=6 order=part_axis_frequency input=last", {"linear"});
}

TEST(RealFunctions, of_gaussian_features) {
  expect("gaussian_fourier", "dim=16", {"variance", "other_factor"});
  expect("gaussian_fourier", "dim=24 axes=2 factor=one norm=inverse_root_of_dim", {"unscaled"});
  expect("gaussian_fourier", "dim=8 axes=3 layout=sin_cos sigma=1 matrix_seed=2",
         {"transposed", "halves_swapped"});
}

TEST(RealFunctions, of_random_features) {
  expect("random_fourier", "dim=16 form=phase", {"half_the_phases", "sines", "root_of_dim"});
  expect("random_fourier", "dim=24 norm=inverse_root_of_dim", {"root_of_two"});
  expect("random_fourier", "dim=8 layout=interleaved sigma=0.125", {"not_interleaved", "halves_swapped"});
}

TEST(RealFunctions, of_complex_words) {
  expect("complex_order", "dim=8 word=3", {"other_range", "word_ignored", "conjugate"});
  expect("complex_order", "dim=16 modulus=seeded phase=seeded exponent=paired layout=interleaved",
         {"phase_ignored", "positive_modulus"});
}

TEST(ResizedTables, of_squares) {
  expect("resized_table", "dim=3 from_height=4 from_width=5 height=7 width=3 kept_rows=1",
         {"axes_swapped", "kept_last", "other_corners"});
  expect("resized_table", "dim=3 from_height=4 from_width=5 height=7 width=3 table=seeded method=cubic",
         {"other_coefficient", "zeros_outside"});
  expect("resized_table",
         "dim=2 from_height=7 from_width=7 height=8 width=8 table=seeded method=cubic more=0.1",
         {"more_ignored"});
}

TEST(ResizedTables, of_corners_and_of_averages) {
  expect("resized_table",
         "dim=2 from_height=4 from_width=8 height=9 width=16 table=seeded align_corners=true",
         {"other_corners"});
  expect("resized_table", "dim=3 from_height=7 from_width=8 height=3 width=5 table=seeded antialias=true",
         {"not_averaged"});
}

// Whatever number of rows a whole sequence has, those of the grid are all.
TEST(ResizedTables, of_programs_that_give_all_rows) {
  const std::string grid = "dim=3 from_height=4 from_width=5 height=7 width=3 kept_rows=1";
  EXPECT_EQ(name(verdict("resized_table", grid, "whole")), "holds");
  EXPECT_EQ(name(verdict("resized_table", grid, "whole_reversed")), "refuted");
}

// Of padding, whose position is -1, too: copied exactly.
TEST(LearnedTables, of_positions_from_a_mask) {
  const std::string roberta = "dim=3 length=16 offset=2 padding_row=1";
  EXPECT_EQ(std::get<Holds>(verdict("learned", roberta, "")).worst.error, 0);
  for (const std::string wrong : {"padding_learned", "padding_counted", "offset_lost"})
    EXPECT_EQ(name(verdict("learned", roberta, wrong)), "refuted") << wrong;
}

// What is copied is copied exactly.
TEST(ResizedTables, of_parts) {
  const std::string parts = "dim=2 from_height=7 from_width=8 height=4 width=3 kept_rows=1 method=";
  EXPECT_EQ(std::get<Holds>(verdict("resized_table", parts + "centre", "")).worst.error, 0);
  EXPECT_EQ(name(verdict("resized_table", parts + "centre", "other_end")), "refuted");
  EXPECT_EQ(std::get<Holds>(verdict("resized_table", parts + "first", "")).worst.error, 0);
}

}  // namespace
}  // namespace posproof::run_real_functions_test
