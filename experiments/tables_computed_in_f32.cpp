#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "catalogue/experiments/tables_computed_in_f32.h"
#include "core/formats.h"
#include "measure.h"
#include "references.h"
#include "similarities.h"

namespace posproof::experiments_tables_computed_in_f32 {
namespace {

using namespace document;
using experiments::joined;
using experiments::percent;
using experiments::proved;
using experiments::sinusoidal;
using experiments::whole;

constexpr std::array<Position, 4> lengths = {512, 2048, 4096, 16384};
constexpr std::array<std::size_t, 3> widths = {64, 128, 512};
constexpr std::array<Format, 3> stored = {Format::f32, Format::bf16, Format::f16};

// Every step is rounded once. Exponential, power, sine and cosine are correctly rounded, which no library
// promises: theirs are wrong in as many entries or in more.
enum class Recipe {
  exponential,  // of PyTorch's tutorial: t exp(2i * (-ln 10000 / d))
  quotient,     // of d2l.ai: t / 10000^(2i / d)
};

// By what each pair multiplies the position, or divides it.
std::vector<float> factors_in_f32(Recipe recipe, std::size_t dim) {
  std::vector<float> out;
  const float factor = static_cast<float>(-std::log(10000.0L)) / static_cast<float>(dim);
  for (std::size_t i = 0; i < dim / 2; ++i) {
    const auto twice = static_cast<float>(2 * i);
    if (recipe == Recipe::exponential) {
      const float exponent = twice * factor;
      out.push_back(static_cast<float>(std::exp(static_cast<long double>(exponent))));
    } else {
      const float exponent = twice / static_cast<float>(dim);
      out.push_back(static_cast<float>(std::pow(10000.0L, static_cast<long double>(exponent))));
    }
  }
  return out;
}

// The entries, sine and cosine in turn, as f32.
std::vector<float> table_in_f32(Recipe recipe, std::size_t dim, Position length) {
  const std::vector<float> factors = factors_in_f32(recipe, dim);
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(length) * dim);
  for (Position t = 0; t < length; ++t)
    for (const float one : factors) {
      const auto position = static_cast<float>(t);
      const float angle = recipe == Recipe::exponential ? position * one : position / one;
      out.push_back(static_cast<float>(std::sin(static_cast<long double>(angle))));
      out.push_back(static_cast<float>(std::cos(static_cast<long double>(angle))));
    }
  return out;
}

// The share of the first rows' entries that are not the exact ones correctly rounded to the format, when the
// f32 entries are rounded to it.
double wrong_share(const std::vector<float>& made, std::size_t dim, Position length, Format format) {
  const auto table = sinusoidal(fmt::format("dim={}", dim));
  const auto rows = static_cast<std::size_t>(length), entries = rows * dim;
  std::uint64_t wrong = 0;
  if (format == Format::f32) {
    wrong = table->count_wrong(format, 0, rows, made.data());
  } else {
    std::vector<std::uint16_t> cast;
    for (std::size_t e = 0; e < entries; ++e)
      cast.push_back(bits_of(format, nearest(format, static_cast<double>(made[e]))));
    wrong = table->count_wrong(format, 0, rows, cast.data());
  }
  return static_cast<double>(wrong) / static_cast<double>(entries);
}

struct Share {
  std::size_t dim;
  Position length;
  std::array<double, stored.size()> wrong;  // in each format
  double of_quotient = 0;                   // in f32, by the other recipe
};

using Shares = std::vector<Share>;

const Share& of(const Shares& all, std::size_t dim, Position length) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const Share& one) { return one.dim == dim && one.length == length; });
}

Shares measure() {
  Shares out;
  for (const std::size_t dim : widths) {
    const std::vector<float> made = table_in_f32(Recipe::exponential, dim, lengths.back()),
                             other = table_in_f32(Recipe::quotient, dim, lengths.back());
    for (const Position length : lengths) {
      Share one{dim, length, {}};
      for (std::size_t f = 0; f < stored.size(); ++f)
        one.wrong[f] = wrong_share(made, dim, length, stored[f]);
      one.of_quotient = wrong_share(other, dim, length, Format::f32);
      out.push_back(one);
    }
  }
  for (const Share& one : out)
    proved(one.wrong[0] > one.wrong[2] && one.wrong[2] > one.wrong[1],
           "fewer entries are wrong in f16 than in f32, and fewer still in bf16");
  return out;
}

Document run() {
  const Shares all = measure();
  Grid grid{
      .columns = {"width", "length", "PyTorch's tutorial, stored in f32", "in f16", "in bf16",
                  "d2l.ai, stored in f32"},
      .rows = {},
      .caption =
          "Share of the entries that are not the exact value correctly rounded to the storage format; every entry compared."};
  for (const Share& one : all)
    grid.rows.push_back({std::to_string(one.dim), whole(one.length), percent(one.wrong[0]),
                         fixed(100 * one.wrong[2], 2) + " %", fixed(100 * one.wrong[1], 2) + " %",
                         percent(one.of_quotient)});
  const std::string answer = fmt::format(
      "Of a table of 512 positions and width 512 that is computed in f32 as in PyTorch's tutorial, {} of the entries are not the correctly rounded ones, and {} as in d2l.ai; at 4,096 positions it is {} and {}, and of the former {} where the table is stored in bf16.",
      percent(of(all, 512, 512).wrong[0]), percent(of(all, 512, 512).of_quotient),
      percent(of(all, 512, 4096).wrong[0]), percent(of(all, 512, 4096).of_quotient),
      fixed(100 * of(all, 512, 4096).wrong[1], 2) + " %");
  return {
      .title = "Tables computed in f32",
      .finding = answer,
      .condition =
          "Sinusoidal encoding, base 10000, divisor d, widths 64, 128 and 512, positions from 0; "
          "angles as t · exp(2i · (-ln 10000 / d)) or t / 10000^(2i/d), every step in f32, exponential, power, sine and cosine correctly rounded; cast to f16 or bf16 at the end.",
      .blocks = joined(
          {{Paragraph{
                "PyTorch's tutorial on transformers and d2l.ai compute the table in f32. In the former a frequency is the exponential of a rounded exponent (ln 10000 is divided by d in f64 there, which changes nothing at the widths here, powers of two) and an angle the rounded product of position and frequency; in the latter an angle is the position over a rounded power of the base. "
                "An accurate sine does not repair a wrong angle. "
                "How many entries differ from the correctly rounded ones depends on the length (angles grow, and with them their errors), on the width and on the format in which the table is stored: a narrow format hides most of the errors."},
            Section{"By width, length and storage format"}, grid,
            Paragraph{
                "The exponential, power, sine and cosine are correctly rounded here, so that the numbers are the same on every machine. "
                "Libraries round in their own ways; what they make is in [performance](performance.md)."}},
           {PageVerdict{answer}},
           experiments::references(
               {experiments::vaswani_2017, experiments::pytorch_tutorial, experiments::zhang_2021})})};
}

}  // namespace

const Experiment entry{
    .question = "How many entries of a table that is computed in f32 are not the correctly rounded ones?",
    .method =
        "Compute the table in f32 as two tutorials do, cast it to the storage format, and compare every entry with the exact one.",
    .run = &run,
    .asked_by = Asker::numerics,
};

}  // namespace posproof::experiments_tables_computed_in_f32
