#include "subject/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "subject/words.h"

namespace posproof {
namespace {

// The records of a zip archive (APPNOTE 4.3): numbers are little-endian. Of those with 64-bit sizes only the
// extra fields of a local header, which numpy writes always, may be there: they are passed over.
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22, longest_comment = 65535;
constexpr std::size_t largest_directory = std::size_t{1} << 24;
constexpr std::string_view local_magic = "PK\3\4", entry_magic = "PK\1\2", end_magic = "PK\5\6";

std::size_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::size_t out = 0;
  for (std::size_t n = size; n-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + n]);
  return out;
}

std::string taken(const RegularFile& file, std::size_t at, std::size_t size, std::string_view what) {
  if (at > file.size() || size > file.size() - at) file.refuse(fmt::format("ends within {}", what));
  std::string bytes(size, '\0');
  file.read(at, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// Where the values of an entry begin: behind its local header, whose name and extra field have lengths of
// their own.
std::size_t begin_of(const RegularFile& file, std::size_t header, const std::string& name) {
  const std::string local = taken(file, header, local_size, fmt::format("the header of `{}`", name));
  if (!local.starts_with(local_magic)) file.refuse(fmt::format("has no header of `{}`", name));
  return header + local_size + little_endian(local, 26, 2) + little_endian(local, 28, 2);
}

}  // namespace

std::vector<NpzMember> npz_members(const RegularFile& file) {
  const std::size_t tail = std::min(file.size(), end_size + longest_comment);
  const std::string last = taken(file, file.size() - tail, tail, "the end");
  const std::size_t end = last.rfind(end_magic);
  if (end == std::string::npos || last.size() - end < end_size)
    file.refuse("does not end as a .npz file does");
  const std::size_t count = little_endian(last, end + 10, 2), size = little_endian(last, end + 12, 4),
                    begin = little_endian(last, end + 16, 4);
  if (count == 0xffff || size == 0xffffffff || begin == 0xffffffff || size > largest_directory)
    file.refuse("is larger than a .npz file that is read: 65,534 arrays, 4 GiB");
  const std::string directory = taken(file, begin, size, "the directory");

  std::vector<NpzMember> out;
  std::size_t at = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const bool whole = directory.size() - at >= entry_size &&
                       std::string_view(directory).substr(at).starts_with(entry_magic);
    const std::size_t length = whole ? little_endian(directory, at + 28, 2) : 0,
                      more = whole
                                 ? little_endian(directory, at + 30, 2) + little_endian(directory, at + 32, 2)
                                 : 0;
    if (!whole || directory.size() - at - entry_size < length + more)
      file.refuse(fmt::format("has a directory that is cut short: {} of {} arrays", n, count));
    std::string name = directory.substr(at + entry_size, length);
    const std::string shown = printable(name, 60);
    if (little_endian(directory, at + 8, 2) & 1) file.refuse(fmt::format("`{}` is encrypted", shown));
    const std::size_t stored = little_endian(directory, at + 20, 4);
    if (little_endian(directory, at + 10, 2) != 0)
      file.refuse(fmt::format("`{}` is compressed; numpy.savez writes it as it is", shown));
    if (stored == 0xffffffff || stored != little_endian(directory, at + 24, 4))
      file.refuse(fmt::format("`{}` has no size below 4 GiB that is the same twice", shown));
    const std::size_t first = begin_of(file, little_endian(directory, at + 42, 4), shown);
    if (first > file.size() || stored > file.size() - first)
      file.refuse(fmt::format("ends within `{}`", shown));
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    out.push_back({std::move(name), first, stored});
    at += entry_size + length + more;
  }
  return out;
}

}  // namespace posproof
