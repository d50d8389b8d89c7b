#include "catalogue/properties/table/is_defined_for_one_token.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof::properties_table_is_defined_for_one_token {
namespace {

Residual check(const Table& table, Precision p, Draw&) {
  try {
    return holds_if(table_rows::finite(table_rows::bounded(table, p, {table.positions.lo})[0]));
  } catch (const Refusal&) {
    // Here no answer is the failure, not a case to be passed over.
    return holds_if(false);
  }
}

Encoding divides_by_zero() {
  return negative_examples::plain(1, Domain{}, [](std::size_t, double t, double n) { return t / (n - 1); });
}

Encoding declines() {
  Table table = negative_examples::plain(1, Domain{}, [](std::size_t, double t, double) { return t; });
  table.rows = [rows = table.rows](std::span<const Position> positions, Position n) {
    if (n < 2) throw Refusal("one token has no neighbour to be normalised by");
    return rows(positions, n);
  };
  return table;
}

}  // namespace

const Property entry{
    .statement = "A sequence of one token has a row, and all of its entries are finite numbers.",
    .formula = "p_0(1) is finite",
    .source = "the argument against t/(n-1): 0/0 for one token",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"a row of 0/0", &divides_by_zero}, {"a refusal of the first token", &declines}},
    .needs = Needs::live_subject,  // a file of one length holds no other sequence
    .yes_or_no = true,
};

}  // namespace posproof::properties_table_is_defined_for_one_token
