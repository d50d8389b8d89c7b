// The sections of the page on cases, on the reference operators, and on what costs grow with.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/performance.h"
#include "benchmarks/words_of_numbers.h"

namespace posproof::report {
namespace {

using document::Block;
using document::Grid;
using document::Paragraph;
using document::Section;

// Empty where something is missing.
std::string beside_hypothesis(const Measured& measured) {
  const std::string ours = "cases/depends_on_offset";
  const auto cases = measured.seconds(ours), drawn = measured.seconds("hypothesis/drawn"),
             seeded = measured.seconds("hypothesis/seeded");
  if (!cases || !drawn || !seeded)
    return measured.context("hypothesis") == "not installed" ? "Hypothesis is not installed." : "";
  const auto over = [&](const char* name) { return significant(measured.ratio({name}, {ours})->median); };
  return fmt::format(
      "That the logits of RoPE depend on the offset alone, at d = 64 in f64: {} cases/s here, {} in Hypothesis {} with numpy "
      "where it draws every channel of query and key (a case takes {} times as long), {} where it draws a seed and numpy the "
      "channels ({} times). Both check the same sentence over the same positions, below 2^20; contents differ, since each "
      "draws in its own way. One thread, processor time, without shrinking.",
      significant(1 / cases->median), significant(1 / drawn->median), measured.context("hypothesis"),
      over("hypothesis/drawn"), significant(1 / seeded->median), over("hypothesis/seeded"));
}

}  // namespace

std::vector<Block> performance_of_cases(const Measured& measured) {
  struct Cell {
    std::string name;
    double seconds;
  };
  struct Group {
    std::vector<Cell> cells;
  };
  std::map<std::string, Group> groups;
  std::vector<double> all;
  for (const std::string& name : measured.names("matrix/"))
    if (const auto took = measured.seconds(name)) {
      const std::string cell = name.substr(name.find('/') + 1), id = cell.substr(cell.find('.') + 1);
      groups[id.substr(0, id.find('/'))].cells.push_back({cell, took->median});
      all.push_back(took->median);
    }
  Grid grid{
      {"group", "cells", "cases/s, together", "cases/s, the middle cell", "the slowest cell", "its cases/s"},
      {},
      "Every property that is claimed to hold of an encoding, agreement aside, once over its grid of parameters: a hundred cases, drawn, checked and "
      "decided. "
      "Together: as many cases of each cell, over the sum of their times."};
  for (auto& [group, of] : groups) {
    std::vector<double> seconds;
    double sum = 0;
    for (const Cell& cell : of.cells) {
      seconds.push_back(cell.seconds);
      sum += cell.seconds;
    }
    const Cell& slowest = *std::max_element(
        of.cells.begin(), of.cells.end(), [](const Cell& a, const Cell& b) { return a.seconds < b.seconds; });
    grid.rows.push_back({group, fmt::format("{}", of.cells.size()),
                         significant(static_cast<double>(of.cells.size()) / sum),
                         significant(1 / median(seconds)), fmt::format("`{}`", slowest.name),
                         significant(1 / slowest.seconds)});
  }
  std::vector<Block> out = {Section{"Cases"}};
  const auto driver = measured.seconds("cases/driver"), positions = measured.seconds("cases/three_positions");
  if (driver && positions && !all.empty())
    out.push_back(Paragraph{fmt::format(
        "RapidCheck as the driver, with a property that checks nothing, costs {} us a case; with three "
        "positions drawn, "
        "{} us. The middle cell of the matrix costs {} us a case, so that the driver is {} of it.",
        significant(driver->median * 1e6), significant(positions->median * 1e6),
        significant(median(all) * 1e6), percent(driver->median / median(all)))});
  out.push_back(grid);
  if (const std::string text = beside_hypothesis(measured); !text.empty()) {
    out.push_back(Section{"The same statement in Hypothesis"});
    out.push_back(Paragraph{text});
  }

  const auto inside = measured.seconds("gate/in_process"), outside = measured.seconds("gate/out_of_process");
  const auto start = measured.seconds("process/start"), gate = measured.seconds("process/gate"),
             write = measured.seconds("process/oracle");
  std::string text;
  if (inside && outside)
    text += fmt::format(
        "The gate's first question, whether a bias agrees with its oracle, costs {} us a case where the bias "
        "is a "
        "function of this process, and {} us where it is a Python program behind pipes "
        "(examples/numpy_alibi.py): {} us "
        "a case, of wall time, are the other process, its numpy included.",
        significant(inside->median * 1e6), significant(outside->median * 1e6),
        significant((outside->median - inside->median) * 1e6));
  if (start && gate && write)
    text += fmt::format(
        " As whole processes, user and system time: `posproof --version` {} ms, `posproof oracle` for 131072 "
        "x 128 in "
        "f32 {} ms, `posproof gate sinusoidal` on that file {} ms.",
        significant(start->median * 1e3), significant(write->median * 1e3), significant(gate->median * 1e3));
  if (!text.empty()) {
    out.push_back(Section{"The gate"});
    out.push_back(Paragraph{text});
  }
  return out;
}

std::vector<Block> performance_of_references(const Measured& measured) {
  Grid grid{
      {"reference", "works in", "speed", "of a copy of its input", "of a product of matrices"},
      {},
      "Attention: n = 256, d = 64, one head, 4 n^2 d operations, against Eigen's product of the same "
      "multiplications in f64, compiled for the widest vectors of the processor. Rotary: (1, 32, 32, 128) in "
      "doubles, 1 MiB, against a copy of it, which the caches hold."};
  const auto attention = measured.seconds("attention/reference");
  const auto gemm = measured.fastest("gemm/");
  if (attention && gemm) {
    const auto share = measured.ratio({*gemm}, {"attention/reference"});
    grid.rows.push_back({"attention", "f64, exponentials in long double",
                         fmt::format("{} GFLOP/s", significant(1e-9 / attention->median)), "",
                         percent(share->median)});
  }
  for (const auto& [words, format, name] :
       {std::tuple{"rotary, reference", "long double", "rotary/reference"},
        std::tuple{"rotary, oracle", "exact, rounded once to f64", "rotary/oracle"}})
    if (const auto took = measured.seconds(name))
      grid.rows.push_back(
          {words, format, fmt::format("{} million values/s", significant(1e-6 / took->median)),
           percent(measured.ratio({"memory/copy/1MiB"}, {name}, 8).value_or(Spread{}).median), ""});
  for (const char* layout : {"half_split", "interleaved"}) {
    const std::string name =
        fmt::format("exact/verify_rotation/{}/{}", layout, measured.context("best_kernel"));
    if (const auto took = measured.seconds(name))
      grid.rows.push_back(
          {fmt::format("rotary, {}, every output of (1, 32, 4096, 128) verified", layout),
           "f32, correctly rounded", fmt::format("{} million values/s", significant(1e-6 / took->median)),
           percent(measured.ratio({"memory/copy/64MiB"}, {name}, 4).value_or(Spread{}).median), ""});
  }
  if (const auto took = measured.seconds("today/torch_rotate"))
    grid.rows.push_back(
        {"rotary, PyTorch's own on (1, 32, 4096, 128)", "f32",
         fmt::format("{} million values/s", significant(1e-6 / took->median)),
         percent(measured.ratio({"memory/copy/64MiB"}, {"today/torch_rotate"}, 4).value_or(Spread{}).median),
         ""});
  return {
      Section{"The reference operators"},
      Paragraph{
          "The references are written to be certain and the same on every machine: plain loops in a fixed "
          "order, exponentials and angles in long double. What that costs:"},
      grid};
}

std::vector<Block> performance_growth(const Measured& measured) {
  struct Row {
    const char* name;
    const char* words;
    const char* with;
    double least, most;  // the exponent that the operations have
    const char* because = "";
  };
  constexpr Row rows[] = {
      {"growth/exact_write/n", "oracle, writing f32, d = 128", "n", 1, 1},
      {"growth/exact_write/d", "oracle, writing f32, 16384 rows", "d", 1, 1},
      {"growth/exact_ladder/d", "oracle, set-up of the ladder", "d", 1, 1},
      {"growth/attention/n", "attention reference, d = 64", "n", 2, 2},
      {"growth/attention/d", "attention reference, n = 64", "d", 0, 1, ": the softmax does not grow"},
      {"growth/attention/heads", "attention reference, n = 64, width 128", "heads", 0, 1,
       ": the softmaxes grow, the products do not"},
      {"growth/rotary/n", "rotary reference, 8 heads, d = 64", "n", 1, 1},
      {"growth/rotary/d", "rotary reference, 8 heads, n = 32", "d", 1, 1},
      {"growth/rotary/heads", "rotary reference, n = 16, d = 64", "heads", 0, 1,
       ": the angles are those of one head"},
      {"growth/search/cases", "search, score/depends_on_offset of rope", "cases", 1, 1},
  };
  Grid grid{{"cost of", "grows with", "from", "to", "exponent", "95 % interval", "between the two largest",
             "by the operations", "in the interval"},
            {},
            "Least squares in the logarithms over the rounds: cost = c x^exponent, with Student's t for its "
            "interval. Between the two largest: of the medians at the two largest sizes alone."};
  std::vector<std::string> outside;
  document::Plot plot{
      .name = "growth",
      .title = "What the costs grow with",
      .description =
          "Time of a run, divided by that of the smallest size, against the size over the smallest; both "
          "axes logarithmic. The attention reference grows with the square of n, the others about in proportion.",
      .x = {.label = "size, over the smallest", .logarithmic = true, .range = {}, .log_base = 2},
      .y = {.label = "time, over that of the smallest", .logarithmic = true, .range = {}},
      .curves = {},
      .caption =
          "Medians over the rounds. The oracle writes f32 at d = 128, attention has d = 64, the rotation 8 heads and "
          "d = 64; the smallest n are those of the table."};
  for (const Row& row : rows) {
    const auto points = measured.growth(row.name);
    const auto fit = growth(points);
    if (!fit) continue;
    const std::string at_the_end = document::fixed(growth_at_the_end(points).value_or(fit->exponent), 2);
    // By the digits that are printed.
    const auto printed = [](double x) { return std::round(100 * x) / 100; };
    const bool above = printed(fit->low) > row.most, below = printed(fit->high) < row.least;
    const std::string expected =
        row.least == row.most ? fmt::format("{}", row.most) : fmt::format("{} to {}", row.least, row.most);
    grid.rows.push_back({row.words, row.with, fmt::format("{:.0f}", points.front().first),
                         fmt::format("{:.0f}", points.back().first), document::fixed(fit->exponent, 2),
                         fmt::format("{} to {}", document::fixed(fit->low, 2), document::fixed(fit->high, 2)),
                         at_the_end, expected + row.because,
                         above   ? "no: above"
                         : below ? "no: below"
                                 : "yes"});
    if (above || below)
      outside.push_back(fmt::format("{} in {} ({}, between the two largest {})", row.words, row.with,
                                    document::fixed(fit->exponent, 2), at_the_end));
    std::map<double, std::vector<double>> by_size;
    for (const auto& [x, seconds] : points) by_size[x].push_back(seconds);
    const std::string_view name = row.name;
    if (name != "growth/exact_write/n" && name != "growth/attention/n" && name != "growth/rotary/n") continue;
    document::Curve curve{
        .label = fmt::format(
            "{}, {}", std::string_view(row.words).substr(0, std::string_view(row.words).find(',')), row.with),
        .points = {}};
    for (const auto& [x, seconds] : by_size)
      curve.points.emplace_back(x / by_size.begin()->first,
                                median(seconds) / median(by_size.begin()->second));
    plot.curves.push_back(std::move(curve));
  }
  std::vector<Block> out = {Section{"Growth"}};
  if (grid.rows.empty()) {
    out.push_back(Paragraph{"Not measured."});
    return out;
  }
  std::string text = fmt::format("The interval reaches the exponent of the operations in {} of {} rows.",
                                 grid.rows.size() - outside.size(), grid.rows.size());
  if (!outside.empty())
    text += fmt::format(
        " It does not for: {}. The interval knows the scatter of the points alone. A cost that is a sum of terms bends in "
        "this plot, and its interval may be narrow all the same; the exponent between the two largest sizes shows where "
        "it goes. Operations do not count what memory costs.",
        fmt::join(outside, "; "));
  out.push_back(Paragraph{text});
  out.push_back(grid);
  if (!plot.curves.empty()) out.push_back(std::move(plot));
  return out;
}

}  // namespace posproof::report
