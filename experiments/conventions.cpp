#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalogue/experiments/conventions.h"
#include "core/case.h"
#include "measure.h"
#include "readings_of_rotations.h"
#include "readings_of_tables_and_logits.h"

namespace posproof::experiments_conventions {
namespace {

using namespace document;
using namespace experiments;

// `posproof gate rope --dim 128 --layout half_split SUBJECT`
std::string command(const Reading& of) {
  std::string out = "posproof gate " + of.encoding;
  const Case words = Case::parse(of.words);
  for (const auto& [name, value] : words.fields()) out += fmt::format(" --{} {}", name, text(value));
  return out + " SUBJECT" + of.precision;
}

std::vector<Conflict> measure() {
  using namespace contested;
  return {layouts(),
          divisors(),
          first_positions(),
          odd_widths(),
          slopes(),
          ramps(),
          magnitudes(),
          lengths(),
          centres(),
          t5_signs(),
          deberta_directions(),
          grids(),
          sections(),
          partial_exponents(),
          factors(),
          formats(),
          counting(),
          crops()};
}

std::vector<Block> overview(const std::vector<Conflict>& all) {
  Grid grid{
      .columns = {"no.", "convention", "parameter", "where", "difference"},
      .rows = {},
      .caption =
          "How far the readings are apart at that setting. Differences are rounded up, factors to the nearest number. The sections below say which of more than two is compared with which."};
  for (std::size_t n = 0; n < all.size(); ++n)
    grid.rows.push_back({std::to_string(n + 1), all[n].title, fmt::format("`{}`", all[n].parameter),
                         all[n].setting, all[n].difference});
  return {Section{"All of them"}, grid};
}

std::vector<Block> section_of(const Conflict& one, std::size_t number) {
  Grid grid{.columns = {"formula", "who", "declared as"}, .rows = {}};
  for (const Reading& reading : one.readings)
    grid.rows.push_back({reading.formula, reading.who, fmt::format("`{}`", command(reading))});
  return {Section{fmt::format("{}. {}", number, one.title)}, grid, Paragraph{one.found}};
}

// What was known from reading alone, and what came of running it. Programs of others do not run here: these
// are notes, not measurements.
std::vector<Block> read_and_run() {
  return {
      Section{"What had been read and not run"},
      Paragraph{
          "These were known from reading code. The lines in question were run by hand in Python, outside of this page:"},
      Grid{
          .columns = {"statement", "what was done", "found"},
          .rows = {
              {"DeBERTa's position-to-content term reads delta(m, n)",
               "the gather and the transposition of " +
                   github("disentangled_attention.py",
                          "microsoft/DeBERTa/blob/master/DeBERTa/deberta/disentangled_attention.py") +
                   " on indices, 5 tokens, span 3",
               "so it is: every entry is delta(m, n), and not every one delta(n, m)"},
              {"MoCo v3's codes do not line up with patches on a grid that is not square",
               "the meshgrid and the flattening of " +
                   github("vits.py", "facebookresearch/moco-v3/blob/main/vits.py") + " on 2 x 3",
               "4 of 6 tokens have the code of another place; on 3 x 3 the axes are swapped"},
              {"ggml gives the leftover pairs of interleaved sections a fourth id",
               "its selection of ids for [24,20,20] of 64 pairs, and what llama.cpp fills the fourth id of text with",
               "pairs 61 and 62 take it, and it is 0"},
              {"transformers before " + github("transformers#46624", "huggingface/transformers/pull/46624") +
                   " kept the longest length of dynamic NTK under another name",
               "`dynamic_frequency_update` without a layer type, for lengths 8192, 6000 and 100 after 4096",
               "it wrote `None_max_seq_len_cached` and read `max_seq_len_cached`: the base followed each call that was longer than the trained length, and the reset never came, so that the call of 100 had the base of 6000"},
              {"a version of NeMo rescales ALiBi's slopes in place",
               "the file of the repository that is to be had, alibi_relative_position.py",
               "not found: that version multiplies into a new tensor"},
              {"CoPE beyond its formula, Cable, the Forgetting Transformer, mixed 2-D RoPE",
               "each has an encoding here, derived twice from its paper",
               "agreement with other people's code is in the tests of foreign subjects, as far as there is such code"}}}};
}

Document run() {
  const std::vector<Conflict> all = measure();
  proved(all.size() == 18, "there are eighteen");
  for (const Conflict& one : all)
    proved(one.least > 1e-3, "the readings differ by far more than rounding: " + one.title);
  std::vector<std::string> only_possible;  // sections with a reading that nobody ships
  for (std::size_t n = 0; n < all.size(); ++n)
    if (std::ranges::any_of(all[n].readings, [](const Reading& one) { return one.who.starts_with(nobody); }))
      only_possible.push_back(std::to_string(n + 1));
  const std::size_t contested = all.size() - only_possible.size();
  std::vector<Block> blocks = {Paragraph{fmt::format(
      "Papers and programs, and programs among each other, read {} of these {} conventions in more than one way; of those in sections {} a second reading was not found in released code. "
      "Most readings are not wrong by themselves; what is wrong is a model that was trained with one and runs with another. "
      "Each is declared here: by a parameter that is spelled out, by one that is left at its printed standard, or by the precision of the subject. "
      "The differences are of the exact encodings, by their oracles, but for the angles of section {}; `posproof gate` with either declaration tells which one a subject has (but a `--form causal` asks nothing about later keys, so it holds of a symmetric bias, too, and `@bf16/bf16` holds of angles in f32, with a warning), and `posproof identify` finds most of them without one. "
      "A declaration names the one convention: what else a project chooses, as the layout or the divisor, has to be added.",
      contested, all.size(), fmt::join(only_possible, " and "),
      1 + std::ranges::distance(all.begin(),
                                std::ranges::find(all, "@precision of the subject", &Conflict::parameter)))}};
  const auto add = [&](std::vector<Block> more) { blocks.insert(blocks.end(), more.begin(), more.end()); };
  add(overview(all));
  for (std::size_t n = 0; n < all.size(); ++n) add(section_of(all[n], n + 1));
  add(read_and_run());
  const std::string answer = fmt::format(
      "Each of the {} conventions is declared, by a parameter or by the precision of the subject, and at the setting given for it the readings differ by far more than rounding of the result. Papers and programs read {} of them in more than one way; of the other {} the second reading was not found in released code.",
      all.size(), contested, only_possible.size());
  blocks.push_back(PageVerdict{answer});
  return {
      .title = "Eighteen conventions that can be read in more than one way",
      .finding = answer,
      .condition =
          "Exact encodings (oracles, rounded once to double; in section 16 angles in number formats); widths, positions and factors in each section; trained tables are those of seed 1.",
      .blocks = std::move(blocks)};
}

}  // namespace

const Experiment entry{
    .question =
        "On which conventions do papers and programs disagree, by how much do the readings differ, and what tells them apart?",
    .method =
        "Declare each reading by its parameters, compare the oracles entry by entry at one setting each, and print the declarations.",
    .run = &run,
    .asked_by = Asker::implementing,
};

}  // namespace posproof::experiments_conventions
