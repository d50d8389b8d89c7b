#include "subject/cache_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/rotation.h"
#include "core/strided.h"
#include "subject/array_file.h"
#include "subject/array_slice.h"
#include "subject/dtype.h"
#include "subject/frequency_file.h"
#include "subject/grid_of_a_file.h"
#include "subject/kinds.h"
#include "subject/recent_rows.h"

namespace posproof {
namespace {

bool names_a_file(std::string words) {
  for (IndexedFile rest = indexed_file(words); !rest.indices.empty(); rest = indexed_file(words))
    words = rest.path;
  return words.ends_with(".npy") || words.find(".safetensors") != std::string_view::npos ||
         words.find(".npz") != std::string_view::npos;
}

// Of those outside the brackets of indices.
std::size_t last_comma(std::string_view words) {
  bool inside = false;
  for (std::size_t at = words.size(); at-- > 0;) {
    if (words[at] == ']') inside = words.find('[') < at;
    if (words[at] == '[') inside = false;
    if (words[at] == ',' && !inside) return at;
  }
  return std::string_view::npos;
}

std::vector<Array> unstacked(Array array, std::size_t axes) {
  const auto stacked = array.complex ? std::nullopt : stacked_axis(array.shape, axes);
  if (!stacked) return {std::move(array)};
  std::string index = "[";
  for (std::size_t axis = 0; axis < *stacked; ++axis) index += ":, ";
  Array cosines = sliced(array, index + "0]");
  return {std::move(cosines), sliced(std::move(array), index + "1]")};
}

// The shape as the file has it: a complex number is two values of ours.
Shape in_file(const Array& array) {
  Shape shape = array.shape;
  if (array.complex) shape.back() /= 2;
  return shape;
}

// An array of rows, [n, columns].
struct Rows {
  std::shared_ptr<const RecentRows> kept;
  std::size_t count, columns;

  const Array& array() const { return kept->array(); }
};

Rows rows(Array array, bool on_a_grid) {
  const Shape& shape = array.shape;
  if (array.empty() || shape.empty())
    throw SubjectError(fmt::format("{}: {} holds no row", array.path, text(shape)));
  const std::size_t columns = shape.back(), count = posproof::count(shape) / columns;
  if (longer_axes({shape.begin(), shape.end() - 1}) > 1 && !on_a_grid)
    throw SubjectError(
        fmt::format("{}: {} is not [n, columns], the rows of a cache", array.path, text(in_file(array))));
  array.shape = {count, columns};
  return {std::make_shared<const RecentRows>(std::move(array)), count, columns};
}

// In which columns the two channels of a pair find their cosine and their sine.
struct PositionIn {
  std::size_t first, second;                // channels
  std::array<std::size_t, 2> cosine, sine;  // of the first, of the second
  std::size_t neighbours = 1;               // how many, from this one on, stand one further each

  // Whether all that it has stands by so much further than another's.
  bool is_further(const PositionIn& other, std::size_t by) const {
    return first == other.first + by && second == other.second + by && cosine[0] == other.cosine[0] + by &&
           cosine[1] == other.cosine[1] + by && sine[0] == other.sine[0] + by &&
           sine[1] == other.sine[1] + by;
  }
};

struct Cache {
  std::vector<Rows> files;  // the cosines and the sines, or both in one
  std::vector<PositionIn> places;
  // Channels in no pair that have columns all the same: what stands there is 0 by right, and is added to what
  // stays as it is.
  std::vector<std::size_t> unturned;
  Position first;                        // of row 0
  std::optional<GridOfAFile> grid = {};  // where a position has several numbers

  const Rows& cosines() const { return files.front(); }
  const Rows& sines() const { return files.back(); }

  std::size_t row(const Positions& positions, std::size_t token) const {
    if (!grid) return row(positions[token]);
    const std::size_t axes = positions.axes();
    return grid->row(cosines().array().path, positions.flat().subspan(token * axes, axes));
  }

  std::size_t row(Position t) const {
    const Rows& all = cosines();
    if (t < first)
      throw Refusal(fmt::format("{} begins at position {}; {} was asked for", all.array().path, first, t));
    const auto found = static_cast<std::size_t>(t - first);
    if (found >= all.count)
      throw Refusal(fmt::format("{} ends at position {}; {} was asked for", all.array().path,
                                first + static_cast<Position>(all.count) - 1, t));
    return found;
  }

  Tensor rotated(Tensor x, const Positions& positions, std::size_t heads) const {
    const std::size_t n = x.shape[2];
    std::vector<double> c(cosines().columns), other(files.size() == 1 ? 0 : sines().columns);
    const std::vector<double>& s = files.size() == 1 ? c : other;
    for (std::size_t token = 0; token < positions.size(); ++token) {
      const std::size_t from = row(positions, token);
      cosines().kept->row(from, c);
      if (files.size() != 1) sines().kept->row(from, other);
      for (std::size_t head = 0; head < heads; ++head) {
        const auto channels = x.row((token / n * heads + head) * n + token % n);
        for (std::size_t begin = 0; begin < places.size();) begin = rotate_neighbours(begin, channels, c, s);
        for (const std::size_t channel : unturned)
          if (c[channel] != 0) channels[channel] += c[channel];
      }
    }
    return x;
  }

 private:
  // The pairs from `begin` on whose channels and columns all stand next to those of the pair before, which is
  // all of them in most caches. No channel is in two pairs.
  std::size_t rotate_neighbours(std::size_t begin, std::span<double> channels, std::span<const double> c,
                                std::span<const double> s) const {
    const PositionIn& at = places[begin];
    const std::size_t count = at.neighbours;
    double* __restrict first = &channels[at.first], * __restrict second = &channels[at.second];
    const double *c0 = &c[at.cosine[0]], *c1 = &c[at.cosine[1]], *s0 = &s[at.sine[0]], *s1 = &s[at.sine[1]];
    for (std::size_t k = 0; k < count; ++k) {
      const double a = first[k], b = second[k];
      first[k] = a * c0[k] - b * s0[k];
      second[k] = a * s1[k] + b * c1[k];
    }
    return begin + count;
  }
};

// ---- as it lies in the file

// Columns that stand in channels, both in equal steps.
struct Stretch {
  std::size_t file, column, column_step, channel, channel_step, count = 1;

  // Whether `next`, of one column, goes on where this one ends.
  bool takes(const Stretch& next) {
    if (next.file != file || next.column <= column || next.channel <= channel) return false;
    if (count == 1) column_step = next.column - column, channel_step = next.channel - channel;
    const bool follows =
        next.column == column + count * column_step && next.channel == channel + count * channel_step;
    count += follows ? 1 : 0;
    return follows;
  }

  bool operator==(const Stretch&) const = default;
  // Whether both fill the same channels.
  static bool fills_as(const Stretch& one, const Stretch& other) {
    return one.channel == other.channel && one.channel_step == other.channel_step && one.count == other.count;
  }
};

// Where the cosine of every pair's first channel and the sine of its second are found: of (1, 0), or of (0,
// 1).
std::vector<Stretch> stretches(const Cache& cache, bool second) {
  std::vector<Stretch> out;
  const auto add = [&out](std::size_t file, std::size_t column, std::size_t channel) {
    const Stretch one{file, column, 1, channel, 1};
    if (out.empty() || !out.back().takes(one)) out.push_back(one);
  };
  for (const PositionIn& at : cache.places) add(0, at.cosine[second ? 1 : 0], at.first);
  for (const PositionIn& at : cache.places) add(cache.files.size() - 1, at.sine[second ? 0 : 1], at.second);
  return out;
}

// The rows of a cache as a rotation gives them, without rotating anything.
class Copied {
 public:
  Copied(std::shared_ptr<const Cache> cache, std::size_t dim)
      : cache_(std::move(cache)),
        dim_(dim),
        of_first_(stretches(*cache_, false)),
        of_second_(stretches(*cache_, true)),
        as_it_lies_(of_first_ == of_second_ && lies(*cache_, dim)),
        each_(bytes(cache_->cosines().array().format)) {}

  bool rows(Position first, std::size_t count, StoredRotations::Rows& to) {
    const std::size_t from = cache_->row(first);
    cache_->row(first + static_cast<Position>(count) - 1);
    for (std::size_t file = 0; file < cache_->files.size(); ++file) {
      const Rows& all = cache_->files[file];
      std::vector<std::byte>& read = as_it_lies_ ? to.of_first : read_[file];
      read.resize(count * all.columns * each_);
      all.array().read(from * all.columns * each_, read);
      if (!are_finite(all.array().format, read) || !is_zero(cache_->unturned, all.columns, each_, read))
        return false;
    }
    to.alike = are_alike(count);
    if (as_it_lies_) return true;
    copy(of_first_, count, to.of_first);
    if (!to.alike) copy(of_second_, count, to.of_second);
    return true;
  }

 private:
  // A column for each channel, in its place, in one file.
  static bool lies(const Cache& cache, std::size_t dim) {
    return cache.files.size() == 1 && cache.cosines().columns == dim &&
           std::ranges::all_of(cache.places, [](const PositionIn& at) {
             return at.cosine[0] == at.first && at.sine[1] == at.second;
           });
  }

  static bool is_zero(std::span<const std::size_t> channels, std::size_t columns, std::size_t each,
                      std::span<const std::byte> read) {
    for (const std::size_t channel : channels)
      for (std::size_t at = channel * each; at < read.size(); at += columns * each)
        if (std::ranges::any_of(read.subspan(at, each), [](std::byte one) { return one != std::byte{0}; }))
          return false;
    return true;
  }

  const std::byte* columns_of(const Stretch& stretch, std::size_t row) const {
    const std::size_t columns = cache_->files[stretch.file].columns;
    return read_[stretch.file].data() + (row * columns + stretch.column) * each_;
  }

  // Whether the columns of the one hold what those of the other do.
  bool are_alike(std::size_t count) const {
    if (of_first_ == of_second_) return true;
    if (!std::ranges::equal(of_first_, of_second_, &Stretch::fills_as)) return false;
    for (std::size_t s = 0; s < of_first_.size(); ++s) {
      const Stretch &one = of_first_[s], &other = of_second_[s];
      for (std::size_t row = 0; row < count; ++row)
        if (!have_the_same_bits(columns_of(one, row), {each_, one.column_step, one.count},
                                columns_of(other, row), other.column_step))
          return false;
    }
    return true;
  }

  void copy(std::span<const Stretch> stretches, std::size_t count, std::vector<std::byte>& to) const {
    to.assign(count * dim_ * each_, std::byte{0});
    for (const Stretch& stretch : stretches)
      for (std::size_t row = 0; row < count; ++row)
        posproof::copy(columns_of(stretch, row), {each_, stretch.column_step, stretch.count},
                       to.data() + (row * dim_ + stretch.channel) * each_, stretch.channel_step);
  }

  std::shared_ptr<const Cache> cache_;
  std::size_t dim_;
  std::vector<Stretch> of_first_, of_second_;
  bool as_it_lies_;
  std::size_t each_;  // bytes of a number
  std::array<std::vector<std::byte>, 2> read_ = {};
};

// In 16 bits the cosines and sines are rounded, and nothing else: tokens of that format are rotated in
// double. Rounding the channels instead would be less where the two products of one cancel.
Precision as_rotated(Precision said) {
  if (said.result <= unit_f32 || said.declared_table != 0 || said.declared_work != 0) return said;
  said.declared_table = said.declared_input = said.result;
  said.result = said.declared_work = unit_f64;
  return said;
}

StoredRotations stored_rotations(const std::shared_ptr<const Cache>& cache, std::size_t dim) {
  return {cache->cosines().array().format, [copied = std::make_shared<Copied>(cache, dim)](
                                               Position first, std::size_t rows, StoredRotations::Rows& to) {
            return copied->rows(first, rows, to);
          }};
}

[[noreturn]] void refuse_columns(const Rows& file, std::string_view what, std::string_view allowed,
                                 const Expected& expected) {
  throw std::invalid_argument(fmt::format("{}: its rows are {} wide, {} of `{}` with {} {}",
                                          file.array().path, file.columns, what, expected.encoding,
                                          expected.parameters.text(), allowed));
}

// Of one token, which is the same in all heads.
bool rotates_heads_alike(const Rotary& declared) {
  if (!declared.rotate || declared.heads == 1) return true;
  Tensor x({1, declared.heads, 1, declared.dim});
  std::ranges::fill(x.data, 1.0);
  const std::vector<Position> at(declared.positions.axes, 1);
  const Tensor y = declared.rotate(x, {at, at.size()}, Role::query);
  return std::ranges::all_of(
      std::span(y.data).subspan(0, y.data.size() - declared.dim),
      [&, n = std::size_t{0}](double one) mutable { return one == y.data[declared.dim + n++]; });
}

// Whether one file has a cosine and then a sine for each channel that rotates. Where half of the channels do,
// its rows are as wide as those with a column for every channel, in which those of the others are 0: most of
// these are not, in the last row, where sines or cosines stand there.
bool are_in_halves(const std::vector<Rows>& files, const Rotary& declared) {
  const Rows& file = files.front();
  if (files.size() != 1 || file.columns != 4 * declared.pairs.size()) return false;
  if (file.columns != declared.dim) return true;
  std::vector<double> last(file.columns);
  file.array().row(file.count - 1, last);
  const std::vector<std::size_t> others = channels_in_no_pair(declared);
  const auto filled = std::ranges::count_if(others, [&](std::size_t channel) { return last[channel] != 0; });
  return 2 * static_cast<std::size_t>(filled) > others.size();
}

std::vector<PositionIn> places(const std::vector<Rows>& files, const Rotary& declared,
                               const Expected& expected) {
  const std::size_t pairs = declared.pairs.size(), columns = files.front().columns;
  const bool complex = files.front().array().complex;
  if (complex && (files.size() > 1 || columns != 2 * pairs))
    throw std::invalid_argument(fmt::format(
        "{}: its rows have {} complex numbers; a cache of them is one file, of `{}` with {} of {} in a row",
        files.front().array().path, columns / 2, expected.encoding, expected.parameters.text(), pairs));
  // Twice as wide as what rotates: a column for each channel of the cosines, then of the sines.
  const bool in_halves = are_in_halves(files, declared);
  if (files.size() == 1 && columns != 2 * pairs && columns != declared.dim && !in_halves)
    refuse_columns(files.front(), "cosines and sines in one",
                   fmt::format("are {}, or {} with a cosine and a sine for each channel that rotates; two "
                               "files are table:COS,SIN",
                               2 * pairs, 4 * pairs),
                   expected);
  if (files.size() == 2 && columns != pairs && columns != 2 * pairs)
    refuse_columns(files.front(), "the cosines",
                   fmt::format("are {}, a column for each pair, or {}, one for each channel that rotates",
                               pairs, 2 * pairs),
                   expected);
  // A column for each channel, or for each that rotates, in their order.
  std::vector<std::size_t> rotating;
  for (const Pair& pair : declared.pairs) rotating.insert(rotating.end(), {pair.first, pair.second});
  std::ranges::sort(rotating);
  const auto column = [&](std::size_t channel) {
    if (columns == declared.dim && !in_halves) return channel;
    return static_cast<std::size_t>(std::ranges::lower_bound(rotating, channel) - rotating.begin());
  };
  // A column for each pair: of one ladder in its order, of those of several axes in that of their channels.
  std::vector<std::size_t> firsts;
  for (const Pair& pair : declared.pairs) firsts.push_back(pair.first);
  std::ranges::sort(firsts);
  const auto of_pair = [&](const Pair& pair) {
    if (declared.positions.axes == 1) return pair.index;
    return static_cast<std::size_t>(std::ranges::lower_bound(firsts, pair.first) - firsts.begin());
  };
  std::vector<PositionIn> all;
  for (const Pair& pair : declared.pairs) {
    const std::size_t first = column(pair.first), second = column(pair.second), i = of_pair(pair);
    if (complex)
      all.push_back({pair.first, pair.second, {2 * i, 2 * i}, {2 * i + 1, 2 * i + 1}});
    else if (in_halves)
      all.push_back({pair.first, pair.second, {first, second}, {2 * pairs + first, 2 * pairs + second}});
    else if (files.size() == 1)
      all.push_back({pair.first, pair.second, {first, first}, {second, second}});
    else if (columns == pairs)
      all.push_back({pair.first, pair.second, {i, i}, {i, i}});
    else
      all.push_back({pair.first, pair.second, {first, second}, {first, second}});
  }
  for (std::size_t begin = 0; begin < all.size(); begin += all[begin].neighbours)
    while (begin + all[begin].neighbours < all.size() &&
           all[begin + all[begin].neighbours].is_further(all[begin], all[begin].neighbours))
      ++all[begin].neighbours;
  return all;
}

// Whether one file has, in its first row, a cosine there: 1 of what does not rotate.
bool has_a_cosine(const Rows& file, std::size_t column) {
  std::vector<double> row(file.columns);
  file.array().row(0, row);
  return row[column] != 0;
}

// The pairs that have columns. Where some stay as they are (`kept_pairs`), most code has columns for these,
// too, with cosines of 1 and sines of 0: then they are among them, and are rotated by what stands there.
Rotary with_columns(const std::vector<Rows>& files, const Rotary& declared, const Expected& expected) {
  const Parameters& p = expected.parameters;
  const std::size_t kept = declared.pairs.size(), columns = files.front().columns;
  if (!p.has("kept_pairs") || p.real("kept_pairs") <= 0 || declared.pairs.empty()) return declared;
  const auto rotary = static_cast<std::size_t>(p.real("rotary_dim"));
  const std::size_t width = rotary > 0 ? rotary : declared.dim, all = width / 2,
                    from = declared.pairs.front().first;
  if (all <= kept || from + width > declared.dim) return declared;
  const bool interleaved = p.word("layout") == "interleaved", complex = files.front().array().complex;
  const bool as_many =
      files.size() == 2 ? columns == all || columns == width
      : complex         ? columns == width
                        : columns == 2 * width ||
                      (columns == width && has_a_cosine(files.front(), interleaved ? 2 * kept : kept));
  if (!as_many) return declared;
  Rotary out = declared;
  for (std::size_t i = kept; i < all; ++i)
    out.pairs.push_back({.first = from + (interleaved ? 2 * i : i),
                         .second = from + (interleaved ? 2 * i + 1 : i + all),
                         .frequency = 0,
                         .index = i});
  return out;
}

// A row of class tokens: cosines of 1 and sines of 0.
bool rotates_nothing(const std::vector<Rows>& files, const std::vector<PositionIn>& pairs, std::size_t row) {
  std::vector<double> cosines(files.front().columns), sines(files.back().columns);
  files.front().array().row(row, cosines);
  files.back().array().row(row, sines);
  return std::ranges::all_of(pairs, [&](const PositionIn& at) {
    return cosines[at.cosine[0]] == 1 && cosines[at.cosine[1]] == 1 && sines[at.sine[0]] == 0 &&
           sines[at.sine[1]] == 0;
  });
}

}  // namespace

std::vector<std::string> cache_paths(const std::string& words) {
  const auto comma = last_comma(words);
  if (comma == std::string::npos) return {words};
  std::string cosines = words.substr(0, comma), sines = words.substr(comma + 1);
  if (sines.starts_with('[')) return {cosines, indexed_file(cosines).path + sines};
  for (const std::string with : {".safetensors:", ".npz:"}) {
    const auto array = cosines.rfind(with);
    if (!names_a_file(sines) && array != std::string::npos) sines = cosines.substr(0, array) + with + sines;
  }
  return {cosines, sines};
}

std::optional<std::size_t> stacked_axis(const Shape& shape, std::size_t axes) {
  std::optional<std::size_t> stacked;
  const std::size_t longer = longer_axes(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 2 || (axes > 1 && axis + 1 < shape.size())) continue;
    if (stacked) return std::nullopt;
    stacked = axis;
  }
  return longer == 3 || longer == axes + 2 ? stacked : std::nullopt;
}

Subject open_cache(const Words& words, const Rotary& declared, const Expected& expected) {
  const bool on_a_grid = declared.positions.axes > 1;
  if (on_a_grid && !rotates_heads_alike(declared))
    throw std::invalid_argument(fmt::format(
        "{}: a cache is one for all heads, those of `{}` with {} are rotated each by angles of its "
        "own; allowed: cmd:'PROGRAM ARGS'",
        words.rest, expected.encoding, expected.parameters.text()));
  std::vector<Array> arrays;
  for (const std::string& path : cache_paths(words.rest)) arrays.push_back(read_array(path));
  if (arrays.size() == 1 && are_frequencies(arrays.front(), declared))
    return open_frequencies(words, arrays.front(), declared, expected);
  if (arrays.size() == 1) arrays = unstacked(std::move(arrays.front()), declared.positions.axes);
  std::vector<Rows> files;
  std::optional<GridOfAFile> grid;
  for (Array& array : arrays) {
    if (on_a_grid && !array.shape.empty() && !array.empty())
      grid = grid_of(array, declared.positions.axes, expected);
    files.push_back(rows(std::move(array), on_a_grid));
  }
  const Rows &cosines = files.front(), &sines = files.back();
  if (cosines.array().shape != sines.array().shape || cosines.array().format != sines.array().format)
    throw SubjectError(
        fmt::format("{} holds {} in {}, {} holds {} in {}: the cosines and the sines of one cache "
                    "are alike",
                    cosines.array().path, text(cosines.array().shape), name(cosines.array().format),
                    sines.array().path, text(sines.array().shape), name(sines.array().format)));
  const Dtype dtype = posproof::dtype(cosines.array().format);
  std::string description = fmt::format("{} in {}", text(cosines.array().shape), name(dtype));
  if (files.size() == 2) description = "cosines and sines, each " + description;
  Rotary rotary = declared;
  const Position first = cosines.array().first(cosines.count, declared.positions.lo),
                 of_sines = sines.array().first(sines.count, declared.positions.lo);
  if (first != of_sines)
    throw SubjectError(
        fmt::format("{} begins at position {}, {} at {}: the cosines and the sines of one cache are "
                    "of the same positions",
                    cosines.array().path, first, sines.array().path, of_sines));
  Domain domain(first, first + static_cast<Position>(cosines.count) - 1);
  domain.ends = true;
  const Rotary columned = with_columns(files, declared, expected);
  auto at = places(files, columned, expected);
  if (grid) {
    // Place (0, 0) may rotate nothing, too: what stands behind the grid is looked at first.
    place_class_tokens(
        *grid, files.front().array().path, [&](std::size_t row) { return rotates_nothing(files, at, row); },
        "rotate nothing", Side::behind);
    description +=
        fmt::format(", a grid of {}{}", grid->text(), class_tokens_in_words(*grid, "without a rotation"));
  }
  rotary.positions = grid ? grid->domain(declared.positions.hard) : within(domain, declared.positions);
  const bool as_wide_as_the_head =
      files.size() == 1 && cosines.columns == declared.dim && !are_in_halves(files, columned);
  auto rest = as_wide_as_the_head ? channels_in_no_pair(columned) : std::vector<std::size_t>{};
  const auto cache =
      std::make_shared<const Cache>(Cache{std::move(files), std::move(at), std::move(rest), first, grid});
  rotary.rotate = [cache, heads = declared.heads, dim = declared.dim, axes = declared.positions.axes](
                      const Tensor& x, const Positions& positions, Role) {
    check_rotation(x, positions, heads, dim, axes);
    return cache->rotated(x, positions, heads);
  };
  std::optional<StoredRotations> stored;
  // What stays as it is has no number in a row of rotations.
  if (!grid && columned.pairs.size() == declared.pairs.size()) stored = stored_rotations(cache, declared.dim);
  return {
      .name = "",
      .description = std::move(description),
      .encoding = std::move(rotary),
      .precision = as_rotated(words.precision.value_or(Precision::parse(precision_word(dtype)))),
      .live = false,
      .stored_rotations = std::move(stored),
  };
}

}  // namespace posproof
