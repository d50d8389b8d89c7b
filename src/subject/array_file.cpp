#include "subject/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "subject/array_slice.h"
#include "subject/dtype.h"
#include "subject/frame.h"
#include "subject/npz.h"
#include "subject/regular_file.h"
#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {
namespace {

using Read = Function<void(std::size_t at, std::span<std::byte> to)>;

// Bytes that are in memory.
Read from_memory(std::vector<std::byte> bytes) {
  return [bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes))](std::size_t at,
                                                                                    std::span<std::byte> to) {
    std::ranges::copy(std::span(*bytes).subspan(at, to.size()), to.begin());
  };
}

// A file from its beginning on.
class Reader {
 public:
  explicit Reader(const std::string& path)
      : file_(std::make_shared<const RegularFile>(path)),
        read_([file = file_](std::size_t at, std::span<std::byte> to) { file->read(at, to); }),
        end_(file_->size()) {}

  [[noreturn]] void refuse(std::string_view why) const { file_->refuse(why); }

  const RegularFile& file() const { return *file_; }

  // These bytes, of which the file makes more, in its place.
  Reader instead(std::vector<std::byte> bytes) const {
    Reader other = *this;
    other.at_ = 0;
    other.end_ = bytes.size();
    other.read_ = from_memory(std::move(bytes));
    return other;
  }

  // So many of its bytes from there on, as if there were no others.
  Reader within(std::size_t begin, std::size_t size) const {
    Reader part = *this;
    part.at_ = begin;
    part.end_ = begin + size;
    return part;
  }

  std::size_t left() const { return end_ - at_; }

  std::string take(std::size_t count, std::string_view what) {
    if (count > left()) refuse(fmt::format("ends within {}: {} of {} bytes are there", what, left(), count));
    std::string bytes(count, '\0');
    read_(at_, std::as_writable_bytes(std::span(bytes)));
    at_ += count;
    return bytes;
  }

  void skip(std::size_t count) { at_ += count; }

  // The array whose values begin here.
  Array array(Format format, const Shape& shape) const;
  // Its values, each of so many parts, stand with the first axis fastest, as Fortran and some transposes have
  // it.
  Array array_in_fortran_order(Format format, const Shape& shape, std::size_t parts);

 private:
  std::shared_ptr<const RegularFile> file_;
  Read read_;
  std::size_t at_ = 0, end_;
};

std::string described(Format format, const Shape& shape) {
  const std::string_view word = format == Format::f64   ? "float64"
                                : format == Format::f32 ? "float32"
                                : format == Format::f16 ? "float16"
                                                        : "bfloat16";
  return fmt::format("{} {}", fmt::join(shape, " x "), word);
}

// The bytes of an array of that shape.
std::size_t counted(const Reader& file, Format format, const Shape& shape) {
  std::size_t values = most_values + 1;
  try {
    values = count(shape);
  } catch (const std::length_error&) {
  }
  if (values > most_values)
    file.refuse(fmt::format("the header promises {}; allowed: at most {} values", described(format, shape),
                            most_values));
  return values * bytes(format);
}

// The header of a .npy file is a Python dictionary in text, of these three keys.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

class NpyParser {
 public:
  NpyParser(const Reader& file, std::string_view text) : file_(file), rest_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!next_is('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !std::exchange(descr, true))
        header.descr = quoted();
      else if (key == "fortran_order" && !std::exchange(order, true))
        header.fortran_order = boolean();
      else if (key == "shape" && !std::exchange(shape, true))
        header.shape = extents();
      else
        refuse();
      if (!next_is('}')) expect(',');
    }
    expect('}');
    blanks();
    if (!rest_.empty() || !descr || !order || !shape) refuse();
    return header;
  }

 private:
  [[noreturn]] void refuse() const {
    file_.refuse(
        "the header is not a dictionary of exactly `descr` (one simple dtype), `fortran_order` and `shape`");
  }

  void blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t"), rest_.size())); }

  bool next_is(char c) {
    blanks();
    return !rest_.empty() && rest_.front() == c;
  }

  void expect(char c) {
    if (!next_is(c)) refuse();
    rest_.remove_prefix(1);
  }

  std::string quoted() {
    const char quote = next_is('"') ? '"' : '\'';
    expect(quote);
    const auto end = rest_.find(quote);
    if (end == std::string_view::npos) refuse();
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.substr(0, word.size()) != word) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    refuse();
  }

  Shape extents() {
    Shape shape;
    expect('(');
    while (!next_is(')')) {
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc{} || shape.size() == 8) refuse();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(extent);
      if (!next_is(')')) expect(',');
    }
    expect(')');
    return shape;
  }

  const Reader& file_;
  std::string_view rest_;
};

// First axis fastest to last axis fastest.
std::vector<std::byte> transposed(const Shape& shape, std::size_t each, std::string_view from) {
  std::vector<std::byte> to(from.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (std::size_t n = 0; n < from.size(); n += each) {
    std::size_t at = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) at = at * shape[axis] + index[axis];
    std::memcpy(to.data() + n, from.data() + at * each, each);
    for (std::size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];) index[axis] = 0;
  }
  return to;
}

Array Reader::array(Format format, const Shape& shape) const {
  if (const std::size_t size = counted(*this, format, shape); size > left())
    refuse(fmt::format("ends within the values: {} of {} bytes are there", left(), size));
  return {file_->path(), format, shape,
          [read = read_, begin = at_](std::size_t at, std::span<std::byte> to) { read(begin + at, to); }};
}

Array Reader::array_in_fortran_order(Format format, const Shape& shape, std::size_t parts) {
  const std::string values = take(parts * counted(*this, format, shape), "the values");
  return {file_->path(), format, shape, from_memory(transposed(shape, parts * bytes(format), values))};
}

// Values that stand with their highest byte first.
Read big_endian(Read stored, Format format) {
  return [stored = std::move(stored), each = bytes(format)](std::size_t at, std::span<std::byte> to) {
    stored(at, to);
    for (std::size_t n = 0; n < to.size(); n += each) std::ranges::reverse(to.subspan(n, each));
  };
}

Array read_npy(Reader file) {
  const std::string start = file.take(8, "the magic string");
  if (!start.starts_with("\x93NUMPY")) file.refuse("does not begin as a .npy file does");
  const int major = static_cast<unsigned char>(start[6]), minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    file.refuse(fmt::format("is of .npy version {}.{}; 1.0, 2.0 and 3.0 are read", major, minor));

  std::size_t length = 0;
  const std::string word = file.take(major == 1 ? 2 : 4, "the length of the header");
  for (std::size_t i = word.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(word[i]);
  if (length > frame::longest_header)
    file.refuse(
        fmt::format("the header is {} bytes long; allowed: at most {}", length, frame::longest_header));
  const std::string text = file.take(length, "the header");
  const NpyHeader header = NpyParser(file, text).parse();

  const bool ordered = header.descr.starts_with('<') || header.descr.starts_with('>');
  const std::string dtype = ordered ? header.descr.substr(1) : "";
  const bool complex = dtype == "c16" || dtype == "c8";
  const auto format = dtype == "f8" || dtype == "c16"  ? std::optional(Format::f64)
                      : dtype == "f4" || dtype == "c8" ? std::optional(Format::f32)
                      : dtype == "f2"                  ? std::optional(Format::f16)
                                                       : std::nullopt;
  if (!format)
    file.refuse(fmt::format("has dtype `{}`; f8, f4, f2, c16 and c8 are read, behind `<` or `>`",
                            printable(header.descr, 40)));
  const std::size_t parts = complex ? 2 : 1, promised = parts * counted(file, *format, header.shape);
  if (promised != file.left())
    file.refuse(fmt::format("the header promises {}{} ({} bytes), the file holds {}",
                            described(*format, header.shape), complex ? " in two parts" : "", promised,
                            file.left()));
  Shape shape = header.shape;
  if (complex && shape.empty()) file.refuse("holds one complex number, and no row of them");
  if (complex) shape.back() *= parts;
  Array array = header.fortran_order ? file.array_in_fortran_order(*format, header.shape, parts)
                                     : file.array(*format, shape);
  if (header.descr.starts_with('>')) array.read = big_endian(std::move(array.read), *format);
  array.shape = shape;
  array.complex = complex;
  return array;
}

// `; both together: FILE.safetensors:cos,sin` of a file with cosines and sines.
std::string both_of_a_cache(const frame::Header& header) {
  const auto named = [&](std::string_view what) {
    return std::ranges::find_if(
        header.parts, [&](const frame::Part& part) { return part.name.find(what) != std::string::npos; });
  };
  const auto cosines = named("cos"), sines = named("sin");
  if (cosines == header.parts.end() || sines == header.parts.end() || cosines == sines) return "";
  return printable(fmt::format("; both together: FILE.safetensors:{},{}", cosines->name, sines->name), 200);
}

const frame::Part& chosen(const Reader& file, const frame::Header& header, const std::string& name) {
  if (header.parts.empty()) file.refuse("holds no tensor");
  if (name.empty() && header.parts.size() == 1) return header.parts.front();
  std::string names;
  for (const frame::Part& part : header.parts) {
    if (part.name == name) return part;
    names += (names.empty() ? "" : ", ") + part.name;
  }
  const std::string which =
      name.empty() ? "holds more than one tensor; say which" : fmt::format("holds no `{}`", name);
  file.refuse(fmt::format("{}: FILE.safetensors:NAME with NAME one of {}{}", which, printable(names, 400),
                          both_of_a_cache(header)));
}

// `-4:9` under `positions`, in a file whose words `posproof` wrote.
std::optional<std::pair<Position, Position>> positions_of(const Reader& file, const frame::Header& header) {
  const auto said = header.words.find("positions");
  if (!header.words.contains("posproof") || said == header.words.end()) return std::nullopt;
  const std::string& text = said->second;
  std::pair<Position, Position> ends;
  const char *const begin = text.data(), *const end = begin + text.size();
  const auto [colon, no_first] = std::from_chars(begin, end, ends.first);
  const auto [rest, no_last] = colon == end ? std::from_chars_result{end, std::errc::invalid_argument}
                                            : std::from_chars(colon + 1, end, ends.second);
  if (no_first != std::errc{} || no_last != std::errc{} || *colon != ':' || rest != end ||
      ends.second < ends.first)
    file.refuse(
        fmt::format("`positions` of its `__metadata__` is `{}`; FIRST:LAST is read", printable(text, 40)));
  return ends;
}

Array read_safetensors(Reader file, const std::string& name) {
  try {
    const std::size_t size = frame::header_size(file.take(8, "the length of the header"));
    const frame::Header header = frame::parse(file.take(size, "the header"));
    if (header.size != file.left())
      file.refuse(
          fmt::format("the header promises {} bytes of values, the file holds {}", header.size, file.left()));
    const frame::Part& part = chosen(file, header, name);
    const auto format = posproof::format(part.dtype);
    if (!format)
      file.refuse(fmt::format("`{}` has dtype {}; F64, F32, BF16 and F16 are read", printable(part.name, 60),
                              posproof::name(part.dtype)));
    file.skip(part.begin);
    Array array = file.array(*format, part.shape);
    array.positions = positions_of(file, header);
    return array;
  } catch (const frame::Malformed& malformed) {
    file.refuse(malformed.what());
  }
}

Array read_npz(const Reader& file, const std::string& name) {
  const std::vector<NpzMember> all = npz_members(file.file());
  if (all.empty()) file.refuse("holds no array");
  const bool only = name.empty() && all.size() == 1;
  std::string names;
  for (const NpzMember& one : all) {
    if (only || one.name == name)
      return read_npy(one.deflated ? file.instead(inflated(file.file(), one))
                                   : file.within(one.begin, one.size));
    names += (names.empty() ? "" : ", ") + one.name;
  }
  const std::string which =
      name.empty() ? "holds more than one array; say which" : fmt::format("holds no `{}`", name);
  file.refuse(fmt::format("{}: FILE.npz:NAME with NAME one of {}", which, printable(names, 400)));
}

Array read_whole(const std::string& path) {
  constexpr std::string_view safetensors = ".safetensors", npz = ".npz";
  const auto ends = [&path](std::string_view with) {
    return path.size() >= with.size() && path.compare(path.size() - with.size(), with.size(), with) == 0;
  };
  if (ends(".npy")) return read_npy(Reader(path));
  if (ends(safetensors)) return read_safetensors(Reader(path), "");
  if (const auto at = path.rfind(".safetensors:"); at != std::string::npos)
    return read_safetensors(Reader(path.substr(0, at + safetensors.size())),
                            path.substr(at + safetensors.size() + 1));
  if (ends(npz)) return read_npz(Reader(path), "");
  if (const auto at = path.rfind(".npz:"); at != std::string::npos)
    return read_npz(Reader(path.substr(0, at + npz.size())), path.substr(at + npz.size() + 1));
  throw SubjectError(fmt::format(
      "{}: a table is FILE.npy, FILE.safetensors or FILE.npz, :NAME behind the latter two, indices as numpy has "
      "them ([:, 32:]) and @PRECISION may follow",
      path));
}

}  // namespace

std::size_t longer_axes(std::span<const std::size_t> shape) {
  return static_cast<std::size_t>(std::ranges::count_if(shape, [](std::size_t n) { return n != 1; }));
}

Shape without_first_axes(Shape shape, std::size_t most) {
  while (shape.size() > most && shape.front() == 1) shape.erase(shape.begin());
  return shape;
}

void Array::row(std::size_t r, std::span<double> out, std::size_t c) const {
  const std::size_t each = posproof::bytes(format);
  std::vector<std::byte> stored(out.size() * each);
  read((r * width() + c) * each, stored);
  unpack(format, stored.data(), out);
}

Position Array::first(std::size_t count, Position otherwise) const {
  if (!positions) return otherwise;
  const auto [from, to] = *positions;
  if (static_cast<std::size_t>(to) - static_cast<std::size_t>(from) + 1 != count)
    throw SubjectError(fmt::format("{}: it holds {} rows, and its `__metadata__` says positions {}:{}", path,
                                   count, from, to));
  return from;
}

Array read_array(const std::string& path) {
  std::vector<std::string> slices;  // the last one first
  IndexedFile rest{path, ""};
  while (rest = indexed_file(rest.path), !rest.indices.empty()) {
    if (slices.size() == most_slices)
      throw SubjectError(fmt::format("{}: is indexed more than {} times", printable(path, 100), most_slices));
    slices.push_back(std::move(rest.indices));
  }
  Array array = read_whole(rest.path);
  for (; !slices.empty(); slices.pop_back()) array = sliced(std::move(array), slices.back());
  return array;
}

}  // namespace posproof
