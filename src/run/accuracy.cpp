#include "run/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
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
struct Compared {
  Encoding truth, subject;
  Domain domain;
  std::shared_ptr<FedRows> fed;

  ErrorAccumulator::RowSource source() const {
    return {[all = *this](Position t, std::size_t) { return case_of(all.truth, all.domain, t); }, &same};
  }

  // A call for neighbouring positions, in a sequence that has all of them.
  Call call(Position first, std::size_t rows) const {
    Call call = sequence(subject, consecutive(first, rows));
    call.length = domain.hi + 1;
    return call;
  }
};

BatchSweep::Rows rows_of(const Compared& all) {
  return [=](Position first, std::size_t rows) {
    all.fed->add(first, rows, answer(all.subject, all.call(first, rows)).data, all.source());
  };
}

// As they are read, if they are in the format already. One row is asked of the subject itself first: it may
// decline.
BatchSweep::Rows rows_of(const Stored& stored, const Compared& all) {
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

ErrorAccumulator::RowSource source_of(const Compared& all, const Rotary& truth, const Basis& basis) {
  std::vector<std::size_t> channel(truth.dim);
  std::iota(channel.begin(), channel.end(), std::size_t{0});
  if (basis.second)
    for (const Pair& pair : truth.pairs) std::swap(channel[pair.first], channel[pair.second]);
  return {[all, basis](Position t, std::size_t) {
            return case_of(all.truth, all.domain, t, basis.x, basis.role);
          },
          [channel](std::size_t column) { return channel[column]; }};
}

BatchSweep::Rows rotations_of(const Compared& all, const Rotary& truth) {
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
      const std::span<const double> entries = answers[second].data;
      const std::size_t size = rows * truth.dim;
      for (std::size_t head = 0; head < truth.heads; ++head) {
        const auto own = entries.subspan(head * size, size);
        // Bit for bit what the first head answered: judged already.
        if (head > 0 && std::memcmp(own.data(), entries.data(), size * sizeof(double)) == 0) continue;
        all.fed->add(first, rows, meant(truth, rotated, own, all.fed->format),
                     source_of(all, truth, rotated));
      }
    }
  };
}

BatchSweep::Rows biases_of(const Compared& all) {
  const auto keys = consecutive(all.domain.lo, static_cast<std::size_t>(all.domain.hi - all.domain.lo + 1));
  return [=](Position first, std::size_t) {
    Call call = all.call(first, 1);
    call.keys.whole = keys;
    all.fed->add(first, 1, answer(all.subject, call).data,
                 {[all, keys](Position i, std::size_t column) {
                    const Position key = keys[column % keys.size()];
                    return case_of(all.truth, Domain(key, key), i);
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

Accuracy compared(const Encoding& truth, const Subject& subject, Format format, const Domain& domain,
                  const Reference& reference, const AccuracyOptions& options) {
  ErrorAccumulator errors(reference, format, options);
  const auto fed = std::make_shared<FedRows>(FedRows{errors, format});
  BatchSweep sweep;
  sweep.deadline = options.deadline;
  sweep.progress = options.progress;
  const Compared all{truth, subject.encoding, domain, fed};
  const Call one = all.call(domain.lo, 1);
  const auto* rotary = std::get_if<Rotary>(&truth);
  if (subject.stored) {
    sweep.batch = rows_of_a_block(*subject.stored);
    sweep.rows = rows_of(*subject.stored, all);
  } else if (signature(truth).has(Axis::token)) {
    sweep.batch = batch(count(shape_of_answer(truth, one)));
    sweep.rows = rotary != nullptr ? rotations_of(all, *rotary) : rows_of(all);
  } else {
    sweep.batch = 1;
    sweep.rows = biases_of(all);
  }
  const std::vector<double> content = rotary != nullptr ? basis(*rotary, false).x : std::vector<double>{};
  sweep.again = [all, content](Position t) { return case_of(all.truth, all.domain, t, content); };
  const SweepResult swept =
      sweep.along(domain.lo, domain.hi, [&](Position t, std::size_t rows) { errors.done(t, rows); });

  Accuracy found = errors.found();
  found.first = domain.lo;
  found.last = domain.hi;
  if (signature(truth).has(Axis::key)) found.keys = static_cast<std::size_t>(domain.hi - domain.lo + 1);
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
  if (const std::size_t axes = positions_of(truth).axes; axes > 1)
    return nothing(fmt::format(
        "a position has {} numbers; only encodings of one number are compared position by position", axes));
  if (signature(truth).has(Axis::query) && !signature(truth).takes.empty())
    return nothing(fmt::format("{} depends on content: there are no entries to compare", kind(truth)));
  const auto [domain, not_covered] = asked_for(truth, subject, options);
  if (domain.lo > domain.hi) return nothing("the encoding and the subject have no position in common");
  const auto with = reference(truth, subject.precision, domain);
  if (!with) return nothing(fmt::format("no exact {} is known to compare with", kind(truth)));

  const Format format = format_of(subject.precision.result);
  Accuracy found;
  try {
    found = compared(truth, subject, format, domain, *with, options);
  } catch (const NotHeld&) {  // wider than what it is judged by
    const bool fine = subject.stored && unit(subject.stored->format) <= subject.precision.result;
    found = compared(truth, subject, fine ? subject.stored->format : Format::f64, domain, *with, options);
  }
  if (found.stopped.empty()) found.stopped = not_covered;
  return found;
}

}  // namespace posproof
