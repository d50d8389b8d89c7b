// What each parameter of each encoding may be, is without saying otherwise, and is searched at: changed
// here, it is changed for everyone who calls the program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalogue/encodings.h"

namespace posproof {
namespace {

struct Row {
  std::string_view encoding, parameter, values;
};

const std::vector<Row> rows = {
    {"alibi", "heads", "whole numbers from 1 to 16384; standard 8; searched: 1 2 3 8 12"},
    {"alibi", "rule", "official, geometric; standard official; searched: official geometric"},
    {"alibi", "form", "causal, symmetric; standard causal; searched: causal symmetric"},
    {"alibi", "rows", "relative, key_index, any; standard relative; searched: relative key_index any"},
    {"alibi", "max_bias", "finite numbers above 0; standard 8; searched: 8 4"},
    {"binary", "dim", "whole numbers from 1 to 1048576; standard 16; searched: 1 2 3 5 16"},
    {"binary", "order", "lsb_first, msb_first; standard lsb_first; searched: lsb_first msb_first"},
    {"binary", "values", "bits, signs; standard bits; searched: bits signs"},
    {"learned", "dim", "whole numbers from 1 to 1048576; standard 64; searched: 1 2 3 8 64"},
    {"learned", "length", "whole numbers from 1 to 1048576; standard 512; searched: 4 17 512"},
    {"learned", "table", "index, seeded; standard index; searched: index seeded"},
    {"learned", "table_seed",
     "where table is seeded: whole numbers from -9007199254740992 to 9007199254740992; standard 1; searched: 1 2"},
    {"learned", "std", "where table is seeded: finite numbers above 0; standard 0.02; searched: 0.02 1"},
    {"learned", "offset",
     "whole numbers from -9007199254740992 to 9007199254740992; standard 0; searched: 0 1 2"},
    {"none", "dim", "whole numbers from 1 to 1048576; standard 64; searched: 1 2 3 8 64"},
    {"none", "scale", "rsqrt, one; standard rsqrt; searched: one rsqrt"},
    {"normalized_index", "dim", "whole numbers from 1 to 1048576; standard 1; searched: 1 2 3 8"},
    {"normalized_index", "range",
     "zero_one, per_length, shifted, centred; standard zero_one; searched: per_length shifted zero_one centred"},
    {"one_hot", "dim", "whole numbers from 1 to 1048576; standard 64; searched: 1 2 3 8 64"},
    {"raw_index", "dim", "whole numbers from 1 to 1048576; standard 1; searched: 1 2 3 8"},
    {"raw_index", "offset",
     "whole numbers from -4503599627370496 to 4503599627370496; standard 0; searched: 0 1 2"},
    {"rope", "dim", "whole numbers from 1 to 1048576; standard 64; searched: 2 4 6 8 64"},
    {"rope", "heads", "whole numbers from 1 to 16384; standard 1; searched: 1 3"},
    {"rope", "base", "finite numbers above 0; standard 10000; searched: 10000 500000 10"},
    {"rope", "layout", "half_split, interleaved; standard half_split; searched: half_split interleaved"},
    {"rope", "rotary_dim", "whole numbers from 0 to 1048576; standard 0; searched: 0 2 4"},
    {"rope", "rotary_part", "first, last; standard first; searched: first last"},
    {"rope", "kept_pairs", "whole numbers from 0 to 524288; standard 0; searched: 0 1"},
    {"rope", "exponent", "rotary_dim, dim; standard rotary_dim; searched: rotary_dim dim"},
    {"rope", "direction", "forward, backward; standard forward; searched: forward backward"},
    {"rope", "scaling",
     "none, linear, ntk, by_parts, yarn, llama3, longrope; standard none; searched: none linear ntk by_parts yarn llama3 longrope"},
    {"rope", "factor",
     "where scaling is linear or ntk or by_parts or yarn or llama3 or longrope: finite numbers above 0; standard 8; searched: 8 2"},
    {"rope", "original_length",
     "where scaling is by_parts or yarn or llama3 or longrope: finite numbers above 0; standard 8192; searched: 8192 64 6 1000000"},
    {"rope", "low_freq_factor", "where scaling is llama3: finite numbers above 0; standard 1; searched: 1 2"},
    {"rope", "high_freq_factor",
     "where scaling is llama3: finite numbers above 0; standard 4; searched: 4 8"},
    {"rope", "beta_fast",
     "where scaling is by_parts or yarn: finite numbers above 0; standard 32; searched: 32 16"},
    {"rope", "beta_slow",
     "where scaling is by_parts or yarn: finite numbers above 0; standard 1; searched: 1 2"},
    {"rope", "truncate", "where scaling is yarn: true, false; standard true; searched: true false"},
    {"rope", "attention_factor",
     "where scaling is yarn or longrope: finite numbers from 0; standard 0; searched: 0 1.5"},
    {"rope", "mscale", "where scaling is yarn: finite numbers from 0; standard 1; searched: 1 0.707"},
    {"rope", "mscale_all_dim", "where scaling is yarn: finite numbers from 0; standard 0; searched: 0 0.5"},
    {"rope", "factors",
     "where scaling is longrope: lists of up to 524288 finite numbers; standard [1]; searched: [1] [1,1.5] [4]"},
    {"sinusoidal", "dim", "whole numbers from 1 to 1048576; standard 64; searched: 2 4 6 3 7 64"},
    {"sinusoidal", "base", "finite numbers above 0; standard 10000; searched: 10000 500000"},
    {"sinusoidal", "layout",
     "interleaved, sin_cos, cos_sin; standard interleaved; searched: interleaved sin_cos cos_sin"},
    {"sinusoidal", "divisor", "half, half_minus_one; standard half; searched: half half_minus_one"},
    {"sinusoidal", "offset",
     "whole numbers from -9007199254740992 to 9007199254740992; standard 0; searched: 0 1 2"},
    {"sinusoidal", "odd",
     "refuse, zero_pad, truncate, round_up; standard refuse; searched: refuse zero_pad truncate round_up"},
    {"sinusoidal", "amplitude", "finite numbers above 0; standard 1; searched: 1 0.5"},
    {"t5_bias", "heads", "whole numbers from 1 to 16384; standard 8; searched: 1 3 8 12"},
    {"t5_bias", "buckets", "whole numbers from 2 to 1024; standard 32; searched: 8 10 32"},
    {"t5_bias", "max_distance", "whole numbers from 2 to 2147483648; standard 128; searched: 20 128"},
    {"t5_bias", "direction",
     "bidirectional, unidirectional; standard bidirectional; searched: bidirectional unidirectional"},
    {"t5_bias", "relative",
     "key_minus_query, query_minus_key; standard key_minus_query; searched: key_minus_query query_minus_key"},
    {"t5_bias", "table", "index, seeded; standard index; searched: index seeded"},
    {"t5_bias", "table_seed",
     "where table is seeded: whole numbers from -9007199254740992 to 9007199254740992; standard 1; searched: 1 2"},
};

// `where table is seeded: whole numbers from 1 to 9; standard 1; searched: 1 2`, as `explain` prints it after
// the meaning.
std::string values_of(const Parameter& parameter) {
  const std::string where = parameter.matters_where.text(), all = help(parameter);
  const auto begin = all.rfind(" (") + 2;
  return (where.empty() ? "" : fmt::format("where {}: ", where)) + all.substr(begin, all.size() - begin - 1);
}

TEST(Schemas, have_these_parameters) {
  std::size_t n = 0;
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Parameter& parameter : spec->parameters) {
      ASSERT_LT(n, rows.size()) << id << " " << parameter.name;
      EXPECT_EQ(id, rows[n].encoding);
      EXPECT_EQ(parameter.name, rows[n].parameter);
      EXPECT_EQ(values_of(parameter), rows[n].values) << id << " " << parameter.name;
      ++n;
    }
  EXPECT_EQ(n, rows.size());
}

// Another value of these is what another project may have meant: a disagreement that one of them explains is
// no defect.
TEST(Schemas, leave_these_to_convention) {
  std::vector<std::string> conventions;
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Parameter& parameter : spec->parameters)
      if (parameter.convention) conventions.push_back(fmt::format("{} {}", id, parameter.name));
  EXPECT_EQ(conventions,
            (std::vector<std::string>{
                "alibi rule",        "alibi form",     "alibi rows",        "binary order",
                "binary values",     "learned offset", "none scale",        "normalized_index range",
                "raw_index offset",  "rope layout",    "rope exponent",     "rope direction",
                "rope scaling",      "rope truncate",  "sinusoidal layout", "sinusoidal divisor",
                "sinusoidal offset", "sinusoidal odd", "t5_bias direction", "t5_bias relative"}));
}

}  // namespace
}  // namespace posproof
