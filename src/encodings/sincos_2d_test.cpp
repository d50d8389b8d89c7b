#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "catalogue/encodings/sincos_2d.h"
#include "catalogue/encodings/sinusoidal.h"
#include "core/error.h"
#include "encodings/made.h"

namespace posproof::sincos_2d_test {
namespace {

using Numbers = std::vector<Position>;

std::vector<double> row(const Encoding& encoding, const Numbers& place) {
  return as<Table>(encoding).rows({place, place.size()}, 1).data;
}
std::vector<double> row(std::string_view words, const Numbers& place) {
  return row(encodings::sincos_2d.make(Case::parse(words)), place);
}
std::vector<double> sinusoidal(const std::string& words, Position t) {
  return made<Table>(encodings::sinusoidal, words).rows({&t, 1}, 1).data;
}

// Golden numbers from 40-digit arithmetic, of the reference and of the oracle, at row 3 and column 5.
TEST(Sincos2d, has_the_numbers_of_the_conventions_in_use) {
  const struct {
    std::string_view words;
    std::vector<double> golden;
  } all[] = {
      {"dim=8 axis_order=reversed",  // MAE
       {-0.95892427466313847, 0.049979169270678329, 0.28366218546322626, 0.99875026039496625,
        0.14112000805986722, 0.029995500202495661, -0.98999249660044546, 0.99955003374898752}},
      {"dim=8 axis_order=reversed divisor=half_minus_one",  // big_vision
       {-0.95892427466313847, 0.00049999997916666693, 0.28366218546322626, 0.9999998750000026,
        0.14112000805986722, 0.00029999999550000002, -0.98999249660044546, 0.99999995500000034}},
      {"dim=8 axis_order=reversed offset=64 factor=3",  // Stable Diffusion 3, cropped from row and column 64
       {-0.8462204041751706, 0.2279775235351884, -0.5328330203333975, 0.9736663950053749,
        -0.33554598559817045, 0.22148139616891072, -0.9420238274847151, 0.9751645969532887}},
      {"dim=8 layout=sines_first",  // timm
       {0.14112000805986722, 0.029995500202495661, -0.95892427466313847, 0.049979169270678329,
        -0.98999249660044546, 0.99955003374898752, 0.28366218546322626, 0.99875026039496625}},
      {"dim=8 layout=alternating axis_order=reversed offset=1",  // LoFTR
       {-0.27941549819892587, 0.96017028665036602, -0.75680249530792825, -0.65364362086361191,
        0.059964006479444599, 0.99820053993520417, 0.039989334186634159, 0.99920010666097794}},
      {"dim=8 layout=interleaved offset=1",  // DETR
       {-0.75680249530792825, -0.65364362086361191, 0.039989334186634159, 0.99920010666097794,
        -0.27941549819892587, 0.96017028665036602, 0.059964006479444599, 0.99820053993520417}},
      {"dim=8 layout=interleaved offset=1 normalize=detr grid=[7,12]",
       {-0.43388327699884427, -0.9009690904469166, 0.035896197508757645, 0.9993555238274376,
        2.6179936610499726e-07, -0.9999999999999657, 0.03141075646142646, 0.9995065604479647}},
      {"dim=8 layout=interleaved offset=1 normalize=centred grid=[7,12]",  // Deformable DETR
       {4.4879888652115055e-07, -0.9999999999998993, 0.03141075459235398, 0.9995065605067027,
        0.25881927690805157, -0.9659257641769337, 0.02879394996943099, 0.9995853682628402}},
      {"dim=8 layout=interleaved offset=1 normalize=detr grid=[7,12] bases=[20,40]",  // DINO's temperatureH,
                                                                                      // temperatureW
       {-0.43388327699884427, -0.9009690904469166, 0.7193289626452187, 0.6946695930438826,
        2.6179936610499726e-07, -0.9999999999999657, 0.47655273332343207, 0.8791458879855868}},
      {"dim=8 layout=interleaved offset=1 normalize=detr grid=[7,12] bases=[40,20] axis_order=reversed",
       {2.6179936610499726e-07, -0.9999999999999657, 0.6461135924748114, 0.7632412630481226,
        -0.43388327699884427, -0.9009690904469166, 0.5376863902106909, 0.8431449138684267}},
      {"dim=8 layout=interleaved offset=1 normalize=detr grid=[7,12] scale=1 eps=0",
       {0.5408342133588315, 0.8411292134152362, 0.00571425461618294, 0.9999836735138137, 0.479425538604203,
        0.8775825618903728, 0.004999979166692708, 0.9999875000260416}},
      {"dim=8 layout=interleaved bases=[100,40]",
       {0.1411200080598672, -0.9899924966004454, 0.2955202066613396, 0.955336489125606, -0.9589242746631385,
        0.28366218546322625, 0.7107539373458331, 0.7034407157304696}},
  };
  for (const auto& [words, golden] : all) {
    EXPECT_EQ(row(encodings::sincos_2d.oracle(Case::parse(words)), {3, 5}), golden) << words;
    const auto here = row(words, {3, 5});
    for (std::size_t c = 0; c < 8; ++c)
      EXPECT_NEAR(here[c], golden[c], 1e-18 + 2e-16 * std::abs(golden[c])) << words << " " << c;
  }
}

// Each part is the table of one number, with the width and the convention of its part.
TEST(Sincos2d, is_one_sinusoidal_table_beside_the_other) {
  for (const std::string divisor : {"half", "half_minus_one"})
    for (const std::string layout : {"sin_cos", "cos_sin", "interleaved"}) {
      const std::string own = " layout=" + layout + " divisor=" + divisor;
      const auto of_rows = sinusoidal("dim=8" + own, 3), of_columns = sinusoidal("dim=8" + own, 50);
      auto both = of_rows;
      both.insert(both.end(), of_columns.begin(), of_columns.end());
      EXPECT_EQ(row("dim=16" + own, {3, 50}), both) << own;
      both.assign(of_columns.begin(), of_columns.end());
      both.insert(both.end(), of_rows.begin(), of_rows.end());
      EXPECT_EQ(row("dim=16 axis_order=reversed" + own, {3, 50}), both) << own;
    }
}

TEST(Sincos2d, of_images_has_a_part_for_the_time) {
  std::vector<double> all;
  const std::vector<Position> place = {2, 3, 50};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto part = sinusoidal("dim=" + std::to_string(axis == 1 ? 6 : 4) + " layout=sin_cos", place[axis]);
    all.insert(all.end(), part.begin(), part.end());
  }
  EXPECT_EQ(row("dim=14 axes=3 parts=[4,6,4]", place), all);
  EXPECT_EQ(row("dim=14 axes=3 parts=[4,6,4] axis_order=reversed", {50, 3, 2}), all);
  // The same columns, of which the sines of all axes stand first.
  std::vector<double> sines_first;
  for (const std::size_t c : {0, 1, 4, 5, 6, 10, 11, 2, 3, 7, 8, 9, 12, 13}) sines_first.push_back(all[c]);
  const std::string words = "dim=14 axes=3 parts=[4,6,4] layout=sines_first";
  EXPECT_EQ(row(words, place), sines_first);
  EXPECT_EQ(row(words + " axis_order=reversed", {50, 3, 2}), sines_first);
  const auto exact = row(encodings::sincos_2d.oracle(Case::parse(words)), place);
  // The nearest double, and one from long double, which may be its neighbour.
  for (std::size_t c = 0; c < 14; ++c) EXPECT_NEAR(exact[c], sines_first[c], 0x1p-53) << c;
}

// Each axis has the columns of its own table two by two, a frequency at a time.
TEST(Sincos2d, alternating_takes_a_pair_of_each_axis_in_turn) {
  const Numbers place = {2, 3, 50};
  for (const std::string more : {"", " divisor=half_minus_one", " axis_order=reversed", " uneven=zero_pad"})
    for (const bool exact : {false, true}) {
      const auto of = [&](const std::string& layout) {
        const Parameters p = Case::parse("axes=3 layout=" + layout + more +
                                         (more == " uneven=zero_pad" ? " dim=15" : " dim=12"));
        return row(exact ? encodings::sincos_2d.oracle(p) : encodings::sincos_2d.make(p), place);
      };
      const auto parts = of("interleaved"), turns = of("alternating");
      for (std::size_t c = 0; c < parts.size(); ++c) {
        const std::size_t axis = c / 4, frequency = c % 4 / 2;
        EXPECT_EQ(turns[c < 12 ? 6 * frequency + 2 * axis + c % 2 : c], parts[c]) << more << ' ' << c;
      }
    }
}

TEST(Sincos2d, of_a_width_that_does_not_divide_is_padded_or_cut) {
  const auto padded = row("dim=15 axes=3 uneven=zero_pad", {2, 3, 50}),
             whole = row("dim=12 axes=3", {2, 3, 50});
  for (std::size_t c = 0; c < 15; ++c) EXPECT_EQ(padded[c], c < 12 ? whole[c] : 0) << c;
  // As 16, of which 14 columns stay.
  const auto cut = row("dim=14 uneven=round_up layout=interleaved", {3, 50}),
             more = row("dim=16 layout=interleaved", {3, 50});
  for (std::size_t c = 0; c < 14; ++c) EXPECT_EQ(cut[c], more[c]) << c;
  EXPECT_EQ(made<Table>(encodings::sincos_2d, "dim=14 uneven=round_up layout=interleaved").pairs.size(), 7u);
  EXPECT_EQ(
      row(encodings::sincos_2d.oracle(Case::parse("dim=14 uneven=round_up layout=interleaved")), {0, 0}),
      (std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(row("dim=16 uneven=zero_pad", {3, 50}), row("dim=16", {3, 50}));
  EXPECT_EQ(row("dim=16 uneven=round_up layout=interleaved", {3, 50}),
            row("dim=16 layout=interleaved", {3, 50}));
}

// V-JEPA's tables with uniform_power, of which 10 of 12 columns stay: two sines are alone.
TEST(Sincos2d, truncated_has_sines_without_cosines) {
  const Numbers place = {2, 3, 50};
  const Parameters words = Case::parse("dim=10 axes=3 uneven=truncate offset=1 factor=2");
  for (const bool exact : {false, true}) {
    const Encoding cut = exact ? encodings::sincos_2d.oracle(words) : encodings::sincos_2d.make(words);
    const Parameters whole = Case::parse("dim=12 axes=3 offset=1 factor=2");
    auto more = row(exact ? encodings::sincos_2d.oracle(whole) : encodings::sincos_2d.make(whole), place);
    more.resize(10);
    EXPECT_EQ(row(cut, place), more);
    const Table& table = as<Table>(cut);
    EXPECT_EQ(table.pairs.size(), 4u);
    // What rounding may do to a sine does not depend on whether its cosine is there: of these three numbers
    // 51 over 2, and 51 over 200.
    const std::array<double, 3> at = {2, 3, 50};
    std::array<double, 10> error = {};
    table.row_error(at, more, all_f32, error);
    for (const std::size_t c : {8, 9})
      EXPECT_DOUBLE_EQ(error[c], sine_error(all_f32, 51,
                                            {.first = c,
                                             .second = c,
                                             .frequency = c == 8 ? 1. / 2 : 1. / 200,
                                             .index = c - 8,
                                             .frequency_error = {.roundings = 2}}));
    EXPECT_DOUBLE_EQ(error[0], error[2]);
    EXPECT_LT(error[4], error[8]);
  }
  EXPECT_EQ(row("dim=12 axes=3 uneven=truncate", place), row("dim=12 axes=3", place));
  EXPECT_FALSE(made<Table>(encodings::sincos_2d, "dim=12 axes=3 uneven=truncate").row_error);
}

// The last row of a grid of 7 is nearly one turn, and no frequency is a power of the base.
TEST(Sincos2d, normalised_takes_one_turn_for_the_grid) {
  const auto table = made<Table>(encodings::sincos_2d, "dim=8 offset=1 normalize=detr grid=[7,12]");
  EXPECT_DOUBLE_EQ(table.pairs[0].frequency, 2 * std::numbers::pi / (7 + 1e-6));
  EXPECT_DOUBLE_EQ(table.pairs[2].frequency, 2 * std::numbers::pi / (12 + 1e-6));
  EXPECT_EQ(table.pairs[0].frequency_error.roundings, 4);
  EXPECT_EQ(table.offset, 1);
  EXPECT_EQ(made<Table>(encodings::sincos_2d, "dim=8 offset=1 normalize=centred").offset, 0.5);
  const auto oracle =
      encodings::sincos_2d.oracle<Table>(Case::parse("dim=8 offset=1 normalize=centred grid=[7,12]"));
  EXPECT_EQ(oracle.offset, 0.5);
  EXPECT_EQ(oracle.pairs[2].frequency, 2 * std::numbers::pi / (12 + 1e-6));
  EXPECT_EQ(oracle.pairs[2].frequency_error.roundings, 4);
  EXPECT_EQ(oracle.pairs[2].axis, 1u);
}

// The quotient of a position is rounded, and so is what it is divided by; of one that is not divided, nothing
// is.
TEST(Sincos2d, counts_the_roundings_of_its_frequencies) {
  const auto roundings = [](std::string_view words) {
    const Parameters p = Case::parse(words);
    const double here = encodings::sincos_2d.make<Table>(p).pairs[1].frequency_error.roundings;
    EXPECT_EQ(encodings::sincos_2d.oracle<Table>(p).pairs[1].frequency_error.roundings, here) << words;
    return here;
  };
  EXPECT_EQ(roundings("dim=8"), 0);
  EXPECT_EQ(roundings("dim=8 factor=3"), 2);
  EXPECT_EQ(roundings("dim=8 factors=[3,1]"), 2);
  EXPECT_EQ(roundings("dim=8 factors=[1,3]"), 0);
  EXPECT_EQ(roundings("dim=8 factors=[1,3] axis_order=reversed"), 2);
  EXPECT_EQ(roundings("dim=8 normalize=detr"), 4);
  EXPECT_EQ(roundings("dim=8 normalize=detr factor=3"), 4);
  EXPECT_EQ(row("dim=8 normalize=detr factor=3", {3, 5}), row("dim=8 normalize=detr", {3, 5}));
  const auto exact = [](std::string_view words) {
    return row(encodings::sincos_2d.oracle(Case::parse(words)), {3, 5});
  };
  EXPECT_EQ(exact("dim=8 normalize=detr factor=3"), exact("dim=8 normalize=detr"));
}

// By hand: place (6, 10) of a grid of which each row counts half and each column a fifth is place (3, 2).
TEST(Sincos2d, divides_the_numbers_of_each_axis) {
  const auto both = [](const std::string& words, const std::vector<Position>& place, const std::string& other,
                       const std::vector<Position>& there) {
    EXPECT_EQ(row(words, place), row(other, there)) << words;
    EXPECT_EQ(row(encodings::sincos_2d.oracle(Case::parse(words)), place),
              row(encodings::sincos_2d.oracle(Case::parse(other)), there))
        << words;
  };
  both("dim=8 factors=[2,5]", {6, 10}, "dim=8", {3, 2});
  both("dim=8 factors=[2,5] axis_order=reversed", {6, 10}, "dim=8 axis_order=reversed", {3, 2});
  both("dim=8 factors=[2,5] offset=2", {4, 8}, "dim=8", {3, 2});
  both("dim=12 axes=3 factors=[1,2,4] layout=sines_first", {3, 6, 8}, "dim=12 axes=3 layout=sines_first",
       {3, 3, 2});
  both("dim=8 factors=[3,3]", {7, 8}, "dim=8 factor=3", {7, 8});
}

// Each axis has the columns of a table that has its base on every axis.
TEST(Sincos2d, has_a_base_for_each_axis) {
  const std::vector<Position> place = {2, 3, 50};
  for (const std::string more : {"", " divisor=half_minus_one", " axis_order=reversed factors=[1,3,2]",
                                 " normalize=centred grid=[4,9,60] scale=5"}) {
    const std::string words = "dim=12 axes=3" + more;
    for (const bool exact : {false, true}) {
      const auto made = [&](const std::string& base) {
        const Parameters p = Case::parse(words + base);
        return row(exact ? encodings::sincos_2d.oracle(p) : encodings::sincos_2d.make(p), place);
      };
      const auto all = made(" bases=[7,80,900]");
      const std::vector<std::string> bases = {" base=7", " base=80", " base=900"};
      for (std::size_t part = 0; part < 3; ++part) {
        const std::size_t axis = more.find("reversed") == std::string::npos ? part : 2 - part;
        const auto own = made(bases[axis]);
        for (std::size_t c = 4 * part; c < 4 * part + 4; ++c) EXPECT_EQ(all[c], own[c]) << words << ' ' << c;
      }
    }
  }
}

TEST(Sincos2d, refuses_positions_of_another_number_of_axes) {
  EXPECT_THROW(row("dim=8", {3}), std::invalid_argument);
  EXPECT_THROW(row("dim=8", {3, 4, 5}), std::invalid_argument);
  EXPECT_THROW(row(encodings::sincos_2d.oracle(Case::parse("dim=8")), {3, 4, 5}), Refusal);
}

TEST(Sincos2d, refuses_what_makes_no_sense) {
  const auto no = [](std::string_view words) { return refused(encodings::sincos_2d, words); };
  EXPECT_EQ(no("dim=6"), "`dim=6 axes=2 uneven=refuse`; allowed: multiples of twice the axes");
  EXPECT_EQ(no("axes=3"), "`dim=64 axes=3 uneven=refuse`; allowed: multiples of twice the axes");
  EXPECT_EQ(no("dim=2 uneven=zero_pad"), "`dim=2 axes=2`; allowed: widths with a frequency for each axis");
  EXPECT_EQ(no("dim=4 divisor=half_minus_one"),
            "`dim=4 parts=[0] divisor=half_minus_one`; allowed: parts with two frequencies");
  EXPECT_EQ(no("dim=7 uneven=round_up layout=interleaved"), "`dim=7 uneven=round_up`; allowed: even widths");
  EXPECT_EQ(no("dim=6 uneven=round_up"),
            "`layout=sin_cos uneven=round_up`; allowed: interleaved columns, where some are cut");
  EXPECT_EQ(no("dim=10 axes=3 uneven=truncate layout=cos_sin"),
            "`layout=cos_sin uneven=truncate`; allowed: sines before cosines, which are cut");
  EXPECT_EQ(no("dim=11 axes=3 uneven=truncate"), "`dim=11 uneven=truncate`; allowed: even widths");
  EXPECT_EQ(no("dim=8 axes=3 uneven=truncate"),
            "`dim=8 axes=3 uneven=truncate`; allowed: widths that have every sine");
  EXPECT_EQ(no("dim=20 axes=3 uneven=truncate"), "not refused");
  EXPECT_EQ(no("dim=8 parts=[4,2]"),
            "`parts=[4,2] dim=8 uneven=refuse`; allowed: even numbers from 2 that fill the width");
  EXPECT_EQ(no("dim=8 parts=[3,5]"),
            "`parts=[3,5] dim=8 uneven=refuse`; allowed: even numbers from 2 that fill the width");
  EXPECT_EQ(no("dim=8 parts=[8,0]"),
            "`parts=[8,0] dim=8 uneven=refuse`; allowed: even numbers from 2 that fill the width");
  EXPECT_EQ(no("dim=8 parts=[2,2,4]"), "`parts=[2,2,4] axes=2`; allowed: as many parts as axes, or [0]");
  EXPECT_EQ(no("dim=8 parts=[2,4] uneven=zero_pad"), "not refused");
  EXPECT_EQ(no("dim=12 parts=[4,8] layout=alternating"),
            "`parts=[4,8] layout=alternating`; allowed: parts of one width, where axes alternate");
  EXPECT_EQ(no("dim=12 parts=[6,6] layout=alternating"), "not refused");
  EXPECT_EQ(no("dim=8 parts=[4,6] uneven=zero_pad"),
            "`parts=[4,6] dim=8 uneven=zero_pad`; allowed: even numbers from 2 that fill the width");
  EXPECT_EQ(no("bases=[20]"), "`bases=[20] axes=2`; allowed: numbers above 0, one for each axis, or [0]");
  EXPECT_EQ(no("bases=[20,0]"), "`bases=[20,0] axes=2`; allowed: numbers above 0, one for each axis, or [0]");
  EXPECT_EQ(no("base=100 bases=[20,40]"),
            "`base=100 bases=[20,40]`; allowed: 10000 where each axis has a base of its own");
  EXPECT_EQ(no("factors=[2]"),
            "`factors=[2] axes=2 normalize=none`; allowed: numbers from 1, one for each axis, or [0]");
  EXPECT_EQ(no("factors=[2,0.5]"),
            "`factors=[2,0.5] axes=2 normalize=none`; allowed: numbers from 1, one for each axis, or [0]");
  EXPECT_EQ(no("factor=2 factors=[2,1]"),
            "`factor=2 factors=[2,1] normalize=none`; allowed: 1 where each axis has a factor of its own");
  EXPECT_EQ(no("normalize=detr grid=[7]"),
            "`grid=[7] axes=2 normalize=detr`; allowed: whole numbers from 1, one for each axis");
  EXPECT_EQ(no("normalize=detr grid=[7,0]"),
            "`grid=[7,0] axes=2 normalize=detr`; allowed: whole numbers from 1, one for each axis");
  EXPECT_EQ(no("normalize=centred grid=[7,1.5]"),
            "`grid=[7,1.5] axes=2 normalize=centred`; allowed: whole numbers from 1, one for each axis");
}

}  // namespace
}  // namespace posproof::sincos_2d_test
