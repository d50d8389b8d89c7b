#include "diagnosis/measured_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/rotation_deviations.h"

namespace posproof {
namespace {

using Sentences = std::vector<std::string>;

// What 2i is divided by in the exponent.
double divisor_of(const Rotary& truth, const Parameters& parameters) {
  if (parameters.word("exponent") == "dim") return parameters.real("dim");
  // Those that do not rotate have exponents, too.
  if (parameters.find("kept_pairs") != nullptr && parameters.real("kept_pairs") > 0) {
    const double width = parameters.real("rotary_dim");
    return width > 0 ? width : parameters.real("dim");
  }
  return 2 * static_cast<double>(truth.pairs.size());
}

// The sentences of each head; those of all heads alike once.
std::optional<Sentences> of_heads(const MeasuredRotation& measured, std::size_t own_heads,
                                  const Rotary& truth, const Parameters& parameters,
                                  const Precision& precision) {
  std::vector<std::pair<Sentences, std::vector<std::size_t>>> groups;
  for (std::size_t head = 0; head < measured.heads.size(); ++head) {
    const auto said = rotation_deviations(measured.heads[head], truth, parameters,
                                          divisor_of(truth, parameters), precision);
    if (!said) return std::nullopt;
    const auto same = std::ranges::find_if(groups, [&](const auto& group) { return group.first == *said; });
    if (same == groups.end())
      groups.push_back({*said, {head}});
    else
      same->second.push_back(head);
  }
  if (groups.size() == 1) return groups.front().first;
  Sentences out;
  for (const auto& [said, heads] : groups)
    for (const std::string& sentence : said)
      out.push_back(fmt::format("{}: {}", numbered_heads(heads, measured.heads.size(), own_heads), sentence));
  return out;
}

// How far a channel of a head's output may be off, as a share of a channel of its input.
struct Allowed {
  std::size_t output, input;
  double share;
};

std::vector<Allowed> allowed_of(const std::vector<MeasuredChannel>& channels, const Rotary& truth,
                                const Precision& precision, Position far) {
  const std::size_t steps = truth.pairs.empty() ? 0 : truth.pairs.back().index;
  std::vector<Allowed> out;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    FrequencyError made;
    for (const Pair& pair : truth.pairs)
      if (pair.first == channels[c].own || pair.second == channels[c].own) made = pair.frequency_error;
    for (const auto& [input, a, b, frequency] : channels[c].shares)
      out.push_back(
          {c, input,
           3 * std::hypot(a, b) *
               rotation_error(precision, static_cast<double>(far), Pair{0, 1, frequency, steps, made})});
  }
  return out;
}

}  // namespace

Model measured_model(const Rotary& truth, const MeasuredRotation& queries, const MeasuredRotation& keys,
                     const Precision& precision) {
  const auto error = [queries, keys, truth, precision](const Call& call, const Tensor& expected,
                                                       Position far) {
    const auto& heads = (call.role == Role::query ? queries : keys).heads;
    const Tensor& x = call.contents.front();
    const std::size_t n = x.shape[2];
    const double least = rotation_underflow(precision);
    Tensor out(expected.shape);
    for (std::size_t head = 0; head < heads.size(); ++head) {
      const std::vector<Allowed> allowed = allowed_of(heads[head], truth, precision, far);
      for (std::size_t r = 0; r < x.rows(); ++r) {
        if (r / n % heads.size() != head) continue;
        const auto from = x.row(r);
        const auto to = out.row(r);
        for (const auto& [output, input, share] : allowed) to[output] += share * std::abs(from[input]);
        for (double& size : to) size += size > 0 ? least : 0;
      }
    }
    return in_order(truth, std::move(out));
  };
  return {rotation_of(truth, queries, keys), error};
}

std::optional<std::vector<std::string>> measured_sentences(const MeasuredRotation& queries,
                                                           const MeasuredRotation& keys, const Rotary& truth,
                                                           const Parameters& parameters,
                                                           const Subject& subject) {
  const auto own = subject.own_heads.value_or(std::array{queries.heads.size(), keys.heads.size()});
  const auto of_queries = of_heads(queries, own[0], truth, parameters, subject.precision),
             of_keys = of_heads(keys, own[1], truth, parameters, subject.precision);
  if (!of_queries || !of_keys) return std::nullopt;
  if (*of_queries == *of_keys) return of_queries;
  Sentences out;
  for (const std::string& one : *of_queries) out.push_back("queries: " + one);
  for (const std::string& one : *of_keys) out.push_back("keys: " + one);
  return out;
}

}  // namespace posproof
