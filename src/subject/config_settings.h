#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "core/case.h"

namespace posproof {

// What a model's configuration says, by the names that it has there: a number, a word (`true` and `false`
// among them) or a list of numbers. What stands in an object has its name before it:
// `rope_parameters.rope_theta`.
struct ConfigSettings {
  enum class Kind { transformers, gguf, onnx };
  Kind kind = Kind::transformers;
  std::map<std::string, Value, std::less<>> all = {};
  std::map<std::string, std::string, std::less<>> others = {};  // other lists, as JSON

  const Value* find(std::string_view name) const;
  const double* number(std::string_view name) const;
  const std::string* word(std::string_view name) const;
};

// No more of a file is read: the metadata of a GGUF file have the whole vocabulary.
constexpr std::size_t longest_config = std::size_t{64} << 20;

// The text of a config.json, of the attributes of an ONNX operator as JSON, or the first bytes of a GGUF
// file, which it is where it begins with `GGUF`. Throws std::invalid_argument with the file's name and what
// it breaks.
ConfigSettings config_settings(std::string_view file, std::string_view bytes);

// Of a file, of a GGUF file its begin. Throws std::invalid_argument, too, where it cannot be read or is
// longer.
ConfigSettings read_config(const std::string& file);

// Metadata of a GGUF file (versions 2 and 3): numbers, words, and lists of at most 4096 numbers; other lists
// are passed over. Of each tensor its name, as a word `tensor` under `tensors.NAME`. Throws
// std::invalid_argument.
ConfigSettings gguf_settings(std::string_view bytes);

}  // namespace posproof
