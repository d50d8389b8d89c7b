#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "subject/config.h"

namespace posproof {

// What is read of a configuration, one encoding's parameters after the other. It knows which settings were
// taken, and says of the others that bear on position that they were not.
class Reading {
 public:
  using Names = std::initializer_list<std::string_view>;
  struct Found {
    std::string name;
    double value = 0;
    std::string text() const;  // `rope_theta 500000`
  };

  explicit Reading(const ConfigSettings& settings) : settings_(settings) {}

  // The first of these names that is there. Throw std::invalid_argument where it is of another kind, as
  // "500000" is where a number belongs.
  std::optional<Found> number(Names names);
  const std::string* word(Names names);
  // A list of numbers, with its name.
  const std::vector<double>* list(std::string_view name);
  // The same, of which one number may stand without brackets.
  const std::vector<double>* list_or_number(std::string_view name);
  // Words in a list, or in a text with `|` between them; empty where there is none.
  std::vector<std::string> words(std::string_view name);
  bool is(std::string_view name, std::string_view expected);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Something with this name before it: `rope_parameters.full_attention`.
  bool has_object(std::string_view name) const;
  // The first name below it that ends with this one; empty where there is none.
  std::string below(std::string_view object, std::string_view last) const;
  // Throws std::invalid_argument where something else stands there.
  void expect_object(std::string_view name, std::string_view allowed) const;

  void set(std::string_view parameter, Value value, std::string_view because);
  void set(std::string_view parameter, const std::optional<Found>& found);
  void two_readings(std::string_view parameter, std::string readings);
  void missing(std::string_view parameter, std::string what);
  // Names of the same thing: where their values differ, none is taken.
  void agree(std::string_view parameter, const std::vector<std::optional<Found>>& all);
  // A parameter that stays as it is, or nothing's.
  void note(std::string_view parameter, std::string what);

  // The same of a parameter that was neither set nor has to be named.
  void note_where_unsaid(std::string_view parameter, std::string what);

  const Parameters& parameters() const { return out_.parameters; }
  // Whether it was set, or somebody has to name it.
  bool is_accounted(std::string_view parameter) const;
  // How many parameters somebody has to name.
  std::size_t open() const { return out_.ambiguous.size() + out_.missing.size(); }
  Configured done();

 private:
  const Value* find(std::string_view name) const;
  const Value* take(std::string_view name);
  void note_what_was_not_read();

  const ConfigSettings& settings_;
  Configured out_;
  std::set<std::string, std::less<>> taken_, asked_;  // names in the file; names that were looked for
  std::vector<double> number_as_list_;
};

// Of a model that has its layout in one of the two lists; of another one a note says which is taken.
void set_layout(Reading& to, const std::string* model, std::span<const std::string_view> interleaved,
                std::span<const std::string_view> half_split);

bool is_among(std::string_view word, std::span<const std::string_view> all);

[[noreturn]] void refuse_other(std::string_view encoding, std::string_view why);

inline std::string number_text(double value) {
  return text(Value(value));
}

// Whether a setting of this name has to do with position: `rope_theta`, `attn_temperature_tuning`. Lengths
// (`max_position_embeddings`) have not.
bool bears_on_position(std::string_view name);

bool is_baichuan_13b(Reading& to, std::string_view model);

Configured rope_by_transformers(const ConfigSettings& settings);
Configured m_rope_by_transformers(const ConfigSettings& settings);
// Nothing of other encodings than deberta, shaw, relative_table and log_cpb; than axial_rope and sincos_2d.
std::optional<Configured> relative_by_transformers(const ConfigSettings& settings, std::string_view encoding);
std::optional<Configured> images_by_transformers(const ConfigSettings& settings, std::string_view encoding);

// Of a head: what has one of the names `own`, or else one of `width` over one of `heads`.
std::optional<Reading::Found> width_of_head(Reading& from, Reading::Names own, Reading::Names width,
                                            Reading::Names heads);
// `dim` of a head: head_dim, or else hidden_size / num_attention_heads.
void set_width_of_head(Reading& to);

// An image that is cut into patches.
struct GridOfPatches {
  double rows, columns;
  std::string because;
};
std::optional<GridOfPatches> grid_of_patches(Reading& to);
// `length` of a table of trained rows for the patches of an image, and for the tokens before them.
void set_length_by_patches(Reading& to, std::string_view model);

// The three forms. Nothing where the form is not read for the encoding.
std::optional<Configured> configured_by_transformers(const ConfigSettings& settings,
                                                     std::string_view encoding);
std::optional<Configured> configured_by_gguf(const ConfigSettings& settings, std::string_view encoding);
std::optional<Configured> configured_by_onnx(const ConfigSettings& settings, std::string_view encoding);

}  // namespace posproof
