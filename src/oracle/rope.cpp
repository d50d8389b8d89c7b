#include <fmt/format.h>

#include "core/hard.h"
#include "oracle/asked.h"
#include "oracle/ladder.h"
#include "oracle/oracle.h"

namespace posproof::oracle {
namespace {

Tensor turned(const Ladder& ladder, std::span<const Pair> pairs, bool backward, Tensor x,
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
          double& first = channels[pairs[i].first];
          double& second = channels[pairs[i].second];
          // A turn by -angle of (first, second) is a turn by +angle of (second, first).
          tokens[i].push_back(backward ? Ladder::Coordinates{&second, &first}
                                       : Ladder::Coordinates{&first, &second});
        }
      }
      ladder.turn(positions[b * n + token], tokens);
    }
  return x;
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

  std::vector<Exponent> exponents;
  for (std::size_t i = 0; i < width / 2; ++i)
    exponents.push_back({2 * static_cast<std::int64_t>(i), static_cast<std::int64_t>(over)});
  const Ladder ladder(asked.positive("base", 10000), exponents);

  Rotary rotary{.dim = dim, .heads = heads};
  for (std::size_t i = 0; i < width / 2; ++i)
    rotary.pairs.push_back({half_split ? i : 2 * i, half_split ? i + width / 2 : 2 * i + 1,
                            backward ? -ladder.frequency(i) : ladder.frequency(i), i});
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.turn = [ladder, pairs = rotary.pairs, backward, heads, dim](
                    const Tensor& x, std::span<const Position> positions, Role) {
    return turned(ladder, pairs, backward, x, positions, heads, dim);
  };
  return rotary;
}

}  // namespace posproof::oracle
