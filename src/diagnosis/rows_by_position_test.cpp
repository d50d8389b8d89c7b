#include "diagnosis/rows_by_position.h"

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"
#include "run/catalogued.h"

namespace posproof::rows_by_position_test {
namespace {

using testing::Make;
using testing::said;
using testing::Sentences;

// How often a row is the declared one, in f32.
Make multiplied(const std::string& family, const Function<double(Position t)>& factor) {
  return [=](const Parameters& parameters) -> Encoding {
    Table out = as<Table>(encoding_named(family).make(parameters));
    out.rows = [=, own = out.rows](const Positions& positions, Position length) {
      Tensor all = own(positions, length);
      for (std::size_t r = 0; r < all.rows(); ++r)
        for (double& entry : all.row(r)) entry = static_cast<float>(entry * factor(positions[r]));
      return all;
    };
    return out;
  };
}

const std::string seeded = "dim=8 length=514 offset=2 table=seeded";

TEST(RowsByPosition, are_multiplied_where_a_position_is_even_or_late) {
  EXPECT_EQ(said("learned", seeded, multiplied("learned", [](Position t) { return t % 2 == 0 ? 0.5 : 1; })),
            Sentences{"rows at even positions are 1/2 of the declared ones"});
  EXPECT_EQ(said("learned", seeded, multiplied("learned", [](Position t) { return t % 2 == 0 ? 1 : 3; })),
            Sentences{"rows at odd positions are 3 times the declared ones"});
  EXPECT_EQ(said("learned", seeded, multiplied("learned", [](Position t) { return t < 300 ? 1 : 0.5; })),
            Sentences{"rows from position 300 on are 1/2 of the declared ones"});
  EXPECT_EQ(said("learned", seeded, multiplied("learned", [](Position t) { return t % 2 == 0 ? 0 : 1; })),
            Sentences{"rows at even positions are 0"});
  EXPECT_EQ(
      said("sinusoidal", "dim=8", multiplied("sinusoidal", [](Position t) { return t < 300 ? 1 : -1; })),
      Sentences{"rows from position 300 on have the other sign"});
}

// Of real positions few are even.
TEST(RowsByPosition, are_of_whole_positions_alone) {
  const EncodingSpec& spec = encoding_named("learned");
  const Parameters parameters = with(spec, Case::parse(seeded));
  const Encoding subject = multiplied("learned", [](Position t) { return t % 2 == 0 ? 0.5 : 1; })(parameters);
  Table truth = as<Table>(spec.oracle(parameters));
  const auto said_of = [&] {
    return rows_by_position(as<Table>(subject), truth, spec, parameters, std::nullopt, all_f32).size();
  };
  EXPECT_GT(said_of(), 0u);
  truth.positions.real = true;
  EXPECT_EQ(said_of(), 0u);
}

// A thousand times a number of f32 is rounded by up to a thousand units of that number.
TEST(RowsByPosition, are_allowed_what_rounding_does_to_a_multiple) {
  EXPECT_EQ(said("learned", seeded, multiplied("learned", [](Position t) { return t % 2 == 0 ? 1 : 1000; })),
            Sentences{"rows at odd positions are 1000 times the declared ones"});
}

// 1/2 and 8 units more is not 1/2.
TEST(RowsByPosition, have_a_factor_of_few_digits_where_rounding_allows_it) {
  const double above = 0.5 + 8 * unit_f32;
  EXPECT_EQ(
      said("learned", seeded, multiplied("learned", [=](Position t) { return t % 2 == 0 ? above : 1; })),
      Sentences{"rows at even positions are 0.5 times the declared ones"});
}

// The first digit of row 2, by which the factor is told, is 0.
TEST(RowsByPosition, are_compared_where_something_is_declared) {
  EXPECT_EQ(said("binary", "dim=10", multiplied("binary", [](Position t) { return t % 2 == 0 ? 0.5 : 1; })),
            Sentences{"rows at even positions are 1/2 of the declared ones"});
}

// A factor that grows, and one that one row in a hundred has not.
TEST(RowsByPosition, near_ones_have_no_name) {
  EXPECT_EQ(said("learned", seeded,
                 multiplied("learned",
                            [](Position t) { return t % 2 == 0 ? 0.5 + static_cast<double>(t) / 1024 : 1; })),
            Sentences{});
  EXPECT_EQ(said("learned", seeded,
                 multiplied("learned", [](Position t) { return t % 2 == 0 && t % 100 != 0 ? 0.5 : 1; })),
            Sentences{});
}

// Of a table whose first rows are no position's.
Make read_at(const Function<Position(Position row)>& other) {
  return [other](const Parameters& parameters) -> Encoding {
    Table out = as<Table>(encoding_named("learned").make(parameters));
    Parameters from_row_0 = parameters;
    from_row_0.set("offset", 0.0);
    const Table whole = as<Table>(encoding_named("learned").make(from_row_0));
    out.rows = [=](const Positions& positions, Position length) {
      std::vector<Position> rows;
      for (std::size_t r = 0; r < positions.size(); ++r) rows.push_back(other(positions[r] + 2));
      return whole.rows(rows, length);
    };
    return out;
  };
}

TEST(RowsByPosition, are_read_modulo_a_number) {
  EXPECT_EQ(said("learned", seeded, read_at([](Position row) { return row % 256; })),
            Sentences{"row numbers, of which position 0 has 2, are taken modulo 256"});
  // No remainder says which, so each is said.
  EXPECT_EQ(
      said("learned", seeded, read_at([](Position row) { return row < 256 ? row : (row + 1) % 256; })),
      Sentences{"258 positions have the row of others: 254 that of -1, 255 that of 0, 256 that of 1, .."});
}

// Row 0 is no position's: the first one of all has row 1.
TEST(RowsByPosition, are_read_modulo_a_number_behind_a_single_row) {
  const auto modulo = [](const Parameters& parameters) -> Encoding {
    Table out = as<Table>(encoding_named("learned").make(parameters));
    Parameters from_row_0 = parameters;
    from_row_0.set("offset", 0.0);
    out.rows = [whole = as<Table>(encoding_named("learned").make(from_row_0))](const Positions& positions,
                                                                               Position length) {
      std::vector<Position> rows;
      for (std::size_t r = 0; r < positions.size(); ++r) rows.push_back((positions[r] + 1) % 256);
      return whole.rows(rows, length);
    };
    return out;
  };
  EXPECT_EQ(said("learned", "dim=8 length=513 offset=1 table=seeded", modulo),
            Sentences{"row numbers, of which position 0 has 1, are taken modulo 256"});
}

// Where position 0 has row 0, a row number is a position, of which other sentences are said.
TEST(RowsByPosition, are_taken_modulo_where_there_is_an_offset) {
  const EncodingSpec& spec = encoding_named("learned");
  const auto modulo = [&](const std::string& offset) {
    const Parameters parameters = with(spec, Case::parse("dim=4 length=64 offset=" + offset));
    const Table truth = as<Table>(spec.oracle(parameters));
    const auto all = rows_by_position(truth, truth, spec, parameters, Position{10}, all_f32);
    return all.size() == 1 ? all.front().sentences.front() : "none";
  };
  EXPECT_EQ(modulo("2"), "row numbers, of which position 0 has 2, are taken modulo 12");
  EXPECT_EQ(modulo("0"), "none");
}

}  // namespace
}  // namespace posproof::rows_by_position_test
