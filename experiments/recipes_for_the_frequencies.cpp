#include <algorithm>
#include <array>
#include <cmath>

#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/recipes_for_the_frequencies.h"
#include "core/formats.h"
#include "core/function.h"
#include "measure.h"
#include "references.h"
#include "tables.h"

namespace posproof::experiments_recipes_for_the_frequencies {
namespace {

using namespace document;
using experiments::joined;
using experiments::ladder;
using experiments::percent;
using experiments::proved;
using experiments::whole;
using experiments::yes_no;

constexpr long double base = 10000;

// ---- recipes --------------------------------------------------------------------------------------------

// Arithmetic in a format: every step is rounded once. Exponential and power are those of long double, rounded
// to the format, and moved by `slip` units in the last place: what a library may be off by.
struct Arithmetic {
  Format format;
  int slip = 0;

  double round(double x) const { return nearest(format, x); }
  double function(long double x) const {
    const double y = round(static_cast<double>(x));
    return y + slip * 2 * half_ulp(format, y);
  }
};

using Frequencies = std::vector<double>;

// Of whole numbers: no rounding before the division's own.
double quotient(const Arithmetic& a, std::size_t x, std::size_t y) {
  return a.round(static_cast<double>(x) / static_cast<double>(y));
}

Frequencies by_exponential(const Arithmetic& a, std::size_t dim) {
  Frequencies out;
  const double factor = a.round(a.round(static_cast<double>(-std::log(base))) / static_cast<double>(dim));
  for (std::size_t i = 0; i < dim / 2; ++i)
    out.push_back(
        a.function(std::exp(static_cast<long double>(a.round(static_cast<double>(2 * i) * factor)))));
  out[0] = 1;  // exp(0) is exact in every library
  return out;
}

Frequencies by_power(const Arithmetic& a, std::size_t dim) {
  Frequencies out;
  for (std::size_t i = 0; i < dim / 2; ++i)
    out.push_back(a.function(std::pow(base, -static_cast<long double>(quotient(a, 2 * i, dim)))));
  out[0] = 1;
  return out;
}

Frequencies by_reciprocal(const Arithmetic& a, std::size_t dim) {
  Frequencies out;
  for (std::size_t i = 0; i < dim / 2; ++i)
    out.push_back(a.round(1 / a.function(std::pow(base, static_cast<long double>(quotient(a, 2 * i, dim))))));
  out[0] = 1;
  return out;
}

Frequencies by_iteration(const Arithmetic& a, std::size_t dim) {
  const double step = a.function(std::pow(base, -static_cast<long double>(quotient(a, 2, dim))));
  Frequencies out = {1};
  while (out.size() < dim / 2) out.push_back(a.round(out.back() * step));
  return out;
}

Frequencies in_f64_first(const Arithmetic& a, std::size_t dim) {
  Frequencies out = by_power({Format::f64, a.slip}, dim);
  for (double& w : out) w = a.round(w);
  return out;
}

struct Recipe {
  std::string name, users;
  Function<Frequencies(const Arithmetic&, std::size_t dim)> make;
};

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      {"exp(2i · (-ln T / d))", "PyTorch's tutorial on transformers", &by_exponential},
      {"T^(-2i/d)", "the second founding document", &by_power},
      {"1 / T^(2i/d)", "RoPE of Hugging Face transformers; d2l.ai, which divides the position by the power",
       &by_reciprocal},
      {"w times T^(-2/d)", "one power, then products", &by_iteration},
      {"T^(-2i/d) in f64, rounded once", "references here", &in_f64_first}};
  return all;
}

constexpr std::array<std::size_t, 3> widths = {64, 512, 768};
constexpr std::array<Format, 3> formats = {Format::f64, Format::f32, Format::bf16};
constexpr long double position = 4096;

struct Errors {
  long double largest = 0, mean = 0;  // units in the last place
  long double slipped = 0;            // the largest with functions that are off by one unit, either way
  long double angle = 0;              // largest, radians, at the position
  std::vector<long double> each;      // units, of every pair
};

std::vector<long double> units(const Frequencies& made, const std::vector<long double>& exact,
                               Format format) {
  std::vector<long double> out;
  for (std::size_t i = 0; i < made.size(); ++i)
    out.push_back(std::abs(static_cast<long double>(made[i]) - exact[i]) /
                  static_cast<long double>(2 * half_ulp(format, static_cast<double>(exact[i]))));
  return out;
}

Errors errors(const Recipe& recipe, Format format, std::size_t dim) {
  const std::vector<long double> exact = ladder(dim);
  const Frequencies made = recipe.make({format}, dim);
  Errors out;
  out.each = units(made, exact, format);
  for (std::size_t i = 0; i < made.size(); ++i) {
    out.largest = std::max(out.largest, out.each[i]);
    out.mean += out.each[i] / static_cast<long double>(made.size());
    out.angle = std::max(out.angle, position * std::abs(static_cast<long double>(made[i]) - exact[i]));
  }
  for (const int slip : {-1, 1})
    for (const long double unit : units(recipe.make({format, slip}, dim), exact, format))
      out.slipped = std::max(out.slipped, unit);
  return out;
}

// ---- the printed tables ---------------------------------------------------------------------------------

// Of 4 positions at width 8, as the second founding document prints them.
constexpr std::array<std::string_view, 32> printed_angles = {
    "0.0000e+00", "0.0000e+00", "0.0000e+00", "0.0000e+00", "0.0000e+00", "0.0000e+00", "0.0000e+00",
    "0.0000e+00", "1.0000e+00", "1.0000e+00", "1.0000e-01", "1.0000e-01", "1.0000e-02", "1.0000e-02",
    "1.0000e-03", "1.0000e-03", "2.0000e+00", "2.0000e+00", "2.0000e-01", "2.0000e-01", "2.0000e-02",
    "2.0000e-02", "2.0000e-03", "2.0000e-03", "3.0000e+00", "3.0000e+00", "3.0000e-01", "3.0000e-01",
    "3.0000e-02", "3.0000e-02", "3.0000e-03", "3.0000e-03"};
constexpr std::array<std::string_view, 32> printed_rows = {
    "0.0000e+00", "1.0000e+00", "0.0000e+00", "1.0000e+00",  "0.0000e+00",  "1.0000e+00", "0.0000e+00",
    "1.0000e+00", "8.4147e-01", "5.4030e-01", "9.9833e-02",  "9.9500e-01",  "9.9998e-03", "9.9995e-01",
    "1.0000e-03", "1.0000e+00", "9.0930e-01", "-4.1615e-01", "1.9867e-01",  "9.8007e-01", "1.9999e-02",
    "9.9980e-01", "2.0000e-03", "1.0000e+00", "1.4112e-01",  "-9.8999e-01", "2.9552e-01", "9.5534e-01",
    "2.9995e-02", "9.9955e-01", "3.0000e-03", "1.0000e+00"};

struct Printed {
  std::size_t angles = 0, rows = 0, rows_in_f32 = 0;  // entries whose digits are the printed ones, of 32
  std::size_t rounded_to_1 = 0;                       // entries that are printed as 1 and are not
  std::string differs;                                // the entries that are not as printed
  std::string in_f32;                                 // and why they are in f32
};

Printed printed() {
  const Tensor rows = experiments::rows(experiments::table(encodings::sinusoidal, "dim=8"), 4);
  const Arithmetic narrow{Format::f32};
  const std::vector<long double> w = ladder(8);
  const Frequencies narrow_w = by_power(narrow, 8);
  Printed out;
  for (std::size_t e = 0; e < 32; ++e) {
    const std::size_t t = e / 8, i = e % 8 / 2;
    const auto angle = static_cast<double>(static_cast<long double>(t) * w[i]);
    const auto narrow_angle = static_cast<long double>(narrow.round(static_cast<double>(t) * narrow_w[i]));
    const double narrow_entry =
        narrow.round(static_cast<double>(e % 2 == 0 ? std::sin(narrow_angle) : std::cos(narrow_angle)));
    const std::string exact = fmt::format("{:.4e}", rows.data[e]);
    out.angles += fmt::format("{:.4e}", angle) == printed_angles[e];
    out.rows += exact == printed_rows[e];
    out.rows_in_f32 += fmt::format("{:.4e}", narrow_entry) == printed_rows[e];
    out.rounded_to_1 += printed_rows[e] == "1.0000e+00" && rows.data[e] != 1;
    if (exact == printed_rows[e]) continue;
    out.differs +=
        fmt::format("{}sin({}), printed as {}, is {} and rounds to {}", out.differs.empty() ? "" : "; ",
                    fixed(angle, 2), printed_rows[e], fixed(rows.data[e], 10), exact);
    const long double narrow_sine = std::sin(narrow_angle);
    proved(narrow_w[i] < w[i] && narrow_angle == static_cast<long double>(t) * narrow_w[i] &&
               fmt::format("{:.4e}", static_cast<double>(narrow_sine)) == printed_rows[e],
           "what differs does so by the rounding of its frequency alone");
    out.in_f32 += fmt::format(
        "{}the frequency {} is rounded down there, so that the angle is {} and its sine {}, in f32 {}",
        out.in_f32.empty() ? "" : "; ", fixed(w[i], 2), fixed(narrow_angle, 10), fixed(narrow_sine, 10),
        fixed(narrow.round(static_cast<double>(narrow_sine)), 10));
  }
  return out;
}

// ---- odd widths -----------------------------------------------------------------------------------------

// Every column of full width, sines in the even ones: column k has the frequency T^(-(k - k mod 2)/d).
std::vector<double> masked_row(std::size_t dim, Position t) {
  std::vector<double> out;
  for (std::size_t k = 0; k < dim; ++k) {
    const long double w =
        std::pow(base, -static_cast<long double>((k >> 1) << 1) / static_cast<long double>(dim));
    const long double angle = static_cast<long double>(t) * w;
    out.push_back(static_cast<double>(k % 2 == 0 ? std::sin(angle) : std::cos(angle)));
  }
  return out;
}

struct Repair {
  std::string name, users;
  std::vector<double> row;  // of position 1, width 7
};

std::vector<Repair> repairs() {
  std::vector<Repair> out;
  const auto of = [](std::string_view odd) {
    const std::array<Position, 1> one = {1};
    return experiments::table(encodings::sinusoidal, fmt::format("dim=7 odd={}", odd)).rows(one, 2).data;
  };
  return {{"last cosine cut", "most repairs of the tutorials' program", of("truncate")},
          {"a mask over all columns", "Keras, the second founding document", masked_row(7, 1)},
          {"last column zero", "fairseq, tensor2tensor", of("zero_pad")},
          {"as width d + 1, last cosine cut", "tatp22/multidim-positional-encoding", of("round_up")}};
}

bool same_row(const std::vector<double>& a, const std::vector<double>& b) {
  double off = 0;
  for (std::size_t c = 0; c < a.size(); ++c) off = std::max(off, std::abs(a[c] - b[c]));
  return off < 1e-15;
}

// Different rows among the repairs.
std::size_t different(const std::vector<Repair>& all) {
  std::size_t out = 0;
  for (std::size_t a = 0; a < all.size(); ++a) {
    bool seen = false;
    for (std::size_t b = 0; b < a; ++b) seen = seen || same_row(all[a].row, all[b].row);
    out += !seen;
  }
  return out;
}

constexpr std::size_t widest = 130;

// ---- the page -------------------------------------------------------------------------------------------

struct Line {
  std::size_t dim;
  std::vector<std::array<Errors, formats.size()>> of;  // of each recipe
};

struct Measured {
  std::vector<Line> lines;
  Printed printed;
  std::vector<Repair> repairs;
};

Measured measure() {
  Measured m{.lines = {}, .printed = printed(), .repairs = repairs()};
  for (const std::size_t dim : widths) {
    Line line{dim, {}};
    for (const Recipe& recipe : recipes()) {
      std::array<Errors, formats.size()> of;
      for (std::size_t f = 0; f < formats.size(); ++f) of[f] = errors(recipe, formats[f], dim);
      line.of.push_back(std::move(of));
    }
    m.lines.push_back(std::move(line));
  }
  return m;
}

constexpr std::size_t f64 = 0, f32 = 1, bf16 = 2;
constexpr std::size_t exponential = 0, power = 1, reciprocal = 2, iteration = 3, first_f64 = 4;

bool listed(std::size_t dim, std::size_t format, std::size_t recipe) {
  if (format == f64) return recipe != first_f64;  // the same as the power
  return format == f32 || dim == 512;
}

std::size_t largest_at(const Errors& errors) {
  return static_cast<std::size_t>(std::ranges::max_element(errors.each) - errors.each.begin());
}

void prove(const Measured& m) {
  for (const Line& line : m.lines)
    for (std::size_t f = 0; f < formats.size(); ++f)
      for (std::size_t r = 0; r < recipes().size(); ++r) {
        if (!listed(line.dim, f, r) || r == iteration) continue;
        const Errors &one = line.of[r][f], &products = line.of[iteration][f];
        proved(one.slipped <= one.largest + 2,
               "a function that is off by one moves a frequency by two at most");
        proved(line.dim == 64 || f == bf16 ||
                   (products.largest > 5 * one.largest && products.angle > 3 * one.angle),
               "at widths 512 and 768 products are the worst in f64 and f32");
        proved(r != exponential || largest_at(one) > line.dim / 4, "the exponential is worst at a slow pair");
        proved(r != first_f64 || (one.largest < 0.501L && one.slipped < 0.501L),
               "what is computed in f64 is rounded once");
      }
  // 2i/d is exact where d is a power of 2.
  for (const std::size_t l : {0, 1})
    for (const std::size_t f : {f64, f32})
      proved(m.lines[l].of[power][f].largest < 0.51L && m.lines[l].of[reciprocal][f].largest < 1.31L &&
                 m.lines[l].of[exponential][f].largest > 7,
             "at widths 64 and 512 the powers are nearly correctly rounded and the exponential is not");
  const Line& at_512 = m.lines[1];
  proved(at_512.of[exponential][f32].angle < 1.05L * at_512.of[power][f32].angle,
         "at the fast pairs the exponential is as good as the power");
  proved(m.lines[0].of[iteration][f32].largest < m.lines[0].of[exponential][f32].largest,
         "at width 64 the one power happens to be good");
  for (const std::size_t dim : widths) {
    const Arithmetic narrow{Format::f32};
    const auto log = static_cast<double>(std::log(base)), over = static_cast<double>(dim);
    proved(narrow.round(narrow.round(log) / over) == narrow.round(log / over),
           "ln T / d in f64, rounded once to f32, is what two roundings give");
  }
  proved(m.printed.angles == 32 && m.printed.rows == 31 && m.printed.rows_in_f32 == 32,
         "all printed digits but one are right, and all are those of f32");
  proved(m.printed.rounded_to_1 == 3, "three of the printed ones are not 1");
  for (std::size_t k = 0; k <= 4096; ++k)
    proved((k >> 1) << 1 == (k % 2 == 0 ? k : k - 1), "shifting right and left takes the last bit off");
  for (std::size_t dim = 1; dim <= widest; ++dim) {
    const std::size_t angles = (dim + 1) / 2, columns = dim / 2;
    const bool fits = angles == columns || angles == 1;  // one is repeated
    proved(fits == (dim % 2 == 0 || dim == 1),
           "the program has a cosine too many at odd widths from 3 on alone");
  }
  for (const std::size_t r : {2, 3})
    for (std::size_t c = 2; c < 7; ++c)
      proved(std::abs(m.repairs[r].row[c] - m.repairs[0].row[c]) > 1e-6,
             "the others differ from column 2 on");
  proved(different(m.repairs) == 3 && same_row(m.repairs[0].row, m.repairs[1].row),
         "two of the four repairs are the same table");
}

std::string of_units(long double units) {
  return units < 100 ? fixed(units, 1) : whole(static_cast<std::int64_t>(std::llround(units)));
}

std::vector<Block> by_recipe(const Measured& m) {
  Plot plot{.name = "error_by_recipe",
            .title = "How far frequencies are off, f32",
            .description = "",
            .x = {.label = "error, units in the last place", .logarithmic = true, .log_base = 2},
            .y = {.label = "share of the pairs with no larger error, %"},
            .curves = {}};
  const Line& line = m.lines[1];
  for (std::size_t r = 0; r < recipes().size(); ++r) {
    Curve curve{recipes()[r].name, {}};
    for (int step = -6; step <= 18; ++step) {
      const double bound = std::exp2(static_cast<double>(step) / 2);
      const auto below =
          std::ranges::count_if(line.of[r][f32].each, [&](long double e) { return e <= bound; });
      curve.points.emplace_back(bound, 100 * static_cast<double>(below) / static_cast<double>(line.dim / 2));
    }
    plot.description +=
        fmt::format("{}{} {}", r == 0 ? "" : "; ", recipes()[r].name, of_units(line.of[r][f32].largest));
    plot.curves.push_back(std::move(curve));
  }
  plot.description = fmt::format(
      "Share of the 256 pairs whose frequency is off by at most so many units in the last place, against that number, logarithmic. Each curve reaches 100 % at the first power of √2 that is not below its largest error: {}.",
      plot.description);
  plot.caption =
      "Width 512, base 10000, every step in f32, exponential and power correctly rounded. Counted at powers of √2. The last curve covers that of T^(-2i/d).";
  Grid grid{
      .columns = {"width", "recipe", "format", "largest error, ULP", "mean",
                  "largest with functions off by 1 ULP", "angle at 4,096, rad"},
      .rows = {},
      .caption =
          "Base 10000, every step rounded once to the format, all pairs; bf16 at width 512 only. ULP: units in the last place of the format at the exact frequency. Functions: exponential and power, correctly rounded in the first two columns, off by one unit in the same direction throughout in the third. Angle: the largest product of 4,096 and the error of a frequency. As 4,096 is a power of two no format rounds that product again; at other positions the angle's own rounding comes on top."};
  for (const Line& one : m.lines)
    for (std::size_t f = 0; f < formats.size(); ++f)
      for (std::size_t r = 0; r < recipes().size(); ++r) {
        if (!listed(one.dim, f, r)) continue;
        const Errors& e = one.of[r][f];
        grid.rows.push_back({std::to_string(one.dim), recipes()[r].name, std::string(name(formats[f])),
                             of_units(e.largest), of_units(e.mean), of_units(e.slipped),
                             scientific(e.angle, 2)});
      }
  return {
      Section{"By recipe, format and width"},
      Paragraph{fmt::format(
          "All recipes are the same number T^(-2i/d) in exact arithmetic, T the base. "
          "With every step in the format, the exponential of PyTorch's tutorial takes an exponent of up to ln T = 9.2 that has been rounded as often as three times (twice where d is a power of 2; the tutorial divides ln T by d in f64, which gives the same numbers in f32 at the widths here). The relative error of the exponential is about the absolute error of that exponent: the largest in f32 is {} units in the last place at width 512, and {} at width 768. "
          "The exponent 2i/d of a power is exact where d is a power of 2, so in f32 powers are off by at most half a unit there, and the largest error of their reciprocals is {} at width 512; at width 768 it is rounded, and the largest errors are {} and {}. "
          "Products of one power add up its error: the largest in f32 is {} units at width 512; how much depends on how well that power happens to be rounded, and at width 64 it is {}.",
          of_units(m.lines[1].of[exponential][f32].largest),
          of_units(m.lines[2].of[exponential][f32].largest), of_units(m.lines[1].of[reciprocal][f32].largest),
          of_units(m.lines[2].of[power][f32].largest), of_units(m.lines[2].of[reciprocal][f32].largest),
          of_units(m.lines[1].of[iteration][f32].largest), of_units(m.lines[0].of[iteration][f32].largest))},
      plot,
      Paragraph{
          "A position multiplies the error of a frequency, and many units of a slow frequency are a small angle. "
          "The exponential is worst at slow pairs, so at width 512 in f32 the angle at position 4,096 is off by about as much as with the power; with repeated products it is off by several times as much. "
          "Not every library rounds its functions correctly: one that is off by one unit moves a frequency by up to two, and by more where it is multiplied by itself. "
          "What libraries make of whole tables is in [performance](performance.md), and the error of the angle by position in [RoPE's error by position](rope_error_by_position.md)."},
      grid};
}

std::vector<Block> of_columns(const Measured& m) {
  Grid grid{.columns = {"pair", "2i/d", "2k/d, k = 2i"},
            .rows = {},
            .caption = "Frequencies of width 8, base 10000."};
  for (std::size_t i = 0; i < 4; ++i) {
    const long double w = ladder(8)[i];
    grid.rows.push_back({std::to_string(i), scientific(w, 1), scientific(w * w, 1)});
  }
  return {
      Section{"The exponent of a column"},
      Paragraph{
          "Column k belongs to pair i = ⌊k/2⌋, and its exponent is k/d for even k and (k - 1)/d for odd k, which is 2i/d. "
          "A program that counts k in steps of 2 and still writes 2k/d squares every frequency. "
          "`(k >> 1) << 1` is k or k - 1, whichever is even: checked for every k to 4,096, so it is right for odd widths as well."},
      grid, Section{"Printed tables"},
      Paragraph{fmt::format(
          "The second of the five [founding documents](founding_questions.md) prints the angles and the rows of 4 positions at width 8 with five digits. "
          "{} of 32 angles and {} of 32 entries are the exact ones, rounded: {}. "
          "All {} are what the program gives in f32 with every step rounded once: {}. "
          "Of the entries that are printed as 1.0000e+00, {} are less than 1: the cosines of 0.001, 0.002 and 0.003.",
          m.printed.angles, m.printed.rows, m.printed.differs, m.printed.rows_in_f32, m.printed.in_f32,
          m.printed.rounded_to_1)}};
}

std::vector<Block> odd_widths(const Measured& m) {
  Grid grid{
      .columns = {"repair", "used by", "columns 0 to 6 of the row of position 1"},
      .rows = {},
      .caption =
          "Width 7, base 10000, interleaved, with the paper's divisor: d, and d - 1 or d + 1 where the repair changes the width. fairseq and tensor2tensor, which add the zero column, also put all sines first and divide by half the width less one."};
  for (const Repair& one : m.repairs) {
    std::string row;
    for (const double value : one.row) row += fmt::format("{}{}", row.empty() ? "" : ", ", fixed(value, 5));
    grid.rows.push_back({one.name, one.users, row});
  }
  return {
      Section{"Odd widths"},
      Paragraph{fmt::format(
          "The tutorials' program computes ⌈d/2⌉ angles and writes the cosines of all into ⌊d/2⌋ columns, which fails at every odd width from 3 on and at no even one (enumerated to {}); at width 1 the one cosine is repeated into no columns, which NumPy and PyTorch accept. "
          "Four repairs are in use. They give {} different tables: a mask over all columns and a cut last cosine are the same. "
          "The others differ in the last column, and in all frequencies but the first, because the divisor is d - 1 or d + 1 instead of d.",
          widest, different(m.repairs))},
      grid};
}

constexpr experiments::Reference hugging_face{"Hugging Face", "2019 to 2026",
                                              "transformers, modeling_rope_utils.py",
                                              "https://github.com/huggingface/transformers"};
Document run() {
  const Measured m = measure();
  prove(m);
  const Line& at_512 = m.lines[1];
  return {
      .title = "Repeated products spoil the frequencies, an exponential the slow ones",
      .finding = fmt::format(
          "At width 512 in f32 the largest error of a frequency is {} units in the last place as exp(2i · (-ln T / d)), {} as T^(-2i/d), {} as its reciprocal and {} by repeated products, and that of an angle at position 4,096 is {}, {}, {} and {} rad; the four repairs for odd widths give {} different tables.",
          of_units(at_512.of[exponential][f32].largest), of_units(at_512.of[power][f32].largest),
          of_units(at_512.of[reciprocal][f32].largest), of_units(at_512.of[iteration][f32].largest),
          scientific(at_512.of[exponential][f32].angle, 2), scientific(at_512.of[power][f32].angle, 2),
          scientific(at_512.of[reciprocal][f32].angle, 2), scientific(at_512.of[iteration][f32].angle, 2),
          different(m.repairs)),
      .condition =
          "Base 10000, divisor d, widths 64, 512 and 768; every step in the format named, exponential and power from long double rounded to it; exact frequencies in long double, within 0.01 units of f64.",
      .blocks = joined(
          {by_recipe(m),
           of_columns(m),
           odd_widths(m),
           {PageVerdict{fmt::format(
               "Computed in f64 and rounded once to f32 or bf16, frequencies are off by at most half a unit in the last place, also with functions that are off by one unit. "
               "As a power of the base in f64 or f32 they are off by at most half a unit where the width is a power of two and the power is correctly rounded; with a power that is off by one the largest error is {} units at width 512 in f32, and at width 768 in f64 {} with one that is correctly rounded. "
               "The largest error of the exponential of PyTorch's tutorial is {} units in f32 at width 512, in a slow pair, where it hardly moves the angle. "
               "That of repeated products is {} units there, and that of the angle at position 4,096, where the product is exact, is {} times as large as with a power.",
               of_units(at_512.of[power][f32].slipped), of_units(m.lines[2].of[power][f64].largest),
               of_units(at_512.of[exponential][f32].largest), of_units(at_512.of[iteration][f32].largest),
               fixed(at_512.of[iteration][f32].angle / at_512.of[power][f32].angle, 1))}},
           experiments::references({experiments::vaswani_2017, experiments::pytorch_tutorial,
                                    experiments::zhang_2021, experiments::tensor2tensor_2018,
                                    hugging_face})})};
}

}  // namespace

const Experiment entry{
    .question =
        "Does it matter how the frequencies are computed, and what becomes of the last column of an odd width?",
    .method =
        "Compute the frequencies by five recipes in three formats, every step rounded once, and compare with the exact ones; compare the printed tables digit by digit, and four repairs for odd widths.",
    .run = &run,
    .asked_by = Asker::implementing,
};

}  // namespace posproof::experiments_recipes_for_the_frequencies
