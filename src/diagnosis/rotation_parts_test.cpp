// Rotations whose cosines and sines, or whose two channels of a pair, are not of one frequency; rolled
// channels; tokens in each other's place.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::rotation_parts_test {
namespace {

using testing::Make;
using testing::said;
using testing::Sentences;

constexpr std::size_t pairs = 8, width = 2 * pairs;

// The pair whose frequency a channel's cosine has, and its sine.
using PairOf = Function<std::size_t(std::size_t channel)>;
using Rotate = Function<Tensor(const Rotary& right, const Tensor& x, const Positions& positions, Role role)>;

Make rotating(Rotate rotate) {
  return [rotate = std::move(rotate)](const Parameters& parameters) {
    const auto right = as<Rotary>(encoding_named("rope").make(parameters));
    Rotary out = right;
    out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
      return rotate(right, x, positions, role);
    };
    return Encoding(out);
  };
}

// Of neighbouring channels, from a table of cosines and one of sines.
Make by_tables(PairOf of_cosine, PairOf of_sine, double sine_of_last = 1) {
  return rotating([=](const Rotary& right, const Tensor& x, const Positions& positions, Role) {
    Tensor y(x.shape);
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (std::size_t c = 0; c < width; ++c) {
        const auto t = static_cast<long double>(positions[r / (heads * n) * n + r % n]);
        const auto angle = [&](std::size_t pair) { return t * right.pairs.at(pair).frequency; };
        const double sign = (c % 2 == 0 ? -1 : 1) * (c + 1 == width ? sine_of_last : 1);
        y.at(r, c) = x.at(r, c) * static_cast<double>(std::cos(angle(of_cosine(c)))) +
                     sign * x.at(r, c ^ 1) * static_cast<double>(std::sin(angle(of_sine(c))));
      }
    return y;
  });
}

std::size_t own(std::size_t c) {
  return c / 2;
}
std::size_t next(std::size_t c) {
  return (c / 2 + 1) % pairs;
}

Tensor rolled(const Tensor& x, std::size_t by) {
  Tensor out(x.shape);
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < x.width(); ++c) out.at(r, (c + by) % x.width()) = x.at(r, c);
  return out;
}

const std::string interleaved = "dim=16 layout=interleaved";

TEST(RotationParts, are_named_where_cosines_and_sines_have_other_frequencies) {
  const auto expect = [](const PairOf& of_cosine, const PairOf& of_sine, const Sentences& words) {
    EXPECT_EQ(said("rope", interleaved, by_tables(of_cosine, of_sine)), words);
  };
  expect(own, own, {});
  expect(next, own, {"cosines: pair i rotates at the frequency of pair i + 1, the last at that of pair 0"});
  expect(own, next, {"sines: pair i rotates at the frequency of pair i + 1, the last at that of pair 0"});
  expect([](std::size_t c) { return std::min(c / 2 + 1, pairs - 1); }, own,
         {"cosines: pair i rotates at the frequency of pair i + 1, the last at its own"});
  expect(
      [](std::size_t c) { return c % pairs; }, own,
      {"cosines: channel c rotates at the frequency of pair c mod 8, as of a table [w0, w1, .., w0, w1, ..]"});
  expect(own, [](std::size_t c) { return pairs - 1 - c / 2; },
         {"sines: the frequencies stand in reverse order: pair i has that of pair 7 - i"});
  const PairOf next_of_second = [](std::size_t c) { return c % 2 == 0 ? own(c) : next(c); };
  expect(
      next_of_second, next_of_second,
      {"the second channel of a pair: pair i rotates at the frequency of pair i + 1, the last at that of pair 0"});
  // Both, and a sign that is wrong in one channel alone.
  EXPECT_EQ(said("rope", interleaved, by_tables(next, own, -1)),
            (Sentences{"cosines: pair i rotates at the frequency of pair i + 1, the last at that of pair 0",
                       "sines: the sine in the second channel of pair 7 has the wrong sign"}));
}

TEST(RotationParts, are_named_where_every_angle_is_ahead) {
  const auto ahead = [](Function<double(std::size_t pair)> by) {
    return said("rope", interleaved,
                rotating([=](const Rotary& right, const Tensor& x, const Positions& positions, Role) {
                  Tensor y(x.shape);
                  const std::size_t heads = x.shape[1], n = x.shape[2];
                  for (std::size_t r = 0; r < x.rows(); ++r)
                    for (std::size_t i = 0; i < pairs; ++i) {
                      const auto t = static_cast<long double>(positions[r / (heads * n) * n + r % n]);
                      const auto angle = static_cast<double>(std::remainder(t * right.pairs.at(i).frequency,
                                                                            2 * std::acos(-1.0L))) +
                                         by(i);
                      const double a = x.at(r, 2 * i), b = x.at(r, 2 * i + 1);
                      y.at(r, 2 * i) = a * std::cos(angle) - b * std::sin(angle);
                      y.at(r, 2 * i + 1) = a * std::sin(angle) + b * std::cos(angle);
                    }
                  return y;
                }));
  };
  EXPECT_EQ(ahead([](std::size_t) { return 0.1; }), Sentences{"every angle is 0.1 ahead"});
  EXPECT_EQ(ahead([](std::size_t) { return -0.75; }), Sentences{"every angle is 0.75 behind"});
  EXPECT_EQ(ahead([](std::size_t i) { return i == 7 ? 0.2 : 0.1; }), Sentences{});
  EXPECT_EQ(ahead([](std::size_t i) { return i == 3 ? 0.1001 : 0.1; }), Sentences{});
}

TEST(RotationParts, are_named_where_the_token_is_added) {
  const auto added_up_to = [](std::size_t end) {
    return rotating([=](const Rotary& right, const Tensor& x, const Positions& positions, Role role) {
      Tensor y = right.rotate(x, positions, role);
      for (std::size_t r = 0; r < y.rows(); ++r)
        for (std::size_t c = 0; c < end; ++c) y.at(r, c) += x.at(r, c);
      return y;
    });
  };
  EXPECT_EQ(said("rope", "dim=16", added_up_to(16)), Sentences{"the token is added to its rotation"});
  EXPECT_EQ(said("rope", "dim=16", added_up_to(15)),
            Sentences{"the token is added to channels 0 to 14 of its rotation"});
  EXPECT_EQ(said("rope", "dim=16", added_up_to(1)),
            Sentences{"the token is added to channel 0 of its rotation"});
}

TEST(RotationParts, are_named_where_channels_are_rolled) {
  const auto answer = [](std::size_t by) {
    return rotating([=](const Rotary& right, const Tensor& x, const Positions& positions, Role role) {
      return rolled(right.rotate(x, positions, role), by);
    });
  };
  const auto input = [](std::size_t by) {
    return rotating([=](const Rotary& right, const Tensor& x, const Positions& positions, Role role) {
      return right.rotate(rolled(x, by), positions, role);
    });
  };
  const auto holds = [](std::string_view channel) {
    return Sentences{
        fmt::format("channel c of the answer holds the rotated channel c {} (modulo 16)", channel)};
  };
  const auto is_given = [](std::string_view channel) {
    return Sentences{fmt::format("for channel c channel c {} (modulo 16) of the token is rotated", channel)};
  };
  for (const std::string& setting : {interleaved, std::string("dim=16"), interleaved + " rotary_dim=8"}) {
    EXPECT_EQ(said("rope", setting, answer(1)), holds("- 1")) << setting;
    EXPECT_EQ(said("rope", setting, answer(15)), holds("+ 1")) << setting;
    EXPECT_EQ(said("rope", setting, answer(3)), holds("- 3")) << setting;
    EXPECT_EQ(said("rope", setting, input(1)), is_given("- 1")) << setting;
    EXPECT_EQ(said("rope", setting, input(14)), is_given("+ 2")) << setting;
  }
  // The channels that rotate at the other end.
  const auto concatenated = [](std::string_view channel) {
    return Sentences{fmt::format(
        "channel c of the answer holds the rotated channel c {} (modulo 16): those that rotate and "
        "the others are concatenated in the wrong order",
        channel)};
  };
  const std::string last = "dim=16 rotary_dim=4 rotary_part=last";
  EXPECT_EQ(said("rope", last, answer(4)), concatenated("- 4"));
  EXPECT_EQ(said("rope", last, answer(3)), holds("- 3"));
  EXPECT_EQ(said("rope", "dim=16 rotary_dim=4", answer(12)), concatenated("+ 4"));
  EXPECT_EQ(said("rope", "dim=16 rotary_dim=4", answer(4)), holds("- 4"));
}

// The channels that rotate are others than those declared, in place.
TEST(RotationParts, are_named_where_the_part_that_rotates_begins_elsewhere) {
  const auto from = [](std::size_t by, double faster = 1) {
    return rotating([=](const Rotary& right, const Tensor& x, const Positions& positions, Role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : right.pairs) {
          const std::size_t first = (pair.first + by) % width, second = (pair.second + by) % width;
          const auto angle = static_cast<long double>(positions[r / (heads * n) * n + r % n]) *
                             (pair.frequency * (pair.index == 0 ? 1 : faster));
          const auto c = static_cast<double>(std::cos(angle)), s = static_cast<double>(std::sin(angle));
          y.at(r, first) = x.at(r, first) * c - x.at(r, second) * s;
          y.at(r, second) = x.at(r, first) * s + x.at(r, second) * c;
        }
      return y;
    });
  };
  const auto begins = [](std::size_t at, std::size_t not_at) {
    return Sentences{
        fmt::format("the part that rotates begins at channel {} of 16, not at channel {}", at, not_at)};
  };
  EXPECT_EQ(said("rope", "dim=16 rotary_dim=8", from(15)), begins(15, 0));
  EXPECT_EQ(said("rope", "dim=16 rotary_dim=8", from(1)), begins(1, 0));
  EXPECT_EQ(said("rope", "dim=16 rotary_dim=8 rotary_part=last", from(15)), begins(7, 8));
  EXPECT_EQ(said("rope", "dim=16 rotary_dim=8 layout=interleaved rotary_part=last", from(14)), begins(6, 8));
  // At other frequencies, too.
  const Sentences both = said("rope", "dim=16 rotary_dim=8", from(15, 1.5));
  EXPECT_FALSE(both == begins(15, 0)) << ::testing::PrintToString(both);
}

// Of the last channels, whose numbers are counted from the first of them.
TEST(RotationParts, are_named_where_the_last_channels_rotate) {
  const std::string last = "dim=16 rotary_dim=8 rotary_part=last";
  const auto spoiling = [](const Function<void(std::span<double> row)>& spoil) {
    return rotating([=](const Rotary& right, const Tensor& x, const Positions& positions, Role role) {
      Tensor y = right.rotate(x, positions, role);
      for (std::size_t r = 0; r < y.rows(); ++r) spoil(y.row(r));
      return y;
    });
  };
  EXPECT_EQ(said("rope", last, spoiling([](std::span<double> row) { row[9] = 0; })),
            (Sentences{"counted from channel 8: channel 1 is 0"}));
  EXPECT_EQ(said("rope", last, spoiling([](std::span<double> row) { row[1] = 0; })),
            (Sentences{"counted from channel 8: channel 9 is 0"}));
  const Make other = [](const Parameters& parameters) {
    Parameters faster = parameters;
    faster.set("base", 21.3);
    return encoding_named("rope").make(faster);
  };
  EXPECT_EQ(said("rope", last, other), (Sentences{"frequencies are base^(-2i/8) with base 21.3, not 10000"}));
}

// What is answered in the place of a token: its content is that of another, or all of it.
struct Moved {
  std::string words;
  std::array<std::size_t, 3> (*from)(std::array<std::size_t, 3> at, std::array<std::size_t, 3> sizes);
};

Make moving(const Moved& by, bool after) {
  return rotating([=](const Rotary& right, const Tensor& x, const Positions& positions, Role role) {
    const auto moved = [&](const Tensor& of) {
      Tensor out(of.shape);
      const std::array sizes{of.shape[0], of.shape[1], of.shape[2]};
      for (std::size_t r = 0; r < of.rows(); ++r) {
        const auto [row, head, token] =
            by.from({r / sizes[2] / sizes[1], r / sizes[2] % sizes[1], r % sizes[2]}, sizes);
        for (std::size_t c = 0; c < of.width(); ++c)
          out.at(r, c) = of.at((row * sizes[1] + head) * sizes[2] + token, c);
      }
      return out;
    };
    return after ? moved(right.rotate(x, positions, role)) : right.rotate(moved(x), positions, role);
  });
}

using At = std::array<std::size_t, 3>;

TEST(RotationParts, are_named_where_tokens_are_in_others_places) {
  const Moved of_content[] = {
      {"heads have each other's content, in reverse order",
       [](At t, At n) {
         return At{t[0], n[1] - 1 - t[1], t[2]};
       }},
      {"every head has the content of the one before, the first that of the last",
       [](At t, At n) {
         return At{t[0], (t[1] + n[1] - 1) % n[1], t[2]};
       }},
      {"every head has the content of the one after, the last that of the first",
       [](At t, At n) {
         return At{t[0], (t[1] + 1) % n[1], t[2]};
       }},
      {"every head has the content of the first",
       [](At t, At) {
         return At{t[0], 0, t[2]};
       }},
      {"every head has the content of the last",
       [](At t, At n) {
         return At{t[0], n[1] - 1, t[2]};
       }},
      {"rows of the batch have each other's content, in reverse order",
       [](At t, At n) {
         return At{n[0] - 1 - t[0], t[1], t[2]};
       }},
      {"every row of the batch has the content of the first",
       [](At t, At) {
         return At{0, t[1], t[2]};
       }},
      {"every row of the batch has the content of the last",
       [](At t, At n) {
         return At{n[0] - 1, t[1], t[2]};
       }},
      {"tokens of a row have each other's content, in reverse order",
       [](At t, At n) {
         return At{t[0], t[1], n[2] - 1 - t[2]};
       }},
      {"every token has the content of the one before it in its row, the first that of the last",
       [](At t, At n) {
         return At{t[0], t[1], (t[2] + n[2] - 1) % n[2]};
       }},
      {"every token has the content of the one after it in its row, the last that of the first",
       [](At t, At n) {
         return At{t[0], t[1], (t[2] + 1) % n[2]};
       }},
      {"every token has the content of the first of its row",
       [](At t, At) {
         return At{t[0], t[1], 0};
       }},
      {"every token has the content of the last of its row",
       [](At t, At n) {
         return At{t[0], t[1], n[2] - 1};
       }},
      {"the content is read as [batch, n, heads, dim]",
       [](At t, At n) {
         const std::size_t flat = t[2] * n[1] + t[1];
         return At{t[0], flat / n[2], flat % n[2]};
       }},
  };
  const Moved of_answer[] = {
      {"rows of the batch have each other's answers, in reverse order",
       [](At t, At n) {
         return At{n[0] - 1 - t[0], t[1], t[2]};
       }},
      {"every row of the batch is answered as the first",
       [](At t, At) {
         return At{0, t[1], t[2]};
       }},
      {"every row of the batch is answered as the last",
       [](At t, At n) {
         return At{n[0] - 1, t[1], t[2]};
       }},
      {"tokens of a row have each other's answers, in reverse order",
       [](At t, At n) {
         return At{t[0], t[1], n[2] - 1 - t[2]};
       }},
      {"every token is answered as the one before it in its row, the first as the last",
       [](At t, At n) {
         return At{t[0], t[1], (t[2] + n[2] - 1) % n[2]};
       }},
      {"every token is answered as the one after it in its row, the last as the first",
       [](At t, At n) {
         return At{t[0], t[1], (t[2] + 1) % n[2]};
       }},
      {"every token is answered as the first of its row",
       [](At t, At) {
         return At{t[0], t[1], 0};
       }},
      {"every token is answered as the last of its row",
       [](At t, At n) {
         return At{t[0], t[1], n[2] - 1};
       }},
      {"the answer lies as [batch, n, heads, dim]",
       [](At t, At n) {
         const std::size_t flat = t[1] * n[2] + t[2];
         return At{t[0], flat % n[1], flat / n[1]};
       }},
  };
  for (const Moved& one : of_content)
    EXPECT_EQ(said("rope", "dim=4 heads=3", moving(one, false)), Sentences{one.words});
  for (const Moved& one : of_answer)
    EXPECT_EQ(said("rope", "dim=4 heads=3", moving(one, true)), Sentences{one.words});
}

}  // namespace
}  // namespace posproof::rotation_parts_test
