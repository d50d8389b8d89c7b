#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "subject/config_settings.h"
#include "subject/words.h"

namespace posproof {
namespace {

constexpr std::uint64_t most_entries = 1 << 20, most_kept = 4096, longest_name = 65535, most_axes = 4;

[[noreturn]] void refuse(std::string_view why) {
  throw std::invalid_argument(std::string(why));
}

// Little-endian numbers and strings, one after the other. Everything that is read was there.
class Bytes {
 public:
  explicit Bytes(std::string_view all) : left_(all) {}

  std::string_view take(std::uint64_t count) {
    if (count > left_.size())
      refuse(fmt::format("the GGUF header goes on for {} bytes where {} are left", count, left_.size()));
    const std::string_view out = left_.substr(0, static_cast<std::size_t>(count));
    left_.remove_prefix(static_cast<std::size_t>(count));
    return out;
  }

  template <class Number>
  Number number() {
    Number out;
    std::memcpy(&out, take(sizeof out).data(), sizeof out);
    return out;
  }

  std::string_view text(std::uint64_t longest) {
    const auto size = number<std::uint64_t>();
    if (size > longest) refuse(fmt::format("a GGUF string of {} bytes; allowed: at most {}", size, longest));
    return take(size);
  }

 private:
  std::string_view left_;
};

// The types that a value may have, by their numbers in the file.
enum Type : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

std::uint64_t size_of(std::uint32_t type) {
  switch (type) {
    case u8:
    case i8:
    case boolean:
      return 1;
    case u16:
    case i16:
      return 2;
    case u32:
    case i32:
    case f32:
      return 4;
    case u64:
    case i64:
    case f64:
      return 8;
    default:
      refuse(fmt::format("a GGUF value of type {}; allowed: 0 to 12", type));
  }
}

double number(Bytes& bytes, std::uint32_t type) {
  switch (type) {
    case u8:
      return bytes.number<std::uint8_t>();
    case i8:
      return bytes.number<std::int8_t>();
    case u16:
      return bytes.number<std::uint16_t>();
    case i16:
      return bytes.number<std::int16_t>();
    case u32:
      return bytes.number<std::uint32_t>();
    case i32:
      return bytes.number<std::int32_t>();
    case f32:
      return bytes.number<float>();
    case u64:
      return static_cast<double>(bytes.number<std::uint64_t>());
    case i64:
      return static_cast<double>(bytes.number<std::int64_t>());
    default:
      return bytes.number<double>();
  }
}

void read_array(Bytes& bytes, const std::string& name, ConfigSettings& to) {
  const auto type = bytes.number<std::uint32_t>();
  const auto count = bytes.number<std::uint64_t>();
  if (type == array) refuse("a GGUF list of lists; allowed: lists of numbers and of strings");
  if (type == string) {
    for (std::uint64_t n = 0; n < count; ++n) bytes.text(longest_config);
    return;
  }
  const std::uint64_t size = size_of(type);
  if (count > most_kept || type == boolean) {
    if (count > longest_config)
      refuse(fmt::format("a GGUF list of {} values; allowed: at most {}", count, longest_config));
    bytes.take(count * size);
    return;
  }
  std::vector<double> values;
  for (std::uint64_t n = 0; n < count; ++n) values.push_back(number(bytes, type));
  to.all[name] = std::move(values);
}

void read_value(Bytes& bytes, const std::string& name, ConfigSettings& to) {
  const auto type = bytes.number<std::uint32_t>();
  if (type == array) return read_array(bytes, name, to);
  if (type == string) {
    to.all[name] = std::string(bytes.text(longest_config));
    return;
  }
  size_of(type);
  if (type == boolean)
    to.all[name] = std::string(bytes.number<std::uint8_t>() == 0 ? "false" : "true");
  else
    to.all[name] = number(bytes, type);
}

std::uint64_t count_of(Bytes& bytes, std::string_view what) {
  const auto count = bytes.number<std::uint64_t>();
  if (count > most_entries)
    refuse(fmt::format("a GGUF header with {} {}; allowed: at most {}", count, what, most_entries));
  return count;
}

}  // namespace

ConfigSettings gguf_settings(std::string_view all) {
  Bytes bytes(all);
  if (bytes.take(4) != "GGUF") refuse("is no GGUF file");
  const auto version = bytes.number<std::uint32_t>();
  if (version != 2 && version != 3) refuse(fmt::format("is GGUF of version {}; allowed: 2 and 3", version));
  const std::uint64_t tensors = count_of(bytes, "tensors"), entries = count_of(bytes, "entries");
  ConfigSettings out{.kind = ConfigSettings::Kind::gguf};
  for (std::uint64_t n = 0; n < entries; ++n) {
    const std::string name(bytes.text(longest_name));
    if (out.all.contains(name)) refuse(fmt::format("has the key `{}` twice", printable(name, 100)));
    read_value(bytes, name, out);
  }
  for (std::uint64_t n = 0; n < tensors; ++n) {
    const std::string name(bytes.text(longest_name));
    const auto axes = bytes.number<std::uint32_t>();
    if (axes > most_axes)
      refuse(fmt::format("a GGUF tensor of {} axes; allowed: at most {}", axes, most_axes));
    bytes.take(std::uint64_t{axes} * 8 + 4 + 8);  // extents, type, offset
    out.all["tensors." + name] = std::string("tensor");
  }
  return out;
}

}  // namespace posproof
