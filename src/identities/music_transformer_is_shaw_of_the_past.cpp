#include "catalogue/identities/music_transformer_is_shaw_of_the_past.h"
#include "catalogue/encodings/music_transformer.h"
#include "catalogue/encodings/shaw.h"
#include "identities/sides.h"

namespace posproof::identities_music_transformer_is_shaw_of_the_past {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  Parameters right = taken(left, {"dim", "table_seed", "beyond"}, "relative=key_minus_query");
  right.set("clip", static_cast<double>(left.width("length") - 1));
  return right;
}

}  // namespace

const Identity entry{
    .statement =
        "The skewed logits of Music Transformer are those of Shaw's vectors on keys, for keys at or before the query.",
    .formula =
        "E holds the distances L - 1 .. 0: q_i . e_(j - i) = q_i . a_clip(j - i), clip = L - 1, a^V = 0",
    .source = "Huang et al. 2018, Music Transformer, section 3.4; Shaw et al. 2018, section 3",
    .left = &encodings::music_transformer,
    .right = &encodings::shaw,
    .where = {{{"length", {3.0, 6.0, 17.0}}, {"beyond", {"repeat", "zero"}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last logit is 2^-19 larger", "dim=2 length=3 beyond=repeat", &last_entry_off}},
};

}  // namespace posproof::identities_music_transformer_is_shaw_of_the_past
