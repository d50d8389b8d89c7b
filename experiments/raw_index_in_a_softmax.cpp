#include <algorithm>
#include <array>
#include <cmath>

#include "catalogue/encodings/normalized_index.h"
#include "catalogue/encodings/raw_index.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/raw_index_in_a_softmax.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "measure.h"
#include "references.h"
#include "tables.h"

namespace posproof::experiments_raw_index_in_a_softmax {
namespace {

using namespace document;
using experiments::joined;
using experiments::proved;
using experiments::whole;

constexpr Position length = 512;

// The weights that the query at a position gives to all keys of the sequence: softmax of scale p_s . p_j.
struct Weights {
  long double entropy = 0;  // nats
  long double largest = 0;
};

Weights weights(const Tensor& rows, std::size_t s, long double scale) {
  std::vector<long double> logits;
  for (std::size_t j = 0; j < rows.rows(); ++j) {
    long double sum = 0;
    for (std::size_t c = 0; c < rows.width(); ++c)
      sum += static_cast<long double>(rows.at(s, c)) * static_cast<long double>(rows.at(j, c));
    logits.push_back(scale * sum);
  }
  const long double most = *std::ranges::max_element(logits);
  long double total = 0, weighted = 0;
  for (const long double logit : logits) {
    const long double weight = std::exp(logit - most);
    total += weight;
    weighted += weight * (logit - most);
  }
  return {std::log(total) - weighted / total, 1 / total};  // the largest logit has exp(0)
}

// The same for a geometric series of keys without an end, weights in the ratio exp(-step).
long double entropy_of_geometric(long double step) {
  const long double ratio = std::exp(-step);
  return -std::log1p(-ratio) + step * ratio / (1 - ratio);
}

struct Scheme {
  std::string name;
  Tensor rows;
  long double scale;
  std::vector<std::pair<double, double>> by_position;  // entropy
  Position first_sure = 0;  // the first query whose largest weight exceeds 0.99; 0: none
};

constexpr std::array<Position, 7> listed = {0, 1, 2, 5, 20, 100, 511};

Scheme scheme(std::string name, const Table& table, long double scale) {
  Scheme out{std::move(name), experiments::rows(table, length), scale, {}, 0};
  for (Position s = 1; s < length; s = std::max(s + 1, s * 9 / 8))
    out.by_position.emplace_back(
        static_cast<double>(s),
        static_cast<double>(weights(out.rows, static_cast<std::size_t>(s), scale).entropy));
  for (Position s = 1; s < length && out.first_sure == 0; ++s)
    if (weights(out.rows, static_cast<std::size_t>(s), scale).largest > 0.99L) out.first_sure = s;
  return out;
}

std::vector<Scheme> schemes() {
  const Table index = experiments::table(encodings::raw_index, "dim=1"),
              normalised = experiments::table(encodings::normalized_index, "dim=1"),
              sinusoidal = experiments::table(encodings::sinusoidal, "dim=64");
  return {scheme("index, scale 1", index, 1),
          scheme("index, scale 1/8", index, 0.125L),
          scheme("index, scale 1/64", index, 1 / 64.0L),
          scheme("index, scale 1/512", index, 1 / 512.0L),
          scheme("t/(L-1), scale 1", normalised, 1),
          scheme("sinusoidal, width 64, scale 1/8", sinusoidal, 0.125L)};
}

constexpr std::size_t plain = 0, shrunk = 3, normalised = 4, sinusoidal = 5;

struct Measured {
  std::vector<Scheme> schemes;
  long double uniform = std::log(static_cast<long double>(length));
  std::array<std::pair<long double, long double>, 6> extent;  // smallest and largest entropy over all queries
  std::array<long double, 6> norm;                            // of the row of the last position

  long double entropy(std::size_t scheme, Position s) const {
    return weights(schemes[scheme].rows, static_cast<std::size_t>(s), schemes[scheme].scale).entropy;
  }
};

Measured measure() {
  Measured m{.schemes = schemes(), .extent = {}, .norm = {}};
  for (std::size_t n = 0; n < m.schemes.size(); ++n) {
    experiments::Extent seen;
    for (Position s = 0; s < length; ++s) seen.see(m.entropy(n, s));
    m.extent[n] = {seen.least, seen.most};
    m.norm[n] = experiments::norm(m.schemes[n].rows.row(length - 1));
  }
  return m;
}

void prove(const Measured& m) {
  for (std::size_t n = 0; n < 4; ++n) {
    for (Position s = 1; s < length; ++s)
      proved(m.entropy(n, s) < m.entropy(n, s - 1),
             "with the index, each query is sharper than the one before");
    proved(std::abs(m.entropy(n, 0) - m.uniform) < 1e-15L, "the query at 0 weighs all keys alike");
  }
  proved(std::abs(m.entropy(plain, 1) - entropy_of_geometric(1)) < 1e-12L,
         "the query at 1 has the entropy of a geometric series");
  proved(m.extent[plain].first < 1e-200L, "at scale 1 the last query has one key");
  proved(m.extent[normalised].first > 0.98L * m.uniform, "the normalised index weighs all keys nearly alike");
  proved(m.schemes[normalised].first_sure == 0 && m.schemes[sinusoidal].first_sure == 0 &&
             m.schemes[shrunk].first_sure == 0,
         "neither is sure of one key");
  proved(m.extent[sinusoidal].second < m.uniform - 0.1L &&
             m.extent[sinusoidal].second - m.extent[sinusoidal].first < 0.1L,
         "with sinusoids the entropy varies little");
}

std::string nats(long double entropy) {
  return entropy < 1e-20L ? "below 1e-20" : entropy < 0.0005L ? scientific(entropy, 1) : fixed(entropy, 3);
}

std::vector<Block> by_position(const Measured& m) {
  Plot plot{.name = "entropy_by_position",
            .title = "How many keys a query sees",
            .description = "",
            .x = {.label = "position of the query", .logarithmic = true, .log_base = 2},
            .y = {.label = "entropy of the weights, nats"},
            .curves = {},
            .decimals = 4};
  for (const Scheme& one : m.schemes) {
    plot.description += fmt::format("{}{} {}", plot.curves.empty() ? "" : "; ", one.name,
                                    nats(one.by_position.back().second));
    plot.curves.push_back({one.name, one.by_position});
  }
  plot.curves.push_back({"all keys alike",
                         {{1, static_cast<double>(m.uniform)}, {511, static_cast<double>(m.uniform)}},
                         false,
                         true});
  plot.description = fmt::format(
      "Entropy of the softmax weights over 512 keys against the position of the query, logarithmic. All curves of the index fall, at scale 1 from {} at position 1; at the last position drawn, {}, they are at: {}. The dashed line is ln 512 = {}.",
      nats(m.schemes[plain].by_position.front().second),
      whole(static_cast<Position>(m.schemes[plain].by_position.back().first)), plot.description,
      fixed(m.uniform, 3));
  plot.caption =
      "Softmax over the 512 keys of a sequence of 512, logits scale · p_s · p_j, no content, no mask. Entropy 0 is one key, ln 512 all keys alike.";
  Grid grid{
      .columns = {"encoding and scale", "s = 0"},
      .rows = {},
      .caption =
          "Entropy in nats of the weights that the query at position s gives to 512 keys, logits scale · p_s · p_j, no content, no mask; the last column is the first query that gives more than 0.99 to one key, of all."};
  for (const Position s : listed)
    if (s > 0) grid.columns.push_back(fmt::format("s = {}", s));
  grid.columns.insert(grid.columns.end(), {"norm of the row at 511", "first query with one key"});
  for (std::size_t n = 0; n < m.schemes.size(); ++n) {
    std::vector<std::string> row = {m.schemes[n].name};
    for (const Position s : listed) row.push_back(nats(m.entropy(n, s)));
    row.push_back(fixed(m.norm[n], 3));
    row.push_back(experiments::whole_or_none(m.schemes[n].first_sure));
    grid.rows.push_back(std::move(row));
  }
  return {
      Section{"Entropy by position and scale"},
      Paragraph{
          "The logit of a query at s and a key at j is proportional to s · j if the encoding is the index itself. "
          "The query at 0 weighs all keys alike; the query at s weighs neighbouring keys in the ratio exp(scale · s), so each query is sharper than the one before (checked for all 512). "
          "A smaller scale moves this to later positions and does not stop it: the product s · j has no bound."},
      plot, grid};
}

std::vector<Block> why(const Measured& m) {
  return {
      Section{"What follows"},
      Paragraph{bounded(
          "With scale 1 every query from position {} on gives more than 0.99 of its weight to the last key; with 1/8 from {} on, and with 1/64 from {} on. "
          "The normalised index at scale 1 is the other extreme: its products do not exceed 1, and the entropy is at least {} nats at every position (ln {} = {} is the largest possible), so that position alone can hardly select a key. "
          "That is an effect of the scale: at one length L, t/(L-1) at scale c has the logits of the index at scale c/(L-1)². What differs is that the scale that is needed depends on the length. "
          "Sinusoidal rows of width 64 have bounded products, and with scale 1/√d the entropy lies between {} and {} at every position.",
          whole(m.schemes[0].first_sure), whole(m.schemes[1].first_sure), whole(m.schemes[2].first_sure),
          fixed_down(m.extent[normalised].first, 3), whole(length), fixed(m.uniform, 3),
          fixed_down(m.extent[sinusoidal].first, 3), fixed_up(m.extent[sinusoidal].second, 3))}};
}

Document run() {
  const Measured m = measure();
  prove(m);
  std::vector<Block> derived = experiments::expectations(
      {{"query at 0, 512 keys: ln 512", "6.2383", fixed(m.entropy(plain, 0), 4)},
       {"query at 1, scale 1: a geometric series in e", "1.0407", fixed(m.entropy(plain, 1), 4)},
       {"query at 2, scale 1: a geometric series in e²", "0.4584", fixed(m.entropy(plain, 2), 4)}});
  return {
      .title = "The raw index makes later queries ever sharper",
      .finding = fmt::format(
          "With the index as the encoding, scale 1 and no content, the entropy of a query's weights over 512 keys falls from {} nats at position 0 to {} at position 1, and every query from position {} on gives more than 0.99 of its weight to one key; a smaller scale moves that to later positions.",
          fixed(m.entropy(plain, 0), 3), fixed(m.entropy(plain, 1), 3), whole(m.schemes[plain].first_sure)),
      .condition =
          "Encodings alone, without content: W = I, sequence of 512, softmax over all keys; index and normalised index in one channel, sinusoidal encoding of width 64, base 10000, divisor d; long double.",
      .blocks = joined(
          {by_position(m),
           why(m),
           std::move(derived),
           {PageVerdict{
               "The index grows without bound, and so do its logits: a softmax over them becomes a choice of the last key. "
               "Dividing by the length bounds the logits and makes the encoding depend on the length; sinusoidal rows are bounded and do not."}},
           experiments::references({experiments::vaswani_2017})})};
}

}  // namespace

const Experiment entry{
    .question = "What happens if the position itself is the encoding?",
    .method =
        "Put the index into the logits of a softmax and measure the entropy of the weights, by position of the query and by scale.",
    .run = &run,
    .asked_by = Asker::choosing,
};

}  // namespace posproof::experiments_raw_index_in_a_softmax
