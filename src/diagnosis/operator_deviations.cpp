#include "diagnosis/operator_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "attention/dot_product.h"
#include "core/random.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

// Queries, keys and a mask over them.
struct Tokens {
  Tensor q, k;
  Mask mask;
};

Tensor rows(std::size_t n, std::size_t width, std::uint64_t seed, double size) {
  Tensor out({n, width});
  for (std::size_t e = 0; e < out.data.size(); ++e)
    out.data[e] = size * (static_cast<double>(mixed((seed << 32) + e) % 33) - 16) / 16;
  return out;
}

// In eighths, which all formats hold.
Tokens probe(std::size_t width, std::uint64_t seed, double size) {
  constexpr std::size_t n = 7;
  Tokens out{rows(n, width, seed, size), rows(n, width, seed + 1, size), Mask({n, n})};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) out.mask.at(i, j) = 1;
  return out;
}

Tensor nothing(const Attention& of, std::size_t keys) {
  return Tensor({keys, of.value_dim});
}

// [heads, nq, nk]: the answers to one-hot values, less those to zeros.
Tensor weights(const Attention& of, const Tokens& at, std::size_t heads) {
  const std::size_t nq = at.q.rows(), nk = at.k.rows(), width = of.value_dim / heads;
  const Tensor zero = of.attend(at.q, at.k, nothing(of, nk), at.mask);
  Tensor out({heads, nq, nk});
  for (std::size_t from = 0; from < nk; from += width) {
    Tensor v = nothing(of, nk);
    const std::size_t some = std::min(width, nk - from);
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t n = 0; n < some; ++n) v.at(from + n, h * width + n) = 1;
    const Tensor y = of.attend(at.q, at.k, v, at.mask);
    if (y.shape != Shape{nq, of.value_dim}) throw std::runtime_error("another shape");
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < nq; ++i)
        for (std::size_t n = 0; n < some; ++n)
          out.at(h * nq + i, from + n) = y.at(i, h * width + n) - zero.at(i, h * width + n);
  }
  return out;
}

// q.k / sqrt(d) in each head.
Tensor content(const Tokens& at, std::size_t heads) {
  const std::size_t nq = at.q.rows(), nk = at.k.rows(), width = at.q.width() / heads;
  Tensor out({heads, nq, nk});
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < nq; ++i)
      for (std::size_t j = 0; j < nk; ++j) {
        for (std::size_t c = h * width; c < (h + 1) * width; ++c)
          out.at(h * nq + i, j) += at.q.at(i, c) * at.k.at(j, c);
        out.at(h * nq + i, j) /= std::sqrt(static_cast<double>(width));
      }
  return out;
}

// Logarithms of weights, which say nothing of a constant on a row.
Tensor logarithms(Tensor weights) {
  for (double& w : weights.data) w = std::log(w);
  return weights;
}

// A zero token before the others, hidden from all.
Tokens behind_a_hidden_one(const Tokens& at) {
  const auto longer = [](const Tensor& x) {
    Tensor out({x.rows() + 1, x.width()});
    std::ranges::copy(x.data, out.data.begin() + static_cast<std::ptrdiff_t>(x.width()));
    return out;
  };
  Tokens out{longer(at.q), longer(at.k), Mask({at.q.rows() + 1, at.k.rows() + 1})};
  // Of these the logits are wanted: every query sees it.
  for (std::size_t i = 0; i < out.mask.rows(); ++i) {
    out.mask.at(i, 0) = 1;
    for (std::size_t j = 1; i > 0 && j < out.mask.width(); ++j) out.mask.at(i, j) = at.mask.at(i - 1, j - 1);
  }
  return out;
}

// ---- what the logits of an operator are made of

struct Made {
  double content = 0;   // times q.k / sqrt(d)
  double declared = 1;  // times the declared logits, less their content where that is known
  std::optional<double> own_content = {};  // of the declared ones, where the rest does not depend on queries
  bool of_the_key_before = false;          // what the position gives is that of the key before
  double without_values = 1;               // times what the declared one gives where all values are 0
};

Tensor logits(const Attention& reference, const Tokens& at, std::size_t heads, const Made& made) {
  const Tensor own = content(at, heads);
  const std::size_t nq = at.q.rows();
  Tokens asked = made.of_the_key_before ? behind_a_hidden_one(at) : at;
  // What does not depend on queries is seen by one that is zero, whose weights content does not drown.
  if (made.own_content) std::ranges::fill(asked.q.data, 0.0);
  Tensor out(own.shape), of;
  if (made.declared != 0) of = logarithms(weights(reference, asked, heads));
  for (std::size_t r = 0; r < out.rows(); ++r)
    for (std::size_t j = 0; j < out.width(); ++j) {
      const std::size_t there = made.of_the_key_before ? r / nq * (nq + 1) + r % nq + 1 : r;
      out.at(r, j) = made.content * own.at(r, j) + (made.declared == 0 ? 0 : made.declared * of.at(there, j));
    }
  return out;
}

Encoding corrected(const Attention& reference, const Attention& truth, std::size_t heads, const Made& made) {
  Attention out = as_other_operators(truth, 1 + std::abs(made.content) + std::abs(made.declared));
  out.attend = [reference, heads, made](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tokens at{q, k, mask};
    Tensor scores = logits(reference, at, heads, made);
    Tensor to = reference.attend(q, k, nothing(reference, k.rows()), mask);
    for (double& y : to.data) y *= made.without_values;
    const std::size_t nq = q.rows(), width = v.width() / heads;
    for (std::size_t h = 0; h < heads; ++h) {
      Tensor own({nq, k.rows()});
      for (std::size_t i = 0; i < nq; ++i) std::ranges::copy(scores.row(h * nq + i), own.row(i).begin());
      const Tensor w = attention::softmax(own, mask);
      for (std::size_t i = 0; i < nq; ++i)
        for (std::size_t j = 0; j < k.rows(); ++j)
          for (std::size_t c = h * width; c < (h + 1) * width; ++c) to.at(i, c) += w.at(i, j) * v.at(j, c);
    }
    return to;
  };
  return out;
}

// ---- fitting

// Differences in a row from its first key, of keys that are seen and whose weights are told from 0.
struct Difference {
  double subject, content, declared;
};

class Fitting {
 public:
  Fitting(const Attention& subject, const Attention& reference, const Attention& truth, std::size_t heads)
      : subject_(subject), reference_(reference), truth_(truth), heads_(heads) {}

  std::vector<Deviation> all() {
    std::vector<Deviation> out;
    const double without = without_values();
    // What multiplies the content in the declared logits, where the rest does not depend on queries.
    own_content_ = content_of_declared();
    if (without != 1) add(out, {.without_values = without});
    for (const bool before : {false, true}) {
      if (before && !own_content_) continue;
      if (const auto made = fitted(before)) {
        Made one = *made;
        one.without_values = without;
        add(out, one);
      }
    }
    return out;
  }

 private:
  void add(std::vector<Deviation>& to, const Made& made) const {
    std::vector<std::string> said = words(made);
    if (!said.empty()) to.push_back({std::move(said), corrected(reference_, truth_, heads_, made)});
  }

  static std::string factor_words(const std::string& what, double factor) {
    if (factor == 0) return what + " is missing";
    if (factor == -1) return what + " has the other sign";
    return fmt::format("{} is {} the declared one", what, times(factor, 1e-3));
  }

  std::vector<std::string> words(const Made& made) const {
    std::vector<std::string> out;
    if (made.of_the_key_before)
      out.push_back(
          "what a logit has from its position is that of the key before: the key's own is counted, too");
    const double root = std::sqrt(static_cast<double>(truth_.dim / heads_));
    if (made.own_content) {
      const double by = made.content / *made.own_content;
      const std::string both = "the product of query and key";
      if (std::abs(by / root - 1) < 1e-9)
        out.push_back(fmt::format("{} is not divided by sqrt({:g})", both, root * root));
      else if (std::abs(by * root - 1) < 1e-9)
        out.push_back(fmt::format("{} is divided by sqrt({:g}) once more", both, root * root));
      else if (by != 1)
        out.push_back(factor_words(both, by));
      if (made.declared != 1)
        out.push_back(factor_words("what a logit has from its position", made.declared));
    } else if (made.declared == 0 && made.content != 0) {
      out.push_back("what a logit has from its position is missing");
    } else if (made.declared != 1) {
      out.push_back(std::abs(made.declared / root - 1) < 1e-9
                        ? fmt::format("every logit is not divided by sqrt({:g})", root * root)
                        : factor_words("every logit", made.declared));
    }
    if (made.without_values != 1)
      out.push_back(factor_words("what is added to values for their positions", made.without_values));
    return out;
  }

  // Of the probes, in which every number is one of a sixteenth.
  std::vector<Difference> differences(bool before) const {
    std::vector<Difference> out;
    for (const double size : {1.0, 0.5})
      for (const std::uint64_t seed : {3, 5, 7}) {
        const Tokens at = probe(truth_.dim, seed, size);
        const Tensor is = weights(subject_, at, heads_), own = content(at, heads_),
                     of = logits(reference_, at, heads_,
                                 {.own_content = own_content_, .of_the_key_before = before});
        for (std::size_t r = 0; r < is.rows(); ++r)
          for (std::size_t j = 1; j <= r % at.q.rows(); ++j) {
            if (is.at(r, j) < 1e-3 || is.at(r, 0) < 1e-3) continue;
            const double content = own.at(r, j) - own.at(r, 0);
            out.push_back({std::log(is.at(r, j) / is.at(r, 0)), content, of.at(r, j) - of.at(r, 0)});
          }
      }
    return out;
  }

  // x content + y declared, by least squares; exact numbers where they are near to such.
  std::optional<Made> fitted(bool before) const {
    const std::vector<Difference> all = differences(before);
    double cc = 0, cd = 0, dd = 0, sc = 0, sd = 0;
    for (const auto& [s, c, d] : all) cc += c * c, cd += c * d, dd += d * d, sc += s * c, sd += s * d;
    const double determinant = cc * dd - cd * cd;
    if (all.size() < 12 || !(cc > 0)) return std::nullopt;
    Made out{.own_content = own_content_, .of_the_key_before = before};
    // What is left of the declared logits, where they are content alone, is rounding.
    if (dd > 1e-12 * cc && determinant > 1e-6 * cc * dd) {
      out.content = near((sc * dd - sd * cd) / determinant);
      out.declared = near((sd * cc - sc * cd) / determinant);
    } else if (dd > 1e-12 * cc && !own_content_) {  // the declared logits are content
      out.declared = near(sd / dd);
    } else {
      out.content = near(sc / cc);
    }
    for (const auto& [s, c, d] : all)
      if (!(std::abs(s - out.content * c - out.declared * d) <= 0.02 * (1 + std::abs(s))))
        return std::nullopt;
    return out;
  }

  double near(double x) const {
    const double root = std::sqrt(static_cast<double>(truth_.dim / heads_));
    for (const double known : {0.0, 1.0, -1.0, root, 1 / root, root * root, 1 / root / root,
                               std::log2(std::exp(1.0)), 1 / std::log2(std::exp(1.0)), 2.0, 0.5})
      if (std::abs(x - known) < 2e-3 * std::max(1.0, known)) return known;
    return x;
  }

  std::optional<double> content_of_declared() const {
    double cc = 0, cd = 0;
    std::vector<std::array<double, 2>> all;
    for (const std::uint64_t seed : {11, 13}) {
      const Tokens at = probe(truth_.dim, seed, 0.5);
      Tokens without = at;
      std::ranges::fill(without.q.data, 0.0);
      const Tensor of = logarithms(weights(reference_, at, heads_)),
                   rest = logarithms(weights(reference_, without, heads_)), own = content(at, heads_);
      for (std::size_t r = 0; r < of.rows(); ++r)
        for (std::size_t j = 1; j <= r % at.q.rows(); ++j) {
          const double c = own.at(r, j) - own.at(r, 0),
                       d = of.at(r, j) - of.at(r, 0) - rest.at(r, j) + rest.at(r, 0);
          all.push_back({c, d}), cc += c * c, cd += c * d;
        }
    }
    for (const auto& [c, d] : all)
      if (!(std::abs(d - cd / cc * c) <= 1e-6 * (1 + std::abs(d)))) return std::nullopt;
    const double by = near(cd / cc);
    return std::abs(by - cd / cc) < 1e-6 ? by : cd / cc;
  }

  // How many times what the declared one gives for zeros.
  double without_values() const {
    double most = 0, is = 0;
    const Tokens at = probe(truth_.dim, 17, 0.5);
    const Tensor of = reference_.attend(at.q, at.k, nothing(reference_, at.k.rows()), at.mask),
                 own = subject_.attend(at.q, at.k, nothing(subject_, at.k.rows()), at.mask);
    for (std::size_t e = 0; e < of.data.size(); ++e)
      if (std::abs(of.data[e]) > most) most = std::abs(of.data[e]), is = own.data.at(e) / of.data[e];
    const double by = most == 0 ? 1 : near(is);
    for (std::size_t e = 0; e < of.data.size(); ++e)
      if (!(std::abs(own.data[e] - by * of.data[e]) <= 1e-2 * most)) return 1;
    return by;
  }

  const Attention &subject_, &reference_, &truth_;
  std::size_t heads_;
  std::optional<double> own_content_;
};

}  // namespace

std::vector<Deviation> operator_deviations(const Attention& subject, const Attention& reference,
                                           const Attention& truth, std::size_t heads) {
  if (heads == 0 || truth.dim % heads != 0 || truth.value_dim % heads != 0 || !truth.errors) return {};
  try {
    return Fitting(subject, reference, truth, heads).all();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape
    return {};
  }
}

namespace {

// Where a query sees one key its weight is 1: what differs then is the value, or what is added to it.
class OperatorHalves {
 public:
  OperatorHalves(const Attention& subject, const Attention& truth, const Precision& precision)
      : subject_(subject), truth_(truth), precision_(precision) {}

  // The offsets, key minus query, of values that are others, and how many were asked.
  std::vector<Position> other_values(std::size_t n) const {
    const Tensor q = rows(n, truth_.dim, 31, 0.5), k = rows(n, truth_.dim, 32, 0.5),
                 v = rows(n, truth_.value_dim, 33, 1);
    std::vector<Position> out;
    for (std::size_t by = 0; by < n; ++by) {
      Mask mask({n, n});
      for (std::size_t i = 0; i < n; ++i) mask.at(i, (i + by) % n) = 1;
      const std::vector<bool> right = right_rows(q, k, v, mask);
      for (std::size_t i = 0; i < n; ++i)
        if (!right[i]) out.push_back(static_cast<Position>((i + by) % n) - static_cast<Position>(i));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // Whether some query weighs keys otherwise: what its answer loses where the values are 0.
  bool has_other_weights(const Answered& one) const {
    const Tensor &q = one.call.contents.at(0), &k = one.call.contents.at(1), &v = one.call.contents.at(2);
    const Tensor none(v.shape);
    const Tensor is = subject_.attend(q, k, v, one.call.mask),
                 less = subject_.attend(q, k, none, one.call.mask),
                 ought = truth_.attend(q, k, v, one.call.mask),
                 without = truth_.attend(q, k, none, one.call.mask);
    const double error = largest_error(truth_, q, k, v, one.call.mask, precision_) +
                         largest_error(truth_, q, k, none, one.call.mask, precision_);
    for (std::size_t e = 0; e < ought.data.size(); ++e)
      if (!(std::abs(is.data.at(e) - less.data.at(e) - ought.data[e] + without.data[e]) <= 2 * error))
        return true;
    return false;
  }

 private:
  std::vector<bool> right_rows(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) const {
    const Tensor is = subject_.attend(q, k, v, mask), ought = truth_.attend(q, k, v, mask);
    if (is.shape != ought.shape) throw std::runtime_error("another shape");
    const double error = 2 * largest_error(truth_, q, k, v, mask, precision_);
    std::vector<bool> out;
    for (std::size_t r = 0; r < ought.rows(); ++r) {
      bool right = true;
      for (std::size_t c = 0; c < ought.width(); ++c)
        right = right && std::abs(is.at(r, c) - ought.at(r, c)) <= error;
      out.push_back(right);
    }
    return out;
  }

  const Attention &subject_, &truth_;
  const Precision& precision_;
};

}  // namespace

std::optional<std::string> wrong_half(const Attention& subject, const Attention& truth,
                                      const Precision& precision, const std::vector<Answered>& answered) {
  constexpr std::size_t tokens = 40, most = 24, several = 3;
  if (!truth.any_mask || truth.causal || !truth.errors || truth.only_logits) return std::nullopt;
  try {
    const OperatorHalves halves(subject, truth, precision);
    const std::vector<Position> values = halves.other_values(tokens);
    std::size_t weights = 0;
    for (std::size_t n = 0; n < answered.size(); n += std::max<std::size_t>(1, answered.size() / most))
      weights += halves.has_other_weights(answered[n]) ? 1 : 0;
    if (values.empty() == (weights == 0) || (values.empty() && weights < several)) return std::nullopt;
    if (values.empty())
      return "the weights of the keys are wrong; what is added to the values is as declared";
    const bool all = values.size() == 2 * tokens - 1;
    const bool run = values.back() - values.front() + 1 == static_cast<Position>(values.size());
    const std::string where =
        all                  ? ""
        : values.size() == 1 ? fmt::format(" at offset {} of the key", values.front())
        : run                ? fmt::format(" at offsets {} to {} of the key", values.front(), values.back())
                             : " at some offsets";
    return fmt::format(
        "the values, or what is added to them, are wrong{}; the weights of the keys are as declared", where);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape
    return std::nullopt;
  }
}

}  // namespace posproof
