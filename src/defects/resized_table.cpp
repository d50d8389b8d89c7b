#include "catalogue/defects/resized_table.h"

#include "catalogue/encodings/resized_table.h"
#include "defects/operators.h"

namespace posproof::defects_resized_table {
namespace {

using namespace operators;

Encoding right(const Parameters& p) {
  return encodings::resized_table.make(p);
}

// Row y and column x of the answer are sampled where x is down the table, and y across: what the transposed
// grid has at (x, y).
Encoding sampled_transposed(const Parameters& p) {
  const std::string method = p.word("method");
  refuse_unless(method == "linear" || method == "cubic", "said of a table that is sampled");
  const std::string stands = p.word("table");
  refuse_unless(stands == "index" || stands == "seeded", "the same where the table is, or may be, symmetric");
  refuse_unless(
      p.integer("from_height") * p.integer("from_width") > 1 && p.integer("height") * p.integer("width") > 1,
      "the same for one entry");
  Parameters other = p;
  other.set("height", static_cast<double>(p.integer("width")));
  other.set("width", static_cast<double>(p.integer("height")));
  const Encoding turned = right(other);
  const Position kept = p.integer("kept_rows"), height = p.integer("height"), width = p.integer("width");
  return asked_for(answered_by(right(p), [turned](const Call& call) { return answer(turned, call); }),
                   [=](Call& call) {
                     for (Position& t : call.positions.whole) {
                       if (t < kept || t >= kept + height * width) continue;
                       const Position y = (t - kept) / width, x = (t - kept) % width;
                       t = kept + x * height + y;
                     }
                   });
}

// Resized to width x height, and read row by row as if it were height x width.
Encoding height_and_width_exchanged(const Parameters& p) {
  const Position height = p.integer("height"), width = p.integer("width");
  refuse_unless(height != width, "the same where the target is square");
  refuse_unless(p.word("table") != "constant", "the same for rows that are alike");
  Parameters other = p;
  other.set("height", static_cast<double>(width));
  other.set("width", static_cast<double>(height));
  return answered_by(right(p),
                     [exchanged = right(other)](const Call& call) { return answer(exchanged, call); });
}

// The rows are added before the class tokens are put in front: patch k has the row of the one before it.
Encoding added_before_the_class_token(const Parameters& p) {
  refuse_unless(p.integer("kept_rows") > 0, "there is no class token");
  refuse_unless(p.word("table") != "constant", "the same for rows that are alike");
  const Position kept = p.integer("kept_rows");
  return at(right(p), [kept](Position t) { return t < kept ? t : t - kept; });
}

}  // namespace

const DefectFamily entry{{
    {.name = "sampled_transposed",
     .wrong = "grid_sample is given (y, x) where it takes (x, y): the table is read transposed",
     .sources = "kin of torchtitan#4244",
     .make = &sampled_transposed,
     .setting = "dim=1 from_height=2 from_width=3 height=2 width=3"},
    {.name = "height_and_width_exchanged",
     .wrong =
         "the table is resized to width x height, and read row by row as one of height x width: both are in each other's place twice, which shows where the target is not square",
     .sources = "torchtitan#4244",
     .recorded = {"learned-grid-sample-axes"},
     .make = &height_and_width_exchanged,
     .setting = "dim=1 from_height=2 from_width=3 height=2 width=3"},
    {.name = "added_before_the_class_token",
     .wrong =
         "the table is added before the class tokens are put in front: patch k has the row of k - kept_rows",
     .sources = "annotated_deep_learning_paper_implementations#221",
     .recorded = {"vit-pe-before-prefix-tokens"},
     .make = &added_before_the_class_token,
     .setting = "dim=1 from_height=1 from_width=2 height=1 width=2 kept_rows=1"},
}};

}  // namespace posproof::defects_resized_table
