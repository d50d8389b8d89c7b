// `posproof oracle` as a user meets it: the files by numpy, the refusals by their words and exit codes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "command/testing/ran.h"
#include "core/formats.h"
#include "core/precision.h"
#include "report/file.h"
#include "run/catalogued.h"
#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::command_oracle_test {
namespace {

namespace fs = std::filesystem;
using testing::posproof;

class OracleCommand : public ::testing::Test {
 protected:
  OracleCommand() { fs::create_directories(folder_); }
  ~OracleCommand() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Writes, and reads with Python.
  nlohmann::json written(const std::string& words, const std::string& name = "x.npy") {
    const auto wrote = posproof("oracle " + words + " -o " + path(name));
    EXPECT_EQ(wrote.code, 0) << words << ": " << wrote.said;
    const auto read = testing::ran(fmt::format("{} {}/src/command/testing/read_array.py {}",
                                               testing::interpreter(), POSPROOF_SOURCE, path(name)));
    EXPECT_EQ(read.code, 0) << words;
    return nlohmann::json::parse(read.said);
  }

  // What is said to words that end with that code and leave nothing behind.
  std::string refused(const std::string& words, int code = 2) {
    const auto ran = posproof("oracle " + words);
    EXPECT_EQ(ran.code, code) << words;
    EXPECT_TRUE(fs::is_empty(folder_)) << words;
    return ran.said;
  }

  fs::path folder_ =
      fs::path(::testing::TempDir()) / ("posproof_oracle_command_" + std::to_string(::getpid()));
};

Encoding truth(const std::string& id, const std::string& parameters) {
  const EncodingSpec& spec = encoding_named(id);
  return spec.oracle(with(spec, Case::parse(parameters)));
}

std::vector<Position> from(Position first, std::size_t count) {
  std::vector<Position> out;
  for (std::size_t n = 0; n < count; ++n) out.push_back(first + static_cast<Position>(n));
  return out;
}

std::vector<double> rounded(std::vector<double> values, Format format) {
  for (double& value : values) value = nearest(format, value);
  return values;
}

TEST_F(OracleCommand, numpy_reads_what_was_written) {
  const auto rows = as<Table>(truth("sinusoidal", "dim=6")).rows(from(1000, 50), 1050);
  for (const auto& [format, dtype] :
       {std::pair{Format::f64, "float64"}, {Format::f32, "float32"}, {Format::f16, "float16"}}) {
    const auto read =
        written(fmt::format("sinusoidal --dim 6 --positions 1000:1049 --dtype {}", name(format)));
    EXPECT_EQ(read["dtype"], dtype);
    EXPECT_EQ(read["shape"], (std::vector<int>{50, 6}));
    EXPECT_EQ(read["values"], rounded(rows.data, format)) << dtype;
    EXPECT_EQ(read["as_numpy_writes_it"], true);
  }
}

TEST_F(OracleCommand, writes_the_places_of_a_grid_row_by_row) {
  const auto cosines = written("axial_rope --dim 8 --offset 1 --grid [2,3] --part cos --dtype f64"),
             rows = written("sincos_2d --dim 4 --grid [2,3] --dtype f64");
  EXPECT_EQ(cosines["shape"], (std::vector<int>{6, 4}));
  for (std::size_t place = 0; place < 6; ++place)
    for (std::size_t i = 0; i < 4; ++i) {
      const double number = static_cast<double>(1 + (i < 2 ? place / 3 : place % 3));
      EXPECT_NEAR(cosines["values"][4 * place + i].get<double>(), std::cos(number * (i % 2 == 0 ? 1 : 0.01)),
                  unit_f64)
          << place << " " << i;
    }
  const std::vector<Position> places = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
  EXPECT_EQ(rows["values"], as<Table>(truth("sincos_2d", "dim=4")).rows({places, 2}, 1).data);
  const auto said = posproof("oracle sincos_2d --dim 4 --grid [2,3] -o " + path("said.safetensors")).said;
  EXPECT_NE(said.find(": rows [6, 4] in f32, a grid of 2 x 3, correctly rounded to f64"), std::string::npos)
      << said;
  const auto data = nlohmann::json::parse(
      posproof("oracle sincos_2d --dim 4 --grid [2,3] --json -o " + path("said.npy")).said);
  EXPECT_EQ(data["positions"]["grid"], (std::vector<int>{2, 3}));
  const auto gated =
      posproof("gate sincos_2d --dim 4 --grid [2,3] --exhaustive table:" + path("said.safetensors"));
  EXPECT_EQ(gated.code, 0) << gated.said;
}

TEST_F(OracleCommand, refuses_positions_of_a_grid_and_grids_that_are_none) {
  EXPECT_NE(
      refused("sincos_2d --dim 4 --positions 0:3 -o " + path("x.npy"))
          .find("--positions 0:3: the rows are all places of the grid; `--grid` says how many these are"),
      std::string::npos);
  for (const std::string grid : {"[2.5,3]", "[0,3]", "[4]", "[2,3,4]"})
    EXPECT_NE(refused("sincos_2d --dim 4 --grid " + grid + " -o " + path("x.npy"))
                  .find("`grid=" + grid + "`; allowed: whole numbers from 1, one for each axis"),
              std::string::npos)
        << grid;
}

TEST_F(OracleCommand, safetensors_say_what_they_hold) {
  const auto rows = as<Table>(truth("sinusoidal", "dim=6")).rows(from(0, 9), 9);
  for (const auto& [format, dtype] :
       {std::pair{Format::f64, "F64"}, {Format::f32, "F32"}, {Format::bf16, "BF16"}, {Format::f16, "F16"}}) {
    const auto read =
        written(fmt::format("sinusoidal --dim 6 --positions 0:8 --dtype {}", name(format)), "x.safetensors");
    EXPECT_EQ(read["dtype"], dtype);
    EXPECT_EQ(read["name"], "rows");
    EXPECT_EQ(read["aligned"], true);
    EXPECT_EQ(read["all"], true);
    EXPECT_EQ(read["shape"], (std::vector<int>{9, 6}));
    EXPECT_EQ(read["values"], rounded(rows.data, format)) << dtype;
    const auto& words = read["metadata"];
    EXPECT_EQ(words["encoding"], "sinusoidal");
    EXPECT_EQ(words["parameters"],
              "dim=6 base=10000 layout=interleaved divisor=half offset=0 odd=refuse amplitude=1 "
              "scale=1 direction=forward padding_row=-1");
    EXPECT_EQ(words["positions"], "0:8");
    EXPECT_EQ(words["rounding"], "correctly rounded, ties to even");
    EXPECT_TRUE(words.contains("posproof"));
  }
}

// With base 2^120 the second frequency is 2^-60, and sin x = x (1 - x^2/6 + ...) is below x by less than a
// double can show. At t = 2^p + 3, x is half way between two numbers of a format of p bits, and its even
// neighbour is the upper one: what was rounded to a double before goes up, the sine itself goes down.
TEST_F(OracleCommand, entries_are_rounded_once) {
  struct Trap {
    Format format;
    Position t;
    double amplitude, right;
  };
  for (const auto& [format, t, amplitude, right] :
       {Trap{Format::f32, (1 << 24) + 3, 1, 0x1.000002p-36}, Trap{Format::bf16, (1 << 8) + 3, 1, 0x1.02p-52},
        Trap{Format::f16, (1 << 11) + 3, 0x1p40, 0x1.004p-9}}) {
    const std::string words = fmt::format("dim=4 base={} amplitude={}", 0x1p120, amplitude);
    const double twice =
        nearest(format, as<Table>(truth("sinusoidal", words)).rows(from(t, 1), t + 1).at(0, 2));
    EXPECT_GT(twice, right) << "no trap";
    const auto read = written(fmt::format("sinusoidal --dim 4 --base {} --amplitude {} --positions {}:{} "
                                          "--dtype {}",
                                          0x1p120, amplitude, t, t, name(format)),
                              "x.safetensors");
    EXPECT_EQ(read["values"][2], right) << name(format);
  }
}

// As transformers has DeepSeek-V3's.
TEST_F(OracleCommand, of_an_answer_in_another_order_the_columns_are_those_of_the_answer) {
  const std::string words =
      "oracle rope --dim 8 --rotary_dim 4 --rotary_part last --positions 7:11 --layout ";
  for (const std::string part : {" --part both", " --part cos", " --part sin"}) {
    ASSERT_EQ(posproof(words + "interleaved --output_layout half_split -o " + path("x.npy") + part).code, 0);
    ASSERT_EQ(posproof(words + "half_split -o " + path("y.npy") + part).code, 0);
    EXPECT_EQ(report::file_bytes(path("x.npy")), report::file_bytes(path("y.npy"))) << part;
  }
}

// And a file is judged by them, whichever columns it has.
TEST_F(OracleCommand, of_an_answer_in_another_order_the_columns_are_judged_as_those_of_the_answer) {
  const std::string declared = "rope --dim 8 --layout interleaved --output_layout half_split ",
                    files = "table:" + path("c.npy") + "," + path("s.npy");
  for (const std::string words : {"c.npy --part cos", "s.npy --part sin", "both.npy"})
    ASSERT_EQ(posproof("oracle " + declared + "--positions 0:63 -o " + path(words)).code, 0);
  for (const std::string& file : {files, "table:" + path("both.npy")})
    for (const std::string& command : {"gate " + declared + file, "accuracy " + declared + file,
                                       "check agrees_with_its_oracle " + declared + file})
      EXPECT_EQ(posproof(command).code, 0) << command;
}

TEST_F(OracleCommand, a_rotation_is_written_as_its_cosines_and_sines) {
  const auto rope = as<Rotary>(truth("rope", "dim=6 rotary_dim=4 layout=interleaved"));
  const auto positions = from(7, 5);
  Tensor x({1, 1, 5, 6});
  for (std::size_t r = 0; r < 5; ++r) x.at(r, 0) = x.at(r, 2) = 1;
  const auto rotated = rounded(rope.rotate(x, positions, Role::query).data, Format::f32);
  const std::string words = "rope --dim 6 --rotary_dim 4 --layout interleaved --positions 7:11 --part ";
  const auto both = written(words + "both");
  EXPECT_EQ(both["shape"], (std::vector<int>{5, 6}));
  EXPECT_EQ(both["values"], rotated);
  for (const std::size_t sine : {0u, 1u}) {
    const auto read = written(words + (sine == 1 ? "sin" : "cos"), "x.safetensors");
    EXPECT_EQ(read["shape"], (std::vector<int>{5, 2}));
    EXPECT_EQ(read["name"], sine == 1 ? "sin_cache" : "cos_cache");
    for (std::size_t r = 0; r < 5; ++r)
      for (std::size_t pair = 0; pair < 2; ++pair)
        EXPECT_EQ(read["values"][2 * r + pair], rotated[6 * r + 2 * pair + sine]) << r << " " << pair;
  }
}

TEST_F(OracleCommand, what_has_no_exact_table_is_rounded_from_double_and_says_so) {
  const auto rows = as<Table>(truth("normalized_index", "dim=1")).rows(from(0, 10), 10).data;
  EXPECT_EQ(written("normalized_index --positions 0:9 --dtype f64")["values"], rows);
  const auto read = written("normalized_index --positions 0:9", "x.safetensors");
  EXPECT_EQ(read["values"], rounded(rows, Format::f32));
  EXPECT_EQ(read["metadata"]["rounding"], "correctly rounded to f64, and that to f32, ties to even");
}

TEST_F(OracleCommand, a_bias_is_written_for_each_two_positions) {
  for (const auto& [words, parameters] :
       {std::pair{"alibi --heads 3", "heads=3"},
        {"alibi --heads 3 --form symmetric", "heads=3 form=symmetric"},
        {"alibi --heads 3 --rows key_index", "heads=3 rows=key_index"},
        {"t5_bias --heads 3 --table seeded", "heads=3 table=seeded"},
        {"t5_bias --heads 3 --direction unidirectional --relative query_minus_key",
         "heads=3 direction=unidirectional relative=query_minus_key"}}) {
    const std::string encoding = words[0] == 'a' ? "alibi" : "t5_bias";
    const auto bias = as<Bias>(truth(encoding, parameters));
    for (const Format format : {Format::f64, Format::f32, Format::f16}) {
      const auto read =
          written(fmt::format("{} --positions 4:9 --dtype {}", words, name(format)), "x.safetensors");
      EXPECT_EQ(read["name"], "bias");
      EXPECT_EQ(read["shape"], (std::vector<int>{3, 6, 6}));
      EXPECT_EQ(read["values"], rounded(bias.bias(from(4, 6), from(4, 6)).data, format)) << words;
      EXPECT_EQ(read["metadata"]["rounding"], "correctly rounded, ties to even");
    }
  }
}

// Slopes 2^-max_bias whose double is half way between two numbers of a format, and one of 12 heads whose
// product with 1295743693 is.
TEST_F(OracleCommand, entries_of_a_bias_are_rounded_once) {
  struct Trap {
    Format format;
    std::string heads, max_bias, rows;
    Position first, last;
    std::size_t entry;
    double right;
  };
  for (const auto& [format, heads, max_bias, rows, first, last, entry, right] :
       {Trap{Format::bf16, "1", "0.99437545080612177", "relative", 0, 1, 2, -0x1.02p-1},
        Trap{Format::f16, "1", "0.98947189411351533", "relative", 0, 1, 2, -0x1.01cp-1},
        Trap{Format::f32, "1", "0.99999991400867705", "relative", 0, 1, 2, -0x1.000002p-1},
        Trap{Format::f32, "12", "8", "key_index", 1295743693, 1295743693, 8, 0x1.b4e462p+29}}) {
    const auto bias =
        as<Bias>(truth("alibi", fmt::format("heads={} max_bias={} rows={}", heads, max_bias, rows)));
    const auto at = from(first, static_cast<std::size_t>(last - first) + 1);
    EXPECT_NE(nearest(format, bias.bias(at, at).data.at(entry)), right) << "no trap";
    const auto read =
        written(fmt::format("alibi --heads {} --max_bias {} --rows {} --positions {}:{} --dtype {}", heads,
                            max_bias, rows, first, last, name(format)),
                "x.safetensors");
    EXPECT_EQ(read["values"][entry], right) << name(format);
  }
}

// 2^24 bytes of doubles are given at once: here 4096 rows of 4096 columns, 512 at a time, and of 64 heads of
// 256 queries 128.
TEST_F(OracleCommand, what_is_given_in_pieces_is_whole) {
  ASSERT_EQ(posproof("oracle one_hot --dim 4096 -o " + path("x.npy")).code, 0);
  const auto ones =
      testing::ran(fmt::format("{} -c 'import numpy as np; print((np.load(\"{}\") == np.eye(4096)).all())'",
                               testing::interpreter(), path("x.npy")));
  EXPECT_EQ(ones.said, "True\n");
  ASSERT_EQ(posproof("oracle t5_bias --heads 64 --positions 0:255 --dtype f64 -o " + path("y.npy")).code, 0);
  const auto heads = testing::ran(fmt::format(
      "{} -c 'import numpy as np; x = np.load(\"{}\"); print(all((x[h] == x[0] + 32 * h).all() for h in "
      "range(64)), all(len(set(np.diagonal(x[0], k))) == 1 for k in range(-255, 256)))'",
      testing::interpreter(), path("y.npy")));
  EXPECT_EQ(heads.said, "True True\n");
}

TEST_F(OracleCommand, left_out_positions_are_all_where_the_encoding_ends) {
  EXPECT_EQ(written("learned --dim 2 --length 17 --offset 2")["shape"], (std::vector<int>{15, 2}));
  EXPECT_EQ(written("raw_index")["shape"], (std::vector<int>{4096, 1}));
  EXPECT_EQ(written("binary --dim 4")["shape"], (std::vector<int>{16, 4}));
  EXPECT_EQ(written("t5_bias --heads 1")["shape"], (std::vector<int>{1, 512, 512}));
}

TEST_F(OracleCommand, the_number_of_threads_changes_no_bit) {
  const std::string words = "oracle sinusoidal --dim 8 --positions 0:999 -o ";
  for (const std::string threads : {"1", "3"})
    ASSERT_EQ(posproof(words + path(threads + ".npy") + " --threads " + threads).code, 0);
  EXPECT_EQ(testing::ran("cmp " + path("1.npy") + " " + path("3.npy")).code, 0);
}

TEST_F(OracleCommand, says_what_it_wrote) {
  const std::string file = path("x.npy");
  EXPECT_EQ(posproof("oracle sinusoidal --dim 8 --positions 0:99 -o " + file).said,
            file + ": rows [100, 8] in f32, positions 0:99, correctly rounded, ties to even, 3328 bytes\n");
  EXPECT_EQ(fs::file_size(file), 3328);
  const auto json =
      nlohmann::json::parse(posproof("oracle rope --dim 8 --positions 5:9 --json -o " + file).out);
  EXPECT_EQ(json["file"], file);
  EXPECT_EQ(json["encoding"], "rope");
  EXPECT_EQ(json["parameters"]["base"], 10000);
  EXPECT_EQ(json["positions"], (std::vector<int>{5, 9}));
  EXPECT_EQ(json["array"], "cos_sin");
  EXPECT_EQ(json["shape"], (std::vector<int>{5, 8}));
  EXPECT_EQ(json["format"], "f32");
  EXPECT_EQ(json["bytes"], fs::file_size(file));
}

TEST_F(OracleCommand, passes_the_gate) {
  for (const std::string name : {"x.npy", "x.safetensors"}) {
    ASSERT_EQ(posproof("oracle sinusoidal --dim 8 --offset 1 --positions 0:255 -o " + path(name)).code, 0);
    EXPECT_EQ(posproof("gate sinusoidal --dim 8 --offset 1 --cases 30 table:" + path(name)).code, 0);
    EXPECT_EQ(posproof("gate sinusoidal --dim 8 --cases 30 table:" + path(name)).code, 1);
  }
}

TEST_F(OracleCommand, refusals_leave_nothing_behind) {
  const std::string to = " -o " + path("x.npy");
  EXPECT_EQ(
      refused("none" + to),
      "posproof: the answers of this kind, contextual, depend on more than the position; a table, a rotary "
      "encoding or a bias can be written\n");
  EXPECT_EQ(refused("decomposed_relative --grid [2,2]" + to), refused("none" + to));
  EXPECT_EQ(refused("decomposed_relative --positions 0:3" + to), refused("none" + to));
  EXPECT_EQ(refused("rope --dtype bf16" + to),
            "posproof: `" + path("x.npy") +
                "`: .npy has no bf16; it holds f64, f32 and f16, and .safetensors holds bf16\n");
  EXPECT_EQ(refused("rope -o " + path("x.csv")),
            "posproof: `" + path("x.csv") + "`: an array is written to FILE.npy or FILE.safetensors\n");
  EXPECT_EQ(refused("rope --positions 5:4" + to),
            "posproof: positions `5:4`; allowed: FIRST:LAST, the first not past the last\n");
  EXPECT_EQ(refused("rope --positions 5" + to),
            "posproof: --positions `5`; allowed: FIRST:LAST, as in 0:4095\n");
  EXPECT_EQ(refused("rope --positions 1099511627776:1099511627777" + to),
            "posproof: position 1099511627777; allowed: -1099511627776 to 1099511627776\n");
  EXPECT_EQ(refused("sinusoidal --offset 1 --positions 1099511627776:1099511627776" + to),
            "posproof: position 1099511627776 with offset 1; allowed: -1099511627776 to 1099511627776\n");
  EXPECT_EQ(refused("rope --positions 0:99999999999" + to),
            "posproof: [100000000000, 64] in f32 would be 6400000000000 values, 25600000000000 bytes; "
            "allowed: at most 268435456 values, as many as are read\n");
  EXPECT_EQ(refused("alibi --positions 0:99999" + to),
            "posproof: [8, 100000, 100000] in f32 would be 80000000000 values, 320000000000 bytes; allowed: "
            "at most 268435456 values, as many as are read\n");
  EXPECT_EQ(refused("learned --positions 0:512" + to),
            "posproof: positions 0:512: the encoding is defined for 0 to 511\n");
  EXPECT_EQ(refused("normalized_index --positions 0:0" + to),
            "posproof: normalized_index: a sequence of one token has no length - 1 to divide by\n");
  EXPECT_EQ(refused("sinusoidal --part cos" + to),
            "posproof: --part cos: `sinusoidal` is a table encoding; a rotary one has parts\n");
  refused("sinusoidal --dtype f8" + to);
  refused("sinusoidal --threads 0" + to);
  refused("sinusoidal");
  EXPECT_EQ(refused("sinusoid" + to).find("posproof: there is no encoding `sinusoid`; near it: sinusoidal"),
            0);

  fs::create_directories(folder_ / "y.npy");
  const auto over = posproof("oracle rope -o " + path("y.npy"));
  EXPECT_EQ(over.code, 2);
  EXPECT_EQ(over.said, "posproof: `" + path("y.npy") + "` could not be written: Is a directory\n");
}

TEST_F(OracleCommand, a_write_that_fails_leaves_what_was_there) {
  ASSERT_EQ(posproof("oracle raw_index --positions 0:9 -o " + path("x.npy")).code, 0);
  const auto ran = testing::ran(
      fmt::format("ulimit -f 4; {} oracle one_hot --dim 512 -o {} 2>&1", POSPROOF_BINARY, path("x.npy")));
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.said, "posproof: `" + path("x.npy") + "` could not be written: File too large\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_EQ(fs::file_size(path("x.npy")), 168);
}

}  // namespace
}  // namespace posproof::command_oracle_test
