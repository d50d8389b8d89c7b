#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "answers.h"
#include "catalogue/experiments/what_each_frequency_carries.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "measure.h"
#include "references.h"
#include "residue_probe.h"

namespace posproof::experiments_what_each_frequency_carries {
namespace {

using namespace document;
using experiments::expectations;
using experiments::Index;
using experiments::joined;
using experiments::Matrix;
using experiments::percent;
using experiments::proved;
using experiments::Vector;
using experiments::whole;

constexpr std::size_t wide = 512;
constexpr Index window = 512;          // positions of columns and spectra
constexpr Index memorable = 128;       // positions that a probe of t mod 6 can learn by heart
constexpr std::size_t near_seven = 3;  // the pair of width 512 whose wavelength is nearest to 7
constexpr Index seen = 1024;  // positions that the probe is fitted to; as many after them are not seen

// 2 (1 - cos kw) of each pair over their sum: which part of the squared distance of positions k apart it is.
std::vector<double> shares(std::size_t dim, std::int64_t k) {
  std::vector<double> out;
  long double sum = 0;
  for (const long double w : experiments::ladder(dim)) {
    const long double part = 2 * (1 - std::cos(static_cast<long double>(k) * w));
    out.push_back(static_cast<double>(part));
    sum += part;
  }
  for (double& part : out) part /= static_cast<double>(sum);
  return out;
}

// The least number of pairs that make up 90 % of the squared distance.
std::size_t pairs_for_90(std::vector<double> shares) {
  std::ranges::sort(shares, std::greater{});
  double sum = 0;
  std::size_t out = 0;
  while (sum < 0.9) sum += shares[out++];
  return out;
}

struct ByOffset {
  std::size_t dim;
  std::int64_t offset;
  std::size_t pairs;   // for 90 %
  double first, fast;  // share of pair 0, of the faster half of the pairs
};

constexpr std::array<std::int64_t, 4> offsets = {1, 10, 100, 500};
constexpr std::array<std::size_t, 4> widths = {8, 16, 64, wide};

double of_the_faster_half(const std::vector<double>& shares) {
  return std::accumulate(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2),
                         0.0);
}

// The first offset at which the slower half carries more. There is one: over all offsets either half carries
// half of the distance in the mean, and at the first the faster one carries nearly all.
std::int64_t first_of_the_slower_half(std::size_t dim) {
  std::int64_t k = 1;
  while (of_the_faster_half(shares(dim, k)) >= 0.5) ++k;
  return k;
}

struct Spectra {
  std::size_t constant = 0;      // sine columns that are largest at frequency 0
  std::size_t arches = 0;        // of these those that rise and fall
  double turns = 0;              // that the fastest of these makes in the window
  std::size_t fitting = 0;       // pairs whose wavelength is at most the window
  double least = 1, median = 0;  // of the others: energy within one line of the largest
  double index = 0;              // the same of the centred index
};

struct Columns {
  double largest = 0;     // |cosine similarity| of two columns
  std::size_t above = 0;  // pairs of columns with more than 0.1
  double fourier = 0;     // largest of a Fourier basis
};

struct Binary {
  bool square_waves = true;                      // bit j is [sin(2 pi (t + 1/2) / 2^(j+1)) < 0], t < 4096
  double two_bits, two_bits_around, three_bits;  // largest residual of the least-squares map to the next code
  int flips = 0;                                 // 7 to 8
};

struct Probed {
  Index m;
  experiments::Read narrow, wide, bits;  // widths 64 and 512; 11 bits
};

struct Measured {
  std::vector<ByOffset> by_offset;
  std::array<std::int64_t, widths.size()> slower = {};  // first offset at which the slower half carries more
  std::vector<double> centre;                // mean pair, weighted by share, at offsets 1, 2, 4, ..., 8192
  std::array<std::size_t, 3> monotone = {};  // pairs that rise up to offset 100, 1000, 10000
  Spectra spectra;
  Columns columns;
  Binary binary;
  std::vector<Probed> probed;
  experiments::Read strong{};     // t mod 7 at width 512, directions below 1e-2 of the strongest left out
  long double wavelength = 0;     // of the pair that is nearest to period 7
  Index first_wrong = 0;          // position at which that pair alone does not give t mod 7
  double memorised = 0;           // t mod 6 inside a window of `memorable` positions, width 512
  double phase = 0;               // degrees that column 7 of width 32 is ahead of column 6
  std::array<int, 4> turns = {};  // sign changes of columns 6, 7, 8, 9 of width 32 in 60 positions
};

Spectra spectra(const Matrix& rows) {
  Spectra out;
  const Index lines = window / 2 + 1;
  Matrix cosines(lines, window), sines(lines, window);
  for (Index line = 0; line < lines; ++line)
    for (Index t = 0; t < window; ++t) {
      const double angle = static_cast<double>(experiments::two_pi) * static_cast<double>(line * t % window) /
                           static_cast<double>(window);
      cosines(line, t) = std::cos(angle), sines(line, t) = std::sin(angle);
    }
  const auto energy = [&](const Matrix& columns) {
    Matrix e = (cosines * columns).array().square() + (sines * columns).array().square();
    e.middleRows(1, lines - 2) *= 2;
    return e;
  };
  const auto near_peak = [&](const Vector& e, Index at) {
    return e.segment(std::max<Index>(at - 1, 0), at == 0 ? 2 : 3).sum() / e.sum();
  };
  const Matrix of_rows = energy(rows);
  std::vector<double> near;
  for (Index c = 0; c < rows.cols(); c += 2) {
    const Vector e = of_rows.col(c);
    Vector amplitude = e;  // of the two-sided spectrum: lines between the ends are counted twice in e
    amplitude.segment(1, lines - 2) /= 2;
    Index at = 0;
    amplitude.maxCoeff(&at);
    if (at == 0) {
      ++out.constant;
      const auto column = rows.col(c);
      Index top = 0;
      column.maxCoeff(&top);
      out.arches += top < window - 1;
      const long double turns =
          experiments::ladder(wide)[static_cast<std::size_t>(c / 2)] * (window - 1) / experiments::two_pi;
      out.turns = std::max(out.turns, static_cast<double>(turns));
    } else
      near.push_back(near_peak(e, at));
  }
  std::ranges::sort(near);
  out.least = near.front(), out.median = near[near.size() / 2];
  for (const long double w : experiments::ladder(wide))
    out.fitting += experiments::two_pi / w <= static_cast<long double>(window);
  const Vector index = Vector::LinSpaced(window, -1, 1);
  out.index = near_peak(energy(index), 1);
  return out;
}

// Largest |cosine similarity| of two columns, and how many pairs have more than 0.1.
std::pair<double, std::size_t> similar(const Matrix& columns) {
  Matrix gram = columns.transpose() * columns;
  const Vector norm = gram.diagonal().cwiseSqrt();
  gram = (gram.array() / (norm * norm.transpose()).array()).abs();
  gram.diagonal().setZero();
  return {gram.maxCoeff(), static_cast<std::size_t>((gram.array() > 0.1).count()) / 2};
}

Columns columns(const Matrix& rows) {
  Matrix fourier(window, window);  // cosines of lines 0 to n/2 and the sines between
  for (Index t = 0; t < window; ++t)
    for (Index line = 0; line < window; ++line) {
      const Index number = (line + 1) / 2;
      const double angle = static_cast<double>(experiments::two_pi) *
                           static_cast<double>(number * t % window) / static_cast<double>(window);
      fourier(t, line) = line % 2 == 1 && line != window - 1 ? std::sin(angle) : std::cos(angle);
    }
  const auto [largest, above] = similar(rows);
  return {largest, above, similar(fourier).first};
}

Binary binary() {
  Binary out{};
  for (std::int64_t t = 0; t < 4096; ++t)
    for (int bit = 0; bit < 12; ++bit) {
      const long double phase = (static_cast<long double>(t) + 0.5L) / std::ldexp(1.0L, bit + 1);
      out.square_waves &= ((t >> bit) & 1) == (std::sin(experiments::two_pi * phase) < 0);
    }
  const auto next = [](Index bits, Index from) {
    const Matrix codes = experiments::binary_rows(bits, from + 1);
    Matrix after = codes.bottomRows(from);
    return experiments::affine_residual(codes.topRows(from), after);
  };
  out.two_bits = next(2, 3), out.three_bits = next(3, 7);
  Matrix around = experiments::binary_rows(2, 4), after(4, 2);
  after << around.bottomRows(3), around.topRows(1);
  out.two_bits_around = experiments::affine_residual(around, after);
  out.flips = std::popcount(7u ^ 8u);
  return out;
}

void columns_6_to_9(Measured& m) {
  const Matrix rows = experiments::sinusoidal_rows(32, 60);
  for (Index c = 6; c < 10; ++c)
    for (Index t = 1; t < 60; ++t)
      m.turns[static_cast<std::size_t>(c - 6)] += (rows(t, c) < 0) != (rows(t - 1, c) < 0);
  // Column 7 as a sin(wt) + b cos(wt), by least squares over its own sine and cosine computed here.
  const auto w = static_cast<double>(experiments::ladder(32)[3]);
  Eigen::Matrix2d scatter = Eigen::Matrix2d::Zero();
  Eigen::Vector2d along = Eigen::Vector2d::Zero();
  for (Index t = 0; t < 60; ++t) {
    const Eigen::Vector2d wave{std::sin(w * static_cast<double>(t)), std::cos(w * static_cast<double>(t))};
    scatter += wave * wave.transpose();
    along += rows(t, 7) * wave;
  }
  const Eigen::Vector2d of = scatter.inverse() * along;
  m.phase = std::atan2(of[1], of[0]) * 360 / static_cast<double>(experiments::two_pi);
}

// One output for each residue r, the pair's two columns weighted by sin and cos of 2 pi r / 7: it is
// cos(t w - 2 pi r / 7), and the largest is that of the nearest r.
void seven_off_one_pair(Measured& m) {
  const long double w = experiments::ladder(wide)[near_seven];
  m.wavelength = experiments::two_pi / w;
  const auto read = [&](Index t) { return std::llround(static_cast<long double>(t) * 7 / m.wavelength) % 7; };
  while (read(m.first_wrong) == m.first_wrong % 7) ++m.first_wrong;
}

const ByOffset& of(const Measured& m, std::size_t dim, std::int64_t offset) {
  return *std::ranges::find_if(m.by_offset,
                               [&](const ByOffset& one) { return one.dim == dim && one.offset == offset; });
}

const Probed& probed(const Measured& m, Index period) {
  return *std::ranges::find(m.probed, period, &Probed::m);
}

void prove(const Measured& m) {
  proved(of(m, wide, 1).fast > 0.999 && of(m, wide, 500).fast < 0.7, "fast pairs tell neighbours apart");
  proved(std::ranges::all_of(m.by_offset, [](const ByOffset& one) { return one.fast > 0.5; }),
         "the faster half carries more at every width and offset of the table");
  proved(std::ranges::is_sorted(m.centre), "the centre moves to slower pairs with every octave");
  proved(m.spectra.least > 0.8 && m.spectra.constant > 100, "a column has one line, or is slow");
  proved(m.columns.fourier < 1e-12 && m.columns.largest > 0.99,
         "Fourier columns are orthogonal, these are not");
  proved(m.binary.square_waves && m.binary.two_bits < 1e-9 && m.binary.two_bits_around > 0.4 &&
             m.binary.three_bits > 0.7 && m.binary.flips == 4,
         "binary codes have square waves and no affine map");
  for (const Probed& one : m.probed) {
    const double chance = 1 / static_cast<double>(one.m);
    const bool power = std::has_single_bit(static_cast<unsigned>(one.m));
    proved(!power || (one.bits.inside == 1 && one.bits.after == 1), "bits give t mod 2^j");
    proved(std::abs(one.narrow.after - chance) < 0.03 && std::abs(one.wide.after - chance) < 0.03,
           "after the window the probe of sinusoidal rows is at chance");
    proved(one.m > 6 || (one.narrow.inside < chance + 0.03 && one.wide.inside < chance + 0.03),
           "below period 7 it is at chance inside the window, too");
  }
  proved(m.memorised == 1, "a short window is learned by heart");
  proved(probed(m, 7).wide.inside > 0.9, "period 7 can be fitted inside the window at width 512");
  proved(m.strong.inside > 0.99 && m.strong.after > 0.9,
         "with fewer directions the fit of period 7 is right after the window, too");
  proved(m.first_wrong > 2 * seen, "one pair gives t mod 7 far past the window");
}

Measured measure() {
  Measured m{};
  for (const std::size_t dim : widths)
    for (const std::int64_t k : offsets) {
      const std::vector<double> all = shares(dim, k);
      m.by_offset.push_back({dim, k, pairs_for_90(all), all[0], of_the_faster_half(all)});
    }
  std::ranges::transform(widths, m.slower.begin(), &first_of_the_slower_half);
  for (int octave = 0; octave <= 13; ++octave) {
    const std::vector<double> all = shares(wide, std::int64_t{1} << octave);
    double centre = 0;
    for (std::size_t i = 0; i < all.size(); ++i) centre += static_cast<double>(i) * all[i];
    m.centre.push_back(centre);
  }
  for (const long double w : experiments::ladder(wide))
    for (std::size_t n = 0; n < m.monotone.size(); ++n)
      m.monotone[n] += experiments::two_pi / 2 / w >= 100 * std::pow(10.0L, static_cast<long double>(n));
  const Matrix rows = experiments::sinusoidal_rows(wide, 2 * seen);
  m.spectra = spectra(rows.topRows(window));
  m.columns = columns(rows.topRows(window));
  m.binary = binary();
  const experiments::Probe narrow(experiments::sinusoidal_rows(64, 2 * seen)), full(rows),
      bits(experiments::binary_rows(11, 2 * seen));
  for (Index period = 2; period <= 16; ++period)
    m.probed.push_back({period, narrow.read(period), full.read(period), bits.read(period)});
  m.strong = experiments::Probe(rows, 1e-2).read(7);
  seven_off_one_pair(m);
  m.memorised = experiments::Probe(rows.topRows(2 * memorable)).read(6).inside;
  columns_6_to_9(m);
  prove(m);
  return m;
}

std::vector<Block> distance(const Measured& m) {
  constexpr std::int64_t last = 128;
  HeatMap map{
      .name = "share_by_pair_and_offset",
      .title = "Which pairs the distance of two positions comes from",
      .description = "",
      .x = {"offset k, positions", false, {{1, static_cast<double>(last)}}},
      .y = {"pair", false, {{0, 31}}},
      .values = std::vector<std::vector<double>>(32),
      .lo = 0,
      .hi = 0.25,
      .caption =
          "Width 64, base 10000: share of pair i in the squared distance of positions k apart, 2 (1 - cos kω) of the pair over the sum; shares above 0.25 have the end colour."};
  for (std::int64_t k = 1; k <= last; ++k) {
    const std::vector<double> all = shares(64, k);
    for (std::size_t i = 0; i < all.size(); ++i) map.values[i].push_back(all[i]);
  }
  map.description = fmt::format(
      "Heat map of the share of each of 32 pairs, downwards, in the squared distance of two positions against their offset from 1 to {}. At offset 1 pair 0 has {}, at offset {} it has {}; slower pairs join as the offset grows, and fast ones come and go with their period.",
      last, percent(map.values[0].front()), last, percent(map.values[0].back()));
  Grid grid{
      .columns = {"width", "offset", "pairs", "pairs for 90 %", "share of pair 0", "of the faster half"},
      .rows = {},
      .caption = "Of the squared distance of positions that far apart; 90 %: the least number of pairs."};
  for (const ByOffset& one : m.by_offset)
    grid.rows.push_back({std::to_string(one.dim), std::to_string(one.offset), std::to_string(one.dim / 2),
                         std::to_string(one.pairs), percent(one.first), percent(one.fast)});
  return {
      Section{"The distance, pair by pair"},
      Paragraph{fmt::format(
          "Width 512 has 256 pairs, i = 0 to 255. The squared distance of positions k apart is the sum of 2 (1 - cos kω) over the pairs, so fast pairs separate neighbours. "
          "At width 512, {} of 256 pairs make up 90 % at offset 1. "
          "The mean pair, weighted by its share, is {} at offset 1 and {} at offset 8,192; it rises with every doubling between. "
          "The faster half of the pairs carries less than half of the squared distance first at offset {} at width {}, at {} at {}, at {} at {} and at {} at {}.",
          of(m, wide, 1).pairs, fixed(m.centre.front(), 1), fixed(m.centre.back(), 1), whole(m.slower[0]),
          widths[0], whole(m.slower[1]), widths[1], whole(m.slower[2]), widths[2], whole(m.slower[3]),
          widths[3])},
      grid, map,
      Paragraph{fmt::format(
          "A pair's own distance grows up to half its wavelength, π/ω. Up to offset 100 that is true of {} of the 256 pairs, up to 1,000 of {}, up to 10,000 of {}. "
          "This is what the pairs can carry; what a trained model uses of it is a matter of training.",
          m.monotone[0], m.monotone[1], m.monotone[2])}};
}

std::vector<Block> spectrum(const Measured& m) {
  return {
      Section{"One line for each pair that fits the window"},
      Paragraph{bounded(
          "In a window of 512 positions at width 512, {} of 256 pairs have a wavelength of at most the window. "
          "The discrete Fourier transform of {} sine columns is largest at frequency 0: they make at most {} of a turn in the window. {} of them rise and fall, which is an arch; the other {} only rise: they are ramps or nearly constant. "
          "Each of the other {} sine columns has one line: at least {} of its energy (median {}) lies within one step of it. "
          "The centred index is no line but a ramp, with {} of its energy in the two lowest lines and the rest in all others. "
          "Within a pair the frequency is the same and the phase differs by a quarter: column 7 of width 32 is {}° ahead of column 6 (least squares over 60 positions). "
          "Columns 6 and 7 change sign {} and {} times in 60 positions, the slower columns 8 and 9 {} and {} times.",
          m.spectra.fitting, m.spectra.constant, fixed_up(m.spectra.turns, 2), m.spectra.arches,
          m.spectra.constant - m.spectra.arches, wide / 2 - m.spectra.constant,
          percent_at_least(m.spectra.least), percent(m.spectra.median), percent(m.spectra.index),
          fixed(m.phase, 1), m.turns[0], m.turns[1], m.turns[2], m.turns[3])}};
}

std::vector<Block> fourier(const Measured& m) {
  return {
      Section{"Not a Fourier basis"},
      Paragraph{fmt::format(
          "The functions are those of a Fourier transform, the frequencies are geometric and not harmonic. "
          "Of the {} pairs of columns of width 512 over 512 positions, {} have a cosine similarity beyond ±0.1, the largest {}; of a Fourier basis of the same size every similarity is below 1e-12.",
          whole(static_cast<std::int64_t>(wide * (wide - 1) / 2)),
          whole(static_cast<std::int64_t>(m.columns.above)), fixed(m.columns.largest, 4))}};
}

std::vector<Block> residues(const Measured& m) {
  Plot plot{
      .name = "probe_of_t_mod_m",
      .title = "Beyond the window that it was fitted to, this probe of t mod m guesses",
      .description = "",
      .x = {"m", false, {{2, 16}}},
      .y = {"share of positions with the right t mod m", false, {{-0.02, 1.05}}},
      .curves = {},
      .caption =
          "Linear probe with one output for each residue, least squares over positions 0 to 1,023, the largest output wins (the first of outputs that are equal to 1e-9); the probe has a constant; inside: the same positions, after: 1,024 to 2,047. Directions below 1e-4 of the strongest are left out."};
  Curve chance{.label = "chance, 1/m", .points = {}, .dashed = true}, inside{"width 512, inside", {}},
      after{"width 512, after", {}}, narrow{"width 64, inside", {}};
  Grid grid{
      .columns = {"m", "width 64, inside", "after", "width 512, inside", "after", "11 bits, inside", "after"},
      .rows = {},
      .caption =
          "Share of positions with the right t mod m; inside: 0 to 1,023, after: 1,024 to 2,047. A one-hot row gives every m inside and has no row after."};
  for (const Probed& one : m.probed) {
    const auto at = static_cast<double>(one.m);
    chance.points.emplace_back(at, 1 / at);
    inside.points.emplace_back(at, one.wide.inside);
    after.points.emplace_back(at, one.wide.after);
    narrow.points.emplace_back(at, one.narrow.inside);
    grid.rows.push_back({std::to_string(one.m), percent(one.narrow.inside), percent(one.narrow.after),
                         percent(one.wide.inside), percent(one.wide.after), percent(one.bits.inside),
                         percent(one.bits.after)});
  }
  plot.curves = {inside, narrow, after, chance};
  plot.description = fmt::format(
      "Share of positions whose t mod m a linear probe gives, against m from 2 to 16. Width 512 inside the window is at chance to m = 6 and {} at m = 7; after the window it is within 3 points of chance at every m drawn.",
      percent(probed(m, 7).wide.inside));
  return {
      Section{"Can t mod m be read off?"},
      Paragraph{bounded(
          "Period m needs a frequency 2πj/m, j without a factor in common with m. The frequencies are at most 1 rad, so no single one has a period m below 7 (parity needs π rad), and being algebraic numbers none of them is a rational multiple of π. "
          "Fitted to {} positions, with directions below 1e-4 of the strongest left out, a linear probe on sinusoidal rows is at chance (within 3 points) for m from 2 to 6. At width 512 some larger m can be fitted inside the window ({} at m = 7); after the window the same probe is at chance for every m from 2 to {} at both widths. "
          "That is overfitting, not a limit of the rows: with directions below 1e-2 of the strongest left out, the probe at width 512 reads t mod 7 right at {} of the positions inside and {} after. "
          "One pair is enough: the wavelength of pair {} is {}, and of the outputs cos(tω - 2πr/7), which are linear in its two columns, that of r = t mod 7 is the largest at every position below {} (enumerated). "
          "A short window can be learned by heart: fitted to {} positions, the probe at width 512 reads t mod 6 right at {} of them. "
          "Bits give every power of two to 16, inside and after.",
          whole(seen), percent(probed(m, 7).wide.inside), m.probed.back().m, percent(m.strong.inside),
          percent(m.strong.after), near_seven, fixed(static_cast<double>(m.wavelength), 4),
          whole(m.first_wrong), memorable, percent(m.memorised))},
      plot, grid};
}

std::vector<Block> bits(const Measured& m) {
  return {
      Section{"Binary codes"},
      Paragraph{fmt::format(
          "Bit j is a square wave of period 2^(j+1): it is 1 exactly where sin(2π(t + 1/2)/2^(j+1)) < 0 (checked for 12 bits and 4,096 positions). "
          "Both encodings have geometric frequencies; the ratio is 2 at width 2 log2 10000 = {}, so at no whole width. "
          "Three things differ. From 7 to 8, {} bits change, so the distance of neighbours depends on the position. The squared norm of a code is its number of ones, so it depends on the position, too. "
          "For three bits no affine map leads to the next code: the best one in the mean square misses an entry by {}. For two bits with the step from 3 to 0 none does either ({}); without that step one does.",
          fixed(2 * std::log2(10000.0), 2), m.binary.flips, fixed(m.binary.three_bits, 2),
          fixed(m.binary.two_bits_around, 2))}};
}

std::vector<Block> derived(const Measured& m) {
  return expectations({
      {"pairs for 90 % at offset 1: widths 8, 16, 64, 512", "1, 2, 5, 33",
       fmt::format("{}, {}, {}, {}", of(m, 8, 1).pairs, of(m, 16, 1).pairs, of(m, 64, 1).pairs,
                   of(m, wide, 1).pairs)},
      {"width 512, 512 positions: sine columns largest at frequency 0", "122",
       std::to_string(m.spectra.constant)},
      {"best affine map in the mean square, three bits: largest miss", "0.75", fixed(m.binary.three_bits, 2)},
      {"phase within a pair, degrees", "90.0", fixed(m.phase, 1)},
  });
}

std::vector<Block> answered(const Measured& m) {
  return experiments::answers({
      {"Different frequencies capture short- and long-range dependence.", "true as a capability",
       fmt::format(
           "width 512: the faster half of the pairs has {} of the squared distance at offset 1, {} at 500",
           percent(of(m, wide, 1).fast), percent(of(m, wide, 500).fast))},
      {"Sines and cosines encode position over a range of frequencies, an index does not.",
       "true of pairs whose wavelength fits the window",
       fmt::format(
           "{} of 256 sine columns are largest at frequency 0: {} ramps or nearly constant, {} arches",
           m.spectra.constant, m.spectra.constant - m.spectra.arches, m.spectra.arches)},
      {"Periodic structure is served by sinusoids.",
       "true of periods that are nearly one wavelength, or several whose number has no factor in common with the period",
       bounded("width 512: t mod 2 {} right; t mod 7 right below {} by a pair of wavelength {}",
               percent(probed(m, 2).wide.inside), whole(m.first_wrong),
               fixed(static_cast<double>(m.wavelength), 4))},
      {"It is like a Fourier transform.", "same functions, no basis",
       fmt::format("{} pairs of columns beyond ±0.1", whole(static_cast<std::int64_t>(m.columns.above)))},
      {"Binary codes have corresponding frequencies.",
       "geometric both; for three bits no affine map, no constant distance",
       fmt::format("the best map in the mean square misses {} for three bits",
                   fixed(m.binary.three_bits, 2))},
      {"Columns 6 and 7 are faster than 8 and 9 and shifted against each other.", "true",
       fmt::format("{} and {} sign changes against {} and {} in 60 positions; {}°",
                   std::min(m.turns[0], m.turns[1]), std::max(m.turns[0], m.turns[1]),
                   std::min(m.turns[2], m.turns[3]), std::max(m.turns[2], m.turns[3]), fixed(m.phase, 1))},
      {"512 channels are 256 pairs, i = 0 to 255, or 256 hands.", "true",
       fmt::format("{} frequencies", experiments::ladder(wide).size())},
  });
}

Document run() {
  const Measured m = measure();
  const std::string answer = bounded(
      "At width 512 the faster half of the pairs carries {} of the squared distance of neighbours and {} of that of positions 500 apart; a linear probe fitted by least squares reads t mod m, m from 2 to 6, within 3 points of chance inside the 1,024 positions that it was fitted to, while pair {}, whose wavelength is {}, gives t mod 7 at every position below {}.",
      percent(of(m, wide, 1).fast), percent(of(m, wide, 500).fast), near_seven,
      fixed(static_cast<double>(m.wavelength), 4), whole(m.first_wrong));
  return {
      .title = "Fast pairs separate neighbours, and to a linear probe no pair says odd or even",
      .finding = answer,
      .condition =
          "Sinusoidal encoding, base 10000, divisor d, widths and windows as stated; nothing is random; distances in long double, probes and spectra in f64.",
      .blocks = joined({distance(m),
                        spectrum(m),
                        fourier(m),
                        residues(m),
                        bits(m),
                        derived(m),
                        answered(m),
                        {PageVerdict{answer}},
                        experiments::references({experiments::vaswani_2017})})};
}

}  // namespace

const Experiment entry{
    .question = "What does each frequency carry?",
    .method =
        "Split the distance of two positions into pairs, transform the columns, and fit linear probes for t mod m.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_what_each_frequency_carries
