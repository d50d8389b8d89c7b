#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"

namespace posproof {

// What a parameter may be. The text of a value is the same everywhere: a command line, a witness, a file.
namespace type {

struct Whole {
  std::int64_t lo, hi;
};
// Finite numbers above `lo`, and `lo` itself where `from`.
struct Real {
  double lo = 0;
  bool from = false;
};
struct Word {
  std::vector<std::string_view> words;
};
struct Flag {};  // the words `true` and `false`
struct List {    // of finite numbers
  std::size_t longest;
};

// No encoding is asked for with more channels or heads.
constexpr Whole any_width{1, std::int64_t{1} << 20};
// The whole numbers that are doubles with all their neighbours.
constexpr Whole any_whole{-(std::int64_t{1} << 53), std::int64_t{1} << 53};

}  // namespace type

using Type = std::variant<type::Whole, type::Real, type::Word, type::Flag, type::List>;

// For which parameters something is said: each named parameter is one of the listed values. Empty: for all.
struct Condition {
  struct Among {
    std::string_view parameter;
    std::vector<Value> values;
  };
  std::vector<Among> all = {};

  bool met(const Parameters& parameters) const;
  std::string text() const;  // `odd is refuse or zero_pad`; empty for all
};

// One parameter of an encoding, declared once: validation, typed access, help and JSON are made from this.
// Every convention on which projects disagree is a parameter, never a silent default.
struct Parameter {
  std::string_view name;         // as in the papers, and on the command line: `--base`
  Type type;                     // and its range, or its words
  Value standard;                // what the encoding is without saying otherwise
  std::vector<Value> grid;       // the values that claims are searched over, simplest first
  std::string_view meaning;      // one line
  std::string_view unit = "";    // `channels`
  bool convention = false;       // projects disagree on it: another value explains a disagreement
  Condition matters_where = {};  // elsewhere the encoding does not look at it
};

class Arguments;

// What several parameters must satisfy together.
struct Relation {
  std::vector<std::string_view> between;  // a refusal names their values, the one to change first
  std::string_view allowed;               // continues "allowed:", as `numbers below beta_fast`
  bool (*holds)(const Arguments&);
  Condition where = {};
};

// The parameters of an encoding, which the encoding and its oracle read.
struct Schema {
  std::vector<Parameter> all;
  std::vector<Relation> relations = {};

  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
  const Parameter* find(std::string_view name) const;
};

// A value for every parameter of a schema, each as it allows.
class Arguments {
 public:
  // The given values, the standard ones where none is given. Throws Refusal, with the parameter, the value
  // and what is allowed.
  Arguments(const Schema& schema, const Parameters& given);

  const Parameters& parameters() const { return parameters_; }  // all, in the order of the schema

  // By a name of the schema; std::logic_error for another, for another type, and for another word.
  std::int64_t whole(std::string_view name) const;
  std::size_t width(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& word(std::string_view name) const;
  bool is(std::string_view name, std::string_view word) const;
  bool flag(std::string_view name) const;
  const std::vector<double>& list(std::string_view name) const;

 private:
  template <class T>
  const Value& at(std::string_view name) const;

  const Schema& schema_;
  Parameters parameters_;
};

// `whole numbers from 1 to 1048576`, `official, geometric`.
std::string allowed(const Type& type);

// The line of `--help`: `width of a row, channels (whole numbers from 1 to 1048576; standard 64; searched: 2
// 4)`.
std::string help(const Parameter& parameter);

// What is wrong with a condition: a parameter that the schema has not, or a value that is not allowed or that
// no claim is searched over. None where nothing is.
std::optional<std::string> mistake(const Schema& schema, const Condition& condition);

}  // namespace posproof
