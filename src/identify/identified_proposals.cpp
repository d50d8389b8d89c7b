#include "identify/identified_proposals.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "attention/reference_attention.h"
#include "catalogue/encodings.h"
#include "core/call.h"
#include "core/failure.h"
#include "identify/identified_axes.h"
#include "identify/identified_bias.h"
#include "identify/identified_call_length.h"
#include "identify/identified_grid.h"
#include "identify/identified_rotary.h"
#include "identify/identified_stretch.h"
#include "identify/identified_table.h"
#include "identify/identified_window.h"
#include "run/catalogued.h"
#include "subject/array_file.h"
#include "subject/cache_file.h"

namespace posproof {
namespace {

constexpr Position rows_near = 256;
constexpr std::size_t most_heads = 512;  // of a bias: models have up to 128; more are rows [n, 1, dim]

// The only one of the first rows that is all 0.
std::optional<Position> zero_row(const Table& table, Position length, const Domain& domain) {
  std::optional<Position> out;
  for (Position t = domain.lo; t <= domain.hi && t - domain.lo < 16; ++t) {
    const Position at[] = {t};
    if (std::ranges::any_of(table.rows(at, length).data, [](double entry) { return entry != 0; })) continue;
    if (out) return std::nullopt;
    out = t;
  }
  return out;
}

// Rows at the first positions, and at some that double from there.
std::optional<MeasuredRows> rows_of(const Table& table, bool live, Position skipped) {
  const Domain& domain = table.positions;
  const Position first = domain.lo + skipped, count = domain.hi - first + 1,
                 near = std::min(rows_near, count);
  if (domain.axes != 1 || count < (skipped == 0 ? 1 : 32)) return std::nullopt;
  MeasuredRows out;
  out.first = first;
  out.length = live && !domain.ends ? 0 : static_cast<std::size_t>(skipped + count);
  const Position length = domain.hi + 1;
  std::vector<Position> at;
  for (Position t = 0; t < near; ++t) at.push_back(first + t);
  out.near = table.rows(at, length);
  out.zero_row = zero_row(table, length, domain);
  for (Position t = near; t < count && t < (Position{1} << 20); t *= 2) out.at.push_back(first + t);
  if (!out.at.empty()) out.far = table.rows(out.at, length);
  return out;
}

std::optional<MeasuredBias> entries_of(const Bias& bias, Position most = rows_near) {
  const Domain& domain = bias.positions;
  if (domain.axes != 1) return std::nullopt;
  std::vector<Position> at;
  for (Position t = domain.lo; t <= domain.hi && t - domain.lo < most; ++t) at.push_back(t);
  return MeasuredBias{bias.bias(at, at), domain.lo};
}

Parameters without(const Parameters& all, std::string_view name) {
  Parameters out;
  for (const auto& [other, value] : all.fields())
    if (other != name) out.set(other, value);
  return out;
}

Parameters rope_like(const Rotary& rotary, const Candidate& like) {
  if (like.encoding == "rope") return like.parameters;
  Parameters out;
  out.set("dim", static_cast<double>(rotary.dim));
  out.set("heads", static_cast<double>(rotary.heads));
  return out;
}

// Whatever the frequencies, the squares of a row of sines and cosines sum to half its width. Of two places of
// that grid, as far as the file has it.
bool has_sines(const Unidentified& subject, const Candidate& like) {
  try {
    const Subject opened = subject.as(like);
    const auto& table = as<Table>(opened.encoding);
    const std::array<Position, 4> places = {0, 0, 1, 1};
    const Tensor rows = table.rows(Positions(std::span<const Position>(places), 2), 0);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      double sum = 0;
      for (const double entry : rows.row(r)) sum += entry * entry;
      const double half = static_cast<double>(table.dim) / 2;
      if (!(std::abs(sum - half) <= half / 64)) return false;  // more than bf16 puts it off
    }
    return true;
  } catch (const std::exception&) {  // it is no table of this grid
    return false;
  }
}

// Of an array: axes of one element before its columns do not count.
bool are_rows(const Shape& shape) {
  return longer_axes({shape.begin(), shape.end() - 1}) <= 1;
}

// Of a layer of attention: how many heads of a bias are as wide as it, where the encoding has heads and no
// width.
std::optional<double> heads_of_a_bias(const EncodingSpec& spec, const Encoding& subject) {
  const auto* layer = std::get_if<Attention>(&subject);
  if (layer == nullptr || spec.parameters.find("dim") != nullptr || spec.parameters.find("heads") == nullptr)
    return std::nullopt;
  Parameters one = standard(spec);
  one.set("heads", 1.0);
  const std::size_t width = attention::reference_attention(spec.make(one)).dim;
  return layer->dim % width == 0 ? std::optional(static_cast<double>(layer->dim / width)) : std::nullopt;
}

// Of one array with a column for each channel: those that do not rotate hold 0, before the others or behind
// them. None where there are none.
std::optional<Parameters> rotating_part(const Unidentified& subject) {
  const auto used = subject.columns_in_use();
  const std::size_t dim = subject.shapes().front().back();
  if (!used || (used->begin > 0 && used->end < dim)) return std::nullopt;
  // The sine of the slowest pair may be 0 in the file's format.
  const std::size_t width = (used->end - used->begin + 1) / 2 * 2;
  if (width >= dim) return std::nullopt;
  Parameters out;
  out.set("rotary_dim", static_cast<double>(width));
  if (used->begin > 0) out.set("rotary_part", std::string("last"));
  return out;
}

// The same where its first place has other numbers, as of a crop, or where the middle of a picture is 0.
std::optional<Candidate> from_another_place(Candidate whole, const Rotary& rotary) {
  const EncodingSpec& spec = encoding_named(whole.encoding);
  const Parameters own = with(spec, whole.parameters);
  if (own.real("offset") != 0) return std::nullopt;
  const Encoding made = spec.make(own);
  const std::vector<double>& grid = std::get<std::vector<double>>(*own.find("grid"));
  if (as<Rotary>(made).positions.axes != rotary.positions.axes) return std::nullopt;
  const std::vector<double>& factors = std::get<std::vector<double>>(*own.find("factors"));
  std::vector<double> start = first_place(rotary, as<Rotary>(made)), stop;
  for (std::size_t axis = 0; axis < start.size(); ++axis) {
    constexpr double near = 0x1p-12;
    const double factor = factors.size() == start.size() ? factors[axis] : own.real("factor"),
                 first = start[axis] / factor;
    start[axis] = simplest({first - near, first + near});
    stop.push_back(start[axis] + grid[axis] / factor);
  }
  if (std::ranges::all_of(start, [](double one) { return one == 0; })) return std::nullopt;
  whole.parameters = without(without(std::move(whole.parameters), "factor"), "factors");
  whole.parameters.set("coordinates", std::string("cropped"));
  whole.parameters.set("crop_start", start);
  whole.parameters.set("crop_stop", stop);
  return whole;
}

bool is_of_kind(const EncodingSpec& spec, const Parameters& parameters, const Encoding& subject) {
  try {
    const auto kinds = attention::in_every_kind(spec.make(parameters));
    const Encoding* same = attention::same_kind(kinds, subject);
    // The tokens of an operator are numbered: they are no places of a grid.
    const bool numbered = same != nullptr && !signature(*same).positions;
    return same != nullptr &&
           positions_of(numbered ? kinds.front() : *same).axes == positions_of(subject).axes;
  } catch (const Refusal&) {
    return false;
  }
}

}  // namespace

Proposals::Proposals(const Unidentified& subject) : asked_(subject) {
  if (asked_.live())
    propose_for(asked_.subject(), asked_.taken_for());
  else
    propose_for_files();
}

std::vector<Proposed> Proposals::with_another_word(const Candidate& answer) {
  const std::size_t before = proposed_.size();
  const EncodingSpec& spec = encoding_named(answer.encoding);
  const Parameters all = with(spec, answer.parameters);
  for (const Parameter& parameter : spec.parameters) {
    if (!parameter.convention || !parameter.matters_where.met(all)) continue;
    if (std::holds_alternative<type::Whole>(parameter.type)) continue;
    for (const Value& word : parameter.grid) {
      Candidate other = answer;
      other.parameters.set(parameter.name, word);
      add(std::move(other));
    }
  }
  return since(before);
}

std::vector<Proposed> Proposals::in_common_use() {
  const std::size_t before = proposed_.size();
  for (const Candidate& like : likes_)
    if (like.encoding == "rope")
      for (const double base : {10000.0, 500000.0, 1000000.0}) {
        Candidate one = like;
        one.parameters.set("base", base);
        add(std::move(one));
      }
    else if (like.encoding == "sinusoidal") {
      for (Candidate& one : settings("sinusoidal", encoding_named("sinusoidal"), like.parameters))
        add(std::move(one));
      // As in GLIDE and Flux; from whole number to whole number the fast pairs turn more than once.
      Parameters times_1000;
      times_1000.set("dim", *like.parameters.find("dim"));
      times_1000.set("scale", 1000.0);
      for (Candidate& one : settings("timestep_embedding", encoding_named("timestep_embedding"), times_1000))
        add(std::move(one));
    }
  return since(before);
}

std::vector<Proposed> Proposals::on_a_grid() {
  const std::size_t before = proposed_.size();
  if (asked_.live()) return {};
  std::vector<Shape> arrays = asked_.shapes();
  if (arrays.size() == 1 && stacked_axis(arrays.front(), 2)) {
    arrays.front().pop_back();
    arrays.push_back(arrays.front());
  }
  if (!asked_.is_in_another_order()) propose_caches(grid_caches(arrays, asked_.still_rows()));
  if (asked_.shapes().size() != 1) return since(before);
  std::string grid;
  bool has = false;
  for (Candidate& one : grid_candidates(asked_.shapes().front())) {
    const std::string own = text(*one.parameters.find("grid"));
    if (own != grid) {
      has = has_sines(asked_, one);
      if (has) propose_measured(one);
    }
    grid = own;
    if (has) add(std::move(one));
  }
  return since(before);
}

// By its rotations along each axis, where the file is one of that grid.
void Proposals::propose_caches(const std::vector<Candidate>& likes) {
  std::string other_grid;  // of no layout
  for (const Candidate& like : likes) {
    const std::string grid = text(*like.parameters.find("grid"));
    if (grid == other_grid) continue;
    try {
      const Subject subject = asked_.as(like);
      const auto& rotary = as<Rotary>(subject.encoding);
      const OfItsGrid found = of_its_grid(rotary);
      if (found == OfItsGrid::no) other_grid = grid;
      if (found == OfItsGrid::yes) propose_cache(rotary, like, subject.precision);
    } catch (const std::exception&) {  // the file is of another shape
    }
  }
}

void Proposals::propose_cache(const Rotary& rotary, const Candidate& like, const Precision& precision) {
  std::vector<Candidate> all = axes_candidates(from_the_origin(rotary), precision);
  for (Candidate& one : counted_from_1(all)) all.push_back(std::move(one));
  for (Candidate& one : all) {
    if (one.encoding != like.encoding) continue;
    auto grid = std::get<std::vector<double>>(*like.parameters.find("grid"));
    if (one.parameters.has("axes") && one.parameters.real("axes") > static_cast<double>(grid.size()))
      grid.insert(grid.begin(), 1);
    one.parameters.set("grid", grid);
    if (one.parameters.word("coordinates") != "whole") {  // their steps are of a turn: no base is measured
      Candidate other = one;
      other.parameters.set("base", 100.0);
      add(std::move(other));
    } else if (auto cropped = from_another_place(one, rotary)) {
      add(std::move(*cropped));
    }
    add(std::move(one));
  }
}

// By the sines of the file, taken for that grid.
void Proposals::propose_measured(const Candidate& like) {
  const Subject subject = asked_.as(like);
  const auto& table = as<Table>(subject.encoding);
  for (Candidate& one : measured_grid_candidates(table, subject.precision)) {
    one.parameters.set("grid", *like.parameters.find("grid"));
    add(std::move(one));
  }
  const auto& grid = std::get<std::vector<double>>(*like.parameters.find("grid"));
  for (Candidate& one : normalised_grid_candidates(table, grid, subject.precision)) add(std::move(one));
}

std::vector<Proposed> Proposals::in_trained_windows() {
  constexpr Position most_tokens = 1024;
  const std::size_t before = proposed_.size();
  if (!of_file_ || of_file_->positions.hi - of_file_->positions.lo >= most_tokens) return {};
  if (const auto entries = entries_of(*of_file_, most_tokens))
    for (Candidate& one : trained_windows(encoding_named("relative_table"), *entries))
      add(std::move(one), true);
  return since(before);
}

std::vector<Proposed> Proposals::since(std::size_t before) const {
  return {proposed_.begin() + static_cast<std::ptrdiff_t>(before), proposed_.end()};
}

void Proposals::add(Candidate candidate, bool trained) {
  const EncodingSpec& spec = encoding_named(candidate.encoding);
  if (!makes_sense(spec, candidate.parameters)) return;
  if (!known_.emplace(candidate.encoding, with(spec, candidate.parameters).text()).second) return;
  proposed_.push_back({std::move(candidate), trained});
}

void Proposals::propose_for_files() {
  const std::vector<Shape>& shapes = asked_.shapes();
  const Shape& shape = shapes.front();
  if (shape.empty() || count(shape) == 0) return;
  const auto stacked = shapes.size() == 1 ? stacked_axis(shape, 1) : std::nullopt;
  const bool last = stacked && *stacked + 1 == shape.size();
  const double columns = static_cast<double>(last ? shape[shape.size() - 2] : shape.back());
  const auto rotary = [&](double dim, const char* layout, Parameters parameters = {}) {
    parameters.set("dim", dim);
    parameters.set("layout", std::string(layout));
    propose_as({"rope", parameters});
  };
  if (shape.size() == 1) {  // frequencies
    rotary(2 * columns, "half_split");
    return;
  }
  const bool rows = are_rows(shape), cache = !asked_.is_in_another_order();
  if (cache && ((shapes.size() == 2 && rows) || stacked)) rotary(2 * columns, "half_split");
  if (cache && (rows || stacked)) {
    rotary(columns, "half_split");
    rotary(columns, "interleaved");
  }
  if (shapes.size() == 2) return;
  if (cache && rows) {
    // A cosine and a sine for each channel.
    rotary(columns / 2, "half_split");
    rotary(columns / 2, "interleaved");
    if (const auto part = rotating_part(asked_)) {
      rotary(columns, "half_split", *part);
      rotary(columns, "interleaved", *part);
    }
  }
  if (rows) {
    Parameters parameters;
    parameters.set("dim", columns);
    if (columns > 1) parameters.set("odd", std::string(std::fmod(columns, 2) == 0 ? "refuse" : "zero_pad"));
    propose_as({columns > 1 ? "sinusoidal" : "raw_index", parameters});  // a number in one column is no sine
  }
  if (const Shape bias = without_first_axes(shape, 3); bias.size() == 3 && bias.front() <= most_heads) {
    Parameters parameters;
    parameters.set("heads", static_cast<double>(bias.front()));
    propose_as({"alibi", parameters});
  }
}

void Proposals::propose_as(const Candidate& candidate) {
  if (!makes_sense(encoding_named(candidate.encoding), candidate.parameters)) return;
  try {
    propose_for(asked_.as(candidate), candidate);
  } catch (const std::invalid_argument&) {  // the file has another shape
  }
}

void Proposals::propose_for(const Subject& subject, const Candidate& like) {
  likes_.push_back(like);
  try {
    std::visit([&](const auto& kind) { propose(kind, like, subject.precision); }, subject.encoding);
  } catch (const Refusal&) {  // it declines what measuring would ask
  } catch (const Failure&) {
  }
  if (subject.live) propose_settings(subject.encoding);
}

void Proposals::propose(const Rotary& rotary, const Candidate& like, const Precision& precision) {
  if (rotary.positions.axes > 1) {
    for (Candidate& one : axes_candidates(rotary, precision)) add(std::move(one));
    return;
  }
  const Encoding truth = encoding_named("rope").oracle(rope_like(rotary, like));
  const bool frequencies_alone = !asked_.live() && asked_.shapes().front().size() == 1;
  for (Candidate& one : rotary_candidates(rotary, as<Rotary>(truth), precision)) {
    if (frequencies_alone)
      one.parameters = without(one.parameters, "attention_factor");  // they say nothing of it
    add(std::move(one));
  }
  if (!asked_.live()) return;
  for (Candidate& one : stretched_candidates(rotary, precision)) add(std::move(one));
  for (Candidate& one : call_length_candidates(rotary, as<Rotary>(truth), precision)) add(std::move(one));
}

void Proposals::propose(const Table& table, const Candidate&, const Precision& precision) {
  if (asked_.live())
    for (Candidate& one : measured_grid_candidates(table, precision)) add(std::move(one));
  for (const Position skipped : {0, 16}) {  // the first rows may be special: that of padding is 0 in fairseq
    const auto rows = rows_of(table, asked_.live(), skipped);
    if (!rows) return;
    for (const auto& [id, spec] : catalogue::encodings())
      for (Candidate& one : table_candidates(std::string(id), *spec, *rows, precision)) add(std::move(one));
  }
}

void Proposals::propose(const Bias& bias, const Candidate&, const Precision& precision) {
  const auto entries = entries_of(bias);
  if (!entries) return;
  for (Candidate& one : alibi_candidates(encoding_named("alibi"), *entries, precision)) add(std::move(one));
  for (Candidate& one : kerple_candidates(encoding_named("kerple"), *entries, precision)) add(std::move(one));
  for (auto& [candidate, trained] : bucket_candidates(encoding_named("t5_bias"), *entries))
    add(std::move(candidate), trained);
  if (!asked_.live()) of_file_ = bias, propose_settings(bias);
}

// Every combination of words of every encoding of that kind and shape.
void Proposals::propose_settings(const Encoding& subject) {
  // Along one axis numbers are measured, and few settings are left to be tried.
  const std::size_t most = positions_of(subject).axes > 1 ? 512 : 64;
  for (const auto& entry : catalogue::encodings()) {
    const EncodingSpec* const spec = entry.value;
    Parameters shape;
    std::visit(
        [&](const auto& kind) {
          if constexpr (requires { kind.dim; })
            if (spec->parameters.find("dim") != nullptr) shape.set("dim", static_cast<double>(kind.dim));
          if constexpr (requires { kind.heads; })
            if (spec->parameters.find("heads") != nullptr)
              shape.set("heads", static_cast<double>(kind.heads));
        },
        subject);
    if (const auto heads = heads_of_a_bias(*spec, subject)) shape.set("heads", *heads);
    std::vector<Candidate> all = settings(std::string(entry.id), *spec, shape, most);
    for (Candidate& one : counted_from_1(all)) all.push_back(std::move(one));
    for (Candidate& one : all)
      if (is_of_kind(*spec, one.parameters, subject)) add(std::move(one));
  }
}

}  // namespace posproof
