#pragma once

// Error bounds of the fast path, derived. u = 2^-53; everything is to first order in u,
// and every constant is rounded up by more than the higher orders are (which are below 2^-40 of it). A is the
// amplitude. m(x) = min(1, |x|) bounds |sin x|, so that a bound with m in it is one of a sine's own size
// where the angle is small: slow frequencies keep all their digits.
//
// (0) Seeds. e^{i 2^k w} for k < 42 comes from MPFR by k squarings. With p = 192 bits (and one more for every
//     power of two that |w| exceeds 1 by) w is off by 2^(12-p) of itself, e^{iw} by as much and 2^-p, and a
//     squaring (s, c) -> (2 s c, (c - s)(c + s)) doubles the error of the point on the circle and adds less
//     than 2^(3-p): less than 2^(55-p) = 2^-137 after 41 of them. While the angle is small, the sine's error
//     grows with the sine. Rounded to a double-double, its first 128 digits, that is at most (1 + 2^-21) u^2
//     m(angle) of the sine and as much of u^2 of the cosine.
//
// (1) A product of two such complex numbers, each component a b + c d by sum_of_products (simd.h). Let
//     T = |a b| + |c d|. The products and their sum are exact with their rests, and what is rounded are the
//     rests: from_ab is two sums of at most 2 u |a b| and 3 u |a b|, so off by 5 u^2 |a b|, and 2 u^2 more
//     where the two products in it are not fused; from_ab + from_cd is at most 6 u T, off by 3 u^2 T (the
//     terms: |ab.rest|, |a b.rest|, |a.rest b| are u |a b| each); adding `lost`, at most u T, rounds at 4 u
//     T: 4 u^2 T; a.rest b.rest and c.rest d.rest are left out: u^2 T. Together 15 u^2 T. The last two lines
//     leave the sum as it is unless |rest| > |sum|; then both are at most 4 u T (the rest's bound), and the
//     two roundings in them, of numbers of that size, add 8 u^2 T. At most 23 u^2 T: k = 24. For the sine T =
//     |sa cb| + |ca sb| <= m(a) + m(b) for the angles a, b, and <= 1 (Cauchy); both components together are
//     off by at most 24 sqrt 2 u^2 < 34 u^2 in norm.
//
// (2) A row of the tables, or a giant, at position t is the product of the seeds of the binary digits of t,
//     in any order: n factors, n - 1 products, n <= 41. Errors in norm add up to n u^2 + 34 (n - 1) u^2.
//     They add up relative to the angle, too: if sa is off by x |a| and ca by x, sb by y |b| and cb by y,
//     then sa cb + ca sb is off by (x + y)(|a| + |b|) from its factors and 24 u^2 (|a| + |b|) from the
//     product, and for t w
//     >= 0 the angles of all factors have one sign: |a| + |b| = |a + b|. With the amplitude, a double-double
//     itself (u^2, and a product of 9 u^2), that is less than (41 + 34 * 40 + 10) u^2 = 1411 u^2 < 2^11 u^2:
//     the sine is off by less than `giant` A m(t w), the cosine by less than `giant` A.
//
// (3) In the hot loop for f32, bf16, f16 only the heads are used: low = fma(gs, bc, fma(gc, bs, -e)) and
//     high = low + 2 e. Either term is off by u for each of its two heads; where nothing is fused, by u for
//     its product; the inner sum rounds |gc bs| + e and the outer both terms: at most 5 u (|gs bc| + |gc
//     bs|), which is at most 5 u T with T = |gs| + |gc| S, S (`largest_sine`) being the largest |bs| of the
//     block's rows. Rounding low + 2 e adds u |x| <= u T. With e = 6.01 u T + what the giant and the baby are
//     off by, (2), low is never more than the exact value and high never less. Rounding is monotone: where
//     both round to one value, so does the exact one. The same holds for the cosine with gs and gc exchanged.
//
// (4) For f64 the whole double-double product is computed. By (1), whose T is at most this one, it is off by
//     24 u^2 T. Taking e from the rest, or adding it, rounds a number of at most u |x|: u^2 T more. So does
//     subtracting the stored entry (compare): 26 u^2 T in all, and e = 27 u^2 T + (2).
//
// (5) Faster, for f64 where the value is not small. Let 2^a be the power of two at or above A (1 + u). The
//     giant is split into a multiple of q = 2^(a - 26), by adding and subtracting 1.5 * 2^52 q, and the rest,
//     rounded: g = g1 + g2, |g1| <= 2^26 q, |g2| <= q, g2 off by u q. The babies likewise with a = 0. Then
//     g1s b1c + g1c b1s is exact: both terms are multiples of 2^(a - 52), and so is their sum, which is below
//     2^(a + 1). The rest is g1s b2c + g2s bc + g1c b2s + g2c bs, b being b1 + b2 in one double: four terms
//     of at most 2^(a-26) each. They are off by u 2^(a-26) for the rounded halves and u 2^(a-26) for b: twice
//     four times; the sum of the four rounds at 1, 2, 3, 4 times that, and where nothing is fused 3 more;
//     taking e away or adding it rounds at 4 times: 8 + 10 + 3 + 4 = 25 u 2^(a-26). So e = 26 u 2^(a-26) +
//     (2), 2^(a - 74.2): about one entry in 2^20 of size A stays open, and in proportion more of smaller
//     ones, which is why (4) is used where T is below 2^-12 A.
//
// (6) Rotated tokens in f32 and narrower are x c - y s and x s + y c of plain doubles c and s. Each is the
//     middle of (3), and so within e of the exact cosine or sine, and rounded once more by u A. low = fma(x,
//     c, fma(-y, s, -E)), high = low + 2 E: rounding takes u |y s| and E u inside (u |y s| more where nothing
//     is fused), u of both terms outside (and u |x c|), u of the sum in high: at most 4 u A (|x| + |y|). So E
//     = (e + 5.01 u A) (|x| + |y|), e the larger of the two.
//
// (7) Rounded to f32 by its bits. x, a sum of two products of doubles as in (3) or (6), but without e taken
//     away, is off by less than that e. Let 2^k be the power of two at or below |x| and q = 2^(k - 52) the
//     last place of its double, so that |x| = m q with a whole number m of 53 bits, and the exact value is
//     within E = e / q of m, in units of q. Of m the f32 keeps what is above 2^29 (`half_of_f32` is half of
//     that). Adding 2^28 + D to the bits (D = `rounding_margin`) and leaving off the last 29 rounds to
//     nearest whenever the 29 bits that are left off come out at 2 D or more, as (low & (2^29 - 2 D)) != 0
//     says, D being a power of two: then m is at least D away from both ends of what rounds to the same f32,
//     and E < D keeps the exact value inside. Carrying into the exponent is right, since the bits of a double
//     and those of an f32 are in the order of their sizes. E < D is seen to by comparing the f32 with W =
//     2^38 (1 + 2^-18) e, cut off after 21 bits: if it is no less, |x| is at least W (1 - 2^-19), 2^k is more
//     than half of |x|, and so E = e 2^(52 - k) < e 2^53 / (W (1 - 2^-19)) < 2^15 = D.
//
//     Exponents in (7): the giants, or the angles of (6), are scaled by 2^-896, so that the exponent of x as
//     a double is the one of its f32. What is below 2^-126 is less than W, which is kept at least that large.
//     Nothing is as large as 2^128: a table's values are not for their amplitude, and of (6) nothing is
//     decided unless W is below 2^115, which what is not finite is not; then A (|x| + |y|) <= W / (2^38 5.01
//     u) is below 2^127.7. Scaling and what follows may round at 2^-1075 instead of relative to the numbers,
//     a few times, times |x| in (6): below 2^-176 when scaled back, which is far below the 2^-164 that e is
//     then, and, times |x|, far below 5 u A. In (6) W is computed in single precision, (|x| + |y|) w + 2^-126
//     with w of the token and the frequency, a normal number for the amplitudes there are: w is rounded once,
//     the sum and the last step once each, all by 2^-24 of themselves, and w is made too large by 2^-20
//     (`of_single`) before. NaN, and what is as large as 2^128, stays so in the sum, which is then
//     not below 2^115.
// (8) Entries of bf16 and f16 are compared in single precision. Let v = 2^-24, P a power of two at or above A
//     (by 2^-53 of P below it at most, and what is between P and P (1 + 2^-52) rounds to P in either format),
//     S and C the giant, s and c the baby, M at least the largest |s| of the block; gs, gc, bs, bc are the
//     same rounded to f32. All of S and C are at most P, all of s and c at most 1, so that gs is off by v
//     min(|gs|, P/2), gc likewise, bc by v/2, bs by v min(M, 1/2). For the sine, x = S c + C s:
//       heads: S c - gs bc and C s - gc bs are at most h = v (min(|gs|, P/2) + |gs|/2 + M min(|gc|, P/2) +
//              |gc| min(M, 1/2));
//       inner: z1 = fl(gc bs - e) is off by i = v min(q, P/2), q = |gc| M; where q is more than P (1 -
//       2^-20),
//              q + e may be more than P, which doubles the last place: i = v P;
//       outer: low = fl(gs bc + z1) is off by o = v min(|gs| + q, P/2) where it is at most P.
//     e = (h + i + o) (1 + 2^-15) + 2^-48 P. The first factor has room for the e in q + e and in |gs| + q +
//     e, where e, as far as it is proportional to them, is at most 6 v of P and 4.1 v of |gs| + q, that is, v
//     e is below 2^-20 of o; for what doubles are off by (2^-52 of gs, gc, bs, bc); and for e being computed
//     in single precision itself, a dozen roundings. The second has room for v times itself, for the giants,
//     (2), and for what single precision flushes or rounds below 2^-126, since P is at least 2^-60: half of
//     it is left. Then gs bc + z1 < x - o, and so low < x, or -P = low <= x where rounding would go beyond
//     -P. On the other side gs bc + z1 > x - 2 e + o, and low is at most o less, 2 o where it is below -P.
//     high = fl(low + w) with w = 2 e + 2 o: low + w > x + o, and rounding takes o at most, or ends at P >=
//     x. So the value lies strictly between low and high, or it is P or -P. The cosine has gs and gc
//     exchanged.
//
//     An entry is right if low and high both round to it, wrong if both round to another number, and what
//     both round to is written: all between them does, and a tie strictly between would part them, whichever
//     way it goes; P is no tie. In bf16 that is adding half of what is left off to the bits of an f32, which
//     rounds ties away from 0, and looking at the others; 0 is never right this way, since w is more than all
//     that would round to it, and neither is an infinity or NaN, since low and high are below 2^62. In f16
//     the processor rounds, ties to even; subnormal numbers and infinities are as good as others, and -0 is
//     not 0. What this leaves open is decided in doubles, low and high of (3), of which half is added to the
//     bits in either format: f16's subnormal numbers stay open.
namespace posproof::exact::bounds {

constexpr double u = 0x1p-53;
constexpr double coarse = 6.01 * u;   // (3)
constexpr double rotated = 5.01 * u;  // (6)
constexpr double fine = 27 * u * u;   // (4)
constexpr double giant =
    2048 * u * u;  // (2): of a giant and a baby together, which have the digits of one t between them

constexpr double quantum = 0x1p-26;             // (5): q for a = 0
constexpr double split = 26 * u * quantum;      // (5)
constexpr double too_small_to_split = 0x1p-12;  // (5)

constexpr long half_of_f32 = 1L << 28, rounding_margin = 1L << 15;  // (7)
constexpr double as_f32 = 0x1p-896;                                 // (7)
constexpr double surely_rounded = 0x1.00004p38;                     // (7): W for e = 1
constexpr double of_single = 1 + 0x1p-20;                           // (7): what W is too large by
constexpr double most_rounding_margin = 0x1p115;                    // (7): of W
constexpr double least_f32 = 0x1p-126;                              // a normal one

constexpr float single = 0x1p-24f * (1 + 0x1p-15f);           // (8): v, with room
constexpr float least_single = 0x1p-48f;                      // (8): of P
constexpr float below_power = 1 - 0x1p-20f;                   // (8): of P
constexpr double least_power = 0x1p-60, most_power = 0x1p60;  // (8): of A

}  // namespace posproof::exact::bounds
