// What identify() says of programs: of each kind some, as they are opened, with the width and the heads of
// the program and nothing else known, and answers in f32.
#include <gtest/gtest.h>

#include "identify/identify.h"
#include "report/identified.h"
#include "run/catalogued.h"

namespace posproof::identify_live_test {
namespace {

Tensor in_f32(Tensor values) {
  for (double& value : values.data) value = static_cast<float>(value);
  return values;
}

// What answers as `is`, and of which nothing is declared but what `like` has.
Encoding answering(const Rotary& is, Rotary like) {
  like.rotate = [is](const Tensor& x, const Positions& at, Role role) {
    return in_f32(is.rotate(x, at, role));
  };
  like.exact = {};
  return like;
}
Encoding answering(const Table& is, Table like) {
  like.rows = [is](const Positions& at, Position length) { return in_f32(is.rows(at, length)); };
  like.exact = {};
  return like;
}
Encoding answering(const Bias& is, Bias like) {
  like.bias = [is](const Positions& queries, const Positions& keys) {
    return in_f32(is.bias(queries, keys));
  };
  like.exact = {};
  return like;
}

struct Row {
  std::string words;  // as a user would gate it
  std::string taken_for, shape;
};

Identified found(const Row& row) {
  const auto space = row.words.find(' ');
  const std::string id = row.words.substr(0, space);
  const Encoding is = encoding_named(id).make(Case::parse(row.words.substr(space + 1)));
  const Candidate taken_for{row.taken_for, Case::parse(row.shape)};
  const Encoding like = encoding_named(row.taken_for).make(taken_for.parameters);
  const Encoding live = std::visit(
      [&]<class Kind>(const Kind& kind) -> Encoding {
        if constexpr (requires { answering(kind, kind); })
          return answering(kind, std::get<Kind>(like));
        else
          throw std::logic_error("another kind");
      },
      is);
  return identify(Subject{"live", "", live, all_f32}, taken_for);
}

// `dim=64 heads=2 base=10` as `--dim 64 --heads 2 --base 10`.
std::string named_as(const std::string& words) {
  const auto space = words.find(' ');
  return report::convention({words.substr(0, space), Case::parse(words.substr(space + 1))});
}

void expect_named(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const Identified is = found(row);
    EXPECT_EQ(
        is.hold.empty() ? report::identified(is, "live", {}) : report::convention(is.hold.front().candidate),
        named_as(row.words))
        << row.words;
  }
}

std::vector<Row> rotations(const std::string& shape, const std::vector<std::string>& words) {
  std::vector<Row> out;
  for (const std::string& rest : words) out.push_back({"rope " + shape + " " + rest, "rope", shape});
  return out;
}

TEST(IdentifyLive, names_rotations_of_several_heads) {
  expect_named(rotations("dim=16 heads=2", {"base=1234", "rotary_dim=8 layout=interleaved",
                                            "layout=interleaved output_layout=half_split"}));
}

TEST(IdentifyLive, names_a_rotation_that_depends_on_the_length_of_the_call) {
  expect_named(rotations("dim=16 heads=2", {"scaling=dynamic_ntk factor=2 original_length=2048",
                                            "scaling=dynamic_ntk factor=2 original_length=2048 length_of=row",
                                            "scaling=longrope factor=32 original_length=4096 "
                                            "short_factors=[1,1,1,1.05,1.05,1.1,1.1,1.25] "
                                            "factors=[1.08,1.11,1.14,1.34,1.59,1.6,1.62,2.62]"}));
}

TEST(IdentifyLive, names_a_rotation_by_several_numbers_of_a_position) {
  expect_named(
      {{"m_rope dim=32 heads=2 base=1000000 sections=[4,6,6] layout=interleaved", "m_rope",
        "dim=32 heads=2 sections=[8,4,4]"},
       {"axial_rope dim=32 heads=2 axes=3 parts=[8,10,14]", "m_rope", "dim=32 heads=2 sections=[8,4,4]"}});
}

TEST(IdentifyLive, names_a_table_and_a_bias) {
  expect_named({{"sinusoidal dim=16 base=500 layout=sin_cos", "sinusoidal", "dim=16"},
                {"sinusoidal dim=16 divisor=half_minus_one scale=2", "sinusoidal", "dim=16"},
                {"alibi heads=12 rows=key_index", "alibi", "heads=12"},
                {"t5_bias heads=2 direction=unidirectional", "t5_bias", "heads=2"}});
}

// All of them.
TEST(IdentifyLiveInFull, names_rotations) {
  expect_named(
      rotations("dim=64 heads=3", {"",
                                   "base=1000000",
                                   "layout=interleaved",
                                   "base=8000000 layout=interleaved",
                                   "rotary_dim=16",
                                   "rotary_dim=16 layout=interleaved",
                                   "rotary_dim=16 rotary_part=last",
                                   "rotary_dim=16 rotary_part=last layout=interleaved "
                                   "output_layout=half_split",
                                   "kept_pairs=6",
                                   "rotary_dim=16 exponent=dim",
                                   "direction=backward layout=interleaved",
                                   "scaling=linear factor=4",
                                   "base=1000000 scaling=linear",
                                   "scaling=linear factor=2.5 layout=interleaved",
                                   "scaling=ntk factor=4 layout=interleaved",
                                   "base=500000 scaling=llama3 factor=32",
                                   "base=500000 scaling=llama3 factor=16 layout=interleaved",
                                   "base=1000000 scaling=yarn factor=4 original_length=32768",
                                   "base=150000 scaling=yarn factor=32 original_length=4096 "
                                   "truncate=false",
                                   "scaling=yarn factor=40 original_length=4096 layout=interleaved "
                                   "output_layout=half_split",
                                   "scaling=dynamic_ntk factor=2 original_length=2048",
                                   "scaling=dynamic_ntk factor=4 original_length=8192 rotary_dim=32",
                                   "scaling=longrope factor=1 original_length=4096 "
                                   "short_factors=[1] factors=[1.5,2,2.5,3,3.5,4] attention_factor=1.5"}));
}

TEST(IdentifyLiveInFull, names_tables) {
  expect_named({
      {"sinusoidal dim=32", "sinusoidal", "dim=32"},
      {"sinusoidal dim=64 layout=sin_cos divisor=half_minus_one offset=2", "sinusoidal", "dim=64"},
      {"sinusoidal dim=64 layout=sin_cos divisor=half_minus_one scale=2", "sinusoidal", "dim=64"},
      {"sinusoidal dim=64 amplitude=8", "sinusoidal", "dim=64"},
  });
}

TEST(IdentifyLiveInFull, names_biases) {
  expect_named({
      {"alibi heads=12", "alibi", "heads=12"},
      {"alibi heads=6 form=symmetric max_bias=16", "alibi", "heads=6"},
      {"t5_bias heads=4", "t5_bias", "heads=4"},
      {"t5_bias heads=4 direction=unidirectional", "alibi", "heads=4"},
  });
}

}  // namespace
}  // namespace posproof::identify_live_test
