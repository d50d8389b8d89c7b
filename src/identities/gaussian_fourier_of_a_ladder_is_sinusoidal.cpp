#include "catalogue/identities/gaussian_fourier_of_a_ladder_is_sinusoidal.h"
#include "catalogue/encodings/gaussian_fourier.h"
#include "catalogue/encodings/sinusoidal.h"
#include "identities/sides.h"

namespace posproof::identities_gaussian_fourier_of_a_ladder_is_sinusoidal {
namespace {

using namespace identities;

// 10000^(-i/4), and over 2 pi.
const std::vector<double> radians = {1, 0.1, 0.01, 0.001};
const std::vector<double> turns = {0.15915494309189535, 0.015915494309189534, 0.0015915494309189536,
                                   0.00015915494309189535};

std::optional<Parameters> right_of(const Arguments& left) {
  if (left.list("entries") != (left.is("factor", "two_pi") ? turns : radians)) return std::nullopt;
  return taken(left, {"dim", "layout"});
}

}  // namespace

const Identity entry{
    .statement =
        "Gaussian Fourier features of one axis whose matrix, times the factor, holds the sinusoidal frequencies (over 2 pi where the factor is 2 pi) are the sinusoidal row.",
    .formula = "a B_i = w_i, a = 2 pi or 1: (cos a B_i t, sin a B_i t) = (cos w_i t, sin w_i t)",
    .source =
        "Tancik et al. 2020, Fourier Features Let Networks Learn High Frequency Functions in Low Dimensional Domains, section 4; Vaswani et al. 2017, section 3.5",
    .left = &encodings::gaussian_fourier,
    .right = &encodings::sinusoidal,
    .where = {{{"axes", {1.0}},
               {"dim", {8.0}},
               {"norm", {"none"}},
               {"matrix", {"listed"}},
               {"factor", {"two_pi", "one"}},
               {"entries", {turns, radians}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject =
        {{"the last channel of the last token is 2^-19 larger",
          "dim=8 matrix=listed entries=[0.15915494309189535,0.015915494309189534,0.0015915494309189536,0.00015915494309189535]",
          &last_entry_off}},
};

}  // namespace posproof::identities_gaussian_fourier_of_a_ladder_is_sinusoidal
