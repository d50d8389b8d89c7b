#include <fmt/format.h>

#include "core/hard.h"
#include "oracle/asked.h"
#include "oracle/exact_table.h"
#include "oracle/ladder.h"
#include "oracle/oracle.h"

namespace posproof::oracle {
namespace {

Tensor turned(const Ladder& ladder, std::span<const Pair> pairs, Tensor x,
              std::span<const Position> positions, std::size_t heads, std::size_t dim) {
  if (x.shape.size() != 4 || x.shape[1] != heads || x.shape[3] != dim ||
      positions.size() != x.shape[0] * x.shape[2])
    throw Refusal(
        fmt::format("rope: x is [batch, {}, n, {}] with batch * n positions, {} and {} positions came", heads,
                    dim, text(x.shape), positions.size()));
  const std::size_t batch = x.shape[0], n = x.shape[2];
  std::vector<std::vector<Ladder::Coordinates>> tokens(pairs.size());
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t token = 0; token < n; ++token) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        tokens[i].clear();
        for (std::size_t h = 0; h < heads; ++h) {
          const auto channels = x.row((b * heads + h) * n + token);
          tokens[i].push_back({&channels[pairs[i].first], &channels[pairs[i].second]});
        }
      }
      ladder.turn(positions[b * n + token], tokens);
    }
  return x;
}

// Of what becomes of (1, 0) in every pair: the cosine in its first channel, the sine in its second.
std::vector<Run> runs_of(std::size_t width, bool half_split) {
  const std::size_t pairs = width / 2;
  if (pairs == 0) return {};
  if (!half_split) return {{Run::Part::cosines_and_sines, 0, 0, pairs}};
  return {{Run::Part::cosines, 0, 0, pairs}, {Run::Part::sines, pairs, 0, pairs}};
}

}  // namespace

Encoding rope(const Parameters& parameters) {
  const Asked asked(parameters, "rope",
                    {"dim", "heads", "base", "layout", "rotary_width", "exponent", "direction"});
  const std::size_t dim = asked.width("dim", 64);
  const std::size_t heads = asked.width("heads", 1);
  const std::int64_t asked_width = asked.whole("rotary_width", 0, 0, widest);
  const std::size_t width = asked_width == 0 ? dim : static_cast<std::size_t>(asked_width);
  if (width > dim) asked.refuse("`rotary_width` is at most `dim`");
  if (width % 2 != 0) asked.refuse("the channels that turn (`rotary_width`, or `dim`) are even in number");
  const bool half_split = asked.word("layout", {"half_split", "interleaved"}) == "half_split";
  const std::size_t over = asked.word("exponent", {"rotary_width", "dim"}) == "dim" ? dim : width;
  const bool backward = asked.word("direction", {"forward", "backward"}) == "backward";

  Geometric powers{asked.positive("base", 10000), {}};
  for (std::size_t i = 0; i < width / 2; ++i)
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), static_cast<std::int64_t>(over)});
  const auto ladder = std::make_shared<const Ladder>(Frequencies{powers, backward});

  Rotary rotary{.dim = dim, .heads = heads};
  for (std::size_t i = 0; i < width / 2; ++i)
    rotary.pairs.push_back(
        {half_split ? i : 2 * i, half_split ? i + width / 2 : 2 * i + 1, ladder->frequency(i), i});
  rotary.exact = std::make_shared<const ExactTable>(ladder, runs_of(width, half_split), dim, 0);
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.turn = [ladder, pairs = rotary.pairs, heads, dim](const Tensor& x,
                                                           std::span<const Position> positions, Role) {
    return turned(*ladder, pairs, x, positions, heads, dim);
  };
  return rotary;
}

}  // namespace posproof::oracle
