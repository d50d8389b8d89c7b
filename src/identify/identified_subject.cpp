#include "identify/identified_subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "attention/reference_attention.h"
#include "catalogue/encodings.h"
#include "core/call.h"
#include "core/failure.h"
#include "identify/identified_axes.h"
#include "run/catalogued.h"
#include "search/budget_clock.h"
#include "search/generate.h"
#include "subject/array_file.h"
#include "subject/array_slice.h"
#include "subject/cache_file.h"
#include "subject/words.h"

namespace posproof {
namespace {

// One for each kind first, then all others.
std::vector<std::string> ids_in_order() {
  std::vector<std::string> out{"rope", "sinusoidal", "alibi", "t5_bias"};
  for (const auto& [id, spec] : catalogue::encodings())
    if (std::ranges::find(out, id) == out.end()) out.emplace_back(id);
  return out;
}

constexpr std::array<std::size_t, 8> widths = {64, 128, 32, 96, 80, 256, 16, 8};
constexpr std::array<std::size_t, 6> head_counts = {8, 12, 16, 32, 4, 40};

void add_three_axes(std::vector<Parameters>& shapes) {
  const std::size_t before = shapes.size();
  for (std::size_t n = 0; n < before; ++n) {
    Parameters three = shapes[n];
    three.set("axes", 3.0);
    three.set("parts", parts_of_three_axes(three.real("dim")));
    shapes.push_back(std::move(three));
  }
}

void fit_sections(std::vector<Parameters>& shapes) {
  for (Parameters& one : shapes) one.set("sections", pairs_of_three_axes(one.real("dim") / 2));
}

std::vector<Encoding> kinds_of(const Candidate& candidate) {
  return attention::in_every_kind(encoding_named(candidate.encoding).oracle(candidate.parameters));
}

Expected expected_of(const Candidate& candidate, std::vector<Encoding> kinds,
                     const IdentifyOptions& options) {
  return {.encoding = candidate.encoding,
          .parameters = with(encoding_named(candidate.encoding), candidate.parameters),
          .declared = std::move(kinds),
          .call_time = options.call_time,
          .sandbox = options.sandbox};
}

// Whether some rows are as long as others, as all of sines of one ladder are: by more than bf16 puts them
// off, those of a learned table differ.
bool are_as_long(const Array& rows) {
  constexpr std::size_t looked_at = 8;
  const std::size_t count = posproof::count(rows.shape) / rows.width(),
                    step = std::max<std::size_t>(1, count / looked_at);
  std::vector<double> row(rows.width()), squares;
  for (std::size_t r = 0; r < count; r += step) {
    rows.row(r, row);
    squares.push_back(0);
    for (const double entry : row) squares.back() += entry * entry;
  }
  const auto [least, most] = std::ranges::minmax(squares);
  return least > 0 && most - least <= most / 64;
}

// Not every encoding has every width.
bool is_allowed(const EncodingSpec& spec, const Parameters& shape) {
  try {
    spec.make(with(spec, shape));
    return true;
  } catch (const Refusal&) {
    return false;
  }
}

// The format of fewest digits that has every number of the arrays, among those of fewer than theirs.
std::optional<Format> fewest_digits(const std::vector<Array>& arrays) {
  std::vector<Format> left = {Format::bf16, Format::f16, Format::f32};
  for (const Array& array : arrays) {
    std::erase_if(left, [&](Format one) { return shape(one).digits >= shape(array.format).digits; });
    std::vector<double> row(array.width());
    const std::size_t rows = row.empty() ? 0 : count(array.shape) / row.size();
    for (std::size_t r = 0; r < rows && !left.empty(); ++r) {
      array.row(r, row);
      std::erase_if(left, [&](Format one) {
        return std::ranges::any_of(row, [one](double x) { return !std::isnan(x) && nearest(one, x) != x; });
      });
    }
  }
  return left.empty() ? std::nullopt : std::optional(left.front());
}

// Whether it answers one of some calls of that shape; where not, why it does not answer the first. Throws
// SubjectError where the exchange broke down.
bool answers(const Encoding& encoding, std::string& why_not) {
  for (std::uint64_t n = 0; n < 4; ++n) {
    try {
      RandomDraw draw(1, "identify", n);
      const Call call = draw_call(encoding, positions_of(encoding), draw);
      if (!answer(encoding, call).data.empty()) return true;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Failure& failure) {
      if (why_not.empty()) why_not = failure.what();
    } catch (const Refusal& refusal) {
      if (why_not.empty()) why_not = refusal.what();
    } catch (const Discard&) {
    }
  }
  return false;
}

}  // namespace

std::vector<Parameters> shapes_of(const EncodingSpec& spec, const IdentifyOptions& options) {
  std::vector<Parameters> out;
  const auto add = [&](const char* name, std::size_t value, const char* other,
                       std::optional<std::size_t> also) {
    Parameters one;
    one.set(name, static_cast<double>(value));
    if (also && spec.parameters.find(other) != nullptr) one.set(other, static_cast<double>(*also));
    out.push_back(std::move(one));
  };
  if (spec.parameters.find("dim") != nullptr) {
    if (options.dim)
      add("dim", *options.dim, "heads", options.heads);
    else
      for (const std::size_t width : widths) add("dim", width, "heads", options.heads);
  } else if (spec.parameters.find("heads") != nullptr) {
    if (options.heads)
      add("heads", *options.heads, "dim", {});
    else
      for (const std::size_t heads : head_counts) add("heads", heads, "dim", {});
  } else {
    out.emplace_back();
  }
  if (spec.parameters.find("parts") != nullptr) add_three_axes(out);
  if (spec.parameters.find("sections") != nullptr) fit_sections(out);
  return out;
}

Unidentified::Unidentified(std::string_view words, IdentifyOptions options)
    : words_(words), options_(std::move(options)) {
  const Words parsed = parse_words(words);
  if (parsed.scheme != "table") {
    if (std::vector<std::string> failed; !start(failed)) throw SubjectError(not_started(failed));
    return;
  }
  if (options_.sandbox || options_.dim || options_.heads)
    throw std::invalid_argument(fmt::format(
        "`{}`: --dim, --heads and --sandbox are for a program, `cmd:PROGRAM ARGS` or `lib:LIBRARY`; a file has its shape",
        words));
  for (const std::string& path : cache_paths(parsed.rest)) shapes_.push_back(read_array(path).shape);
}

// One that takes part says more than one that does not.
std::string Unidentified::not_started(const std::vector<std::string>& failed) const {
  if (failed.empty() || !no_answer_.empty())
    return fmt::format("{}: no call was answered{}{}", printable(words_),
                       options_.dim || options_.heads
                           ? ", with the shape that you say it has"
                           : "; say `--dim N` or `--heads N`, the shape that it has",
                       no_answer_.empty() ? "" : "\nthe first one: " + printable(no_answer_));
  const auto same = std::ranges::count(failed, failed.front());
  return failed.front() + (same > 1 ? fmt::format("\nthe same, taken for {} other encodings", same - 1) : "");
}

Unidentified::Unidentified(Subject live, Candidate taken_for)
    : words_(live.name), live_(std::move(live)), taken_for_(std::move(taken_for)) {}

std::optional<Unidentified> Unidentified::taken_otherwise() const {
  if (asked_already_.empty()) return std::nullopt;
  Unidentified other = *this;
  // A layer of attention was compared with those of all encodings of that width. Those of biases have a width
  // for each head.
  if (!signature(live_->encoding).positions) return other.next_layer() ? std::optional(other) : std::nullopt;
  if (std::vector<std::string> failed; !other.start(failed)) return std::nullopt;
  return other;
}

std::optional<Unidentified> Unidentified::in_another_order() const {
  if (live_ || in_another_order_ || shapes_.size() != 1 || count(shapes_.front()) == 0) return std::nullopt;
  Array array = read_array(parse_words(words_).rest);
  if (array.complex) return std::nullopt;
  const auto as = [&](const Shape& shape, std::size_t from, std::size_t to) {
    array.shape = shape;
    array = with_axis_at(std::move(array), from, to);
    Unidentified other = *this;
    other.shapes_ = {array.shape};
    other.in_another_order_ = true;
    return other;
  };
  if (const Shape bias = without_first_axes(array.shape, 3);
      bias.size() == 3 && bias[0] == bias[1] && bias[2] != bias[0])
    return as(bias, 2, 0);
  const Shape shape = without_first_axes(array.shape, 2);
  if ((shape.size() != 2 && shape.size() != 3) || shape.front() == shape.back()) return std::nullopt;
  const Unidentified other = as(shape, 0, shape.size() - 1);
  return are_as_long(array) ? std::optional(other) : std::nullopt;
}

std::optional<Unidentified::Columns> Unidentified::columns_in_use() const {
  if (live_ || shapes_.size() != 1 || count(shapes_.front()) == 0) return std::nullopt;
  const Array array = read_array(parse_words(words_).rest);
  std::vector<double> row(array.width());
  std::optional<Columns> out;
  const std::size_t rows = std::min<std::size_t>(64, count(array.shape) / row.size());
  for (std::size_t r = 0; r < rows; ++r) {
    array.row(r, row);
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (row[c] == 0) continue;
      if (!out) out = {c, c + 1};
      out = {std::min(out->begin, c), std::max(out->end, c + 1)};
    }
  }
  return out;
}

std::size_t Unidentified::still_rows() const {
  const std::vector<std::string> paths =
      live_ ? std::vector<std::string>{} : cache_paths(parse_words(words_).rest);
  if (paths.size() != 2) return 0;
  const Array cosines = read_array(paths[0]), sines = read_array(paths[1]);
  if (cosines.shape != sines.shape || cosines.empty() || cosines.complex) return 0;
  std::vector<double> c(cosines.width()), s(sines.width());
  std::size_t row = 0;
  for (const std::size_t rows = count(cosines.shape) / c.size(); row < rows; ++row) {
    cosines.row(row, c), sines.row(row, s);
    if (std::ranges::any_of(c, [](double x) { return x != 1; }) ||
        std::ranges::any_of(s, [](double x) { return x != 0; }))
      break;
  }
  return row;
}

std::optional<Narrow> Unidentified::in_fewer_digits() const {
  if (live_) return std::nullopt;
  const Words parsed = parse_words(words_);
  if (parsed.precision) return std::nullopt;
  std::vector<Array> arrays;
  for (const std::string& path : cache_paths(parsed.rest)) arrays.push_back(read_array(path));
  const auto format = fewest_digits(arrays);
  if (!format) return std::nullopt;
  Narrow out{*this, arrays.front().format};
  out.subject.words_ += fmt::format("@{}", name(*format));
  return out;
}

bool Unidentified::start(std::vector<std::string>& failed) {
  const auto begun = BudgetClock::now();
  for (const std::string& id : ids_in_order()) {
    if (options_.progress) options_.progress(fmt::format("starting it as {}", id));
    for (const Parameters& shape : shapes_of(encoding_named(id), options_)) {
      if (!is_allowed(encoding_named(id), shape) || is_asked_already({id, shape})) continue;
      const std::size_t before = failed.size();
      if (started({id, shape}, failed)) return true;
      if (failed.size() > before) break;  // it does not take part, whatever the shape
    }
    if (BudgetClock::now() >= begun + 3 * options_.call_time) break;  // no time is over at once
  }
  return false;
}

bool Unidentified::next_layer() {
  const std::vector<Parameters> shapes = shapes_of(encoding_named("alibi"), options_);
  for (std::vector<std::string> failed; layers_ < shapes.size();)
    if (started({"alibi", shapes[layers_++]}, failed)) return true;
  return false;
}

bool Unidentified::is_asked_already(const Candidate& candidate) const {
  const Encoding own = encoding_named(candidate.encoding).make(candidate.parameters);
  return std::ranges::find(asked_already_, Questions(kind(own), positions_of(own).axes)) !=
         asked_already_.end();
}

bool Unidentified::started(const Candidate& candidate, std::vector<std::string>& failed) {
  try {
    Subject subject = open(words_, expected_of(candidate, kinds_of(candidate), options_));
    if (!answers(subject.encoding, no_answer_)) return false;
    live_ = std::move(subject);
    taken_for_ = candidate;
    const Encoding own = encoding_named(candidate.encoding).make(candidate.parameters);
    asked_already_.emplace_back(kind(own), positions_of(own).axes);
    return true;
  } catch (const SubjectError& error) {
    failed.emplace_back(error.what());
    return false;
  }
}

Subject Unidentified::as(const Candidate& candidate) const {
  return live_ ? *live_ : as(candidate, kinds_of(candidate));
}

Subject Unidentified::as(const Candidate& candidate, std::vector<Encoding> kinds) const {
  return live_ ? *live_ : open(words_, expected_of(candidate, std::move(kinds), options_));
}

}  // namespace posproof
