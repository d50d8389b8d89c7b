#include "encoding_page.h"
#include "core/bounded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "catalogue/defects.h"
#include "catalogue/identities.h"
#include "core/spec.h"
#include "defects/sources.h"
#include "encoding_curve.h"
#include "encoding_errors.h"
#include "measure.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/exact_array.h"

namespace posproof::experiments {
namespace {

using namespace document;

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", text);
}

// What of an encoding several sections speak of.
struct Measured {
  std::string_view id;
  const EncodingSpec& spec;
  std::vector<Claim> claims;  // those that hold first
  std::size_t holding = 0;
  std::vector<Defect> defects;
  std::string words;  // the standard parameters
  std::optional<Plot> curve;
  EncodingErrors errors;
  std::string_view kind;
  std::optional<Domain> positions;  // none of a whole operator
  bool is_written = false;          // as an array, by `posproof oracle`
};

std::vector<Defect> defects_of(std::string_view id) {
  for (const auto& [family, all] : catalogue::defects())
    if (family == id) return all->defects;
  return {};
}

// Whether `posproof oracle` writes these positions as the page says.
bool is_written(const Encoding& exact) {
  if (!signature(exact).positions) return false;
  try {
    exact_array(exact, Format::f32, 0, 15);
    return true;
  } catch (const Refusal&) {
    return false;
  }
}

Measured measure(std::string_view id) {
  const EncodingSpec& spec = encoding_named(id);
  const Parameters parameters = with(spec, {});
  const Encoding exact = spec.oracle(parameters);
  Measured m{.id = id,
             .spec = spec,
             .claims = claims_of(spec),
             .defects = defects_of(id),
             .words = parameters.text(),
             .curve = encoding_curve(id, exact, parameters.text()),
             .errors = encoding_errors(spec.make(parameters), exact),
             .kind = kind(exact),
             .positions = signature(exact).positions ? std::optional(positions_of(exact)) : std::nullopt,
             .is_written = is_written(exact)};
  if (m.curve) m.curve->caption += of_stand_ins(id, spec, parameters, *m.curve);
  const auto fails =
      std::stable_partition(m.claims.begin(), m.claims.end(), [](const Claim& one) { return one.holds; });
  m.holding = static_cast<std::size_t>(fails - m.claims.begin());
  return m;
}

std::string of_condition(const Condition& condition) {
  return code(condition.text());
}

// ` Positions: whole numbers, 0 to 511, at the standard parameters; others are refused.`
std::string of_positions(const Domain& domain) {
  std::vector<std::string> ranges;
  for (std::size_t axis = 0; axis < domain.axes; ++axis)
    ranges.push_back(fmt::format("{} to {}", whole(domain.lo), whole(domain.last(axis))));
  if (std::ranges::adjacent_find(ranges, std::not_equal_to{}) == ranges.end()) ranges.resize(1);
  const std::string numbers = domain.real ? "numbers" : "whole numbers";
  return fmt::format(
      " Positions: {}, {}, at the standard parameters; {}.",
      domain.axes == 1 ? numbers : fmt::format("{} {} each", domain.axes, numbers),
      fmt::join(ranges, " and "),
      domain.ends ? "others are refused"
      : domain.real
          ? "agreement and the properties `call/` are searched over those of their own parameters, every other claim over the whole numbers among them"
          : "claims are searched over those of their own parameters");
}

std::vector<Block> what_it_is(const Measured& m) {
  return {Section{"Formula"}, Paragraph{code(m.spec.formula)},
          Paragraph{fmt::format("Kind: {}.{} Source: {}.", m.kind,
                                m.positions ? of_positions(*m.positions) : "", m.spec.source)}};
}

// The values over which claims are searched: `8` `12`.
std::string searched(const Parameter& parameter) {
  std::vector<std::string> values;
  for (const Value& value : parameter.grid) values.push_back(code(text(value)));
  return fmt::format("{}", fmt::join(values, " "));
}

// What a parameter may be, short where it is any finite number.
std::vector<Block> conventions(const Measured& m) {
  Grid grid{
      .columns = {"parameter", "meaning", "allowed", "standard", "searched", "unit", "contested",
                  "matters where"},
      .rows = {},
      .caption =
          "Searched: the values for which claims are made and searched; the standard one need not be among them. Contested: implementations differ here, and a subject that disagrees is compared under the other values."};
  for (const Parameter& one : m.spec.parameters)
    grid.rows.push_back({code(one.name), std::string(one.meaning), allowed(one.type),
                         code(text(one.standard)), searched(one), std::string(one.unit),
                         yes_no(one.convention), of_condition(one.matters_where)});
  std::vector<Block> out = {Section{"Conventions"}};
  if (grid.rows.empty())
    out.push_back(Paragraph{"It has no parameters."});
  else
    out.push_back(std::move(grid));
  std::string relations;
  for (const Relation& one : m.spec.parameters.relations)
    relations += fmt::format("{}- {}: {}{}", relations.empty() ? "" : "\n", code(one.between.front()),
                             one.allowed, one.where.all.empty() ? "" : ", where " + of_condition(one.where));
  if (!relations.empty()) out.push_back(Paragraph{"Allowed together:\n\n" + relations});
  return out;
}

// A declared fact; nothing where the encoding claims it itself.
std::string follows_from(const Claim& claim) {
  return claim.follows_from == nullptr ? "" : std::string(claim.follows_from->name);
}

Grid holding(const Measured& m) {
  Grid grid{
      .columns = {"property", "statement", "where", "follows from"},
      .rows = {},
      .caption =
          "Where: for which of the searched parameters it is claimed; nothing there: for all of them at which it can be asked. Each claim is searched for a counterexample over these. For other values a claim may be false, an effect below what its statement asks for, or an answer past what a format holds; the gate asks an implementation what is true of the exact encoding with its values. Nothing in the last column: the encoding claims it itself."};
  grid.rows.push_back({code(agreement_id),
                       "Its reference and its oracle give the same values, within rounding.", "",
                       "is an encoding"});
  for (const Claim& claim : m.claims)
    if (claim.holds)
      grid.rows.push_back({code(id_of(*claim.property)), std::string(claim.property->statement),
                           of_condition(claim.when), follows_from(claim)});
  return grid;
}

// What would follow from a declared fact, and is not claimed.
std::vector<Block> withdrawn(const Measured& m) {
  std::vector<Block> out;
  for (const auto& [fact, where, except, because] : m.spec.facts) {
    if (because.empty()) continue;
    std::vector<std::string> ids;
    for (const Property* property : except) ids.push_back(code(id_of(*property)));
    out.push_back(Paragraph{fmt::format("Not claimed, though the encoding {}{}{}: {}. The reason: {}.",
                                        fact->name, where.all.empty() ? "" : " where ", of_condition(where),
                                        fmt::join(ids, ", "), because)});
  }
  return out;
}

Grid failing(const Measured& m) {
  Grid grid{
      .columns = {"property", "statement", "because", "off by", "witness", "where", "follows from"},
      .rows = {},
      .caption =
          "Off by: the error of the witness, in the unit of the statement; where a statement asks for a least effect, how far the effect falls short of it; 1 where a statement says yes or no, as of distinct positions. In `attention/` a witness gives the tokens `x` of self-attention: queries are x, channel c of a key is channel c + 1 of x, of a value channel c + 2, cyclically (a table's row, where the encoding is one, is added to each of the three after that); but in `has_the_symmetry_of_its_mask`, where the order does not keep the mask, queries and keys are 0 and values are unit vectors. Beside `q` and `k`, channel c of a value is channel c + 1 of the key, and where the encoding is causal the first query stands at the last key. Masks: `padding` shows the first `kept` keys, `block` those of the query's own block of so many tokens, `window` those less than `reach` away, `last_sees_all` every key to the last query and its own to each other one; where the encoding is causal, none of them shows a later key. Where: the parameters that the witness is a case of; for others, there and elsewhere, the statement may hold."};
  for (const Claim& claim : m.claims)
    if (!claim.holds)
      grid.rows.push_back({code(id_of(*claim.property)), std::string(claim.property->statement),
                           std::string(claim.because), fmt::format("{:.3g}", claim.by), code(claim.witness),
                           of_condition(claim.when), follows_from(claim)});
  return grid;
}

std::vector<Block> claims(const Measured& m) {
  std::vector<Block> out = {Section{"What holds"}, holding(m)};
  for (Block& block : withdrawn(m)) out.push_back(std::move(block));
  if (m.holding < m.claims.size()) {
    out.push_back(Section{"What fails, and why"});
    out.push_back(failing(m));
  }
  return out;
}

std::vector<Block> curve(const Measured& m) {
  if (!m.curve) return {};
  return {Section{"By distance"}, *m.curve};
}

// No number of digits: the last bits of exponentials, logarithms and powers in long double are the
// processor's own, and a far position multiplies those of a frequency. Twice the error is below the share
// that is printed.
std::string of_the_reference(const EncodingErrors& errors, std::string_view where) {
  if (errors.largest_error() == 0)
    return fmt::format(
        "The reference (long double, rounded to f64) gives the exact answers, rounded, at these {}.", where);
  const double twice = 2 * errors.largest_share();
  proved(twice < 1, "the reference is off by less than half of its bound");
  return bounded(
      "The reference (long double, rounded to f64) has no entry at these {} that is off by more than {} of its f64 bound.",
      where,
      Exactly(twice < 0.01  ? "1 %"
              : twice < 0.1 ? "10 %"
                            : "100 %"));
}

// Which tokens the call of a row has.
std::string of_which_call(const Measured& m) {
  if (!m.positions) return "of so many tokens";
  if (m.positions->axes == 1) return "at position 0 and this one";
  return fmt::format("at {} for this position t, counted on from 0 past the end of an axis",
                     m.positions->axes == 2 ? "(0, 3) and (t, t + 3)" : "(0, 3, 6) and (t, t + 3, t + 6)");
}

// What else is in the format of the answer, and what is in f32.
std::string_view of_16_bits(const Measured& m) {
  if (m.kind == kind(Encoding(Contextual{})) || m.kind == kind(Encoding(Attention{})))
    return "trained numbers and what is stored are in that format, angles, cosines, sines, products and sums in f32";
  return "everything in f32, and the answer rounded once";
}

std::vector<Block> accuracy(const Measured& m) {
  const bool of_tokens = m.kind == "attention";
  Grid by_position = grid(m.errors, of_tokens);
  by_position.caption = fmt::format(
      "Error bound: rounding puts no entry of a call {}, all contents 1, farther from its exact value, in absolute terms. By the precision in which it is computed (16-bit formats: {}; `bf16/bf16`: in bf16 throughout); overflow: the format has no number for the largest entry.{} Standard parameters.",
      of_which_call(m), of_16_bits(m),
      m.errors.at.front().angle_in_f32
          ? " Last column, measured: the frequency rounded to f32, times the position in "
            "f32, against the exact angle, in the worst pair."
          : "");
  return {Section{"Accuracy by precision"}, std::move(by_position),
          Paragraph{of_the_reference(m.errors, of_tokens ? "lengths" : "positions")}};
}

// The other side, or both where an encoding is compared with itself under other parameters.
std::string other_side(const EncodingSpec& spec, const Identity& identity) {
  const std::string_view id = id_of(identity.left == &spec ? *identity.right : *identity.left);
  return id == id_of(spec) ? code(id) : fmt::format("[{0}]({1}.md)", code(id), id);
}

std::vector<Block> identities(const Measured& m) {
  const auto all = identities_of(m.spec);
  if (all.empty()) return {};
  Grid grid{
      .columns = {"identity", "statement", "formula", "with", "where"},
      .rows = {},
      .caption =
          "Equal within rounding, but for the map that the formula names; `posproof check IDENTITY ENCODING SUBJECT` asks an implementation of ENCODING, the left side."};
  for (const auto& [id, identity] : all)
    grid.rows.push_back({code(id), std::string(identity->statement), code(identity->formula),
                         other_side(m.spec, *identity), of_condition(identity->where)});
  return {Section{"Identities"}, std::move(grid)};
}

std::vector<Block> known_defects(const Measured& m) {
  if (m.defects.empty())
    return {Section{"Known defects"}, Paragraph{"No wrong implementation of it is recorded."}};
  Grid grid{.columns = {"defect", "what is wrong", "sources", "setting", "refuted by"},
            .rows = {},
            .caption =
                "Each is a wrong implementation that `posproof gate` compares a refuted subject with; "
                "[all of them](../defects.md)."};
  for (const Defect& one : m.defects) {
    std::vector<std::string> links;
    for (const auto& [name, url] : sources_of(one)) links.push_back(fmt::format("[{}]({})", name, url));
    grid.rows.push_back({code(one.name), std::string(one.wrong),
                         fmt::format("{}{}", is_kin(one) ? kin : "", fmt::join(links, ", ")),
                         code(one.setting),
                         code(one.refuted_by == nullptr ? agreement_id : id_of(*one.refuted_by))});
  }
  return {Section{"Known defects"}, std::move(grid)};
}

std::vector<Block> commands(const Measured& m) {
  std::string all = fmt::format(
      "- `posproof explain {0}`: parameters and claims on a terminal\n"
      "- `posproof matrix --filter {0}.`: every claim judged again\n"
      "- `posproof gate {0} cmd:PROGRAM`: whether an implementation is one",
      m.id);
  if (m.is_written)
    all += fmt::format("\n- `posproof oracle {} --positions 0:15 --dtype f32 -o {}.npy`: exact numbers", m.id,
                       m.id);
  return {Section{"Commands"}, Paragraph{all}};
}

}  // namespace

std::vector<catalogue::Entry<Identity>> identities_of(const EncodingSpec& spec) {
  std::vector<catalogue::Entry<Identity>> out;
  for (const auto& one : catalogue::identities())
    if (one.value->left == &spec || one.value->right == &spec) out.push_back(one);
  return out;
}

Document encoding_page(std::string_view id) {
  const Measured m = measure(id);
  return {
      .title = fmt::format("{}: {}", code(id), m.spec.summary),
      .finding = fmt::format(
          "Claimed to hold: {}, each searched for a counterexample. Recorded failures: {}, each with a witness and the reason. Known wrong implementations: {}.",
          m.holding + 1, m.claims.size() - m.holding, m.defects.size()),
      .condition = m.words.empty()
                       ? "The encoding has no parameters."
                       : fmt::format("Curve and errors at the standard parameters: {}.", code(m.words)),
      .blocks = joined({what_it_is(m), conventions(m), claims(m), curve(m), accuracy(m), identities(m),
                        known_defects(m), commands(m)})};
}

}  // namespace posproof::experiments
