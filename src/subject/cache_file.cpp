#include "subject/cache_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "core/rotation.h"
#include "subject/array_file.h"
#include "subject/dtype.h"
#include "subject/kinds.h"

namespace posproof {
namespace {

bool names_a_file(std::string_view words) {
  return words.ends_with(".npy") || words.find(".safetensors") != std::string_view::npos ||
         words.ends_with(".npz");
}

// An array of rows, [n, columns].
struct Rows {
  Array array;
  std::size_t count, columns;
};

Rows rows(Array array) {
  const Shape& shape = array.shape;
  if (array.empty() || shape.empty())
    throw SubjectError(fmt::format("{}: {} holds no row", array.path, text(shape)));
  const std::size_t columns = shape.back(), count = posproof::count(shape) / columns;
  const auto long_axes = std::count_if(shape.begin(), shape.end() - 1, [](std::size_t n) { return n > 1; });
  if (long_axes > 1)
    throw SubjectError(
        fmt::format("{}: {} is not [n, columns], the rows of a cache", array.path, text(shape)));
  array.shape = {count, columns};
  return {std::move(array), count, columns};
}

// In which columns the two channels of a pair find their cosine and their sine.
struct PositionIn {
  std::size_t first, second;                // channels
  std::array<std::size_t, 2> cosine, sine;  // of the first, of the second
};

struct Cache {
  std::vector<Rows> files;  // the cosines and the sines, or both in one
  std::vector<PositionIn> places;
  // Channels in no pair that have columns all the same: what stands there is 0 by right, and is added to what
  // stays as it is.
  std::vector<std::size_t> unturned;
  Position first;  // of row 0

  const Rows& cosines() const { return files.front(); }
  const Rows& sines() const { return files.back(); }

  std::size_t row(Position t) const {
    const Rows& all = cosines();
    if (t < first)
      throw Refusal(fmt::format("{} begins at position {}; {} was asked for", all.array.path, first, t));
    const auto found = static_cast<std::size_t>(t - first);
    if (found >= all.count)
      throw Refusal(fmt::format("{} ends at position {}; {} was asked for", all.array.path,
                                first + static_cast<Position>(all.count) - 1, t));
    return found;
  }

  Tensor rotated(Tensor x, std::span<const Position> positions, std::size_t heads) const {
    const std::size_t n = x.shape[2];
    std::vector<double> c(cosines().columns), s(sines().columns);
    for (std::size_t token = 0; token < positions.size(); ++token) {
      const std::size_t from = row(positions[token]);
      cosines().array.row(from, c);
      sines().array.row(from, s);
      for (std::size_t head = 0; head < heads; ++head) {
        const auto channels = x.row((token / n * heads + head) * n + token % n);
        for (const PositionIn& at : places) {
          const double a = channels[at.first], b = channels[at.second];
          channels[at.first] = a * c[at.cosine[0]] - b * s[at.sine[0]];
          channels[at.second] = a * s[at.sine[1]] + b * c[at.cosine[1]];
        }
        for (const std::size_t channel : unturned)
          if (c[channel] != 0) channels[channel] += c[channel];
      }
    }
    return x;
  }
};

[[noreturn]] void refuse_columns(const Rows& file, std::string_view what, std::string_view allowed,
                                 const Expected& expected) {
  throw std::invalid_argument(fmt::format("{}: its rows are {} wide, {} of `{}` with {} {}", file.array.path,
                                          file.columns, what, expected.encoding, expected.parameters.text(),
                                          allowed));
}

std::vector<PositionIn> places(const std::vector<Rows>& files, const Rotary& declared,
                               const Expected& expected) {
  const std::size_t pairs = declared.pairs.size(), columns = files.front().columns;
  if (files.size() == 1 && columns != 2 * pairs && columns != declared.dim)
    refuse_columns(files.front(), "cosines and sines in one",
                   fmt::format("are {}; two files are table:COS,SIN", 2 * pairs), expected);
  if (files.size() == 2 && columns != pairs && columns != 2 * pairs)
    refuse_columns(files.front(), "the cosines",
                   fmt::format("are {}, a column for each pair, or {}, one for each channel that rotates",
                               pairs, 2 * pairs),
                   expected);
  std::vector<PositionIn> all;
  for (const Pair& pair : declared.pairs) {
    const std::size_t first = pair.first, second = pair.second, i = pair.index;
    if (files.size() == 1)
      all.push_back({first, second, {first, first}, {second, second}});
    else if (columns == pairs)
      all.push_back({first, second, {i, i}, {i, i}});
    else
      all.push_back({first, second, {first, second}, {first, second}});
  }
  return all;
}

}  // namespace

std::vector<std::string> cache_paths(const std::string& words) {
  const auto comma = words.rfind(',');
  if (comma == std::string::npos) return {words};
  std::string cosines = words.substr(0, comma), sines = words.substr(comma + 1);
  const auto tensor = cosines.rfind(".safetensors:");
  if (!names_a_file(sines) && tensor != std::string::npos)
    sines = cosines.substr(0, tensor) + ".safetensors:" + sines;
  return {cosines, sines};
}

Subject open_cache(const Words& words, const Rotary& declared, const Expected& expected) {
  if (declared.positions.axes > 1)
    throw std::invalid_argument(
        fmt::format("{}: a cache has a row for each position of one number, those of `{}` have {}; allowed: "
                    "cmd:'PROGRAM ARGS'",
                    words.rest, expected.encoding, declared.positions.axes));
  std::vector<Rows> files;
  for (const std::string& path : cache_paths(words.rest)) files.push_back(rows(read_array(path)));
  const Rows &cosines = files.front(), &sines = files.back();
  if (cosines.array.shape != sines.array.shape || cosines.array.format != sines.array.format)
    throw SubjectError(
        fmt::format("{} holds {} in {}, {} holds {} in {}: the cosines and the sines of one cache "
                    "are alike",
                    cosines.array.path, text(cosines.array.shape), name(cosines.array.format),
                    sines.array.path, text(sines.array.shape), name(sines.array.format)));
  const Dtype dtype = posproof::dtype(cosines.array.format);
  std::string description = fmt::format("{} in {}", text(cosines.array.shape), name(dtype));
  if (files.size() == 2) description = "cosines and sines, each " + description;

  Rotary rotary = declared;
  const Position first = cosines.array.first(cosines.count, declared.positions.lo),
                 of_sines = sines.array.first(sines.count, declared.positions.lo);
  if (first != of_sines)
    throw SubjectError(
        fmt::format("{} begins at position {}, {} at {}: the cosines and the sines of one cache are "
                    "of the same positions",
                    cosines.array.path, first, sines.array.path, of_sines));
  Domain domain(first, first + static_cast<Position>(cosines.count) - 1);
  domain.ends = true;
  rotary.positions = within(domain, declared.positions);
  auto at = places(files, declared, expected);
  const bool as_wide_as_the_head = files.size() == 1 && cosines.columns == declared.dim;
  auto rest = as_wide_as_the_head ? channels_in_no_pair(declared) : std::vector<std::size_t>{};
  const auto cache =
      std::make_shared<const Cache>(Cache{std::move(files), std::move(at), std::move(rest), first});
  rotary.rotate = [cache, heads = declared.heads, dim = declared.dim](
                      const Tensor& x, std::span<const Position> positions, Role) {
    check_rotation(x, positions, heads, dim);
    return cache->rotated(x, positions, heads);
  };
  return {
      .name = "",
      .description = std::move(description),
      .encoding = std::move(rotary),
      .precision = words.precision.value_or(Precision::parse(precision_word(dtype))),
      .live = false,
  };
}

}  // namespace posproof
