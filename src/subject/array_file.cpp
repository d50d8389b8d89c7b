#include "subject/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "subject/frame.h"
#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {
namespace {

constexpr std::size_t most_values = std::size_t{1} << 28;  // of one array: 2 GiB in double

// A file from its beginning on, and whom to name when it is wrong.
class File {
 public:
  explicit File(const std::string& path) : path_(path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) refuse("there is no such file");
    if (!std::filesystem::is_regular_file(status)) refuse("is no regular file");
    size_ = std::filesystem::file_size(path, error);
    stream_.open(path, std::ios::binary);
    if (error || !stream_) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw SubjectError(fmt::format("{}: {}", path_, why));
  }

  const std::string& path() const { return path_; }
  std::size_t left() const { return size_ - at_; }

  std::string take(std::size_t count, std::string_view what) {
    if (count > left()) refuse(fmt::format("ends within {}: {} of {} bytes are there", what, left(), count));
    std::string bytes(count, '\0');
    stream_.read(bytes.data(), static_cast<std::streamsize>(count));
    if (!stream_) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
    at_ += count;
    return bytes;
  }

  void skip(std::size_t count) { stream_.seekg(static_cast<std::streamoff>(at_ += count)); }

 private:
  std::string path_;
  std::ifstream stream_;
  std::size_t size_ = 0, at_ = 0;
};

std::string described(Dtype dtype, const Shape& shape) {
  const std::string_view word = dtype == Dtype::F64   ? "float64"
                                : dtype == Dtype::F32 ? "float32"
                                : dtype == Dtype::F16 ? "float16"
                                                      : "bfloat16";
  return fmt::format("{} {}", fmt::join(shape, " x "), word);
}

std::size_t counted(const File& file, Dtype dtype, const Shape& shape) {
  std::size_t values = most_values + 1;
  try {
    values = count(shape);
  } catch (const std::length_error&) {
  }
  if (values > most_values)
    file.refuse(
        fmt::format("the header promises {}; {} values are allowed", described(dtype, shape), most_values));
  return values;
}

// The header of a .npy file is a Python dictionary in text, of these three keys.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

class NpyParser {
 public:
  NpyParser(const File& file, std::string_view text) : file_(file), rest_(text) {}

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

  const File& file_;
  std::string_view rest_;
};

// First axis fastest, as Fortran and some transposes have it, to last axis fastest.
std::vector<double> row_major(const Shape& shape, const std::vector<double>& values) {
  std::vector<double> out(values.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (double& value : out) {
    std::size_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) from = from * shape[axis] + index[axis];
    value = values[from];
    for (std::size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];) index[axis] = 0;
  }
  return out;
}

Array read_npy(File file) {
  const std::string start = file.take(8, "the magic string");
  if (start.substr(0, 6) != "\x93NUMPY") file.refuse("does not begin as a .npy file does");
  const int major = static_cast<unsigned char>(start[6]), minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    file.refuse(fmt::format("is of .npy version {}.{}; 1.0, 2.0 and 3.0 are read", major, minor));

  std::size_t length = 0;
  const std::string bytes = file.take(major == 1 ? 2 : 4, "the length of the header");
  for (std::size_t i = bytes.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  if (length > frame::longest_header)
    file.refuse(fmt::format("the header is {} bytes long, {} are allowed", length, frame::longest_header));
  const std::string text = file.take(length, "the header");
  const NpyHeader header = NpyParser(file, text).parse();

  const auto dtype = header.descr == "<f8"   ? std::optional(Dtype::F64)
                     : header.descr == "<f4" ? std::optional(Dtype::F32)
                     : header.descr == "<f2" ? std::optional(Dtype::F16)
                                             : std::nullopt;
  if (!dtype)
    file.refuse(
        fmt::format("has dtype `{}`; little-endian <f8, <f4 and <f2 are read", printable(header.descr, 40)));
  const std::size_t promised = counted(file, *dtype, header.shape) * size(*dtype);
  if (promised != file.left())
    file.refuse(fmt::format("the header promises {} ({} bytes), the file holds {}",
                            described(*dtype, header.shape), promised, file.left()));
  std::vector<double> values = decode(*dtype, file.take(promised, "the values"));
  if (header.fortran_order) values = row_major(header.shape, values);
  return {file.path(), *dtype, Tensor(header.shape, std::move(values))};
}

const frame::Part& chosen(const File& file, const frame::Header& header, const std::string& name) {
  if (header.parts.empty()) file.refuse("holds no tensor");
  if (name.empty() && header.parts.size() == 1) return header.parts.front();
  std::string names;
  for (const frame::Part& part : header.parts) {
    if (part.name == name) return part;
    names += (names.empty() ? "" : ", ") + part.name;
  }
  const std::string which =
      name.empty() ? "holds more than one tensor; say which" : fmt::format("holds no `{}`", name);
  file.refuse(fmt::format("{}: FILE.safetensors:NAME with NAME one of {}", which, printable(names, 400)));
}

Array read_safetensors(File file, const std::string& name) {
  try {
    const std::size_t size = frame::header_size(file.take(8, "the length of the header"));
    const frame::Header header = frame::parse(file.take(size, "the header"));
    if (header.size != file.left())
      file.refuse(
          fmt::format("the header promises {} bytes of values, the file holds {}", header.size, file.left()));
    const frame::Part& part = chosen(file, header, name);
    if (!is_float(part.dtype))
      file.refuse(fmt::format("`{}` has dtype {}; F64, F32, BF16 and F16 are read", printable(part.name, 60),
                              posproof::name(part.dtype)));
    counted(file, part.dtype, part.shape);
    file.skip(part.begin);
    return {file.path(), part.dtype,
            Tensor(part.shape, decode(part.dtype, file.take(part.size, "the values")))};
  } catch (const frame::Malformed& malformed) {
    file.refuse(malformed.what());
  }
}

}  // namespace

Array read_array(const std::string& path) {
  constexpr std::string_view safetensors = ".safetensors";
  const auto ends = [&path](std::string_view with) {
    return path.size() >= with.size() && path.compare(path.size() - with.size(), with.size(), with) == 0;
  };
  if (ends(".npy")) return read_npy(File(path));
  if (ends(safetensors)) return read_safetensors(File(path), "");
  if (const auto at = path.rfind(".safetensors:"); at != std::string::npos)
    return read_safetensors(File(path.substr(0, at + safetensors.size())),
                            path.substr(at + safetensors.size() + 1));
  if (ends(".npz"))
    throw SubjectError(
        fmt::format("{}: .npz is not read; save the one array with numpy.save, as .npy", path));
  throw SubjectError(fmt::format(
      "{}: a table is FILE.npy, FILE.safetensors or FILE.safetensors:NAME, and @PRECISION may follow", path));
}

}  // namespace posproof
