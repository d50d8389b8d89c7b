#include "run/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <new>
#include <numeric>

#include "core/call.h"
#include "run/batch_sweep.h"
#include "run/error_accumulator.h"
#include "run/narrowed.h"
#include "run/packed.h"
#include "subject/dtype.h"

namespace posproof {
namespace {

// Of a live subject that says nothing of its end; a bias has an entry for each two positions.
constexpr Position most_unasked = 4096, most_unasked_of_a_bias = 1024;
constexpr std::size_t values_of_a_call = std::size_t{1} << 20;
constexpr Position rows_of_a_call = 1024;
constexpr Position most_places = 1 << 20;
// Of a file: they stay in the last cache from the reading to the comparing, and threads have enough to do.
constexpr std::size_t bytes_of_a_block = std::size_t{1} << 23;

// An answer is not in the format in which it was to be judged.
struct NotHeld {};

double unit(Format format) {
  return std::ldexp(1.0, -shape(format).digits);
}

std::size_t same(std::size_t column) {
  return column;
}

std::vector<Position> consecutive(Position first, std::size_t count) {
  std::vector<Position> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

Position batch(std::size_t values_of_a_row) {
  return std::clamp<Position>(
      static_cast<Position>(values_of_a_call / std::max<std::size_t>(1, values_of_a_row)), 1, rows_of_a_call);
}

// How the rows of one kind of subject are had, and given to the accumulator.
struct FedRows {
  ErrorAccumulator& errors;
  Format format;
  std::vector<std::byte> packed = {};

  void add(Position first, std::size_t rows, std::span<const double> values,
           const ErrorAccumulator::RowSource& source) {
    if (!pack(format, values, packed)) throw NotHeld{};
    errors.add(first, rows, packed.data(), source);
  }
};

// What is compared: the truth, the subject, where, and where to.
struct ComparedAt {
  Encoding truth, subject;
  Domain domain;
  std::optional<Places> places;  // of a grid; positions are the numbers of places then
  std::shared_ptr<FedRows> fed;

  Position first() const { return places ? 0 : domain.lo; }
  Position last() const { return places ? places->count() - 1 : domain.hi; }

  Case again(Position t, const std::vector<double>& content = {}, Role role = Role::query) const {
    if (!places) return case_of(truth, domain, t, content, role);
    return case_of(truth, domain, places->at(t), {}, content, role);
  }
  Case again_with_key(Position t, Position key) const {
    if (!places) return case_of(truth, Domain(key, key), t);
    return case_of(truth, domain, places->at(t), places->at(key));
  }

  ErrorAccumulator::RowSource source() const {
    return {[all = *this](Position t, std::size_t) { return all.again(t); }, &same};
  }

  // A call for neighbouring positions, in a sequence that has all of them.
  Call call(Position first, std::size_t rows) const {
    if (places) return call_of(subject, *places, first, rows);
    Call call = sequence(subject, consecutive(first, rows));
    call.length = domain.hi + 1;
    return call;
  }
};

BatchSweep::Rows rows_of(const ComparedAt& all) {
  return [=](Position first, std::size_t rows) {
    all.fed->add(first, rows, answer(all.subject, all.call(first, rows)).data, all.source());
  };
}

// As they are read, if they are in the format already. One row is asked of the subject itself first: it may
// decline.
BatchSweep::Rows rows_of(const Stored& stored, const ComparedAt& all) {
  const auto read = std::make_shared<std::vector<std::byte>>();
  return [=](Position first, std::size_t rows) {
    answer(all.subject, all.call(first, 1));
    const std::size_t row = stored.dim * bytes(stored.format);
    read->resize(rows * row);
    stored.read(static_cast<std::size_t>(first - stored.first) * row, *read);
    if (all.fed->format == stored.format) {
      all.fed->errors.add(first, rows, read->data(), all.source());
      return;
    }
    std::vector<double> values(rows * stored.dim);
    unpack(stored.format, read->data(), values);
    all.fed->add(first, rows, values, all.source());
  };
}

// What is rotated: a basis vector in every pair, and in the channels of no pair numbers that every format
// has.
struct Basis {
  Role role;
  bool second;  // (0, 1), not (1, 0)
  std::vector<double> x;
  std::vector<std::size_t> in_no_pair;  // channels
};

Basis basis(const Rotary& truth, bool second) {
  Basis out{second ? Role::key : Role::query, second, {}, channels_in_no_pair(truth)};
  for (std::size_t c = 0; c < truth.dim; ++c) out.x.push_back(static_cast<double>(c % 100 + 1));
  for (const Pair& pair : truth.pairs) {
    out.x[pair.first] = second ? 0 : 1;
    out.x[pair.second] = second ? 1 : 0;
  }
  return out;
}

// The row of (cos, sin) that an answer means: (1, 0) becomes (cos, sin) and (0, 1) becomes (-sin, cos). A
// channel of no pair means how far it is from what it was.
std::vector<double> meant(const Rotary& truth, const Basis& basis, std::span<const double> answer,
                          Format format) {
  std::vector<double> out(answer.begin(), answer.end());
  for (std::size_t from = 0; from < out.size(); from += truth.dim) {
    for (const std::size_t c : basis.in_no_pair)
      out[from + c] = answer[from + c] == basis.x[c] ? 0 : nearest(format, answer[from + c] - basis.x[c]);
    for (const Pair& pair : truth.pairs) {
      const double x = answer[from + pair.first], y = answer[from + pair.second];
      out[from + pair.first] = basis.second ? y : x;
      out[from + pair.second] = basis.second ? 0 - x : y;
    }
  }
  return out;
}

ErrorAccumulator::RowSource source_of(const ComparedAt& all, const Rotary& truth, const Basis& basis) {
  std::vector<std::size_t> channel(truth.dim);
  std::iota(channel.begin(), channel.end(), std::size_t{0});
  if (basis.second)
    for (const Pair& pair : truth.pairs) std::swap(channel[pair.first], channel[pair.second]);
  return {[all, basis](Position t, std::size_t) { return all.again(t, basis.x, basis.role); },
          [channel](std::size_t column) {
            const std::size_t own = column % channel.size();
            return column - own + channel[own];
          }};
}

// [heads, rows, dim] as [rows, heads, dim].
std::vector<double> token_by_token(const Tensor& answer) {
  const std::size_t heads = answer.shape.at(1), rows = answer.shape.at(2);
  std::vector<double> out;
  out.reserve(answer.data.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t head = 0; head < heads; ++head)
      std::ranges::copy(answer.row(head * rows + r), std::back_inserter(out));
  return out;
}

BatchSweep::Rows rotations_of(const ComparedAt& all, const Rotary& truth) {
  return [=](Position first, std::size_t rows) {
    std::array<Tensor, 2> answers;
    for (const bool second : {false, true}) {
      const Basis rotated = basis(truth, second);
      Call call = all.call(first, rows);
      Tensor& x = call.contents.front();
      for (std::size_t r = 0; r < x.rows(); ++r) std::ranges::copy(rotated.x, x.row(r).begin());
      call.role = rotated.role;
      answers[second] = answer(all.subject, call);
    }
    for (const bool second : {false, true}) {
      const Basis rotated = basis(truth, second);
      const auto judge = [&](std::span<const double> own) {
        all.fed->add(first, rows, meant(truth, rotated, own, all.fed->format),
                     source_of(all, truth, rotated));
      };
      // On a grid heads may have frequencies of their own, and are columns of one row.
      if (all.places) {
        judge(token_by_token(answers[second]));
        continue;
      }
      const std::span<const double> entries = answers[second].data;
      const std::size_t size = rows * truth.dim;
      for (std::size_t head = 0; head < truth.heads; ++head) {
        const auto own = entries.subspan(head * size, size);
        // Bit for bit what the first head answered: judged already.
        if (head > 0 && std::memcmp(own.data(), entries.data(), size * sizeof(double)) == 0) continue;
        judge(own);
      }
    }
  };
}

// As they are read, if they are in the format already, and rotating copies them.
BatchSweep::Rows rotations_of(const StoredRotations& stored, const ComparedAt& all, const Rotary& truth) {
  if (all.fed->format != stored.format || all.places) return rotations_of(all, truth);
  const auto read = std::make_shared<StoredRotations::Rows>();
  return [=, rotated = rotations_of(all, truth)](Position first, std::size_t rows) {
    if (!stored.read(first, rows, *read)) return rotated(first, rows);
    ErrorAccumulator& errors = all.fed->errors;
    errors.add(first, rows, read->of_first.data(), source_of(all, truth, basis(truth, false)),
               read->alike ? 2 : 1);
    if (!read->alike)
      errors.add(first, rows, read->of_second.data(), source_of(all, truth, basis(truth, true)));
  };
}

// [heads, queries, keys] as one row for each query, of all heads.
std::vector<double> by_query(const Tensor& entries, std::size_t queries) {
  std::vector<double> out;
  out.reserve(entries.data.size());
  for (std::size_t i = 0; i < queries; ++i)
    for (std::size_t r = i; r < entries.rows(); r += queries)
      std::ranges::copy(entries.row(r), std::back_inserter(out));
  return out;
}

BatchSweep::Rows biases_of(const ComparedAt& all) {
  const auto keys = consecutive(all.first(), static_cast<std::size_t>(all.last() - all.first() + 1));
  return [=](Position first, std::size_t queries) {
    Call call = all.call(first, queries);
    if (!all.places) call.keys.whole = keys;
    all.fed->add(first, queries, by_query(answer(all.subject, call), queries),
                 {[all, keys](Position i, std::size_t column) {
                    return all.again_with_key(i, keys[column % keys.size()]);
                  },
                  &same});
  };
}

Position rows_of_a_block(const Stored& stored) {
  const std::size_t rows = bytes_of_a_block / (stored.dim * bytes(stored.format));
  return static_cast<Position>(std::max<std::size_t>(rows / 64, 1) * 64);  // as many as are compared at once
}

struct Range {
  Domain domain;
  std::string not_covered = {};  // of what was asked for, in words
};

Range asked_for(const Encoding& truth, const Subject& subject, const AccuracyOptions& options) {
  Encoding encoding = subject.encoding;
  if (options.positions)
    encoding = narrowed(std::move(encoding), options.positions->first, options.positions->second);
  const Domain &own = positions_of(encoding), &declared = positions_of(truth);
  Range out{overlap(own, declared)};
  Domain& domain = out.domain;
  if (options.positions) out.not_covered = not_covered(*options.positions, domain);
  if (domain.axes > 1) return out;
  const bool says_nothing = subject.live && !own.ends && own.hi >= declared.hi;
  const bool pairs = signature(truth).has(Axis::key);
  if (!says_nothing || options.positions || (options.everything && !pairs)) return out;
  const Position last = std::min(domain.hi, domain.lo + (pairs ? most_unasked_of_a_bias : most_unasked) - 1);
  if (options.everything && last < domain.hi)
    out.not_covered =
        fmt::format("too many pairs: positions {} to {} were not compared", last + 1, domain.hi);
  domain.hi = last;
  return out;
}

// Why the places of this grid are not all compared; empty where they are.
std::string too_many(const Domain& domain, const Places& places) {
  if (places.count() == 0) return "the encoding and the subject have no place in common";
  if (places.count() <= most_places) return {};
  constexpr auto remedy = "`--positions FIRST:LAST` says which numbers of each axis are compared";
  if (domain.last_on_axis.empty() || std::ranges::max(domain.last_on_axis) >= Domain().hi)
    return fmt::format("the grid has no end; {}", remedy);
  return fmt::format("the grid has too many places, of which {} are compared at most; {}", most_places,
                     remedy);
}

Accuracy compared(const Encoding& truth, const Subject& subject, Format format, const Domain& domain,
                  const std::optional<Places>& places, const Reference& reference,
                  const AccuracyOptions& options) {
  ErrorAccumulator errors(reference, format, options);
  const auto fed = std::make_shared<FedRows>(FedRows{errors, format});
  BatchSweep sweep;
  sweep.deadline = options.deadline;
  sweep.progress = options.progress;
  const ComparedAt all{truth, subject.encoding, domain, places, fed};
  const Call one = all.call(all.first(), 1);
  const auto* rotary = std::get_if<Rotary>(&truth);
  if (subject.stored) {
    sweep.batch = rows_of_a_block(*subject.stored);
    sweep.rows = rows_of(*subject.stored, all);
  } else if (signature(truth).has(Axis::token)) {
    sweep.batch = batch(count(shape_of_answer(truth, one)));
    sweep.rows = rotary == nullptr          ? rows_of(all)
                 : subject.stored_rotations ? rotations_of(*subject.stored_rotations, all, *rotary)
                                            : rotations_of(all, *rotary);
  } else {
    // A window as a whole, where it is live: many programs make no other.
    sweep.batch = places && subject.live ? batch(count(shape_of_answer(truth, one))) : 1;
    sweep.rows = biases_of(all);
  }
  const std::vector<double> content = rotary != nullptr ? basis(*rotary, false).x : std::vector<double>{};
  sweep.again = [all, content](Position t) { return all.again(t, content); };
  if (places)
    sweep.words = [&](Position first, Position last) {
      return fmt::format("places {} to {}", places->text(first), places->text(last));
    };
  const SweepResult swept =
      sweep.along(all.first(), all.last(), [&](Position t, std::size_t rows) { errors.done(t, rows); });

  Accuracy found = errors.found();
  found.first = all.first();
  found.last = all.last();
  found.places = places;
  if (signature(truth).has(Axis::key)) found.keys = static_cast<std::size_t>(all.last() - all.first() + 1);
  found.of_rotations = rotary != nullptr;
  found.hides_later_keys = found.keys > 0 && is_causal(truth);
  if (places && rotary != nullptr) found.channels = rotary->dim;
  found.declined = swept.declined;
  found.first_declined = swept.first_declined;
  found.failed = swept.failed;
  found.errored = swept.errored;
  found.stopped = swept.stopped;
  found.out_of_time = !swept.stopped.empty();
  return found;
}

}  // namespace

Accuracy accuracy(const Encoding& truth, const Subject& subject, const AccuracyOptions& options) {
  const auto nothing = [](std::string why) {
    Accuracy none;
    none.stopped = std::move(why);
    return none;
  };
  if (truth.index() != subject.encoding.index())
    return nothing(fmt::format("the encoding gives {}, the subject {}: there are no entries to compare",
                               kind(truth), kind(subject.encoding)));
  if (signature(truth).has(Axis::query) && !signature(truth).takes.empty())
    return nothing(fmt::format("{} depends on content: there are no entries to compare", kind(truth)));
  const auto [domain, not_covered] = asked_for(truth, subject, options);
  if (domain.lo > domain.hi) return nothing("the encoding and the subject have no position in common");
  std::optional<Places> places;
  if (domain.axes > 1) {
    places = places_of(domain);
    if (std::string why = too_many(domain, *places); !why.empty()) return nothing(std::move(why));
  }
  const auto with =
      places ? reference(truth, subject.precision, *places) : reference(truth, subject.precision, domain);
  if (!with) return nothing(fmt::format("no exact {} is known to compare with", kind(truth)));

  const Format format =
      subject.stored_rotations ? subject.stored_rotations->format : format_of(subject.precision.result);
  Accuracy found;
  try {
    found = compared(truth, subject, format, domain, places, *with, options);
  } catch (const NotHeld&) {  // wider than what it is judged by
    const bool fine = subject.stored && unit(subject.stored->format) <= subject.precision.result;
    found =
        compared(truth, subject, fine ? subject.stored->format : Format::f64, domain, places, *with, options);
  }
  if (found.stopped.empty()) found.stopped = not_covered;
  return found;
}

}  // namespace posproof
