// Numbers of programs that identify() measures: what positions of a grid are divided by, frequencies of every
// number, the centre of xPos, slopes inside a layer of attention. One that is wrong by little is not named
// so.
#include <gtest/gtest.h>

#include <functional>

#include "identify/identify.h"
#include "report/identified.h"
#include "run/catalogued.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::identify_measured_test {
namespace {

Tensor in_f32(Tensor values) {
  for (double& value : values.data) value = static_cast<float>(value);
  return values;
}

struct Named {
  std::string id, words;

  const EncodingSpec& spec() const { return encoding_named(id); }
  Parameters parameters() const { return Case::parse(words); }
  Encoding made() const { return spec().make(with(spec(), parameters())); }
};

// What identify() says of one that answers so in f32, taken for that candidate, of which alone is known what
// it declares.
std::string said(const Encoding& is, const Named& taken_for) {
  Encoding like = answered_by(taken_for.made(), [is](const Call& call) { return in_f32(answer(is, call)); });
  std::visit(
      [](auto& kind) {
        if constexpr (requires { kind.exact; }) kind.exact = {};
      },
      like);
  const Identified found =
      identify(Subject{"live", "", like, all_f32}, Candidate{taken_for.id, taken_for.parameters()});
  return found.hold.empty() ? "nothing" : report::convention(found.hold.front().candidate);
}

void expect_named(const Named& is, const Named& taken_for) {
  EXPECT_EQ(said(is.made(), taken_for), report::convention({is.id, is.parameters()}));
}

// One rotation of the channels of the first numbers' pairs, the other of those of number `axis`.
Encoding mixture(const Encoding& one, const Encoding& other, std::size_t axis) {
  return answered_by(one, [=](const Call& call) {
    Tensor out = answer(one, call);
    const Tensor more = answer(other, call);
    for (const Pair& pair : as<Rotary>(one).pairs)
      for (std::size_t r = 0; r < out.rows() && pair.axis == axis; ++r)
        for (const std::size_t c : {pair.first, pair.second}) out.at(r, c) = more.at(r, c);
    return out;
  });
}

TEST(IdentifyMeasured, names_what_positions_of_a_grid_are_divided_by) {
  const Named known{"axial_rope", "dim=32 heads=2"};
  for (const std::string more :
       {"layout=interleaved factor=1.5", "factor=3 base=100 layout=half_split_by_axis",
        "base=200 layout=interleaved axis_order=reversed", "factor=2 ladder=strided layout=interleaved",
        "factors=[1.5,1]", "base=300 factors=[1,1.25] layout=interleaved axis_order=reversed"})
    expect_named({"axial_rope", "dim=32 heads=2 " + more}, known);
  const std::string words = "dim=32 heads=2 layout=interleaved ";
  const Encoding rows = Named{"axial_rope", words + "factor=1.5"}.made(),
                 columns = Named{"axial_rope", words + "factor=1.5 base=300"}.made();
  // Each axis has frequencies of its own, and no other's.
  EXPECT_EQ(
      said(mixture(rows, columns, 1), known).find("mixed_rope --dim 32 --heads 2 --layout interleaved "), 0u);
}

TEST(IdentifyMeasured, names_the_frequencies_of_every_number) {
  const Named known{"axial_rope", "dim=8 heads=2"};
  const std::string words = "dim=8 heads=2 layout=interleaved ",
                    frequencies = "1,0.3,0.01,0.7,0.2,-0.9,0.03,-0.4";
  expect_named({"mixed_rope", words + "table=given frequencies=[" + frequencies + "]"}, known);
  expect_named({"mixed_rope", "dim=8 heads=2 table=given frequencies=[" + frequencies + "]"}, known);
  // One pair of the second head rotates backwards: they are no longer shared.
  const Named apart{"mixed_rope",
                    words +
                        "shared=false table=given frequencies=[1,0.3,0.01,0.7,1,0.3,0.01,0.7,0.2,"
                        "-0.9,0.03,-0.4,0.2,0.9,0.03,-0.4]"};
  expect_named(apart, known);
}

TEST(IdentifyMeasured, names_the_centre_of_xpos) {
  const Named known{"rope", "dim=16 heads=2"};
  for (const std::string more :
       {"centre=256", "centre=-12.5 layout=half_split", "centre=1024 scale_base=300", "base=500 centre=100",
        "scale_base=256", "centre_at=half_of_call", "scale_base=256 centre_at=half_of_call_rounded_up"})
    expect_named({"xpos", "dim=16 heads=2 " + more}, known);
  const Encoding right = Named{"xpos", "dim=16 heads=2 centre=256"}.made(),
                 elsewhere = Named{"xpos", "dim=16 heads=2 centre=255"}.made();
  EXPECT_EQ(said(answered_by(right,
                             [=](const Call& call) {
                               return answer(call.role == Role::query ? right : elsewhere, call);
                             }),
                 known),
            "nothing");
}

TEST(IdentifyMeasured, names_a_table_of_a_grid_that_was_resized) {
  const Named known{"sincos_2d", "dim=32"};
  for (const std::string more :
       {"factor=1.5", "factor=3 base=100 axis_order=reversed", "factor=1.25 divisor=half_minus_one",
        "base=20 layout=interleaved", "factors=[1,2] axis_order=reversed", "base=500 factors=[3,1.25]",
        "bases=[20,40] layout=interleaved", "bases=[500,100] factors=[2,1]"})
    expect_named({"sincos_2d", "dim=32 " + more}, known);
  const auto one = as<Table>(Named{"sincos_2d", "dim=32 factor=1.5"}.made());
  const Encoding other = Named{"sincos_2d", "dim=32 factor=1.25"}.made();
  const Encoding mixed = answered_by(one, [=](const Call& call) {
    Tensor out = answer(one, call);
    const Tensor more = answer(other, call);
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 8; c < 16; ++c) out.at(r, c) = more.at(r, c);
    return out;
  });
  EXPECT_EQ(said(mixed, known), "nothing");  // the cosines of rows have another factor than their sines
}

// PixArt and its kind: a grid of 6 x 9 places where 4 were trained on a side; diffusers divides its longer
// side by more.
TEST(IdentifyMeasured, names_a_file_of_a_grid_that_was_resized) {
  for (const std::string words : {"factor=1.5", "factors=[1,1.5]"}) {
    const Named is{"sincos_2d", "dim=32 axis_order=reversed " + words + " grid=[6,9]"};
    Tensor values({54, 32});
    for (std::size_t r = 0; r < values.rows(); ++r) {
      const std::vector<Position> place = {static_cast<Position>(r / 9), static_cast<Position>(r % 9)};
      std::ranges::copy(as<Table>(is.made()).rows({place, 2}, 1).data, values.row(r).begin());
    }
    const testing::Written file("resized_grid.npy", values, true);
    const Identified found = identify(file.subject(), {});
    ASSERT_FALSE(found.hold.empty()) << words;
    EXPECT_EQ(report::convention(found.hold.front().candidate), report::convention({is.id, is.parameters()}));
    values.at(40, 3) += 0.01;
    const testing::Written wrong("resized_grid.npy", values, true);
    EXPECT_TRUE(identify(wrong.subject(), {}).hold.empty()) << words;
  }
}

// One number a row: no sine, and no cosine.
TEST(IdentifyMeasured, names_a_file_of_one_column) {
  const auto named = [](double first, double step) {
    Tensor values({300, 1});
    for (std::size_t t = 0; t < 300; ++t) values.at(t, 0) = first + static_cast<double>(t) * step;
    const testing::Written file("one_column.npy", in_f32(values), true);
    const Identified found = identify(file.subject(), {});
    return found.hold.empty() ? "nothing" : report::convention(found.hold.front().candidate);
  };
  EXPECT_EQ(named(0, 1), "raw_index");
  EXPECT_EQ(named(1, 1), "raw_index --offset 1");
  EXPECT_EQ(named(0, 1.0 / 299), "normalized_index");
  EXPECT_EQ(named(0, 1.0 / 250), "nothing");
}

TEST(IdentifyMeasured, names_alibi_inside_a_layer_of_attention) {
  IdentifyOptions options;
  options.dim = 8;
  options.heads = 4;
  const std::string layer = "src/subject/testing/alibi_layer.py";
  const Identified found = identify(testing::python(layer, ""), options);
  ASSERT_FALSE(found.hold.empty());
  EXPECT_EQ(found.hold.front().candidate.encoding, "alibi");
  EXPECT_EQ(found.hold.front().candidate.parameters.real("heads"), 4);
  EXPECT_TRUE(identify(testing::python(layer, "steeper"), options).hold.empty());
}

}  // namespace
}  // namespace posproof::identify_measured_test
