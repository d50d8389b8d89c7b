#include "catalogue/misreadings/binary.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "run/catalogued.h"

namespace posproof::misreadings_binary_test {
namespace {

// By the text of the digits, as bin(t)[2:] in Python.
std::string digits(Position t) {
  std::string out;
  for (; t > 0; t /= 2) out.insert(out.begin(), t % 2 == 1 ? '1' : '0');
  return out;
}

TEST(MisreadBinary, is_what_the_sentence_says) {
  for (const std::string words : {"dim=7", "dim=7 order=msb_first values=signs"})
    for (const Misreading& one : misreadings::binary.misreadings) {
      if (one.what.find("Gray") != std::string_view::npos) continue;
      const Table made = as<Table>(one.make(with(encoding_named("binary"), Case::parse(words))));
      const bool first = one.what.starts_with("the first column");
      const double zero = words.ends_with("signs") ? -1 : 0;
      for (Position t = 0; t < 128; ++t) {
        std::string text = digits(t);
        text.resize(7, '0');
        const Position at[] = {t};
        const Tensor row = made.rows(at, 128);
        for (std::size_t c = 0; c < 7; ++c)
          EXPECT_EQ(row.data[first ? c : 6 - c], text[c] == '1' ? 1 : zero) << words << ' ' << t;
      }
    }
}

// Of two positions that follow each other one digit changes.
TEST(MisreadBinary, has_the_digits_of_the_gray_code) {
  const Misreading& one = misreadings::binary.misreadings.back();
  const Table made = as<Table>(one.make(with(encoding_named("binary"), Case::parse("dim=7"))));
  std::vector<Position> all(128);
  std::iota(all.begin(), all.end(), 0);
  const Tensor rows = made.rows(all, 128);
  for (std::size_t c = 0; c < 7; ++c) EXPECT_EQ(rows.at(0, c), 0);
  for (std::size_t t = 1; t < 128; ++t)
    for (std::size_t c = 0; c < 7; ++c) {
      const bool changes = c == static_cast<std::size_t>(std::countr_zero(t));
      EXPECT_EQ(rows.at(t, c), changes ? 1 - rows.at(t - 1, c) : rows.at(t - 1, c)) << t << " " << c;
    }
}

TEST(MisreadBinary, is_none_of_one_digit) {
  for (const Misreading& one : misreadings::binary.misreadings)
    EXPECT_THROW(one.make(with(encoding_named("binary"), Case::parse("dim=1"))), Refusal) << one.what;
}

}  // namespace
}  // namespace posproof::misreadings_binary_test
