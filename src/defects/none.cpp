#include "catalogue/defects/none.h"
#include "catalogue/encodings/none.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/encodings/t5_bias.h"
#include "core/spec.h"
#include "defects/operators.h"

// No encoding is meant, and one acts: standard parameters, as wide as the tokens.
namespace posproof::defects_none {
namespace {

Contextual right(const Parameters& parameters) {
  return encodings::none.make<Contextual>(parameters);
}

Encoding of_width(const EncodingSpec& spec, const Parameters& p) {
  Parameters given;
  given.set("dim", p.real("dim"));
  return spec.make(given);
}

Encoding rotated(const Parameters& p) {
  operators::refuse_unless(p.integer("dim") % 2 == 0, "nothing rotates in an odd width");
  return operators::asked_for(right(p), [rope = of_width(encodings::rope, p)](Call& call) {
    for (const std::size_t content : {0, 1}) {
      Tensor& x = call.contents[content];
      const Shape tokens = x.shape;
      Call own{.positions = content == 0 ? call.positions : call.keys, .contents = {x}};
      own.contents[0].shape = {1, 1, tokens[0], tokens[1]};
      x = answer(rope, own);
      x.shape = tokens;
    }
  });
}

Encoding table_added(const Parameters& p) {
  operators::refuse_unless(p.integer("dim") % 2 == 0, "the table has even widths");
  return operators::asked_for(right(p), [table = of_width(encodings::sinusoidal, p)](Call& call) {
    for (const std::size_t content : {0, 1}) {
      const Tensor rows = answer(table, {.positions = content == 0 ? call.positions : call.keys});
      for (std::size_t n = 0; n < rows.data.size(); ++n) call.contents[content].data[n] += rows.data[n];
    }
  });
}

Encoding bias_added(const Parameters& p) {
  Parameters one_head;
  one_head.set("heads", 1.0);
  return operators::answering(
      right(p), [bias = encodings::t5_bias.make(one_head)](const Call& call, Tensor& out) {
        const Tensor added = answer(bias, {.positions = call.positions, .keys = call.keys});
        for (std::size_t n = 0; n < out.data.size(); ++n) out.data[n] += added.data[n];
      });
}

}  // namespace

const DefectFamily entry{{
    {.name = "rotated",
     .wrong = "queries and keys are rotated in layers that should have no encoding",
     .sources = "Camelid#535, executorch#22043, rknn-llm#501",
     .recorded = {"nope-layers-ignored"},
     .make = &rotated,
     .setting = "dim=2"},
    {.name = "table_added",
     .wrong =
         "the rows of an absolute table are added to the tokens, where positions should act through a bias alone",
     .sources = "gpt-neox#147",
     .recorded = {"two-encodings-at-once"},
     .make = &table_added,
     .setting = "dim=2"},
    {.name = "bias_added",
     .wrong = "a relative bias is added to the logits of cross attention, which should have none",
     .sources = "transformers#8518, transformers#7323, rust-bert#171",
     .recorded = {"t5-bias-on-cross-attention"},
     .make = &bias_added,
     .setting = "dim=1"},
}};

}  // namespace posproof::defects_none
