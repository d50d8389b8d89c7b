#include "subject/config_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "subject/json_text.h"
#include "subject/regular_file.h"
#include "subject/subject.h"

namespace posproof {
namespace {

using Json = nlohmann::json;

bool is_list_of_numbers(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& one) { return one.is_number(); });
}

void add(ConfigSettings& to, const std::string& name, const Json& value) {
  if (value.is_object())
    for (const auto& [inner, one] : value.items()) add(to, name.empty() ? inner : name + "." + inner, one);
  else if (value.is_boolean())
    to.all[name] = std::string(value.get<bool>() ? "true" : "false");
  else if (value.is_number())
    to.all[name] = value.get<double>();
  else if (value.is_string())
    to.all[name] = value.get<std::string>();
  else if (is_list_of_numbers(value))
    to.all[name] = value.get<std::vector<double>>();
  else if (value.is_array())
    to.others[name] = value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

const Value* ConfigSettings::find(std::string_view name) const {
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

const double* ConfigSettings::number(std::string_view name) const {
  const Value* found = find(name);
  return found == nullptr ? nullptr : std::get_if<double>(found);
}

const std::string* ConfigSettings::word(std::string_view name) const {
  const Value* found = find(name);
  return found == nullptr ? nullptr : std::get_if<std::string>(found);
}

ConfigSettings read_config(const std::string& file) {
  try {
    const RegularFile open(file);
    std::string bytes(std::min(open.size(), longest_config), '\0');
    open.read(0, std::as_writable_bytes(std::span(bytes)));
    if (bytes.size() < open.size() && !bytes.starts_with("GGUF"))
      throw std::invalid_argument(fmt::format("`{}` is longer than {} bytes", file, longest_config));
    return config_settings(file, bytes);
  } catch (const SubjectError& error) {
    throw std::invalid_argument(error.what());
  }
}

ConfigSettings config_settings(std::string_view file, std::string_view bytes) {
  if (bytes.starts_with("GGUF")) {
    try {
      return gguf_settings(bytes);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("`{}`: {}", file, error.what()));
    }
  }
  if (const std::string fault = fault_of_json(bytes); !fault.empty())
    throw std::invalid_argument(
        fmt::format("`{}` {}; a config.json, the attributes of an ONNX operator as JSON, or a "
                    "GGUF file was asked for",
                    file, fault));
  const Json read = Json::parse(bytes);
  if (!read.is_object()) throw std::invalid_argument(fmt::format("`{}` is no JSON object of settings", file));
  ConfigSettings out;
  add(out, "", read);
  const bool is_operator = out.find("interleaved") != nullptr || out.find("rotary_embedding_dim") != nullptr;
  if (is_operator && out.find("model_type") == nullptr) out.kind = ConfigSettings::Kind::onnx;
  return out;
}

}  // namespace posproof
