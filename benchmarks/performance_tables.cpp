// The sections of the page that say what the others do, and how the oracle stands to the memory.
#include <fmt/format.h>

#include "benchmarks/performance.h"
#include "benchmarks/words_of_numbers.h"
#include "core/bounded.h"

namespace posproof::report {
namespace {

using document::Block;
using document::Grid;
using document::Paragraph;
using document::Section;

constexpr double values = 131072.0 * 128;

struct Implementation {
  std::string words;
  std::string name;  // of its benchmark; empty: it has a family, of which the fastest counts
  std::string family = {};
  std::vector<std::string> tables = {};  // that it made, as files
  std::string missing = "not measured";
};

// The largest of a counter of several.
std::optional<double> most(const Measured& measured, const std::vector<std::string>& names,
                           const char* counter) {
  std::optional<double> out;
  for (const std::string& name : names)
    if (const auto one = measured.counter(name, counter)) out = std::max(out.value_or(0), *one);
  return out;
}

std::optional<double> mean(const Measured& measured, const std::vector<std::string>& names,
                           const char* counter) {
  double sum = 0;
  for (const std::string& name : names) {
    const auto one = measured.counter(name, counter);
    if (!one) return std::nullopt;
    sum += *one / static_cast<double>(names.size());
  }
  return names.empty() ? std::nullopt : std::optional(sum);
}

std::vector<std::string> named(const std::string& what, std::vector<std::string> names) {
  for (std::string& name : names) name = what + name;
  return names;
}

std::vector<std::string> row(const Measured& measured, const Implementation& way, const std::string& oracle) {
  const auto name = way.family.empty() ? std::optional(way.name) : measured.fastest(way.family);
  const auto took = name ? measured.seconds(*name) : std::nullopt;
  if (!took) return {way.words, way.missing, "", "", "", "", "", ""};
  const auto slower = measured.ratio({*name}, {oracle});
  std::vector<std::string> cells = {way.words, significant(took->median * values * 1e3),
                                    significant(1e-6 / took->median),
                                    slower ? significant(slower->median) : ""};
  const auto verified = named("verify/", way.tables), all_measured = named("measure/", way.tables);
  auto wrong = mean(measured, verified, "wrong_share"), farthest = most(measured, all_measured, "farthest");
  if (way.tables.empty()) {  // a library's benchmark says it itself
    wrong = measured.counter(*name, "wrong_share");
    farthest = measured.counter(*name, "farthest");
  }
  cells.push_back(wrong ? percent(*wrong) : "");
  // Of tables that are off by less than half a unit of 1 the oracle says no more than that.
  const bool is_a_bound = farthest && *farthest <= 0x1p-24;
  cells.push_back(farthest ? (is_a_bound ? "at most " : "") + document::scientific(*farthest, 2) : "");
  for (const auto& against : {verified, all_measured}) {
    const auto longer = measured.ratio({*name}, against, static_cast<double>(against.size()));
    cells.push_back(longer ? significant(longer->median) : "");
  }
  return cells;
}

}  // namespace

std::vector<Block> performance_of_others(const Measured& measured) {
  const std::string best = measured.context("best_kernel");
  const std::string oracle = fmt::format("exact/write_with_set_up/f32/sin_cos/{}/131072", best);
  const auto missing = [&](const char* what) {
    return measured.context(what) == "not installed" ? "not installed" : "not measured";
  };
  const auto library = [&](const char* what) {
    return measured.context(what) == "installed" ? "not for this processor" : "not installed";
  };
  const std::vector<Implementation> ways = {
      {"numpy, all f32, as tutorials have it", "today/numpy_tutorial", "", {"numpy_tutorial"}},
      {"numpy, all f32, preallocated, in blocks", "today/numpy_best", "", {"numpy_best"}},
      {"numpy, f64 stored in f32", "today/numpy_f64", "", {"numpy_f64"}},
      {"PyTorch, all f32, as tutorials have it",
       "today/torch_tutorial",
       "",
       {"torch_tutorial"},
       missing("torch")},
      {"PyTorch, Llama-style caches, time for as many values",
       "today/llama_caches",
       "",
       {"llama_cosines", "llama_sines"},
       missing("torch")},
      {"glibc `sincos`, f64 stored in f32", "library/glibc_sincos"},
      {"libmvec, AVX2, f64 stored in f32", "library/libmvec_v3", "", {}, library("libmvec")},
      {"libmvec, AVX-512, f64 stored in f32", "library/libmvec_v4", "", {}, library("libmvec")},
      {"SLEEF `sincosd4_u10`, f64 stored in f32", "library/sleef_v3", "", {}, library("sleef")},
      {"SLEEF `sincosd8_u10`, f64 stored in f32", "library/sleef_v4", "", {}, library("sleef")},
      {"MPFR with Ziv's test, f32", "", "mpfr/f32/"},
      {"MPFR with Ziv's test, f64", "", "mpfr/f64/"},
      {"the oracle with its set-up, f32", oracle},
      {"the oracle with its set-up, f64", fmt::format("exact/write_with_set_up/f64/sin_cos/{}/131072", best)},
  };
  Grid grid{{"way", "ms", "million values/s", "over the oracle's time", "not correctly rounded",
             "largest error", "over the time of verifying it", "of measuring it"},
            {},
            "A table of 131072 x 128, base 10000, one thread: the time to make it; what the oracle found in "
            "it, in the "
            "same run; and how much longer making it takes than having every entry verified (those that are "
            "not correctly rounded are counted), or measured (how far off the farthest is as well, and "
            "where). MPFR is measured on every 64th row. The libraries promise no correct rounding: angles "
            "and sines in f64 are rounded to f32 at the end."};
  Grid ulp{
      {"library", "largest error found, ULP", "mean error, ULP"},
      {},
      "Sines and cosines in f64, as the library gives them for the angle that it is given, a position times a "
      "frequency rounded to f64: 1,048,576 values of every 16th row of that table, against MPFR, in units in the last "
      "place of the exact value. What is rounded correctly is off by at most 0.5."};
  for (const Implementation& way : ways) {
    grid.rows.push_back(row(measured, way, oracle));
    const auto largest = measured.counter(way.name, "ulp_largest"),
               mean = measured.counter(way.name, "ulp_mean");
    if (largest && mean)
      ulp.rows.push_back({way.words.substr(0, way.words.rfind(", ")), document::fixed(*largest, 3),
                          document::fixed(*mean, 3)});
  }

  std::string text =
      "The tutorials' recipe makes the table in f32. How many of its entries are not "
      "the correctly rounded ones depends on length, width and storage format: "
      "[tables computed in f32](tables_computed_in_f32.md).";
  const auto numpy = measured.counter("verify/numpy_tutorial", "wrong_share");
  const auto torch_wrong = measured.counter("verify/torch_tutorial", "wrong_share");
  const auto wide = measured.counter("verify/numpy_f64", "wrong_share");
  const auto far = measured.counter("measure/numpy_tutorial", "farthest");
  if (numpy && far)
    text +=
        fmt::format(" Of numpy's entries {} are not correctly rounded, and the farthest is off by {}",
                    percent(*numpy), document::scientific(*far, 2)) +
        (torch_wrong ? fmt::format("; of PyTorch's {}.", percent(*torch_wrong)) : ".") +
        " The error is that of the angle: the frequency was rounded, and its product with the position was rounded "
        "again. The sine of the angle as given is off by one or two units in the last place.";
  const auto units = measured.counter("measure/numpy_f64", "ulp");
  const auto dearer = measured.ratio({"today/numpy_f64"}, {"today/numpy_tutorial"});
  if (wide && units && dearer)
    text += bounded(
        " With frequencies `base**(-k/d)`, angles and sines in f64, and the sines stored in f32, {} of the entries are "
        "wrong, by up to {} units in the last place, and the table takes {:.2g} times as long as the tutorials' way.",
        percent(*wide), figures_up(*units, 3), dearer->median);
  std::vector<Block> out = {Section{"What users use today"}, Paragraph{text}, grid};
  if (!ulp.rows.empty()) out.push_back(ulp);
  return out;
}

std::vector<Block> performance_of_the_oracle(const Measured& measured) {
  Grid grid{
      {"format", "kernel", "layout", "threads", "write, million values/s", "of a plain write",
       "verify, million values/s", "of a plain read", "measure, million values/s", "of a plain read",
       "of these wrong"},
      {},
      "131072 x 128, without the set-up; the last row 1048576 x 128. What is verified is right; what is measured is the "
      "tutorials' table in f32, cast to the format. A plain write goes past the caches "
      "(non-temporal stores), a plain read loads whole vectors; both on one thread, of the same memory, by "
      "the "
      "widest vectors of the processor."};
  struct Column {
    std::string name;
    std::string limit;
  };
  const auto cells = [&](const std::string& name, const std::string& limit, double bytes,
                         std::vector<std::string>& row) {
    const auto took = measured.seconds(name);
    const auto share = measured.ratio({limit}, {name}, bytes);
    row.push_back(took ? significant(1e-6 / took->median) : "");
    row.push_back(share ? percent(share->median) : "");
  };
  const auto add = [&](const std::string& format, const std::string& kernel, const std::string& layout,
                       const std::string& rows, bool two) {
    const double bytes = format == "f64" ? 8 : format == "f32" ? 4 : 2;
    const std::string size = rows != "131072" ? "512MiB" : fmt::format("{:.0f}MiB", 16 * bytes);
    const std::string threads = two ? "/threads_2" : "";
    std::vector<std::string> row = {format, kernel, layout, two ? "2" : "1"};
    const auto name = [&](const char* what) {
      return fmt::format("exact/{}/{}/{}/{}/{}{}", what, format, layout, kernel, rows, threads);
    };
    if (!measured.seconds(name("write"))) return;
    cells(name("write"), "memory/write/" + size, bytes, row);
    cells(name("verify"), "memory/read/" + size, bytes, row);
    cells(name("measure_mismatched"), "memory/read/" + size, bytes, row);
    const auto wrong = measured.counter(name("measure_mismatched"), "wrong_share");
    row.push_back(wrong ? percent(*wrong) : "");
    grid.rows.push_back(std::move(row));
  };
  const std::string best = measured.context("best_kernel");
  for (const char* format : {"f32", "f64", "bf16", "f16"}) {
    for (const char* kernel : {"v4_vbmi2", "v4", "v3", "plain"})
      add(format, kernel, "sin_cos", "131072", false);
    add(format, best, "interleaved", "131072", false);
    add(format, best, "sin_cos", "131072", true);
  }
  add("f32", best, "sin_cos", "1048576", false);

  const auto ladder = measured.seconds("exact/ladder"), first = measured.seconds("exact/first_row"),
             random = measured.seconds("exact/random_rows");
  const auto share = [&](const char* limit, const char* what, const char* rows) {
    const auto found =
        measured.ratio({limit}, {fmt::format("exact/{}/f32/sin_cos/{}/{}", what, best, rows)}, 4);
    return found ? percent(found->median) : "an unmeasured share";
  };
  std::string text = fmt::format(
      "On this machine the oracle writes correctly rounded f32 at {} of the speed of a plain write, and "
      "verifies them at "
      "{} of that of a plain read where the table is larger than the caches. Which kernel runs is decided "
      "when the "
      "program starts; all give the same bits.",
      share("memory/write/64MiB", "write", "131072"), share("memory/read/512MiB", "verify", "1048576"));
  if (ladder && first && random)
    text += fmt::format(
        " Before the first value stands the set-up of the ladder: {} ms at d = 128, {} ms with a first row "
        "just below "
        "position 2^20, which takes the tables of all digits. A single row at a random position costs {} ns "
        "a pair of "
        "sine and cosine in f64.",
        significant(ladder->median * 1e3), significant(first->median * 1e3),
        significant(random->median * 1e9));
  return {Section{"The oracle and the memory"}, Paragraph{text}, grid};
}

}  // namespace posproof::report
