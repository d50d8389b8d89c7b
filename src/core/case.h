#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace posproof {

// A number, a list of numbers, or a word. Whole numbers (positions, widths, seeds) are doubles too: they stay
// below 2^53 and so are exact.
using Value = std::variant<double, std::vector<double>, std::string>;

// The shortest text that reads back to the same bits; `[0.25,0*7]` stands for 0.25 and seven zeros.
std::string text(const Value& value);

// One input as named values in the order in which they were drawn, as text and back:
// `dim=8 layout=half_split i=127 j=0 t=130 q=[0.25,0*7]`. A counterexample prints it, a witness is written in
// it, `--case` reads it and a `.cases` file holds it. An encoding's parameters are written the same way.
class Case {
 public:
  struct Field {
    std::string name;
    Value value;
    bool operator==(const Field& other) const {
      return name == other.name && posproof::text(value) == posproof::text(other.value);
    }
  };

  Case() = default;
  explicit Case(std::vector<Field> fields) : fields_(std::move(fields)) {}

  // Throws std::invalid_argument with the case, the word that was not understood and why.
  static Case parse(std::string_view words);
  std::string text() const;

  const std::vector<Field>& fields() const { return fields_; }
  bool empty() const { return fields_.empty(); }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Value* find(std::string_view name) const;

  // Replaces the field of that name, or adds it at the end.
  void set(std::string_view name, Value value);

  // The value under that name. Throws std::invalid_argument where there is none or it is of another type.
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  bool operator==(const Case&) const = default;

 private:
  const Value& need(std::string_view name) const;
  std::vector<Field> fields_;
};

using Parameters = Case;

}  // namespace posproof
