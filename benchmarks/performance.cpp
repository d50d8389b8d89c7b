#include "benchmarks/performance.h"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/words_of_numbers.h"
#include "report/file.h"
#include "report/markdown.h"
#include "report/report.h"

namespace posproof::report {
namespace {

using document::Block;
using document::Grid;
using document::Paragraph;
using document::Section;

std::vector<Block> targets_of(const std::vector<Target>& targets) {
  Grid grid{
      {"what", "measured", "over the rounds", "aim", ""},
      {},
      "Medians over the rounds, and the least and the most of any round. An aim counts as met in every round "
      "if the worst round meets it."};
  for (const Target& target : targets)
    grid.rows.push_back({target.what, target.measured ? target.number(target.measured->median) : "none",
                         target.measured ? from_to(*target.measured, target.unit) : "", target.aim(),
                         target.verdict()});
  return {Section{"What was set out to be reached"}, grid};
}

std::vector<Block> machine_of(const Measured& measured) {
  Grid grid{{"", "of the run"}, {}, ""};
  const auto add = [&](const char* words, const std::string& value) { grid.rows.push_back({words, value}); };
  const auto said = [&](const char* key) { return measured.context(key); };
  add("processor", fmt::format("{} ({})", said("processor"), said("processor_family")));
  add("microarchitecture", said("microarchitecture"));
  add("cores, as the system sees them", said("num_cpus"));
  add("in a virtual machine", said("hypervisor"));
  add("caches", said("caches"));
  add("frequency governor", said("governor"));
  add("transparent huge pages", said("huge_pages"));
  add("kernels of the oracle that it runs", said("kernels") + ", used: " + said("best_kernel"));
  add("compiler", said("compiler"));
  add("glibc, MPFR", said("glibc") + ", " + said("mpfr"));
  add("Python, numpy, PyTorch, Hypothesis",
      fmt::format("{}, {}, {}, {}", said("python"), said("numpy"), said("torch"), said("hypothesis")));
  return {
      Section{"The machine"}, grid,
      Paragraph{
          "The frequency governor is `unknown` where the system does not tell, as in most virtual machines; "
          "then a ratio is worth more than a time, and one machine's ratio is not another's: the share of "
          "memory that the oracle reaches depends on how many instructions the processor has for each "
          "byte."}};
}

Block method_of_each() {
  return Paragraph{
      "Times are processor time of the one thread, or of the one process for numpy and PyTorch (one thread "
      "each); wall "
      "time for two threads and for the gate out of process. The order of all benchmarks of a round is "
      "shuffled over "
      "their repetitions; numpy and PyTorch run right before. A ratio is taken within each round, of the "
      "medians of the "
      "repetitions. MPFR is asked in the cheapest of three precisions, with frequencies cached, one "
      "`mpfr_sin_cos` a "
      "pair and Ziv's test. Memory is 512 MiB, touched before, huge pages asked for; plain writes and reads "
      "run on "
      "the same bytes as what is held against them, and a table that fits into the last cache (see above) "
      "may be read "
      "from there by both. The matrix products are the only code that is compiled for the processor by the "
      "build; glibc's "
      "vector library and SLEEF are called by the names of their vector functions, so that no -ffast-math is "
      "needed "
      "anywhere."};
}

void append(std::vector<Block>& to, std::vector<Block> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

}  // namespace

Document performance(const Measured& measured) {
  const std::vector<Target> targets = performance_targets(measured);
  const auto met = std::ranges::count_if(targets, &Target::met);
  const auto always = std::ranges::count_if(targets, &Target::met_in_every_round);
  const auto missing = std::ranges::count_if(targets, [](const Target& t) { return !t.measured; });

  Document out;
  out.title = "Performance";
  const auto& mpfr = targets.front().measured;
  const auto written =
      measured.ratio({"memory/write/64MiB"},
                     {fmt::format("exact/write/f32/sin_cos/{}/131072", measured.context("best_kernel"))}, 4);
  out.finding = "What certainty costs: on the machine named below";
  if (mpfr && written)
    out.finding += fmt::format(
        ", a correctly rounded f32 table is made {} times faster than by MPFR and written at {} of the memory's "
        "speed",
        significant(mpfr->median), percent(written->median));
  out.finding += fmt::format("; {} of {} aims are met by the median of {} rounds, {} in every round.", met,
                             targets.size(), measured.rounds(), always);
  out.condition =
      fmt::format("{} ({}), kernel {}, {}; rounds: {}. Another machine has other numbers.",
                  measured.context("processor"), measured.context("microarchitecture"),
                  measured.context("best_kernel"), measured.context("compiler"), measured.rounds());
  append(out.blocks, targets_of(targets));
  append(out.blocks, performance_of_others(measured));
  append(out.blocks, performance_of_the_oracle(measured));
  append(out.blocks, performance_of_cases(measured));
  append(out.blocks, performance_of_references(measured));
  append(out.blocks, performance_growth(measured));
  append(out.blocks, machine_of(measured));
  out.blocks.push_back(Section{"How it was measured"});
  out.blocks.push_back(method_of_each());
  const auto not_met = static_cast<std::ptrdiff_t>(targets.size()) - met - missing;
  out.blocks.push_back(document::PageVerdict{
      fmt::format("Of {} aims, {} are met by the median, of these {} in every round, and {} are not met{}.",
                  targets.size(), met, always, not_met,
                  missing == 0 ? "" : fmt::format(", and {} without a measurement", missing))});
  return out;
}

std::vector<std::string> write_performance(const std::filesystem::path& folder,
                                           const std::vector<std::filesystem::path>& rounds) {
  const Page page{
      .id = performance_name,
      .question =
          "How long does it take, and how does that stand to what the machine allows and to what "
          "others take?",
      .method =
          "Time everything on one machine in one run, in rounds; divide within each round. No test "
          "compares this page, since it is another one on every machine.",
      .command = "./run performance"};
  return write_page(folder, page, performance(Measured(rounds)));
}

}  // namespace posproof::report
