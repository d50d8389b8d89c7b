#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace posproof::report {

// A file's bytes; none where it cannot be read.
std::optional<std::string> file_bytes(const std::filesystem::path& path);

// Gives the file these bytes, written aside and then renamed, so that it is never half-written; folders that are missing
// are made. True where it had others, or was not there. Throws std::runtime_error with the path.
bool replace_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace posproof::report
