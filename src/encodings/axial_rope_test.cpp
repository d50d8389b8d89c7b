#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "catalogue/encodings/axial_rope.h"
#include "catalogue/encodings/rope.h"
#include "core/error.h"
#include "core/testing/once_rounded.h"
#include "encodings/made.h"

namespace posproof::axial_rope_test {
namespace {

using Numbers = std::vector<Position>;

std::vector<double> rotated(std::string_view words, const Numbers& place) {
  return rotated(encodings::axial_rope.make(Case::parse(words)), place);
}

// Golden numbers from 40-digit arithmetic, of the reference and of the oracle.
TEST(AxialRope, has_the_numbers_of_the_conventions_in_use) {
  const struct {
    std::string_view words;
    Numbers place;
    std::vector<double> golden;
  } all[] = {
      {"dim=8",  // the vision tower of Qwen2-VL
       {3, 5},
       {-1.6955925368997816, 1.8191270662830011, 7.563456479031648, 3.5951676874144384, -4.8088424749423601,
        6.0572912028989164, -0.89113752574683156, 8.1899187602424433}},
      {"dim=8 layout=interleaved ladder=strided",  // Pixtral
       {3, 5},
       {-1.2722325127201799, -1.8388649851410237, 2.8786681004369799, 4.088186635603437, 1.5113595778266456,
        7.6626230643632513, 6.9599126668487498, 8.0348998543751821}},
      {"dim=8 layout=interleaved order=alternating axis_order=reversed",  // MoonViT
       {3, 5},
       {2.2015107347895032, -0.39159990373668594, -3.5344575220408053, -3.5366099622221802,
        4.6938762863507613, 6.2423974087231891, 6.7568862346229473, 8.2063687714093698}},
      {"dim=8 layout=interleaved axis_order=reversed offset=1",  // the vision tower of Llama 4
       {3, 5},
       {1.5190012830482178, 1.640925075101806, 2.7547455938878342, 4.1726941791791505, 1.2725968675295098,
        -7.705874201721313, 6.674486073133773, 8.273526192594263}},
      {"dim=8 offset=-2 factor=2",
       {3, 5},
       {-1.5195451311306423, 1.969975125051927, -6.770253301225273, 3.879554508386812, 4.867338348056067,
        6.009924958489635, 3.487645371486084, 8.059097766900186}},
      {"dim=8 layout=interleaved coordinates=resized grid=[24,12] trained_grid=[16,16] offset=1",
       {3, 5},
       {-1.8038718214846652, -1.321380509790271, 2.8922793714008685, 4.078568380911247, -6.663649648783358,
        4.073791030265228, 6.338294392364954, 8.533816508205163}},
      {"dim=8 base=100 layout=half_split_by_axis",  // DUSt3R
       {3, 5},
       {-1.4133525207800471, 0.72859215160585374, -2.8288574817414691, 4.4123863698251032, 8.1307808499581006,
        1.4300910625086123, -2.8089860750731085, 9.8972137267481997}},
      {"dim=14 axes=3 layout=interleaved parts=[2,6,4]",  // FLUX has [16,56,56]
       {3, 5, 7},
       {-1.2722325127201799, -1.8388649851410237, 4.6866836550422327, -1.7421240821365103, 3.4859408514039986,
        6.98914990399496, 6.91341814396012, 8.0749396014312708, 0.21525430190185084, 13.451901931902148,
        10.133746834735682, 12.739983323752215, 13, 14}},
      {"dim=8 base=100 coordinates=cells grid=[5,3]",  // DINOv3
       {3, 2},
       {-3.747943255837313, 0.4450269992681335, 4.56217782649107, 0.4002886859640019, -3.457299719582264,
        6.308878741101497, -6.098076211353316, 8.935310233444008}},
      {"dim=8 base=100 coordinates=cells extent=largest grid=[5,3]",  // column 2 of 5 is the middle
       {3, 2},
       {-3.747943255837313, 0.4450269992681335, 3, 4, -3.457299719582264, 6.308878741101497, 7, 8}},
      {"dim=8 base=100 coordinates=cells extent=smallest grid=[5,3]",
       {3, 2},
       {-4.830127018922194, -3.120607740146649, 4.56217782649107, 0.4002886859640019, -1.6339745962155614,
        5.5010732891079375, -6.098076211353316, 8.935310233444008}},
      {"dim=8 base=100 coordinates=cells unit=radians grid=[5,3]",
       {3, 2},
       {-1.0260307175403673, 1.7584642082021509, -1.9709268391573151, 3.458176043417345, 4.994723312323076,
        6.075179308339136, 7.356320234647847, 8.24869798530255}},
      {"dim=8 base=100 coordinates=corners grid=[5,3]",  // half a turn, and a whole one
       {3, 2},
       {-1, 0.0480110663406226, 3, -1.4662140408399953, -5, 6.324373086520816, 7, 8.823276964169471}},
      {"dim=8 layout=interleaved coordinates=resized grid=[24,12] trained_grid=[16,16]",  // EVA-02
       {3, 5},
       {-2.234741690198506, 0.07700375373139692, 2.919405353226401, 4.05919602674631, 2.3919311318275587,
        7.434962371161951, 6.451511845520712, 8.44854987007273}},
      {"dim=12 coordinates=cells frequencies=periods min_period=0.5 max_period=8 grid=[5,3]",  // 1/2, 2 and 8
       {3, 2},
       {6.966412608441022, -6.990418141611333, 0.07201659951093389, -10.660254037844387, -12.026279441628825,
        -0.8038475772933681, 1.2120624443294783, 4.374248987589887, 9.486559629781224, -1.5358983848622454,
        -1.1698729810778068, 13.392304845413264}},
      {"dim=12 coordinates=cells unit=radians frequencies=periods min_period=0.5 max_period=8 grid=[5,3]",
       {3, 2},
       {-4.3247859269494935, 0.3707785093219935, 2.5464382577487936, -8.77842872042117, 1.1256430668160136,
        4.980335725799634, 5.5943030563296805, 8.237871284320056, 9.138689851366731, 6.240127338483145,
        12.030499893442876, 12.457778937608575}},
      {"dim=12 layout=interleaved coordinates=corners frequencies=linear_bands max_resolution=10 grid=[5,3]",
       {3, 2},
       {-2, 1, 4, -3, -6, 5, -7, -8, -9, -10, -11, -12}},  // 1, 3 and 5 half turns
      {"dim=12 layout=interleaved coordinates=corners frequencies=log_bands max_resolution=10 grid=[5,3]",
       {3, 2},
       {-2, 1, -1.3465977111177623, -4.815254365494351, -6, 5, -7, -8, -0.1185830399103573,
        13.453101429136911, -11, -12}},
      {"dim=4 coordinates=corners frequencies=linear_bands grid=[3,2]",
       {2, 0},
       {-1, -2, -3, -4}},  // one pair: 1
  };
  for (const auto& [words, place, golden] : all) {
    const auto exact = rotated(encodings::axial_rope.oracle(Case::parse(words)), place),
               here = rotated(words, place);
    EXPECT_EQ(exact, golden) << words;
    ASSERT_EQ(here.size(), golden.size());
    for (std::size_t c = 0; c < golden.size(); ++c) EXPECT_DOUBLE_EQ(here[c], golden[c]) << words << " " << c;
  }
}

TEST(AxialRope, of_alternating_pairs_and_strided_frequencies_is_rope_where_both_numbers_are_equal) {
  const std::array<Position, 1> at = {1234};
  for (const std::string words : {"dim=16", "dim=16 layout=interleaved"}) {
    Tensor x({1, 1, 1, 16});
    std::iota(x.data.begin(), x.data.end(), 1.0);
    EXPECT_EQ(rotated(words + " order=alternating ladder=strided", {1234, 1234}),
              made<Rotary>(encodings::rope, words).rotate(x, at, Role::query).data);
  }
}

TEST(AxialRope, of_reversed_axes_takes_the_last_number_first) {
  EXPECT_EQ(rotated("dim=8 axis_order=reversed", {3, 5}), rotated("dim=8", {5, 3}));
  EXPECT_EQ(rotated("dim=14 axes=3 axis_order=reversed parts=[2,6,4]", {3, 5, 7}),
            rotated("dim=14 axes=3 parts=[2,6,4]", {7, 5, 3}));
  EXPECT_NE(rotated("dim=8", {3, 5}), rotated("dim=8", {5, 3}));
  // Four numbers, as FLUX.2 has them: the first two of a token that is in no image are 0.
  EXPECT_EQ(rotated("dim=8 axes=4 axis_order=reversed", {9, 7, 5, 3}), rotated("dim=8 axes=4", {3, 5, 7, 9}));
  EXPECT_EQ(rotated("dim=8 axes=4 axis_order=reversed coordinates=resized grid=[8,16,32,64] "
                    "trained_grid=[8,16,16,8]",
                    {0, 0, 6, 24}),
            rotated("dim=8 axes=4 axis_order=reversed", {0, 0, 3, 3}));
}

// Whichever of the axes is the longer one.
TEST(AxialRope, of_one_extent_takes_it_of_all_axes) {
  for (const std::string extent : {"largest", "smallest"}) {
    const std::string words = "dim=8 base=100 coordinates=cells extent=" + extent;
    const auto of = [&](const std::string& more, const Numbers& place) {
      return rotated(encodings::axial_rope.oracle(Case::parse(words + more)), place);
    };
    EXPECT_EQ(rotated(words + " grid=[3,5] axis_order=reversed", {2, 3}),
              rotated(words + " grid=[5,3]", {3, 2}));
    EXPECT_EQ(of(" grid=[3,5] axis_order=reversed", {2, 3}), of(" grid=[5,3]", {3, 2}));
  }
}

// FiT: of an axis that is s times as long as the trained one NTK's base, 10000 s^(d / (d - 2)) of its d = 4
// channels, which is 10000 s^2: its slowest pair is s times as slow as it was.
TEST(AxialRope, takes_a_base_for_each_axis) {
  const auto made = [](bool exact, const std::string& words) {
    const Parameters p = Case::parse(words);
    return as<Rotary>(exact ? encodings::axial_rope.oracle(p) : encodings::axial_rope.make(p));
  };
  const auto same = [&](const std::string& words, const std::string& other, std::size_t axis) {
    Numbers at(words.find("axes=3") == std::string::npos ? 2 : 3, 0);
    at[axis] = 7;
    for (const bool exact : {false, true})
      EXPECT_EQ(rotated(made(exact, words), at), rotated(made(exact, other), at)) << words << exact;
  };
  same("dim=8 bases=[40000,90000]", "dim=8 base=40000", 0);
  same("dim=8 bases=[40000,90000]", "dim=8 base=90000", 1);
  same("dim=8 bases=[40000,90000] axis_order=reversed", "dim=8 axis_order=reversed base=90000", 1);
  same("dim=8 axes=3 parts=[2,2,4] bases=[7,8,9]", "dim=8 axes=3 parts=[2,2,4] base=9", 2);
  same("dim=8 ladder=strided bases=[7,8]", "dim=8 ladder=strided base=8", 1);
  same("dim=8 bases=[40000,90000] coordinates=resized grid=[9,9]", "dim=8 coordinates=resized grid=[9,9]", 1);
  same("dim=8 bases=[40000,90000] factors=[2,3]", "dim=8 base=90000 factors=[2,3]", 1);
  for (const bool exact : {false, true}) {
    const Rotary rotary = made(exact, "dim=8 bases=[40000,90000]");
    // 10000^(-2/4) / s: a product of doubles, which holds it but for its last bit.
    EXPECT_DOUBLE_EQ(rotary.pairs[1].frequency, 0.01 / 2);
    EXPECT_DOUBLE_EQ(rotary.pairs[3].frequency, 0.01 / 3);
  }
}

TEST(AxialRope, divides_positions_by_its_factor) {
  EXPECT_EQ(rotated("dim=8 factor=2", {6, 10}), rotated("dim=8", {3, 5}));
  EXPECT_EQ(rotated("dim=8 factors=[2,5]", {6, 10}), rotated("dim=8", {3, 2}));
  EXPECT_EQ(rotated("dim=8 factors=[2,5] axis_order=reversed", {6, 10}),
            rotated("dim=8 axis_order=reversed", {3, 2}));
  EXPECT_EQ(rotated("dim=8 axes=3 parts=[2,2,4] factors=[1,2,4]", {3, 6, 8}),
            rotated("dim=8 axes=3 parts=[2,2,4]", {3, 3, 2}));
  EXPECT_EQ(rotated("dim=8 ladder=strided factors=[3,3]", {7, 8}),
            rotated("dim=8 ladder=strided factor=3", {7, 8}));
  for (const bool exact : {false, true}) {
    const auto roundings = [&](std::string_view words) {
      const Parameters p = Case::parse(words);
      return as<Rotary>(exact ? encodings::axial_rope.oracle(p) : encodings::axial_rope.make(p))
          .pairs[0]
          .frequency_error.roundings;
    };
    EXPECT_EQ(roundings("dim=8 factor=2"), 2);
    EXPECT_EQ(roundings("dim=8"), 0);
    EXPECT_EQ(roundings("dim=8 factors=[2,1]"), 2);
    EXPECT_EQ(roundings("dim=8 factors=[1,2]"), 0);
  }
}

// Rotating by p is rotating by p + offset without one, and a bound is that of the sum: of (0, 0) with an
// offset of 1000 that of (1000, 1000).
TEST(AxialRope, adds_its_offset_to_every_number) {
  for (const std::string words : {"dim=8", "dim=8 factor=2", "dim=8 axes=3 parts=[2,2,4]"})
    for (const bool exact : {false, true}) {
      const auto of = [&](const std::string& more) {
        const Parameters p = Case::parse(words + more);
        return as<Rotary>(exact ? encodings::axial_rope.oracle(p) : encodings::axial_rope.make(p));
      };
      const Rotary ahead = of(" offset=1000"), plain = of("");
      const Numbers at(plain.positions.axes, -3), there(plain.positions.axes, 997);
      EXPECT_EQ(rotated(ahead, at), rotated(plain, there)) << words << exact;
      const std::vector<double> x = {3, 6, 5, 8, 4, 8, 12, 15}, zero(at.size(), 0), far(at.size(), 1000);
      EXPECT_EQ(plain.error, nullptr);
      EXPECT_EQ(rotated_error(ahead, all_f32, zero, x), rotated_error(plain, all_f32, far, x)) << words;
    }
  for (const bool exact : {false, true}) {
    const auto of = [&](const std::string& offset) {
      const Parameters p =
          Case::parse("dim=8 coordinates=resized grid=[5,3] trained_grid=[5,6] offset=" + offset);
      return as<Rotary>(exact ? encodings::axial_rope.oracle(p) : encodings::axial_rope.make(p));
    };
    EXPECT_EQ(rotated(of("1"), {0, 0}), rotated(of("0"), {1, 1}));
    EXPECT_EQ(of("1").positions.last_on_axis, (Numbers{4, 2}));
  }
  const std::array<Position, 2> last = {std::numeric_limits<Position>::max(), 0};
  EXPECT_THROW(as<Rotary>(encodings::axial_rope.oracle(Case::parse("dim=4 offset=1")))
                   .rotate(Tensor({1, 1, 1, 4}), {last, 2}, Role::query),
               Refusal);
}

// By hand: 3 + p and 1 + 2 p, where 8 (4 - 1) / 4 = 6 and 6 (2 - 1) / 2 = 3 are the last numbers of 4 rows
// and 2 columns.
TEST(AxialRope, takes_steps_from_one_corner_of_a_crop_to_the_other) {
  const auto of = [](bool exact, const std::string& words, const Numbers& place) {
    const Parameters p = Case::parse("dim=8 " + words);
    return rotated(exact ? encodings::axial_rope.oracle(p) : encodings::axial_rope.make(p), place);
  };
  for (const bool exact : {false, true}) {
    const auto same = [&](const std::string& words, const Numbers& place, const Numbers& whole) {
      const auto here = of(exact, "coordinates=cropped " + words, place), there = of(exact, "", whole);
      for (std::size_t c = 0; c < there.size(); ++c)
        EXPECT_NEAR(here[c], there[c], exact ? 0 : 4 * unit_f64) << words << " " << c << " " << exact;
    };
    same("crop_start=[2,3] crop_stop=[7,6] grid=[5,3]", {4, 2}, {6, 5});
    same("crop_start=[3,1] crop_stop=[8,6] grid=[4,2] crop_spacing=stop_scaled", {0, 0}, {3, 1});
    same("crop_start=[3,1] crop_stop=[8,6] grid=[4,2] crop_spacing=stop_scaled", {2, 1}, {5, 3});
    same("crop_start=[1,0] crop_stop=[9,4] grid=[4,2]", {3, 1}, {7, 2});
    // Qwen-Image: -(E - E // 2), of 5 rows and 4 columns -3 and -2.
    same("crop_start=[-3,-2] crop_stop=[2,2] grid=[5,4]", {0, 0}, {-3, -2});
    same("crop_start=[-3,-2] crop_stop=[2,2] grid=[5,4]", {4, 3}, {1, 1});
    same("crop_start=[-9,-8] crop_stop=[-4,0] grid=[5,4]", {3, 3}, {-6, -2});
    same("crop_start=[-6,-9] crop_stop=[3,-5] grid=[3,5] crop_spacing=stop_scaled", {1, 4}, {-2, -4});
    EXPECT_EQ(of(exact, "coordinates=cropped crop_stop=[4,7] grid=[5,3]", {3, 2}),
              of(exact, "coordinates=resized trained_grid=[4,7] grid=[5,3]", {3, 2}));
  }
  for (const std::string refused : {"crop_start=[3,1] crop_stop=[3,6]",
                                    "crop_start=[5,1] crop_stop=[6,6] grid=[4,2] crop_spacing=stop_scaled",
                                    "crop_start=[1,6] crop_stop=[3,6]", "crop_spacing=stop_scaled grid=[1,4]",
                                    "crop_start=[1]", "crop_stop=[2.5,3]"})
    EXPECT_THROW(encodings::axial_rope.make(Case::parse("coordinates=cropped " + refused)), Refusal)
        << refused;
}

// Of the coordinate 3 + 2 p, whose step of 10/5 and whose product are 2 roundings of at most 10; of the one
// whose last number is 8 (5 - 1) / 5 = 6.4, 2 of that and 3 of 3.4. One more of itself, one of the angle, the
// power's 4.
TEST(AxialRope, bounds_what_a_coordinate_of_a_crop_loses) {
  const std::string crop = "dim=8 coordinates=cropped grid=[5,5] crop_start=[3,3] crop_stop=";
  const std::pair<std::string, double> all[] = {
      {"[13,13]", 2 * 10 + 9 * (2 + 4)},
      {"[8,8] crop_spacing=stop_scaled", 2 * 6.4 + 3 * 3.4 + 5.55 * (2 + 4)}};
  for (const auto& [words, units] : all)
    for (const bool exact : {false, true}) {
      const Parameters p = Case::parse(crop + words);
      const auto rotary = as<Rotary>(exact ? encodings::axial_rope.oracle(p) : encodings::axial_rope.make(p));
      const auto error = rotated_error(rotary, all_f64, std::vector<double>{3, 0},
                                       std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0});
      EXPECT_NEAR((error[0] - rotation_error(all_f64, 0, rotary.pairs[0])) / unit_f64, units,
                  20 * unit_f64 * (units + 8.1))
          << words;
      EXPECT_EQ(error[0], error[4]);
    }
}

// Where an implementation that takes the steps of DINOv3's code, in f32 or in f64, may be. The middle of an
// odd grid is no place at all; the first cell's coordinate is a difference that rounding moves by 1/E of a
// unit. In units, a bound here and there is a sum of less than ten terms above 0 of less than ten roundings
// each; before, 8.1 units of the rotation were taken off: 20 roundings of all of it.
TEST(AxialRope, bounds_what_a_coordinate_loses) {
  const auto bound = [](bool exact, std::string_view words, std::vector<double> place, const Precision& p) {
    const auto rotary = as<Rotary>(exact ? encodings::axial_rope.oracle(Case::parse(words))
                                         : encodings::axial_rope.make(Case::parse(words)));
    return rotated_error(rotary, p, place, std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0});
  };
  const double pi = std::numbers::pi;
  for (const bool exact : {false, true})
    for (const double u : {unit_f32, unit_f64}) {
      const Precision& p = u == unit_f32 ? all_f32 : all_f64;
      const auto angle = [&](std::string_view words, std::vector<double> place) {
        const auto all = bound(exact, words, std::move(place), p);
        EXPECT_EQ(all[0], all[4]);
        EXPECT_EQ(all[1], 0);
        return (all[0] - rotation_error(p, 0, {.first = 0, .second = 4, .frequency = 1})) / u;
      };
      const auto expect = [&](std::string_view words, std::vector<double> place, double units) {
        EXPECT_NEAR(angle(words, std::move(place)), units, 20 * unit_f64 * (units + 8.1)) << words;
      };
      // c = 2/5: 2 roundings of 7/5, 1 of 2/5; times 2 pi, 3 more and the power's 4.
      expect("dim=8 coordinates=cells grid=[5,3]", {3, 2}, 2 * pi * (2.8 + 0.4 + 0.4 * 7));
      expect("dim=8 coordinates=cells grid=[5,3]", {2, 2}, 2 * pi * 2);
      expect("dim=8 coordinates=cells grid=[5,3] unit=radians", {0, 2}, 0.4 + 0.8 + 0.8 * 5);
      expect("dim=8 coordinates=corners grid=[5,3] unit=radians", {4, 2}, 4 + 1 + 5);
    }
}

// Row 3 of 5 is 2/5, column 2 of 3 is 2/3; pairs 1 and 3 have the power 1/100. Both sides are sums of terms
// above 0, with at most 16 roundings in each: of 7/5 - 1, which counts 3.5 times, of products and of sums.
TEST(AxialRope, bounds_every_pair_by_its_own_coordinate_and_power) {
  const Parameters words = Case::parse("dim=8 coordinates=cells grid=[5,3]");
  const std::vector<double> place = {3, 2}, x = {3, 6, 5, 8, 4, 8, 12, 15};
  const double whole = 2 * std::numbers::pi;
  Precision coarse = all_f32;
  coarse.angle = 1;
  for (const bool exact : {false, true}) {
    const auto rotary =
        as<Rotary>(exact ? encodings::axial_rope.oracle(words) : encodings::axial_rope.make(words));
    const auto all = rotated_error(rotary, all_f32, place, x), most = rotated_error(rotary, coarse, place, x);
    for (std::size_t i = 0; i < 4; ++i) {
      const double c = i < 2 ? 0.4 : 2.0 / 3, power = i % 2 == 0 ? 1 : 0.01,
                   length = std::array<double, 4>{5, 10, 13, 17}[i];
      const auto rotation = [&](const Precision& p) { return rotation_error(p, 0, rotary.pairs[i]); };
      const double angle =
          whole * power * ((2 * (c + 1) + c + 3 * c) * unit_f32 + c * power_error(all_f32, power, i % 2));
      const double right = length * (angle + rotation(all_f32));
      EXPECT_NEAR(all[i], right, 2 * 16 * unit_f64 * right) << i << " " << exact;
      EXPECT_EQ(all[i], all[i + 4]) << i;
      if (i % 2 == 0) {
        EXPECT_DOUBLE_EQ(most[i], length * (2 + rotation(coarse))) << "no two unit vectors are further apart";
      }
    }
  }
}

// At the coordinates -3/4 and 1/4 an angle is off by w (2 (c + 1) + |c| (4 + own)) units, 1 of the
// coordinate, 3 of pi and the products, and what the frequency itself is: of the reference and of the oracle,
// but for 16 roundings in doubles on each side.
TEST(AxialRope, bounds_frequencies_that_lie_between_two) {
  const struct {
    std::string words;
    std::vector<double> own;  // of the frequencies of an axis, in units
  } all[] = {                 // 4 of a power and 3 of its logarithm; 6, 1 of that logarithm, and 3 ln 2.
             {"cells frequencies=periods min_period=0.5 max_period=8 grid=[4,4]",
              {10 + 3 * std::log(2.0), 10 + 4 * std::log(4.0) + 3 * std::log(2.0),
               10 + 4 * std::log(16.0) + 3 * std::log(2.0)}},
             {"cells frequencies=linear_bands max_resolution=10 grid=[4,4]", {4, 4, 4}},
             {"cells frequencies=log_bands max_resolution=10 grid=[4,4]",
              {5, 5 + 4 * std::log(5.0) / 2, 5 + 4 * std::log(5.0)}}};
  for (const auto& [words, own] : all)
    for (const bool exact : {false, true}) {
      const Parameters p = Case::parse("dim=12 coordinates=" + words);
      const auto rotary = as<Rotary>(exact ? encodings::axial_rope.oracle(p) : encodings::axial_rope.make(p));
      for (std::size_t i = 0; i < 6; ++i) {
        std::vector<double> x(12);
        x[i] = 1;
        const double c = i < 3 ? -0.75 : 0.25, radians = rotary.pairs[i].frequency * 2;  // a step is 1/2
        const std::vector<double> place = {0, 2};
        const double angle = radians * (2 * (c + 1) + std::abs(c) * (1 + 3 + own[i % 3])) * unit_f32;
        EXPECT_NEAR(rotated_error(rotary, all_f32, place, x)[i] /
                        (angle + rotation_error(all_f32, 0, rotary.pairs[i])),
                    1, 2 * 16 * unit_f64)
            << words << " " << exact << " " << i;
      }
    }
}

TEST(AxialRope, ends_with_its_grid) {
  for (const bool exact : {false, true})
    for (const std::string coordinates :
         {"resized trained_grid=[3,4,7]", "cropped crop_start=[1,0,2] crop_stop=[4,9,5]", "cells",
          "corners"}) {
      const Parameters words =
          Case::parse("dim=12 axes=3 parts=[2,6,4] grid=[2,5,3] coordinates=" + coordinates);
      const auto rotary =
          as<Rotary>(exact ? encodings::axial_rope.oracle(words) : encodings::axial_rope.make(words));
      EXPECT_EQ(rotary.positions.last_on_axis, (Numbers{1, 4, 2})) << coordinates;
      EXPECT_EQ(rotary.positions.hi, 4) << coordinates;
      EXPECT_EQ(rotary.error == nullptr, coordinates.starts_with("resized"));
      EXPECT_EQ(rotary.pairs[1].frequency_error.roundings, 2) << coordinates;
    }
}

// Where a step is 1 a frequency is the power itself.
TEST(AxialRope, divides_no_frequency_where_steps_are_those_of_the_grid) {
  for (const std::string words : {"coordinates=resized trained_grid=[5,3] grid=[5,3]",
                                  "coordinates=cropped crop_start=[2,3] crop_stop=[7,6] grid=[5,3]"}) {
    const Parameters p = Case::parse("dim=8 " + words);
    for (const Encoding& one : {encodings::axial_rope.make(p), encodings::axial_rope.oracle(p)})
      EXPECT_EQ(as<Rotary>(one).pairs[1].frequency_error.roundings, 0) << words;
  }
}

TEST(AxialRope, leaves_what_its_parts_leave) {
  const auto tail = [](std::string_view words) {
    return channels_in_no_pair(made<Rotary>(encodings::axial_rope, words));
  };
  EXPECT_EQ(tail("dim=14 axes=3"), (std::vector<std::size_t>{12, 13}));
  EXPECT_EQ(tail("dim=14 axes=2"), (std::vector<std::size_t>{12, 13}));
  EXPECT_EQ(tail("dim=9 parts=[2,4]"), (std::vector<std::size_t>{6, 7, 8}));
  EXPECT_EQ(tail("dim=12 axes=3"), (std::vector<std::size_t>{}));
}

TEST(AxialRope, rotates_every_token_of_every_row_and_head_by_its_own_place) {
  for (const std::string words : {"dim=8", "dim=8 coordinates=cells grid=[100001,12]",
                                  "dim=8 coordinates=resized grid=[100001,12] trained_grid=[16,16]"}) {
    const auto rotary = made<Rotary>(encodings::axial_rope, words + " heads=3"),
               one = made<Rotary>(encodings::axial_rope, words);
    const auto exact = encodings::axial_rope.oracle<Rotary>(Case::parse(words + " heads=3"));
    Tensor x({2, 3, 2, 8});
    std::iota(x.data.begin(), x.data.end(), 1.0);
    const Numbers places = {3, 5, 7, 11, 0, 2, 100000, 4};
    const Tensor all = rotary.rotate(x, {places, 2}, Role::key),
                 oracle = exact.rotate(x, {places, 2}, Role::key);
    for (std::size_t row = 0; row < x.rows(); ++row) {
      const std::size_t token = row / 6 * 2 + row % 2;
      const auto here = x.row(row);
      const Tensor alone = one.rotate(Tensor({1, 1, 1, 8}, {here.begin(), here.end()}),
                                      {std::span(places).subspan(2 * token, 2), 2}, Role::key);
      const std::vector<double> place(places.begin() + static_cast<long>(2 * token),
                                      places.begin() + static_cast<long>(2 * token + 2));
      const auto apart = once_rounded(one, place, here, alone.row(0));
      for (std::size_t c = 0; c < 8; ++c) {
        EXPECT_EQ(all.at(row, c), alone.at(0, c)) << words << " " << row << " " << c;
        EXPECT_NEAR(oracle.at(row, c), alone.at(0, c), apart[c] + unit_f64 * std::abs(oracle.at(row, c)))
            << words << " " << row << " " << c;
      }
    }
    EXPECT_THROW(rotary.rotate(x, {std::span(places).first(4), 2}, Role::key), std::invalid_argument);
    EXPECT_THROW(rotary.rotate(x, std::span(places).first(4), Role::key), std::invalid_argument);
    EXPECT_THROW(exact.rotate(x, std::span(places).first(4), Role::key), std::invalid_argument);
  }
}

TEST(AxialRope, refuses_what_makes_no_sense) {
  const auto no = [](std::string_view words) { return refused(encodings::axial_rope, words); };
  EXPECT_EQ(no("dim=3"), "`dim=3 axes=2`; allowed: widths with a pair for each axis");
  EXPECT_EQ(no("dim=5 axes=3"), "`dim=5 axes=3`; allowed: widths with a pair for each axis");
  EXPECT_EQ(no("axes=5"), "`axes=5`; allowed: whole numbers from 2 to 4");
  EXPECT_EQ(no("coordinates=cells grid=[5]"),
            "`grid=[5] axes=2 coordinates=cells`; allowed: whole numbers from 1, one for each axis");
  EXPECT_EQ(no("coordinates=corners grid=[5,0.5]"),
            "`grid=[5,0.5] axes=2 coordinates=corners`; allowed: whole numbers from 1, one for each axis");
  EXPECT_EQ(
      no("coordinates=corners grid=[5,1]"),
      "`grid=[5,1] coordinates=corners`; allowed: axes of 2 numbers at least, between whose corners they "
      "lie");
  EXPECT_EQ(
      no("coordinates=resized trained_grid=[0,16]"),
      "`trained_grid=[0,16] axes=2 coordinates=resized`; allowed: whole numbers from 1, one for each axis");
  EXPECT_EQ(
      no("coordinates=corners grid=[1,5]"),
      "`grid=[1,5] coordinates=corners`; allowed: axes of 2 numbers at least, between whose corners they "
      "lie");
  EXPECT_EQ(no("coordinates=cells grid=[5,2.5]"),
            "`grid=[5,2.5] axes=2 coordinates=cells`; allowed: whole numbers from 1, one for each axis");
  EXPECT_EQ(no("coordinates=cells grid=[5,1]"), "not refused");
  EXPECT_EQ(no("parts=[2,2,2]"), "`parts=[2,2,2] axes=2`; allowed: as many parts as axes, or [0]");
  EXPECT_EQ(no("parts=[]"), "`parts=[] axes=2`; allowed: as many parts as axes, or [0]");
  EXPECT_EQ(no("dim=8 parts=[6,4]"),
            "`parts=[6,4] dim=8`; allowed: even numbers from 2, of which the sum is at most `dim`");
  EXPECT_EQ(no("parts=[3,4]"),
            "`parts=[3,4] dim=64`; allowed: even numbers from 2, of which the sum is at most `dim`");
  EXPECT_EQ(no("parts=[0,4]"),
            "`parts=[0,4] dim=64`; allowed: even numbers from 2, of which the sum is at most `dim`");
  EXPECT_EQ(no("parts=[2,4] order=alternating"),
            "`parts=[2,4] order=alternating`; allowed: parts of one width");
  EXPECT_EQ(no("parts=[2,4] ladder=strided"), "`parts=[2,4] ladder=strided`; allowed: parts of one width");
  EXPECT_EQ(
      no("order=alternating layout=half_split_by_axis"),
      "`order=alternating layout=half_split_by_axis`; allowed: blocks, where the halves are those of each axis");
  for (const std::string form : {"periods", "linear_bands", "log_bands"}) {
    EXPECT_EQ(no("ladder=strided coordinates=cells frequencies=" + form),
              "`ladder=strided coordinates=cells frequencies=" + form +
                  "`; allowed: restarted, where frequencies are no powers of the base");
    EXPECT_EQ(no("ladder=strided coordinates=resized frequencies=" + form), "not refused");
  }
  EXPECT_EQ(no("ladder=strided coordinates=cells"), "not refused");
  EXPECT_EQ(no("max_resolution=1"), "`max_resolution=1`; allowed: finite numbers from 2");
  EXPECT_EQ(no("min_period=0"), "`min_period=0`; allowed: finite numbers above 0");
  EXPECT_EQ(no("factor=0.5"), "`factor=0.5`; allowed: finite numbers from 1");
  EXPECT_EQ(no("factors=[2]"),
            "`factors=[2] axes=2 coordinates=whole`; allowed: numbers from 1, one for each axis, or [0]");
  EXPECT_EQ(no("factors=[2,0.5]"),
            "`factors=[2,0.5] axes=2 coordinates=whole`; allowed: numbers from 1, one for each axis, or [0]");
  EXPECT_EQ(no("factor=2 factors=[2,1]"),
            "`factor=2 factors=[2,1] coordinates=whole`; allowed: 1 where each axis has a factor of its own");
  EXPECT_EQ(no("factors=[2,1]"), "not refused");
  EXPECT_EQ(no("bases=[2]"),
            "`bases=[2] axes=2 coordinates=whole`; allowed: numbers above 0, one for each axis, or [0]");
  EXPECT_EQ(no("bases=[2,0]"),
            "`bases=[2,0] axes=2 coordinates=whole`; allowed: numbers above 0, one for each axis, or [0]");
  EXPECT_EQ(
      no("base=20 bases=[20,10]"),
      "`base=20 bases=[20,10] coordinates=whole`; allowed: 10000 where each axis has a base of its own");
  EXPECT_EQ(no("bases=[2,1]"), "not refused");
  EXPECT_EQ(no("heads=64 dim=16386"), "`heads=64 dim=16386`; allowed: at most 1048576 channels in all heads");
  EXPECT_EQ(no("parts=[4,4] order=alternating ladder=strided"), "not refused");
}

}  // namespace
}  // namespace posproof::axial_rope_test
