#include "subject/frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "subject/json_text.h"
#include "subject/words.h"

namespace posproof::frame {
namespace {

using nlohmann::json;

// Names in a header are the subject's, so a message that quotes one could be of any length and hold anything.
[[noreturn]] void refuse(const std::string& why) {
  throw Malformed(printable(why, 400));
}

json object_of(std::string_view text) {
  if (const std::string fault = fault_of_json(text); !fault.empty()) refuse("the header " + fault);
  json header = json::parse(text.begin(), text.end());
  if (!header.is_object()) refuse("the header is not a JSON object");
  return header;
}

std::size_t whole(const json& number, std::string_view what) {
  if (!number.is_number_unsigned())
    refuse(fmt::format("{} {} is not a whole number from 0 on", what, number.dump()));
  return number.get<std::size_t>();
}

// Bytes of so many values; the product must fit.
std::size_t bytes_of(const Part& part) {
  try {
    Shape with_size = part.shape;
    with_size.push_back(size(part.dtype));
    return count(with_size);
  } catch (const std::length_error&) {
    refuse(fmt::format("tensor `{}` of shape {} has more bytes than can be counted", part.name,
                       text(part.shape)));
  }
}

Part parse_part(const std::string& key, const json& value) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets"))
    refuse(fmt::format("tensor `{}` has not exactly dtype, shape and data_offsets", key));
  const json &named = value["dtype"], &shape = value["shape"], &offsets = value["data_offsets"];
  if (!named.is_string() || !dtype(named.get<std::string>()))
    refuse(fmt::format("tensor `{}` has the unknown dtype {}", key, named.dump()));
  if (!shape.is_array()) refuse(fmt::format("tensor `{}` has a shape that is no list", key));
  if (shape.size() > 8) refuse(fmt::format("tensor `{}` has {} axes; allowed: at most 8", key, shape.size()));
  if (!offsets.is_array() || offsets.size() != 2)
    refuse(fmt::format("tensor `{}` has data_offsets that are no pair", key));

  Part part{key, *dtype(named.get<std::string>()), {}, 0, 0};
  for (const json& extent : shape)
    part.shape.push_back(whole(extent, fmt::format("tensor `{}`: extent", key)));
  part.begin = whole(offsets[0], fmt::format("tensor `{}`: offset", key));
  const std::size_t end = whole(offsets[1], fmt::format("tensor `{}`: offset", key));
  if (end < part.begin)
    refuse(fmt::format("tensor `{}` ends at {}, before it begins at {}", key, end, part.begin));
  part.size = end - part.begin;
  if (const std::size_t promised = bytes_of(part); promised != part.size)
    refuse(fmt::format("tensor `{}` of shape {} in {} has {} bytes, its data_offsets hold {}", key,
                       text(part.shape), name(part.dtype), promised, part.size));
  return part;
}

// As JSON has it. What is plain, as nearly every word is, needs no library.
std::string quoted(const std::string& word) {
  const bool plain =
      std::ranges::all_of(word, [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
  return plain ? fmt::format("\"{}\"", word) : json(word).dump();
}

void parse_words(Header& header, const json& value) {
  if (!value.is_object()) refuse("`__metadata__` is not a JSON object");
  for (const auto& [key, word] : value.items()) {
    if (!word.is_string()) refuse(fmt::format("`__metadata__` has under `{}` what is no string", key));
    header.words.emplace(key, word.get<std::string>());
  }
}

}  // namespace

const std::string& Header::word(std::string_view name) const {
  const auto at = words.find(name);
  if (at == words.end()) refuse(fmt::format("`{}` is missing from its `__metadata__`", name));
  return at->second;
}

std::size_t header_size(std::string_view first_eight) {
  std::uint64_t size = 0;
  std::memcpy(&size, first_eight.data(), sizeof size);
  if (size > longest_header)
    refuse(fmt::format("the header is {} bytes long; allowed: at most {}", size, longest_header));
  return static_cast<std::size_t>(size);
}

Header parse(std::string_view text) {
  const json object = object_of(text);
  Header header;
  for (const auto& [key, value] : object.items()) {
    if (key == "__metadata__")
      parse_words(header, value);
    else
      header.parts.push_back(parse_part(key, value));
  }
  std::sort(header.parts.begin(), header.parts.end(), [](const Part& a, const Part& b) {
    return std::pair(a.begin, a.begin + a.size) < std::pair(b.begin, b.begin + b.size);
  });
  for (const Part& part : header.parts) {
    if (part.begin != header.size)
      refuse(fmt::format("tensor `{}` begins at byte {}, the one before it ends at {}", part.name, part.begin,
                         header.size));
    header.size += part.size;
  }
  return header;
}

Header parse(std::string_view json, const Known& usual) {
  const bool as_usual = !usual.text.empty() && json.starts_with(usual.text) &&
                        json.find_first_not_of(' ', usual.text.size()) == std::string_view::npos;
  return as_usual ? usual.header : parse(json);
}

Message& Message::word(std::string_view name, std::string_view value) {
  words_.emplace_back(name, value);
  return *this;
}

Message& Message::part(std::string_view name, Dtype dtype, const Shape& shape, std::string_view data) {
  parts_.push_back({std::string(name), dtype, shape, data_.size(), data.size()});
  data_ += data;
  return *this;
}

Message& Message::values(std::string_view name, const Tensor& tensor) {
  return part(name, Dtype::F64, tensor.shape,
              {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size() * sizeof(double)});
}

Message& Message::positions(std::string_view name, std::span<const Position> values, const Shape& shape) {
  if (values.size() != count(shape))
    throw std::length_error(fmt::format("`{}`: shape {} has another number of values than {}", name,
                                        posproof::text(shape), values.size()));
  return part(name, Dtype::I64, shape, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

Message& Message::mask(std::string_view name, const Mask& mask) {
  std::string seen;
  for (const double one : mask.data) seen.push_back(one != 0 ? '\1' : '\0');
  return part(name, Dtype::U8, mask.shape, seen);
}

std::string header_text(const Words& words, std::span<const Part> parts) {
  fmt::memory_buffer text;
  const auto out = fmt::appender(text);
  fmt::format_to(out, "{{\"__metadata__\":{{");
  std::string_view between;
  for (const auto& [name, value] : words) {
    fmt::format_to(out, "{}\"{}\":{}", between, name, quoted(value));
    between = ",";
  }
  fmt::format_to(out, "}}");
  for (const Part& part : parts)
    fmt::format_to(out, ",\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", part.name,
                   name(part.dtype), fmt::join(part.shape, ","), part.begin, part.begin + part.size);
  fmt::format_to(out, "}}");
  return fmt::to_string(text);
}

Known known(const Words& words, std::vector<Part> parts) {
  Known out{.header = {}, .text = header_text(words, parts)};
  out.header.words.insert(words.begin(), words.end());
  for (const Part& part : parts) out.header.size += part.size;
  out.header.parts = std::move(parts);
  return out;
}

std::string header_bytes(const Words& words, std::span<const Part> parts) {
  const std::string text = header_text(words, parts);
  const std::uint64_t size = (text.size() + 7) / 8 * 8;
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  bytes += text;
  return bytes.append(size - text.size(), ' ');
}

std::string Message::bytes(const Words& more) const {
  Words words = words_;
  words.insert(words.end(), more.begin(), more.end());
  std::string bytes = header_bytes(words, parts_);
  bytes.reserve(bytes.size() + data_.size());
  return bytes += data_;
}

std::string Message::text(const Words& more) const {
  std::string call, inside;
  for (const Part& part : parts_) inside += fmt::format(", {} {}", part.name, posproof::text(part.shape));
  for (const Words* words : {&words_, &more})
    for (const auto& [name, value] : *words) {
      if (name == "call")
        call = value;
      else if (name != "id")
        inside += fmt::format(", {} {}", name, value);
    }
  return fmt::format("{}({})", call, inside.empty() ? inside : inside.substr(2));
}

}  // namespace posproof::frame
