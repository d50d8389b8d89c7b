#include "catalogue/identities/dynamic_ntk_of_one_length_is_ntk.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_dynamic_ntk_of_one_length_is_ntk {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  const double s = left.real("factor"),
               lengths = static_cast<double>(left.whole("length")) / left.real("original_length");
  Parameters right = taken(left, of_a_ladder, lengths > 1 ? "scaling=ntk" : "scaling=none");
  if (lengths > 1) right.set("factor", s * lengths - (s - 1));
  return right;
}

}  // namespace

const Identity entry{
    .statement =
        "Dynamic NTK at one length n, no shorter than the trained one, is NTK by s n / L0 - (s - 1).",
    .formula = "b (s n / L0 - (s - 1))^(d / (d - 2))",
    .source =
        "bloc97 and emozilla 2023, Dynamically Scaled RoPE; Hugging Face, _compute_dynamic_ntk_parameters",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"scaling", {"dynamic_ntk"}},
               {"length", {4096.0, 8192.0, 32768.0}},
               {"original_length", {2048.0, 4096.0}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=4 scaling=dynamic_ntk length=8192 original_length=2048", &last_entry_off}},
};

}  // namespace posproof::identities_dynamic_ntk_of_one_length_is_ntk
