// Settings that are proposed of what rotations and tables of a grid answer: those that they were made with
// are among them, or are all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "diagnosis/identified_number.h"
#include "diagnosis/measured_rotation.h"
#include "identify/identified_axes.h"
#include "identify/identified_call_length.h"
#include "identify/identified_grid.h"
#include "identify/identified_rotary.h"
#include "identify/identified_stretch.h"
#include "run/catalogued.h"

namespace posproof::identified_channels_test {
namespace {

Parameters words_of(const std::string& id, const std::string& words) {
  return with(encoding_named(id), Case::parse(words));
}

bool has(const std::vector<Candidate>& proposed, const std::string& id, const std::string& words) {
  return std::ranges::any_of(proposed, [&](const Candidate& one) {
    return one.encoding == id && with(encoding_named(id), one.parameters) == words_of(id, words);
  });
}

Rotary made(const std::string& id, const std::string& words) {
  return as<Rotary>(encoding_named(id).make(words_of(id, words)));
}

// The channels alone, as text; each that they may be.
std::vector<std::string> channels_of(const std::string& words) {
  const Rotary rope = made("rope", words), like = made("rope", fmt::format("dim={}", rope.dim));
  std::vector<std::string> out;
  for (const IdentifiedChannels& one :
       identified_channels(*measured_rotation(rope, like, Role::query, all_f32), all_f32))
    out.push_back(
        fmt::format("{} ({} wide, {} pairs)", one.settings.text(), one.width, one.ladder.frequencies.size()));
  return out;
}

TEST(IdentifiedChannels, are_those_that_rotate_together) {
  using All = std::vector<std::string>;
  EXPECT_EQ(channels_of("dim=8 layout=interleaved"), All{"dim=8 layout=interleaved (8 wide, 4 pairs)"});
  EXPECT_EQ(channels_of("dim=8 layout=half_split"), All{"dim=8 layout=half_split (8 wide, 4 pairs)"});
  EXPECT_EQ(channels_of("dim=8 layout=interleaved rotary_dim=4"),
            All{"dim=8 layout=interleaved rotary_dim=4 (4 wide, 2 pairs)"});
  EXPECT_EQ(channels_of("dim=8 rotary_dim=4 layout=half_split"),
            All{"dim=8 layout=half_split rotary_dim=4 (4 wide, 2 pairs)"});
  EXPECT_EQ(channels_of("dim=8 layout=interleaved rotary_dim=4 rotary_part=last"),
            All{"dim=8 layout=interleaved rotary_dim=4 rotary_part=last (4 wide, 2 pairs)"});
  EXPECT_EQ(channels_of("dim=8 rotary_dim=6 rotary_part=last layout=half_split"),
            All{"dim=8 layout=half_split rotary_dim=6 rotary_part=last (6 wide, 3 pairs)"});
  EXPECT_EQ(channels_of("dim=8 layout=half_split kept_pairs=2"),
            All{"dim=8 layout=half_split kept_pairs=2 (8 wide, 2 pairs)"});
  EXPECT_EQ(channels_of("dim=8 layout=interleaved direction=backward"),
            All{"dim=8 layout=interleaved direction=backward (8 wide, 4 pairs)"});
  const auto of_others = [](const Pair& first, const Pair& second) {
    Rotary two = made("rope", "dim=8 layout=interleaved");
    two.pairs = {first, second};
    two.rotate = [pairs = two.pairs](const Tensor& x, const Positions& at, Role) {
      Tensor y = x;
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : pairs) {
          const double a = pair.frequency * at.at(r % at.size()), c = std::cos(a), s = std::sin(a);
          y.at(r, pair.first) = c * x.at(r, pair.first) - s * x.at(r, pair.second);
          y.at(r, pair.second) = s * x.at(r, pair.first) + c * x.at(r, pair.second);
        }
      return y;
    };
    return identified_channels(*measured_rotation(two, two, Role::query, all_f32), all_f32)
        .front()
        .settings.text();
  };
  EXPECT_EQ(of_others({4, 5, 1, 0}, {6, 7, 0.5, 1}),
            "dim=8 layout=interleaved rotary_dim=4 rotary_part=last");
  EXPECT_EQ(of_others({2, 3, 1, 0}, {4, 5, 0.5, 1}), "dim=8 layout=interleaved rotary_dim=4")
      << "not the last";
  EXPECT_EQ(of_others({0, 1, 1, 0}, {2, 3, -0.5, 1}), "dim=8 layout=interleaved rotary_dim=4")
      << "one backward";
  // Of one pair both layouts are the same.
  EXPECT_EQ(channels_of("dim=2"),
            (All{"dim=2 layout=interleaved (2 wide, 1 pairs)", "dim=2 layout=half_split (2 wide, 1 pairs)"}));
}

TEST(IdentifiedChannels, are_those_of_a_rotation_that_puts_its_answer_in_another_order) {
  const std::vector<std::string> all = channels_of("dim=8 layout=interleaved output_layout=half_split");
  EXPECT_NE(std::ranges::find(all, "dim=8 layout=interleaved output_layout=half_split (8 wide, 4 pairs)"),
            all.end())
      << ::testing::PrintToString(all);
}

// Only neighbouring channels have an order of the answer: of halves that stand elsewhere nothing is proposed.
TEST(IdentifiedChannels, are_in_another_order_where_neighbours_rotate) {
  const auto orders = [](const std::string& words) {
    const Rotary like = made("rope", "dim=8");
    Rotary rope = made("rope", words);
    rope.rotate = [right = rope.rotate](const Tensor& x, const Positions& positions, Role role) {
      const Tensor y = right(x, positions, role);
      Tensor out(y.shape);  // evens, then odds
      for (std::size_t r = 0; r < y.rows(); ++r)
        for (std::size_t c = 0; c < 8; ++c) out.at(r, c % 2 * 4 + c / 2) = y.at(r, c);
      return out;
    };
    std::size_t out = 0;
    for (const IdentifiedChannels& one :
         identified_channels(*measured_rotation(rope, like, Role::query, all_f32), all_f32))
      out += one.settings.has("output_layout") ? 1U : 0U;
    return out;
  };
  EXPECT_EQ(orders("dim=8 layout=interleaved"), 1u);
  EXPECT_EQ(orders("dim=8 layout=half_split"), 0u);
}

TEST(IdentifiedRotary, proposes_the_settings_that_it_was_made_with) {
  for (const std::string words :
       {"dim=16 base=500", "dim=16 heads=2 layout=half_split base=10000", "dim=16 rotary_dim=8 base=500",
        "dim=16 rotary_dim=8 exponent=dim base=500", "dim=16 scaling=linear factor=4 direction=backward"}) {
    const Rotary rope = made("rope", words);
    EXPECT_TRUE(has(rotary_candidates(rope, rope, all_f32), "rope", words)) << words;
  }
}

// Nothing twice, and at least half of the frequencies are those that were measured.
TEST(IdentifiedRotary, proposes_what_has_half_of_the_frequencies) {
  for (const std::string words :
       {"dim=16 scaling=llama3 base=500000", "dim=16 scaling=longrope factors=[1,1,1,1.7,2.3,3.1,4.3,5.9]"}) {
    const Rotary rope = made("rope", words);
    MeasuredLadder ladder;
    for (const Pair& pair : rope.pairs)
      ladder.frequencies.push_back(pair.frequency), ladder.errors.push_back(1e-5);
    std::set<std::string> seen;
    const std::vector<Candidate> all = rotary_candidates(rope, rope, all_f32);
    ASSERT_FALSE(all.empty()) << words;
    for (const Candidate& one : all) {
      EXPECT_LE(frequencies_off(one, ladder), 4u) << one.parameters.text();
      EXPECT_TRUE(seen.insert(with(encoding_named("rope"), one.parameters).text()).second)
          << one.parameters.text();
    }
  }
}

// One frequency is another; of a longer ladder all past its end are.
TEST(IdentifiedRotary, counts_the_frequencies_that_a_setting_has_not) {
  const Rotary rope = made("rope", "dim=8 base=100");
  MeasuredLadder ladder;
  for (const Pair& pair : rope.pairs)
    ladder.frequencies.push_back(pair.frequency), ladder.errors.push_back(1e-6);
  const auto off = [&](const std::string& words) {
    return frequencies_off({"rope", words_of("rope", words)}, ladder);
  };
  EXPECT_EQ(off("dim=8 base=100"), 0u);
  EXPECT_EQ(off("dim=8 base=100 direction=backward"), 0u);
  EXPECT_EQ(off("dim=4 base=10"), 2u);  // 1 and 10^-1/2, and no third
  EXPECT_EQ(off("dim=8 base=200"), 3u);
  ladder.frequencies[2] *= 1 + 1.9e-6;
  EXPECT_EQ(off("dim=8 base=100"), 0u);
  ladder.frequencies[2] *= 1 + 1e-6;
  EXPECT_EQ(off("dim=8 base=100"), 1u);
}

TEST(IdentifiedAxes, proposes_the_settings_that_it_was_made_with) {
  for (const auto& [id, words] : std::vector<std::pair<std::string, std::string>>{
           {"axial_rope", "dim=16 base=100"},
           {"axial_rope", "dim=16 heads=2 layout=interleaved base=10000"},
           {"axial_rope", "dim=16 layout=half_split_by_axis base=100"},
           {"axial_rope", "dim=16 axis_order=reversed base=100"},
           {"axial_rope", "dim=16 parts=[4,12] base=100"},
           {"axial_rope", "dim=16 parts=[4,12] axis_order=reversed layout=interleaved base=100"},
           {"axial_rope", "dim=16 base=100 factor=2"},
           {"axial_rope", "dim=8 base=100 factor=2"},
           {"axial_rope", "dim=16 base=100 factors=[1,2]"},
           {"axial_rope", "dim=16 base=100 factors=[4,2] axis_order=reversed"},
           {"axial_rope", "dim=16 bases=[100,500]"},
           {"axial_rope", "dim=16 bases=[500,100] axis_order=reversed layout=interleaved"},
           {"axial_rope", "dim=24 axes=3 base=100"},
           {"m_rope", "dim=16 sections=[2,3,3]"},
           {"m_rope", "dim=16 sections=[2,3,3] base=1000000 layout=interleaved"},
           {"m_rope", "dim=16 rotary_dim=12 sections=[2,2,2]"},
           {"mixed_rope", "dim=4 table=given frequencies=[1,0.5,0.25,0.75]"},
           {"mixed_rope", "dim=4 layout=interleaved table=given frequencies=[1,0.5,0.25,0]"},
           {"mixed_rope",
            "dim=4 heads=2 shared=false table=given frequencies=[1,0.5,0.25,0.75,0.5,1,0.25,0.75]"},
       }) {
    const std::vector<Candidate> proposed = axes_candidates(made(id, words), all_f32);
    EXPECT_TRUE(has(proposed, id, words)) << id << " " << words << ": " << proposed.size();
  }
}

// Channels that are halved are not rotated by 0, and those of a layout are the ones that rotate together.
TEST(IdentifiedAxes, proposes_frequencies_of_rotations_alone) {
  const auto layouts = [](const std::string& frequencies, double first) {
    Rotary mixed = made("mixed_rope", "dim=4 layout=interleaved table=given frequencies=" + frequencies);
    mixed.rotate = [first, own = mixed.rotate](const Tensor& x, const Positions& at, Role role) {
      Tensor y = own(x, at, role);
      for (std::size_t r = 0; r < y.rows(); ++r) y.at(r, 0) *= first, y.at(r, 1) *= first;
      return y;
    };
    std::vector<std::string> out;
    for (const Candidate& one : axes_candidates(mixed, all_f32))
      if (one.encoding == "mixed_rope") out.push_back(one.parameters.word("layout"));
    return out;
  };
  EXPECT_EQ(layouts("[1,0.5,0.3,0.25]", 1), std::vector<std::string>{"interleaved"});
  EXPECT_EQ(layouts("[0,0.5,0,0.25]", 0.5), std::vector<std::string>{});
}

TEST(IdentifiedAxes, count_from_1_where_numbers_have_an_offset) {
  const auto offsets = [](const std::string& coordinates) {
    std::vector<double> out;
    for (const Candidate& one :
         counted_from_1({{"axial_rope", Case::parse("dim=8 coordinates=" + coordinates)}}))
      out.push_back(one.parameters.real("offset"));
    return out;
  };
  for (const std::string with : {"whole", "resized"})
    EXPECT_EQ(offsets(with), std::vector<double>{1}) << with;
  for (const std::string without : {"cells", "corners", "cropped"})
    EXPECT_EQ(offsets(without), std::vector<double>{}) << without;
  EXPECT_TRUE(counted_from_1({{"m_rope", Case::parse("dim=16")}}).empty());
}

// The first pair shrinks by 2^-(2 * 1.8 * 1000 / scale_base): that of 25000 to 90 %, that of 10^6 hardly.
TEST(IdentifiedStretch, is_looked_for_where_sizes_change) {
  EXPECT_FALSE(stretched_candidates(made("xpos", "dim=8 scale_base=25000"), all_f32).empty());
  EXPECT_TRUE(stretched_candidates(made("xpos", "dim=8 scale_base=1000000"), all_f32).empty());
}

// Positions go to 2^14, and zeta falls to 0.4/1.4 at the first pair: e^-85 is as small as f32 holds. That is
// 16384 positions from the centre at a scale of 241, and half of them at 121.
TEST(IdentifiedStretch, proposes_no_centre_from_which_numbers_are_not_held) {
  const auto proposes = [](const std::string& words) {
    return has(stretched_candidates(made("xpos", words), all_f32), "xpos", words);
  };
  EXPECT_TRUE(proposes("dim=8 scale_base=256"));
  EXPECT_FALSE(proposes("dim=8 scale_base=225"));
  EXPECT_TRUE(proposes("dim=8 scale_base=256 centre=16000"));
  EXPECT_FALSE(proposes("dim=8 scale_base=225 centre=16000"));
  EXPECT_TRUE(proposes("dim=8 scale_base=128 centre_at=half_of_call"));
  EXPECT_FALSE(proposes("dim=8 scale_base=112 centre_at=half_of_call"));
}

TEST(IdentifiedStretch, proposes_the_settings_that_it_was_made_with) {
  for (const std::string words :
       {"dim=8", "dim=8 layout=half_split base=500 heads=2", "dim=8 scale_base=256", "dim=8 centre=128",
        "dim=8 rotary_dim=4", "dim=8 centre_at=half_of_call length_of=row",
        "dim=12 rotary_dim=6 layout=half_split scale_base=256", "dim=8 centre_at=half_of_call",
        "dim=8 centre_at=half_of_call_rounded_up scale_base=256"}) {
    const Rotary xpos = made("xpos", words);
    EXPECT_TRUE(has(stretched_candidates(xpos, all_f32), "xpos", words)) << words;
  }
  EXPECT_TRUE(stretched_candidates(made("rope", "dim=8"), all_f32).empty()) << "it keeps sizes";
}

// Of each length: one of the base, or one list of divisors up to a length and another behind it.
TEST(IdentifiedCallLength, proposes_the_settings_that_it_was_made_with) {
  const Rotary like = made("rope", "dim=8");
  for (
      const std::string words :
      {"dim=8 scaling=dynamic_ntk factor=4 original_length=512",
       "dim=8 base=500000 layout=half_split scaling=dynamic_ntk factor=2.5 original_length=4096",
       "dim=128 scaling=dynamic_ntk factor=3.317 original_length=1234",
       "dim=8 scaling=longrope factor=8 original_length=512 factors=[1,1.5,2,4] short_factors=[1,1.1,1.2,1.5]",
       "dim=8 scaling=longrope factor=1 attention_factor=1.25 original_length=512 factors=[1,1.5,2,4] "
       "short_factors=[1,1.1,1.2,1.5]"}) {
    const Rotary rope = made("rope", words);
    const std::vector<Candidate> proposed = call_length_candidates(rope, like, all_f32);
    EXPECT_TRUE(has(proposed, "rope", words)) << words << ": " << proposed.size();
    EXPECT_TRUE(has(proposed, "rope", words + " length_of=row")) << words;
  }
  EXPECT_TRUE(call_length_candidates(like, like, all_f32).empty());
  Rotary few = made("rope", "dim=8 scaling=dynamic_ntk factor=4 original_length=16");
  few.positions.hi = 64;  // as many as the shortest call has
  EXPECT_TRUE(call_length_candidates(few, like, all_f32).empty());
  few.positions.hi = 40;
  few.rotate = [exact = few](const Tensor& x, const Positions& at, Role role) {
    EXPECT_TRUE(at.empty() || std::ranges::max(at) <= 40) << "past its end";
    return exact.rotate(x, at, role);
  };
  EXPECT_TRUE(call_length_candidates(few, like, all_f32).empty());
}

// Nothing is asked past the end of the subject; of a length near it one base alone is known, which is no
// rule.
TEST(IdentifiedCallLength, asks_up_to_the_last_position) {
  const auto proposed = [](const std::string& words, Position last) {
    Rotary rope = made("rope", words);
    Position asked = 0;
    rope.positions.hi = last, rope.positions.ends = true;
    rope.rotate = [&asked, own = rope.rotate](const Tensor& x, const Positions& at, Role role) {
      asked = std::max(asked, *std::ranges::max_element(at));
      return own(x, at, role);
    };
    const std::vector<Candidate> all = call_length_candidates(rope, made("rope", "dim=8"), all_f32);
    EXPECT_EQ(asked, last) << words;
    return has(all, "rope", words);
  };
  // The first length that is seen to differ is 513: bases of 1025 positions, and of the last one.
  const std::string dynamic = "dim=8 scaling=dynamic_ntk factor=4 original_length=512",
                    longrope =
                        "dim=8 scaling=longrope factor=8 original_length=512 factors=[1,1.5,2,4] "
                        "short_factors=[1,1.1,1.2,1.5]";
  for (const Position last : {2500, 1500, 1100}) EXPECT_TRUE(proposed(dynamic, last)) << last;
  for (const Position last : {1024, 1000}) EXPECT_FALSE(proposed(dynamic, last)) << last;
  for (const Position last : {2500, 1000, 513, 512}) EXPECT_TRUE(proposed(longrope, last)) << last;
  EXPECT_FALSE(proposed(longrope, 511));
}

// The base is measured where few digits of it are lost, of four channels by their only pair that rotates
// slower.
TEST(IdentifiedCallLength, measures_the_stretch_of_every_pair) {
  for (const std::string words : {"dim=4 scaling=dynamic_ntk factor=4 original_length=512",
                                  "dim=64 scaling=dynamic_ntk factor=3.125 original_length=512"})
    EXPECT_TRUE(has(
        call_length_candidates(made("rope", words), made("rope", words.substr(0, words.find(' '))), all_f32),
        "rope", words))
        << words;
}

// A call has positions from the first one on.
TEST(IdentifiedCallLength, asks_from_the_first_position_on) {
  const std::string words = "dim=8 scaling=dynamic_ntk factor=4 original_length=512";
  Rotary rope = made("rope", words);
  Position first = 1000;
  rope.positions.lo = 70;
  rope.rotate = [&first, own = rope.rotate](const Tensor& x, const Positions& at, Role role) {
    first = std::min(first, std::ranges::min(at.flat()));
    return own(x, at, role);
  };
  EXPECT_TRUE(has(call_length_candidates(rope, made("rope", "dim=8"), all_f32), "rope", words));
  EXPECT_EQ(first, 70);
}

// Of a short call and of a long one: each list is what the frequencies of one base are divided by. The first
// frequency is 1, which has the fewest digits; the next, measured within f32's rounding and taken within it
// once more, is off by two units, and entries of 1 change by sqrt(2) of its angle.
TEST(IdentifiedCallLength, proposes_lists_of_one_base_each) {
  const std::string words =
      "dim=8 base=500 scaling=longrope factor=8 original_length=512 factors=[1,1.5,2,4] "
      "short_factors=[1,1.1,1.2,1.5]";
  const Rotary rope = made("rope", words), like = made("rope", "dim=8");
  Tensor x({1, 1, 2, 8});
  for (double& entry : x.data) entry = 1;
  const double off = std::sqrt(2) * 600 * rope.pairs[1].frequency * 2 * unit_f32;
  std::size_t proposed = 0;
  for (const Candidate& one : call_length_candidates(rope, like, all_f32)) {
    const Parameters all = with(encoding_named("rope"), one.parameters);
    if (all.word("scaling") != "longrope") continue;
    ++proposed;
    const Rotary candidate = as<Rotary>(encoding_named("rope").make(all));
    for (const Position last : {3, 600}) {
      const std::vector<Position> at = {3, last};
      const Tensor is = candidate.rotate(x, at, Role::query), ought = rope.rotate(x, at, Role::query);
      for (std::size_t c = 0; c < 8; ++c) EXPECT_NEAR(is.at(0, c), ought.at(0, c), off) << all.text();
    }
  }
  EXPECT_GT(proposed, 1u);
}

// Two lists that are the same are none, and a factor of many digits was measured and not written down.
TEST(IdentifiedCallLength, proposes_lists_that_differ_and_factors_of_few_digits) {
  const Rotary like = made("rope", "dim=8");
  Rotary louder = like;
  louder.rotate = [own = like.rotate](const Tensor& x, const Positions& at, Role role) {
    Tensor y = own(x, at, role);
    if (std::ranges::max(at.flat()) > 1000)
      for (double& entry : y.data) entry *= 1.234567;
    return y;
  };
  for (const Candidate& one : call_length_candidates(louder, like, all_f32)) {
    const Parameters all = with(encoding_named("rope"), one.parameters);
    if (all.word("scaling") != "longrope") continue;
    EXPECT_NE(text(*all.find("factors")), text(*all.find("short_factors")));
    EXPECT_LE(digits(all.real("factor")), 4);
  }
  const std::string words =
      "dim=8 scaling=longrope factor=1 attention_factor=1.2345 original_length=512 factors=[1,1.5,2,4] "
      "short_factors=[1]";
  EXPECT_TRUE(has(call_length_candidates(made("rope", words), like, all_f32), "rope", words));
}

// A length that is not given is the standard one, 0: then it matters whose length it is.
TEST(Identified, has_the_words_that_matter_under_what_is_standard) {
  const std::vector<Candidate> all =
      settings("rope", encoding_named("rope"), Case::parse("dim=8 scaling=dynamic_ntk factor=2"));
  for (const std::string of : {"batch", "row"})
    EXPECT_TRUE(has(all, "rope", "dim=8 scaling=dynamic_ntk factor=2 length_of=" + of)) << of;
}

// Every combination of the words that are not given, where it makes sense.
TEST(Identified, has_every_setting_of_words) {
  const EncodingSpec& spec = encoding_named("alibi");
  Parameters given;
  given.set("rule", std::string("geometric"));
  given.set("max_bias", 4.0);
  given.set("biased_heads", 0.0);
  given.set("head_dim", 0.0);
  std::vector<std::string> expected, found;
  for (const std::string form : {"causal", "symmetric", "asymmetric"})
    for (const std::string rows : {"relative", "key_index", "any"}) {
      Parameters one = given;
      one.set("form", form);
      one.set("rows", rows);
      // Of a sequence: no grid is given.
      one.set("axes", std::string("line"));
      one.set("metric", std::string("euclidean"));
      one.set("class_token", std::string("none"));
      if (makes_sense(spec, one)) expected.push_back(one.text());
    }
  EXPECT_LT(expected.size(), 9u) << "not every form has every kind of rows";
  for (const Candidate& one : settings("alibi", spec, given)) {
    EXPECT_EQ(one.encoding, "alibi");
    found.push_back(one.parameters.text());
  }
  EXPECT_EQ(found, expected);
  expected.resize(2);
  found.clear();
  for (const Candidate& one : settings("alibi", spec, given, 2)) found.push_back(one.parameters.text());
  EXPECT_EQ(found, expected);
}

// A word that matters under another one alone has its standard there.
TEST(Identified, has_no_words_that_change_nothing) {
  const EncodingSpec& spec = encoding_named("axial_rope");
  Parameters given;
  given.set("coordinates", std::string("whole"));
  for (const Candidate& one : settings("axial_rope", spec, given))
    for (const std::string name : {"extent", "frequencies", "unit", "crop_spacing"})
      EXPECT_EQ(text(*one.parameters.find(name)), text(spec.parameters.find(name)->standard)) << name;
}

// Two for each parameter that is not the standard one, and one for each digit.
TEST(Identified, is_as_complex_as_what_has_to_be_said) {
  const auto of = [](const std::string& words) {
    return complexity(encoding_named("rope"), {"rope", Case::parse(words)});
  };
  EXPECT_EQ(of(""), 0);
  EXPECT_EQ(of("base=10000"), 0);
  EXPECT_EQ(of("base=500000"), 3);
  EXPECT_EQ(of("base=12345"), 7);
  EXPECT_EQ(of("direction=backward"), 2);
  EXPECT_EQ(of("direction=backward base=500000"), 5);
  EXPECT_EQ(of("factors=[1,2.5]"), 5);
  EXPECT_EQ(of("nothing=12345"), 0);
}

// At least 4 rows and columns, one at most 8 times the other, behind one row or none.
TEST(IdentifiedGrid, proposes_every_grid_of_so_many_places) {
  using Grids = std::set<std::string>;
  const auto grids = [](const Shape& shape) {
    Grids out;
    for (const Candidate& one : grid_candidates(shape)) {
      EXPECT_EQ(one.encoding, "sincos_2d");
      EXPECT_EQ(one.parameters.integer("dim"), static_cast<std::int64_t>(shape.back()));
      out.insert(text(*one.parameters.find("grid")));
    }
    return out;
  };
  EXPECT_EQ(grids({3, 5, 8}), Grids{"[3,5]"});
  EXPECT_EQ(grids({1, 3, 5, 8}), Grids{"[3,5]"});
  EXPECT_EQ(grids({16, 8}), Grids{"[4,4]"});
  EXPECT_EQ(grids({17, 8}), Grids{"[4,4]"});
  EXPECT_EQ(grids({1, 17, 8}), Grids{"[4,4]"});
  EXPECT_EQ(grids({15, 8}), Grids{});
  EXPECT_EQ(grids({48, 8}), (Grids{"[4,12]", "[6,8]", "[8,6]", "[12,4]"}));
  EXPECT_EQ(grids({128, 8}), (Grids{"[4,32]", "[8,16]", "[16,8]", "[32,4]"}));
  EXPECT_EQ(grids({132, 8}), (Grids{"[6,22]", "[11,12]", "[12,11]", "[22,6]"}));
  EXPECT_EQ(grids({8}), Grids{});
  EXPECT_EQ(grids({2, 3, 4, 8}), Grids{});
  std::set<double> bases, offsets;
  for (const Candidate& one : grid_candidates({16, 8})) {
    bases.insert(one.parameters.real("base"));
    offsets.insert(one.parameters.real("offset"));
    EXPECT_EQ(one.parameters.word("uneven"), "refuse");
  }
  EXPECT_EQ(bases, (std::set<double>{20, 10000}));
  EXPECT_EQ(offsets, (std::set<double>{0, 1}));
}

TEST(IdentifiedGrid, proposes_the_base_and_the_factor_of_a_table) {
  const auto proposed = [](const std::string& words, const auto& change) {
    auto table = as<Table>(encoding_named("sincos_2d").make(words_of("sincos_2d", words)));
    change(table.positions);
    return measured_grid_candidates(table, all_f32);
  };
  const auto as_it_is = [](Domain&) {};
  for (const std::string words :
       {"dim=16", "dim=16 base=5173", "dim=16 base=100 layout=cos_sin",
        "dim=16 base=500 divisor=half_minus_one", "dim=16 base=100 factor=2",
        "dim=24 axes=3 base=100 layout=interleaved", "dim=16 base=100 axis_order=reversed"})
    EXPECT_TRUE(has(proposed(words, as_it_is), "sincos_2d", words)) << words;
  EXPECT_TRUE(proposed("dim=16 offset=1", as_it_is).empty()) << "it does not begin at 0";
  // Along each axis there is a step from 0 on.
  const auto ends = [](Position rows, Position columns) {
    return [=](Domain& domain) { domain.last_on_axis = {rows, columns}; };
  };
  EXPECT_FALSE(proposed("dim=16", ends(1, 1)).empty());
  EXPECT_TRUE(proposed("dim=16", ends(0, 5)).empty());
  EXPECT_TRUE(proposed("dim=16", ends(5, 0)).empty());
  EXPECT_TRUE(proposed("dim=16", [](Domain& domain) { domain.lo = 1; }).empty());
  EXPECT_TRUE(proposed("dim=16", [](Domain& domain) { domain.real = true; }).empty());
}

}  // namespace
}  // namespace posproof::identified_channels_test
