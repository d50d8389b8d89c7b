#include "catalogue/defects/xpos.h"

#include <cmath>
#include <memory>

#include "catalogue/encodings/xpos.h"
#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/is_stateless.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/by_row.h"
#include "core/function.h"
#include "defects/operators.h"

namespace posproof::defects_xpos {
namespace {

using namespace operators;

Rotary right(const Parameters& p) {
  return encodings::xpos.make<Rotary>(p);
}

// What a channel of a token at t is multiplied with; `row` is its place in the call's tokens.
struct Token {
  Position t, row, tokens, last;
  Role role;
};
using Factor = Function<double(const Token&, const Pair&, std::size_t channel)>;

Encoding with_factors(const Rotary& right, Factor factor) {
  Rotary rotary = right;
  rotary.rotate = [pairs = right.pairs, factor = std::move(factor)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    const Position last = positions.empty() ? 0 : std::ranges::max(positions);
    Tensor out = x;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const Token token{positions[r / (heads * n) * n + r % n], static_cast<Position>(r % n),
                        static_cast<Position>(n), last, role};
      for (const Pair& pair : pairs) {
        const auto [first, second, w, index, error, axis] = pair;
        const double angle = static_cast<double>(token.t) * w;
        const double c = std::cos(angle), s = std::sin(angle);
        out.at(r, first) = factor(token, pair, first) * (x.at(r, first) * c - x.at(r, second) * s);
        out.at(r, second) = factor(token, pair, second) * (x.at(r, first) * s + x.at(r, second) * c);
      }
    }
    return out;
  };
  return is_by_row(right) ? by_row(std::move(rotary)) : rotary;
}

// zeta_i^e, where e is of a query; of a key zeta_i^-e.
double zeta_to(const Rotary& rotary, const Parameters& p, std::size_t index, double e, Role role) {
  const double gamma = p.real("gamma"),
               share = static_cast<double>(index) / static_cast<double>(rotary.pairs.size());
  return std::pow((share + gamma) / (1 + gamma), role == Role::query ? e : -e);
}

// The declared centre of the token's call.
double centre_of(const Parameters& p, const Token& token) {
  if (p.word("centre_at") == "position") return p.real("centre");
  const Position length = token.last + 1;
  return static_cast<double>(p.word("centre_at") == "half_of_call" ? length / 2 : (length + 1) / 2);
}

Encoding frequencies_kept_for_scales(const Parameters& p) {
  const Rotary rotary = right(p);
  const Encoding angles = with_factors(rotary, [](const Token& token, const Pair& pair, std::size_t) {
    return static_cast<double>(token.t) * pair.frequency;
  });
  return where(rotary, angles, [called = std::make_shared<bool>(false)](const Call& call) {
    return call.contents[0].data.empty() ? false : std::exchange(*called, true);
  });
}

Encoding scale_tiled(const Parameters& p) {
  refuse_unless(p.word("layout") == "interleaved" && right(p).pairs.size() > 1,
                "the same where the halves of the channels are the pairs, or there is one pair");
  const Rotary rotary = right(p);
  return with_factors(rotary, [=](const Token& token, const Pair&, std::size_t channel) {
    const double e = (static_cast<double>(token.t) - centre_of(p, token)) / p.real("scale_base");
    return zeta_to(rotary, p, channel % rotary.pairs.size(), e, token.role);
  });
}

Encoding scale_by_row(const Parameters& p) {
  const Rotary rotary = right(p);
  return with_factors(rotary, [=](const Token& token, const Pair& pair, std::size_t) {
    const double e =
        (static_cast<double>(token.row) - static_cast<double>(token.tokens / 2)) / p.real("scale_base");
    return zeta_to(rotary, p, pair.index, e, token.role);
  });
}

Encoding centre_of_each_call(const Parameters& p) {
  refuse_unless(p.word("centre_at") == "position", "it is declared");
  const Rotary rotary = right(p);
  return with_factors(rotary, [=](const Token& token, const Pair& pair, std::size_t) {
    const double e = static_cast<double>(token.t - (token.last + 1) / 2) / p.real("scale_base");
    return zeta_to(rotary, p, pair.index, e, token.role);
  });
}

using namespace properties;

}  // namespace

const DefectFamily entry{{
    {.name = "frequencies_kept_for_scales",
     .wrong =
         "angles and scales are cached under one name: from the second call on, tokens are multiplied by t w_i",
     .sources = "rotary-embedding-torch@22cac59",
     .recorded = {"xpos-cache-stores-freqs-as-scale"},
     .make = &frequencies_kept_for_scales,
     .setting = "dim=2",
     .refuted_by = &call::is_stateless},
    {.name = "scale_tiled",
     .wrong =
         "scales are repeated as z_0 .. z_h, z_0 .. z_h where pairs are interleaved: both channels of a pair have their own",
     .sources = "rotary-embedding-torch#34, rotary-embedding-torch@4ae4ca0",
     .recorded = {"xpos-scale-tiled-not-paired"},
     .make = &scale_tiled,
     .setting = "dim=4",
     .refuted_by = &score::depends_on_offset},
    {.name = "scale_by_row",
     .wrong = "the exponent is (row - n/2)/B for the call's n rows, whatever their positions",
     .sources = "x-transformers@c5baa0d, x-transformers@22f9b41, x-transformers@d41cffd, x-transformers#226",
     .recorded = {"xpos-scale-from-length-not-position"},
     .make = &scale_by_row,
     .setting = "dim=2",
     .refuted_by = &call::agrees_in_chunks},
    {.name = "centre_of_each_call",
     .wrong = "c is half the length of the call: cached keys and later queries have different centres",
     .sources = "rotary-embedding-torch#27",
     .recorded = {"xpos-decode-centre-moves"},
     .make = &centre_of_each_call,
     .setting = "dim=2",
     .refuted_by = &call::agrees_in_chunks},
}};

}  // namespace posproof::defects_xpos
