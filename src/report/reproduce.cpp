#include "report/reproduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gate/history.h"
#include "report/file.h"
#include "report/headline.h"
#include "report/python.h"
#include "report/words.h"
#include "run/catalogued.h"
#include "run/packed.h"
#include "subject/words.h"

namespace posproof::report {
namespace {

constexpr std::string_view first_words = "# A counterexample by posproof: ";
constexpr std::size_t most_entries = 4;

// How one of the five calls is written.
struct Form {
  std::string_view arguments;  // of `subject`
  std::string_view meaning;    // of these and of the answer
  std::string_view rounding;   // what the bound counts
};

const Form& form_of(const Encoding& truth) {
  static constexpr std::string_view trigonometry =
      "the roundings of frequency, angle, cosine and sine and of the result, added up";
  static const std::array<Form, 5> forms = {{
      {"positions, length", "positions [n] of a sequence of that length; gives rows [n, dim]", trigonometry},
      {"x, positions, role",
       "x [batch, heads, n, dim], positions [batch, n], role \"query\" or \"key\"; gives x, rotated",
       trigonometry},
      {"queries, keys", "positions [nq] and [nk]; gives the bias [heads, nq, nk]",
       "the roundings of slope or bucket, product and result, added up"},
      {"q, k, queries, keys",
       "q [nq, dim], k [nk, dim], positions [nq] and [nk]; gives the logits [heads, nq, nk] that the softmax sees",
       "the roundings of encoding, products and sums, added up"},
      {"q, k, v, mask",
       "q, k [n, dim], v [n, dim of v], mask [nq, nk]; gives softmax(logits) v [nq, dim of v]",
       "the roundings of encoding, products, sums and softmax, added up"},
  }};
  return forms.at(truth.index());
}

// The words between the parentheses of a call: arrays under their names, or as they are.
std::vector<python::Argument> arguments_of(const Encoding& truth, const Call& call) {
  const Signature& known = signature(truth);
  const bool keys = known.has(Axis::key);
  std::vector<python::Argument> out;
  for (std::size_t n = 0; n < call.contents.size(); ++n)
    out.push_back({std::string(known.takes[n].name), call.contents[n], python::Kind::content});
  const auto positions = [&](std::string name, const TokenPositions& at, std::size_t rows) {
    Shape shape = {at.size() / rows};
    if (known.has(Axis::batch)) shape.insert(shape.begin(), rows);
    if (at.axes > 1) shape.push_back(at.axes);
    std::vector<double> numbers(at.whole.begin(), at.whole.end());
    if (!at.real.empty()) numbers = at.real;
    out.push_back({std::move(name), Tensor(std::move(shape), std::move(numbers)),
                   at.real.empty() ? python::Kind::whole : python::Kind::content});
  };
  if (known.positions) positions(keys ? "queries" : "positions", call.positions, call.batch);
  if (known.positions && keys) positions("keys", call.keys, 1);
  if (known.length) out.push_back({.name = "length", .word = fmt::format("{}", call.length)});
  if (known.role) out.push_back({.name = "role", .word = call.role == Role::query ? "\"query\"" : "\"key\""});
  if (known.mask) out.push_back({"mask", call.mask, python::Kind::flag});
  return out;
}

// What is written of an array: its name where statements fill it.
std::string name_of(const python::Argument& argument) {
  return argument.word.empty() ? argument.name : argument.word;
}

std::string called(const std::vector<python::Argument>& arguments) {
  std::vector<std::string> words;
  for (const python::Argument& one : arguments) words.push_back(name_of(one));
  return fmt::format("subject({})", fmt::join(words, ", "));
}

// The calls before, in a line each, or in one where they are many.
std::vector<std::string> before(const WrongAnswer& wrong, const python::Library& library) {
  std::vector<std::string> calls;
  for (const Call& call : wrong.before) {
    std::vector<std::string> words;
    for (const python::Argument& one : arguments_of(wrong.truth, call))
      words.push_back(one.word.empty() ? library.array(one) : one.word);
    calls.push_back(fmt::format("{}", fmt::join(words, ", ")));
  }
  if (calls.size() > 3) return {fmt::format("for call in [({})]: subject(*call)", fmt::join(calls, "), ("))};
  for (std::string& one : calls) one = fmt::format("subject({})  # before the call that is wrong", one);
  return calls;
}

// The entry that is wrong, the other of its pair, then its neighbours.
std::vector<Place> entries(const WrongAnswer& wrong) {
  std::vector<Place> out;
  const auto add = [&](std::size_t at) {
    const auto one = place_of(wrong.truth, wrong.call, wrong.given, wrong.exact, wrong.allowed, at);
    const auto index = [](const Place& place) { return place.axes; };
    if (one && out.size() < most_entries && std::ranges::find(out, one->axes, index) == out.end() &&
        std::isfinite(one->expected) && (out.empty() || one->expected != 0 || one->off.bound != 0))
      out.push_back(*one);
  };
  const std::size_t width = wrong.exact.width(), row = wrong.at / width * width;
  add(wrong.at);
  for (std::size_t c = 0; c < width && !out.empty() && out.front().pair; ++c)
    if (const auto other =
            place_of(wrong.truth, wrong.call, wrong.given, wrong.exact, wrong.allowed, row + c);
        other && other->pair && other->pair->index == out.front().pair->index)
      add(row + c);
  for (std::size_t c = wrong.at % width; c < width; ++c) add(row + c);
  for (std::size_t c = 0; c < width; ++c) add(row + c);
  return out;
}

std::string index_of(const Place& place, bool own) {
  std::vector<std::size_t> index;
  for (const auto& [axis, at] : place.axes)
    index.push_back(own && axis == Axis::key ? place.relative_to_key.value_or(at) : at);
  return fmt::format("({})", fmt::join(index, ", "));
}

std::vector<std::string> assertions(const WrongAnswer& wrong, std::string_view rounding) {
  const std::vector<Place> all = entries(wrong);
  const bool relative = !all.empty() && all.front().relative_to_key.has_value();
  std::vector<std::string> out = {
      fmt::format("# The exact values, and how far rounding in {} may put them off: {}.",
                  wrong.precision.text(), rounding),
      relative ? "# Each is relative to a key of its row: a constant on a whole row does not matter." : "",
      fmt::format("for at, {}exact, bound in [", relative ? "own, " : "")};
  if (!relative) out.erase(out.begin() + 1);
  for (const Place& one : all)
    out.push_back(fmt::format("    ({}, {}{}, {}),", index_of(one, false),
                              relative ? index_of(one, true) + ", " : "", python::number(one.expected),
                              python::number(one.off.bound)));
  out.push_back("]:");
  out.push_back(fmt::format("    got = float(y[at]){}", relative ? " - float(y[own])" : ""));
  out.push_back(
      "    assert abs(got - exact) <= bound, f\"y{list(at)} is {got!r}, exactly {exact!r}: off by {abs(got - exact):.3g}, "
      "allowed {bound:.3g}\"");
  return out;
}

std::string formats(const Precision& precision) {
  return precision.input() == precision.result
             ? fmt::format("in {}", name(format_of(precision.result)))
             : fmt::format("of {} in {}", name(format_of(precision.input())),
                           name(format_of(precision.result)));
}

// Those that make a difference beside the others.
Parameters that_matter(const Origin& origin) {
  Parameters out;
  for (const Parameter& parameter : origin.spec.parameters)
    if (const Value* value = origin.parameters.find(parameter.name);
        value != nullptr && parameter.matters_where.met(origin.parameters))
      out.set(parameter.name, *value);
  return out;
}

// Of an implementation that changed what it was given: the name of that, if it is one that we know.
std::string changed(const WrongAnswer& wrong, const std::vector<python::Argument>& arguments) {
  for (const python::Argument& one : arguments)
    if (wrong.how == Failure::How::answered_otherwise && one.word.empty() &&
        wrong.instead.find(fmt::format("changed `{}`", one.name)) != std::string::npos)
      return one.name;
  return "";
}

std::string one_line(std::string_view words) {
  std::string out = printable(words);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

std::vector<std::string> header(const WrongAnswer& wrong, const Origin& origin,
                                const python::Library& library) {
  const Form& form = form_of(wrong.truth);
  return {fmt::format("{}{}{} {}, {} is refuted.", first_words, origin.encoding,
                      options(origin.spec, origin.parameters), formats(wrong.precision), origin.property),
          fmt::format("# Parameters: {}", that_matter(origin).text()),
          fmt::format("# {}: {}", one_line(origin.spec.source), one_line(origin.spec.formula)),
          library.import(),
          "",
          "",
          fmt::format("def subject({}):", form.arguments),
          fmt::format("    # {}, {}", form.meaning, formats(wrong.precision)),
          "    raise NotImplementedError(\"call the code under test here\")",
          "",
          ""};
}

}  // namespace

std::string script(const WrongAnswer& wrong, const Origin& origin) {
  const python::Library library(wrong.precision);
  const std::vector<python::Argument> arguments = arguments_of(wrong.truth, wrong.call);
  const std::string call = called(arguments), kept = changed(wrong, arguments);
  const bool answered = wrong.instead.empty();
  std::vector<std::string> lines = header(wrong, origin, library);
  const auto add = [&](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  for (const python::Argument& one : arguments) {
    if (!one.word.empty()) continue;
    if (wrong.before.empty())
      add(library.statements(one, wrong.call.contents.size()));
    else  // the calls take the lines
      add({fmt::format("{} = {}", one.name, library.array(one))});
  }
  add(before(wrong, library));
  if (!kept.empty()) add({fmt::format("kept = {}", library.copy(kept))});
  if (!answered)
    add({fmt::format("# This must give an answer; it gave: {}", what_came(wrong.instead, wrong.truth))});
  add({fmt::format("y = {}", answered ? library.doubled(call) : library.given(call)),
       fmt::format("assert tuple(y.shape) == {}, y.shape",
                   python::tuple(shape_of_answer(wrong.truth, wrong.call)))});
  if (answered)
    add(assertions(wrong, form_of(wrong.truth).rounding));
  else
    add({fmt::format("assert y.dtype == {}, y.dtype", library.result())});
  if (!kept.empty()) add({fmt::format("assert ({0} == kept).all(), \"{0} was changed\"", kept)});
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::optional<std::string> script(const GateResult& gated) {
  const EncodingSpec& spec = encoding_named(gated.encoding);
  // What an object remembers shows in a new process by its own calls alone.
  const bool remembers = std::ranges::any_of(gated.results, [](const PropertyResult& one) {
    return one.id == history_id && std::holds_alternative<Refuted>(one.verdict);
  });
  for (const bool alone : {true, false})
    for (const PropertyResult& one : gated.results)
      if (one.wrong && !one.needs_history && one.wrong->before.empty() == alone &&
          (one.id == history_id) == remembers)
        return script(*one.wrong, {gated.encoding, one.id, spec, gated.parameters});
  return std::nullopt;
}

void refuse_other_files(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return;
  const auto bytes = file_bytes(path);
  if (bytes && !bytes->empty() && !bytes->starts_with(first_words))
    throw Unwritable(
        fmt::format("`{}` is there and is no script of posproof: another name, or remove it", path.string()));
}

}  // namespace posproof::report
