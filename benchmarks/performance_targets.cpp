#include <fmt/format.h>

#include <cmath>

#include "benchmarks/performance.h"
#include "benchmarks/words_of_numbers.h"

namespace posproof::report {
namespace {

using Names = std::vector<std::string>;

Names one(const std::optional<std::string>& name) {
  return name ? Names{*name} : Names{};
}

std::optional<Spread> scaled(const std::optional<Spread>& spread, double factor) {
  if (!spread) return std::nullopt;
  return Spread{spread->median * factor, spread->least * factor, spread->most * factor};
}

}  // namespace

bool Target::met() const {
  return measured && (at_least ? measured->median >= limit : measured->median <= limit);
}

bool Target::met_in_every_round() const {
  return measured && (at_least ? measured->least >= limit : measured->most <= limit);
}

std::string Target::number(double value) const {
  return significant(value) + unit;
}

std::string Target::aim() const {
  return fmt::format("{} {}", at_least ? "at least" : "at most", number(limit));
}

std::string Target::verdict() const {
  if (!measured) return missing;
  return met_in_every_round() ? "met in every round" : met() ? "met by the median" : "not met";
}

std::vector<Target> performance_targets(const Measured& measured) {
  const std::string best = measured.context("best_kernel");
  const auto set_up = [](std::string_view format, const std::string& kernel) {
    return Names{fmt::format("exact/write_with_set_up/{}/sin_cos/{}/131072", format, kernel)};
  };
  const auto oracle = [&](std::string_view what, std::size_t rows) {
    return Names{fmt::format("exact/{}/f32/sin_cos/{}/{}", what, best, rows)};
  };
  const auto mpfr = [&](const char* what) { return one(measured.fastest(fmt::format("mpfr/{}/", what))); };
  const std::string torch =
      measured.context("torch") == "not installed" ? "PyTorch is not installed" : "not measured";

  std::vector<Target> out;
  const auto add = [&](std::string what, const std::optional<Spread>& value, bool at_least, double limit,
                       std::string unit, std::string missing = "not measured") {
    out.push_back({std::move(what), value, at_least, limit, std::move(unit), std::move(missing)});
  };
  constexpr bool at_least = true, at_most = false;

  add("MPFR's time for a table of 131072 x 128 in f32, over the oracle's with its set-up",
      measured.ratio(mpfr("f32"), set_up("f32", best)), at_least, 3500, " x");
  add("the same in f64", measured.ratio(mpfr("f64"), set_up("f64", best)), at_least, 1600, " x");
  add("the same in f32, kernel v3 (AVX2)", measured.ratio(mpfr("f32"), set_up("f32", "v3")), at_least, 1750,
      " x");
  add("the same in f64, kernel v3 (AVX2)", measured.ratio(mpfr("f64"), set_up("f64", "v3")), at_least, 800,
      " x");
  // A value of f32 is four bytes.
  add("speed of writing 131072 x 128 in f32, of a non-temporal write of the same memory",
      measured.ratio({"memory/write/64MiB"}, oracle("write", 131072), 100 * 4), at_least, 75, " %");
  add("the same, 1048576 x 128", measured.ratio({"memory/write/512MiB"}, oracle("write", 1048576), 100 * 4),
      at_least, 75, " %");
  add("speed of verifying 1048576 x 128 in f32, of a plain read of the same memory",
      measured.ratio({"memory/read/512MiB"}, oracle("verify", 1048576), 100 * 4), at_least, 55, " %");
  add("numpy's time for its f32 table, the best way, over that of verifying it",
      measured.ratio({"today/numpy_best"}, {"verify/numpy_best"}), at_least, 8, " x");
  add("the same, the tutorials' way", measured.ratio({"today/numpy_tutorial"}, {"verify/numpy_tutorial"}),
      at_least, 8, " x");
  add("PyTorch's time for its f32 table on one thread, over that of verifying it",
      measured.ratio({"today/torch_tutorial"}, {"verify/torch_tutorial"}), at_least, 30, " x", torch);
  // Both caches are as many values each, and the time of making both is that of one value of either.
  add("the same, cosine and sine caches as Llama-style models have them",
      measured.ratio({"today/llama_caches"}, {"verify/llama_cosines", "verify/llama_sines"}, 2), at_least, 30,
      " x");
  add("every output of a RoPE apply on (1, 32, 4096, 128) in f32 verified, over a copy of the input",
      measured.ratio({"exact/verify_rotation/half_split/" + best}, {"memory/copy/64MiB"}, 1.0 / 4), at_most,
      1.7, " x");
  add("MPFR's time for a pair of f64 at a random position, over the oracle's",
      measured.ratio(mpfr("random_rows"), {"exact/random_rows"}), at_least, 75, " x");
  add("set-up of a ladder, d = 128", scaled(measured.seconds("exact/ladder"), 1e3), at_most, 0.6, " ms");
  add("`posproof gate` on a file of 131072 x 128 in f32, user and system time of the process",
      scaled(measured.seconds("process/gate"), 1e3), at_most, 100, " ms");
  return out;
}

}  // namespace posproof::report
