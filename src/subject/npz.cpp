#include "subject/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "subject/words.h"

namespace posproof {
namespace {

// The records of a zip archive (APPNOTE 4.3): numbers are little-endian. Of those with 64-bit sizes only the
// extra fields of a local header, which numpy writes always, may be there: they are passed over.
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22, longest_comment = 65535;
constexpr std::size_t largest_directory = std::size_t{1} << 24;
constexpr std::size_t as_it_is = 0, by_deflate = 8;  // methods of compression
constexpr std::size_t most_inflated = 1032,
                      block = 1 << 16;  // zlib.net/zlib_tech.html, and what is read at once
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
    const std::size_t method = little_endian(directory, at + 10, 2),
                      stored = little_endian(directory, at + 20, 4),
                      whole_size = little_endian(directory, at + 24, 4);
    if (method != as_it_is && method != by_deflate)
      file.refuse(
          fmt::format("`{}` is compressed by method {} of zip; numpy writes 0 (as it is) and 8 (deflate)",
                      shown, method));
    if (stored == 0xffffffff || whole_size == 0xffffffff)
      file.refuse(fmt::format("`{}` has no size below 4 GiB", shown));
    if (method == as_it_is && stored != whole_size)
      file.refuse(fmt::format("`{}` is stored as it is, in {} bytes, and has {}", shown, stored, whole_size));
    if (method == by_deflate && whole_size > most_inflated * stored)
      file.refuse(
          fmt::format("`{}` promises {} bytes, more than {} of deflate can hold", shown, whole_size, stored));
    const std::size_t first = begin_of(file, little_endian(directory, at + 42, 4), shown);
    if (first > file.size() || stored > file.size() - first)
      file.refuse(fmt::format("ends within `{}`", shown));
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    out.push_back({std::move(name), first, stored, whole_size, method == by_deflate,
                   static_cast<std::uint32_t>(little_endian(directory, at + 16, 4))});
    at += entry_size + length + more;
  }
  return out;
}

std::vector<std::byte> inflated(const RegularFile& file, const NpzMember& member) {
  std::vector<std::byte> from(std::min(block, member.stored)), to(member.size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();  // without the frame of zlib
  const auto end = [](z_stream* of) { inflateEnd(of); };
  const std::unique_ptr<z_stream, decltype(end)> ends(&stream, end);

  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  int state = Z_OK;
  for (std::size_t at = 0; state == Z_OK && at < member.stored; at += from.size()) {
    from.resize(std::min(from.size(), member.stored - at));
    file.read(member.begin + at, from);
    stream.next_in = reinterpret_cast<Bytef*>(from.data());
    stream.avail_in = static_cast<uInt>(from.size());
    state = inflate(&stream, Z_SYNC_FLUSH);
  }
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(to.data()), static_cast<uInt>(to.size()));
  if (state != Z_STREAM_END || stream.avail_out != 0 || crc != member.crc)
    file.refuse(fmt::format("`{}` is damaged: what is deflated there is not the {} bytes of its checksum",
                            printable(member.name, 60), member.size));
  return to;
}

}  // namespace posproof
