// What is done in a part of the calls or of the channels alone, and what is near to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"
#include "run/catalogued.h"

namespace posproof::place_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

// A token of a call as wrong code sees it.
struct At {
  std::size_t row, head, token, tokens, batch;
  double position;
  Role role;
};
// The answer in the place of a right one, [channel], where there is another.
using Other = Function<void(const At&, std::span<const double> x, std::span<double> y)>;

Sentences said_of(const std::string& family, const std::string& words, const Other& other) {
  return said(family, words, [&](const Parameters& parameters) -> Encoding {
    const auto right = as<Rotary>(encoding_named(family).make(parameters));
    Rotary out = right;
    out.rotate = [right, other](const Tensor& x, const Positions& positions, Role role) {
      Tensor y = right.rotate(x, positions, role);
      const std::size_t batch = x.shape[0], heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r) {
        const std::size_t row = r / (heads * n), token = r % n;
        other({row, r / n % heads, token, n, batch, positions.at(row * n + token, 0), role}, x.row(r),
              y.row(r));
      }
      return y;
    };
    return out;
  });
}

// As another encoding gives it, of one token.
void as_of(const std::string& family, const std::string& words, const At& at, std::span<const double> x,
           std::span<double> y) {
  const auto other =
      as<Rotary>(encoding_named(family).make(with(encoding_named(family), Case::parse(words))));
  const Position t[] = {static_cast<Position>(at.position)};
  const Tensor out = other.rotate(Tensor({1, 1, 1, x.size()}, {x.begin(), x.end()}), t, at.role);
  std::ranges::copy(out.data, y.begin());
}

TEST(PlaceDeviations, name_another_parameter_from_a_position_on) {
  const auto from = [](Position first) {
    return said_of("rope", "dim=8 scaling=linear factor=4",
                   [first](const At& at, std::span<const double> x, std::span<double> y) {
                     if (at.position >= static_cast<double>(first)) as_of("rope", "dim=8", at, x, y);
                   });
  };
  EXPECT_EQ(from(64), Sentences{"at positions from 64 on: as with --scaling none"});
  EXPECT_EQ(from(100), Sentences{"at positions from 100 on: as with --scaling none"});
}

// 5000 is half of 10000, and no base that claims are searched over.
TEST(PlaceDeviations, name_another_number_from_a_position_on) {
  const auto base = [](const char* words) {
    return said_of("rope", "dim=8", [words](const At& at, std::span<const double> x, std::span<double> y) {
      if (at.position >= 700) as_of("rope", words, at, x, y);
    });
  };
  EXPECT_EQ(base("dim=8 base=5000"), Sentences{"at positions from 700 on: as with --base 5000"});
  EXPECT_EQ(base("dim=8 base=5003"), Sentences{});
}

TEST(PlaceDeviations, name_another_order_of_channels_in_a_part_of_the_calls) {
  const auto moved = [](const Function<std::size_t(std::size_t)>& of) {
    return said_of("rope", "dim=8", [of](const At& at, std::span<const double>, std::span<double> y) {
      if (at.role != Role::key || at.tokens > 1) return;
      const std::vector<double> right(y.begin(), y.end());
      for (std::size_t c = 0; c < 8; ++c) y[c] = right[of(c)];
    });
  };
  const auto said = [](const std::string& order) {
    return Sentences{"keys in calls of one token a row: the same after one permutation of channels: " +
                     order};
  };
  EXPECT_EQ(moved([](std::size_t c) { return 7 - c; }), said("in reverse order"));
  EXPECT_EQ(moved([](std::size_t c) { return (c + 4) % 8; }), said("the halves are swapped"));
  EXPECT_EQ(moved([](std::size_t c) { return c ^ 1; }), said("neighbours are swapped"));
  EXPECT_EQ(moved([](std::size_t c) { return c < 4 ? 2 * c : 2 * c - 7; }), said("evens then odds"));
  EXPECT_EQ(moved([](std::size_t c) { return c / 2 + c % 2 * 4; }), said("both halves interleaved"));
  EXPECT_EQ(moved([](std::size_t c) { return (c + 1) % 8; }),
            said("each is the next one, the last the first"));
  EXPECT_EQ(moved([](std::size_t c) { return (c + 7) % 8; }),
            said("each is the one before, the first the last"));
  // In an order that has no name it is measured in those calls; what is no order has none.
  EXPECT_EQ(moved([](std::size_t c) { return 3 * c % 8; }).front(),
            "in calls of one token a row: keys: channel 1 of the answer holds the rotated channel 3");
  EXPECT_EQ(said_of("rope", "dim=8",
                    [](const At& at, std::span<const double>, std::span<double> y) {
                      if (at.role != Role::key || at.tokens > 1) return;
                      std::ranges::reverse(y);
                      for (double& x : y) x *= std::abs(x);
                    }),
            Sentences{});
}

// What is measured of calls of one query, which has no words of its own there, and of those of several.
TEST(PlaceDeviations, measure_calls_of_one_query_and_of_several_apart) {
  const auto of = [](const Function<bool(std::size_t queries)>& is, Position last,
                     Position also_of_three = 1 << 20) {
    return said("t5_bias", "heads=2 table=seeded direction=unidirectional",
                [=](const Parameters& parameters) -> Encoding {
                  Bias out = as<Bias>(encoding_named("t5_bias").make(parameters));
                  out.bias = [=, own = out.bias](const Positions& queries, const Positions& keys) {
                    Tensor to({2, queries.size(), keys.size()});
                    for (std::size_t i = 0; i < queries.size(); ++i)
                      for (std::size_t j = 0; j < keys.size(); ++j) {
                        Position most = 1 << 20;
                        if (is(queries.size())) most = last;
                        if (queries.size() == 3) most = std::min(most, also_of_three);
                        const Position query[] = {std::min(queries[i], keys[j] + most)}, key[] = {keys[j]};
                        const Tensor one = own(query, key);
                        for (std::size_t head = 0; head < 2; ++head)
                          to.at(head * queries.size() + i, j) = one.data[head];
                      }
                    return to;
                  };
                  return out;
                });
  };
  const auto one = [](std::size_t queries) { return queries == 1; };
  const auto several = [](std::size_t queries) { return queries > 1; };
  EXPECT_EQ(of(one, 8), Sentences{"in calls of one query: distances past 8 count as 8"});
  EXPECT_EQ(of(several, 8), Sentences{"in calls of several queries: distances past 8 count as 8"});
  EXPECT_EQ(of(one, 8, 9), Sentences{});  // of both sorts
}

// As in calls of several tokens alone, so of keys alone: it is measured there.
TEST(PlaceDeviations, measure_a_channel_in_calls_of_several_tokens) {
  EXPECT_EQ(said_of("rope", "dim=8",
                    [](const At& at, std::span<const double>, std::span<double> y) {
                      if (at.role == Role::key && at.tokens > 1) y[3] *= 0.875;
                    }),
            Sentences{"in calls of several tokens a row: keys: channel 3 is multiplied by 0.875, not by 1"});
}

// The channels that rotate by the last of three numbers.
TEST(PlaceDeviations, name_another_parameter_of_one_axis) {
  const std::string crop = "dim=24 axes=3 coordinates=cropped grid=[5,3,4] crop_stop=[8,6,6]";
  const auto of = [&](const std::string& start) {
    return said("axial_rope", crop + " crop_start=[1,2,3]", [&](const Parameters& parameters) -> Encoding {
      const EncodingSpec& spec = encoding_named("axial_rope");
      Rotary out = as<Rotary>(spec.make(parameters));
      const auto other = as<Rotary>(spec.make(with(spec, Case::parse(crop + " crop_start=" + start))));
      out.rotate = [own = out, other](const Tensor& x, const Positions& positions, Role role) {
        Tensor y = own.rotate(x, positions, role);
        const Tensor from = other.rotate(x, positions, role);
        for (std::size_t r = 0; r < y.rows(); ++r)
          for (const Pair& pair : own.pairs)
            for (const std::size_t c : {pair.first, pair.second})
              if (pair.axis == 2) y.at(r, c) = from.at(r, c);
        return y;
      };
      return out;
    });
  };
  EXPECT_EQ(of("[0,0,0]"), Sentences{"of the column: as with --crop_start [0,0,0]"});
}

TEST(PlaceDeviations, name_another_form_in_a_part_of_the_calls) {
  EXPECT_EQ(said_of("rope", "dim=8",
                    [](const At& at, std::span<const double> x, std::span<double> y) {
                      if (at.position < 64) return;
                      for (std::size_t i = 0; i < 4; ++i) {
                        const double angle = at.position * std::pow(10000.0, -static_cast<double>(i) / 4);
                        const double c = std::cos(angle), s = std::sin(2 * angle);
                        y[i] = c * x[i] - s * x[i + 4], y[i + 4] = s * x[i] + c * x[i + 4];
                      }
                    }),
            Sentences{"at positions from 64 on: sines are those of twice the angle, cosines are not"});
  EXPECT_EQ(said_of("xpos", "dim=8 scale_base=64",
                    [](const At& at, std::span<const double> x, std::span<double> y) {
                      if (at.tokens == 1) as_of("rope", "dim=8 layout=interleaved", at, x, y);
                    }),
            Sentences{"in calls of one token a row: neither queries nor keys are scaled"});
}

TEST(PlaceDeviations, name_some_channels_in_some_places) {
  const auto zeroed = [](const std::vector<std::size_t>& channels, double factor) {
    return said_of("rope", "dim=12 rotary_dim=8 heads=2",
                   [=](const At& at, std::span<const double>, std::span<double> y) {
                     if (at.role == Role::key && at.head == 1)
                       for (const std::size_t c : channels) y[c] *= factor;
                   });
  };
  EXPECT_EQ(zeroed({8, 9, 10, 11}, 0), Sentences{"keys: head 1 of 2: channels 8 to 11 are 0"});
  EXPECT_EQ(said_of("rope", "dim=12 rotary_dim=8",
                    [](const At& at, std::span<const double>, std::span<double> y) {
                      if (at.role == Role::key && at.tokens > 1)
                        for (std::size_t c = 8; c < 12; ++c) y[c] = 0;
                    }),
            Sentences{"keys, in calls of several tokens a row: channels 8 to 11 of 12: the answer is 0"});
}

// What is done is none of what is known, or it is done in no place that has a name.
TEST(PlaceDeviations, say_nothing_of_what_is_near) {
  EXPECT_EQ(said_of("rope", "dim=8",
                    [](const At& at, std::span<const double>, std::span<double> y) {
                      if (at.role == Role::key && at.tokens > 1)
                        y[3] *= 1 - 0.125 * static_cast<double>(at.token % 3);
                    }),
            Sentences{});
  // At one position, and at the two last ones, it may be right by chance that they are as the next one is.
  for (const double first : {double{1 << 20}, double{1 << 20} - 1})
    EXPECT_EQ(said_of("rope", "dim=8",
                      [first](const At& at, std::span<const double> x, std::span<double> y) {
                        if (at.position >= first) y[3] += 1e-3 * x[7], y[7] -= 1e-3 * x[3];
                      }),
              Sentences{});
  EXPECT_EQ(said_of("rope", "dim=8",
                    [](const At& at, std::span<const double>, std::span<double> y) {
                      if (std::fmod(at.position, 7) == 3) y[3] = 0;
                    }),
            Sentences{});
}

// Positions come in f32, and a cosine of 2 pi b x loses 2 pi times as much by that as a sine of b x.
TEST(PlaceDeviations, allow_the_other_columns_what_they_may_be_off) {
  EXPECT_EQ(said("gaussian_fourier", "dim=8",
                 [](const Parameters& parameters) -> Encoding {
                   auto out = as<Table>(encoding_named("gaussian_fourier").make(parameters));
                   Parameters other = parameters;
                   other.set("factor", std::string("one"));
                   out.rows = [right = out.rows,
                               without = as<Table>(encoding_named("gaussian_fourier").make(other)).rows](
                                  const Positions& positions, Position length) {
                     std::vector<double> in_f32;
                     for (std::size_t r = 0; r < positions.size(); ++r)
                       in_f32.push_back(to_f32(positions.at(r)));
                     const Positions at(std::span<const double>(in_f32), 1);
                     Tensor rows = right(at, length);
                     const Tensor others = without(at, length);
                     for (std::size_t r = 0; r < rows.rows(); ++r)
                       for (std::size_t c = 4; c < 8; ++c) rows.at(r, c) = others.at(r, c);
                     for (double& entry : rows.data) entry = to_f32(entry);
                     return rows;
                   };
                   return out;
                 }),
            Sentences{"columns 4 to 7 of 8: as with --factor one"});
}

TEST(PlaceDeviations, name_longer_sequences) {
  const Sentences found = said("normalized_index", "dim=2", [](const Parameters& parameters) -> Encoding {
    auto out = as<Table>(encoding_named("normalized_index").make(parameters));
    out.rows = [own = out.rows](const Positions& positions, Position length) {
      return own(positions, length > 100 ? length + 1 : length);
    };
    return out;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("in sequences longer than ")) << found[0];
  EXPECT_TRUE(found[0].ends_with(": the length of the sequence counts as one more")) << found[0];
}

TEST(PlaceDeviations, name_real_positions_that_are_limited_on_both_sides) {
  EXPECT_EQ(said("nerf", "axes=2 frequencies=3",
                 [](const Parameters& parameters) -> Encoding {
                   auto out = as<Table>(encoding_named("nerf").make(parameters));
                   out.rows = [own = out.rows](const Positions& positions, Position length) {
                     std::vector<double> held;
                     for (std::size_t r = 0; r < positions.size(); ++r)
                       for (std::size_t axis = 0; axis < 2; ++axis)
                         held.push_back(std::clamp(positions.at(r, axis), -1.0, 1.0));
                     return own(Positions(std::span<const double>(held), 2), length);
                   };
                   return out;
                 }),
            Sentences{"positions past 1 count as 1, and those below -1 as -1"});
}

// What a program answers that is asked for each run of positions in a call of its own.
using OfRun =
    Function<Tensor(const Rotary& right, const Tensor& x, std::span<const Position> run, Role role)>;

Sentences said_of_runs(const std::string& family, const std::string& words, const OfRun& of_run) {
  const EncodingSpec& spec = encoding_named(family);
  const Parameters parameters = with(spec, Case::parse(words));
  const auto right = as<Rotary>(spec.make(parameters));
  Rotary wrong = right;
  wrong.rotate = [right, of_run](const Tensor& x, const Positions& positions, Role role) {
    const std::vector<Position> all(positions.begin(), positions.end());
    Tensor y(x.shape);
    const std::size_t heads = x.shape[1], n = x.shape[2], width = x.width();
    for (std::size_t row = 0; row < x.shape[0]; ++row)
      for (std::size_t from = 0, to = 0; from < n; from = to) {
        const auto at = std::span(all).subspan(row * n, n);
        for (to = from + 1; to < n && at[to] == at[to - 1] + 1;) ++to;
        Tensor part({1, heads, to - from, width});
        const auto exchange = [&](auto put) {
          for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t k = from; k < to; ++k)
              put((row * heads + h) * n + k, h * (to - from) + k - from);
        };
        exchange([&](std::size_t whole, std::size_t own) {
          std::ranges::copy(x.row(whole), part.row(own).begin());
        });
        const Tensor out = of_run(right, part, at.subspan(from, to - from), role);
        exchange([&](std::size_t whole, std::size_t own) {
          for (std::size_t c = 0; c < width; ++c) y.at(whole, c) = to_f32(out.at(own, c));
        });
      }
    return y;
  };
  Subject subject{"made", "", wrong, all_f32};
  subject.takes_positions = "offset";
  return deviations(spec, parameters, subject, answers_of(subject, spec.oracle(parameters), {}, 1));
}

TEST(PlaceDeviations, name_sines_that_begin_anew_in_each_call_that_is_asked_for) {
  const auto sines_from = [](Position first) {
    return said_of_runs("rope", "dim=8", [first](const Rotary& right, const Tensor& x, auto run, Role) {
      Tensor y = x;
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : right.pairs) {
          const std::size_t n = r % run.size();
          const double c = std::cos(static_cast<double>(run[n]) * pair.frequency),
                       s = std::sin(static_cast<double>(first + static_cast<Position>(n)) * pair.frequency);
          y.at(r, pair.first) = x.at(r, pair.first) * c - x.at(r, pair.second) * s;
          y.at(r, pair.second) = x.at(r, pair.first) * s + x.at(r, pair.second) * c;
        }
      return y;
    });
  };
  EXPECT_EQ(
      sines_from(0),
      Sentences{"sines are those of the number of the token in its row, whatever its position, cosines are "
                "not"});
  EXPECT_EQ(sines_from(1), Sentences{});
}

TEST(PlaceDeviations, name_a_centre_that_does_not_count_the_tokens_before_a_call) {
  const auto centred = [](std::size_t (*centre)(std::size_t tokens)) {
    return said_of_runs("xpos", "dim=8 centre_at=half_of_call_rounded_up",
                        [centre](const Rotary& right, const Tensor& x, auto run, Role role) {
                          const auto half = static_cast<Position>(centre(run.size()));
                          return right.in_call(2 * half - 1)->rotate(x, run, role);
                        });
  };
  EXPECT_EQ(
      centred([](std::size_t n) { return (n + 1) / 2; }),
      Sentences{"the number of tokens in a row counts as the length of the call, whatever their positions"});
  EXPECT_EQ(centred([](std::size_t n) { return n / 2; }),
            Sentences{"the centre is half of the number of tokens in a row, rounded down"});
  EXPECT_EQ(centred([](std::size_t n) { return (n + 2) / 2; }), Sentences{});
}

}  // namespace
}  // namespace posproof::place_deviations_test
