#pragma once

#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/precision.h"

// How far rounding alone may put an implementation of a given precision from the exact encoding. Everything
// that a property allows is built from these; nothing is tuned. Each bound is first order in the unit
// roundoffs, for any implementation that
//   - forms a frequency b^(-x) by one power, or by one exponential of a product, in the angle's format,
//   - multiplies it with the position in the angle's format,
//   - takes sine and cosine from a library that is within 2 ulp, and keeps them in the table's format,
//   - forms products and sums in the work's format,
//   - rounds the answer to the result's format, once.
namespace posproof {

// Half the distance of neighbours at |x| in the format of that unit roundoff, u 2^floor(log2 |x|): at most
// u |x|. What is rounded to x is off by no more; 0 at 0.
double half_ulp(double unit, double x);

// Relative error of a power w = b^(-x) as formed in a format of unit u:
//   - one power of the base, or one exponential of a product: the exponent carries up to 3 roundings (x
//     itself, ln b, their product), and an error of 3u in the exponent -ln w is 3u |ln w| in w; the library's
//     function is within 1 ulp (2u), the reciprocal 1 rounding more, and storing it 1: (4 + 3 |ln w|) u;
//   - where frequencies are iterated: one power of the ladder's rounded common ratio has a ratio within 1 ulp
//     (2u), and that error is raised to the `index`-th power with it: 2u for each step more (its exponent's
//     share is in |ln w| already); multiplication with that ratio, step by step, is 1 rounding a step on top:
//     3u for each.
double power_error(const Precision& p, double w, std::size_t index = 0);

// What a frequency v loses that is made from a power w of the base for s times as many positions: its
// relative error is condition * power_error + roundings u. (power_error is taken at v: v <= w <= 1, so |ln w|
// <= |ln v|.)
//   - divided, w / s or w (1 / s): 2 roundings. So is a position that is divided.
//   - from another base b s^(d/(d-2)), or w s^(-x) with x = 2i/(d-2): the factor's own power of the exponent
//   x
//     ln s (4 + 3 x ln s, as in power_error) and a product: 5 + 3 x ln s roundings. That base's is less: its
//     error, 3 + 3 d/(d-2) ln s, counts 2i/d times.
//   - from another base b s^(d/(d-2)) whose s = f n / L0 - (f - 1) was formed from a length n: what s is off
//   by,
//     x times: two roundings of f n / L0, one of f - 1 and one of the difference, relative to s.
//   - blended, (1 - g) w / s + g w with a share g: the two products, w (1 / s), 1 - g and the sum are 5
//     roundings, no term being negative. An error of g counts (s - 1) / (1 + (s - 1) g) = (1 - 1/s) w / v
//     times as much, relatively.
//     - g = (r - least) / (most - least), r = L0 w / 2 pi rotations: w's error counts r / (most - least)
//     times
//       in g; pi, a product and a quotient are 3 roundings of r, and two differences and a quotient 3 of g <=
//       1. A coarse format may take r for within the ramp where it is within a quarter of its ends. A ramp
//       without length is a step: r, with w's error and 3 roundings, is on the right side of it where it is
//       further away than that, relatively; else v may be w where it should be w / s, or the reverse.
//     - g = 1 - (i - first) / (last - first): 3 roundings of g <= 1, and the errors of the ends: none where
//       they are whole; else, d ln(L0 / (2 pi rotations)) / (2 ln b): 3 roundings under the logarithm, and 6
//       of the whole (two logarithms within 1 ulp, a product and a quotient).
//   - divided by a number of its own, a list's: that number is rounded, too, and its reciprocal: 3.
FrequencyError divided();
FrequencyError divided_by_each();
FrequencyError from_scaled_base(double x, double factor);
FrequencyError from_length(double x, double factor, double lengths);  // n / L0 of them
FrequencyError by_rotations(double w, double v, double factor, double rotations, double least, double most);
// `end_error`, in units: of either end.
FrequencyError by_index(double w, double v, double factor, double index, double first, double last,
                        double end_error);
double ramp_end_error(double d, double base, double end);

// Radians: error of position * frequency. The product is rounded once, the position too where the format
// cannot hold it; both are relative: |t| w (power_error + 2u), where w is a power (see Formed). Never more
// than pi: angles further apart are nearer the other way round.
double angle_error(const Precision& p, double position, const Pair& pair);

// Radians: how far that angle may be from position * (the implementation's own frequency). Whatever the error
// of the frequency, it is the same at every position, so it cancels where a statement compares a subject with
// itself. What is left is
//   - the rounding of the product, half the distance of neighbours at the angle (the implementation's own
//     frequency may put it into the next binade: it is looked up 64 units further on, which is more than a
//     power of the base is off down to frequencies of 2e-9; below, and where it was scaled, it is 1u);
//   - the rounding of the position, which is a whole number: none up to 1/u, 1u beyond;
//   - of a scaled frequency, 1u: an interpolated position is divided first;
//   - in an iterated ladder, which starts from the position, 1u for each step.
double angle_rounding(const Precision& p, double position, const Pair& pair);

// Error of one sine or cosine of that angle. The library works in the wider of the angle's and the table's
// formats, where 2 ulp of a value of at most 1 are 4 units; a narrower table takes 1 rounding more, and so
// does a result that is narrower still.
double sine_error(const Precision& p, double position, const Pair& pair);

// Error of each entry of the row of `position`: sine_error times the amplitude on the ladder's columns (an
// amplitude other than 1 is rounded itself, and so is the product: 2 units more), 2 units of the entry itself
// elsewhere (one operation, one rounding) or the table's own bound (Table::error). In f16 half the smallest
// subnormal, 2^-25, on top: below 2^-14, roundings are no longer relative. (Of the other formats, that is
// below anything an encoding holds.)
std::vector<double> row_error(const Table& table, const Precision& p, Position position,
                              std::span<const double> row);

// Error of an entry that is a difference of terms of that size, as 2t/(L-1) - 1 is of 2: 2 units of itself,
// and 3 of them, whose roundings do not shrink with the entry.
double difference_error(const Precision& p, double entry, double terms);

// The same against the row of the implementation's own frequencies: angle_rounding in place of angle_error.
std::vector<double> row_rounding(const Table& table, const Precision& p, Position position,
                                 std::span<const double> row);

// One of the two at many positions of a table: what is the same at all of them, a logarithm for each pair, is
// worked out once. The table must live as long.
class RowErrors {
 public:
  enum class Against { itself, declared };  // row_rounding, row_error
  RowErrors(const Table& table, const Precision& p, Against against);
  // To `error`, which is as wide as the row. `narrowed`: where table or result are kept in a narrower format
  // than the library's, what that rounds is in proportion to the entry itself.
  void at(double position, std::span<const double> row, std::span<double> error) const;
  void narrowed(double position, std::span<const double> row, std::span<double> error) const;
  void at(Position position, std::span<const double> row, std::span<double> error) const {
    at(static_cast<double>(position), row, error);
  }

  // The same in two parts, for what is first order in them: radians by which the angle of each pair may be
  // off, the lone column's last, and of an entry on the ladder what is beside its angle's: the library's 2
  // ulp (at the entry; 2 ulp of 1/4 at the least, as one may reduce its angle absolutely), the roundings of
  // the table and the result, half the distance of neighbours each, and 2 units for an amplitude. The
  // distances are those of 16 units further on: the exact entry may be in the next binade.
  void angles_at(Position position, std::span<double> error) const;
  double beside_angle(double entry) const;

 private:
  double angle_error_at(double t, std::size_t pair, const Pair& of) const;

  const Table& table_;
  Precision precision_;
  Against against_;
  double own_;                     // of an entry beside its angle's
  std::vector<double> relatives_;  // error of an angle, for one of 1, of each pair, the lone column's last
};

// Error of an entry on the table's ladder beside its angle's: of the library, the amplitude and storing it.
double entry_error(const Table& table, const Precision& p);

// How far one pair of a table may be from its circle. Sine and cosine are of one angle, and however wrong
// that angle is, it moves the point along the circle: what is left are the two entries' own errors, which put
// the point off by at most entry_error sqrt 2.
double circle_error(const Table& table, const Precision& p);

// 2-norm error of the row: from row_error.
double row_norm_error(const Table& table, const Precision& p, Position position, std::span<const double> row);

// 2-norm error of one rotated pair, relative to the pair's own norm: the angle's error and that of the
// rotation itself. Of this, sine and cosine are off by 4 units of the library's format each, 4 sqrt 2
// together, and by 1 of a narrower table (what is relative to each is so to both); two products, sqrt 2 units
// of the work's format (as |x c| + |y s| and |x s| + |y c| are at most the pair's norm times sqrt 2
// together); a sum, 1; a result that is narrower than the work, 1. Compounded, not added, which counts in
// bf16. In one format that is 8.1 units; in bf16 computed in f32 and rounded once 1 of bf16 and 8.1 of f32.
double rotation_error(const Precision& p, double position, const Pair& pair);

// The same against the rotation by the implementation's own frequency: angle_rounding in place of
// angle_error.
double rotation_rounding(const Precision& p, double position, const Pair& pair);

// The same on top, of what multiplies every rotation: none where that is 1. Else it is rounded itself and so
// is the product, 2 units of the table's format or of the work's, whichever is narrower; and as a formula
// (0.1 ln s + 1: two roundings, a logarithm within 1 ulp, a sum) it carries 5 of the angle's format, in which
// it is formed or in a wider one.
double amplitude_error(const Rotary& rotary, const Precision& p);

// 2-norm error of one rotated pair on top of these, absolute: products below the smallest normal number. In
// f16 each is off by half the smallest subnormal, 2^-25: two a component, so 2^-24 sqrt 2. In the other
// formats none that counts.
double rotation_underflow(const Precision& p);

// How a rotated pair is multiplied at that position (Rotary::amplitude and stretch), and the relative error
// of that, amplitude_error on top of the stretch's own.
struct Stretch {
  double size, error;
};
Stretch stretched(const Rotary& rotary, const Precision& p, const Pair& pair, double position, Role role);

// Error of each channel of x (one token, `dim` values) rotated at `position`, a number for each axis.
// Channels in no pair: none.
std::vector<double> rotated_error(const Rotary& rotary, const Precision& p, std::span<const double> position,
                                  std::span<const double> x, Role role = Role::query);
std::vector<double> rotated_error(const Rotary& rotary, const Precision& p, Position position,
                                  std::span<const double> x, Role role = Role::query);

// What is off before cosine and sine are kept and multiplied, in a precision that keeps and multiplies them
// in the format in which the library gives them: the angle, the library, and what no format is narrower than.
Precision as_computed(Precision p);

// Relative error of what comes after that: of the sum |x c| + |y s| each channel of a pair is off by it, and
// not of the pair's norm. A small sine that is kept in 16 bits is right to all of them.
double rounded_after(const Precision& p, double amplitude);

// The same error of each channel where the rotated token is known, or one within that error of it: of a pair
// (x, y) that became (a, b), cosine and sine are (x a + y b) and (x b - y a) over its squared norm.
std::vector<double> rotated_error(const Rotary& rotary, const Precision& p, std::span<const double> position,
                                  std::span<const double> x, std::span<const double> rotated, Role role);

// Error of one bias entry of value b, on a head of slope m, the `step`-th power of the slopes' common ratio.
// The slope is a power (power_error) that is kept in the table's format (1 unit where that is narrower); the
// distance is rounded into the work's format and multiplied there (2), and a narrower result takes 1 more. A
// power of the common ratio as the format holds it, correctly rounded, is allowed what that ratio is off by,
// once for each step: nothing for a ratio of 1/2. Slope 0: the value comes from a table, one operation and
// one rounding. What falls below the smallest normal number of a format may be anything up to there: where
// the slope does, that times the distance. What is no number is allowed nothing.
double bias_error(const Precision& p, double b, double slope, std::size_t step);

// The same of an entry of a head. Slopes that are half-way powers of the first, as the official rule has them
// past a power of two, are powers of its root.
double bias_error(const Precision& p, double b, const Bias& bias, std::size_t head);
// The same at these positions, a number for each axis: Bias::error, where an encoding brings that.
double bias_error(const Precision& p, double b, const Bias& bias, std::size_t head,
                  std::span<const double> query, std::span<const double> key);
double bias_error(const Precision& p, double b, const Bias& bias, std::size_t head, Position query,
                  Position key);

// The same against the implementation's own slope, which is the same at every offset: of the distance, the
// product and the result alone.
double bias_rounding(const Precision& p, double b, double slope);
// The same of an entry of a head at these positions; of an entry whose bound the encoding brings itself, all
// of that.
double bias_rounding(const Precision& p, double b, const Bias& bias, std::size_t head, Position query,
                     Position key);

}  // namespace posproof
