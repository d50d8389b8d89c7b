// Runs a harness without libFuzzer, under any compiler: the large inputs, the files of a corpus, and
// mutations of both, the same ones every time.
//
//   posproof_fuzz_NAME CORPUS DICTIONARY MUTATIONS
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "fuzz/harness.h"

namespace posproof::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr double most_seconds = 10;  // of processor time, for one input

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> files_of(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> out;
  for (const fs::path& path : paths) out.push_back(bytes_of(path));
  return out;
}

// Of a line `name="text"`, with \\, \" and \xff in it.
std::string token_of(std::string_view line) {
  std::string out;
  for (std::size_t at = line.find('"') + 1; at < line.rfind('"'); ++at) {
    if (line[at] != '\\') {
      out += line[at];
    } else if (line[++at] == 'x') {
      out += static_cast<char>(std::stoi(std::string(line.substr(at + 1, 2)), nullptr, 16));
      at += 2;
    } else {
      out += line[at];
    }
  }
  return out;
}

std::vector<std::string> tokens_of(const fs::path& dictionary) {
  std::vector<std::string> out;
  std::ifstream in(dictionary);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.front() != '#') out.push_back(token_of(line));
  return out;
}

class Mutations {
 public:
  Mutations(const std::vector<std::string>& inputs, const std::vector<std::string>& tokens,
            std::uint64_t seed)
      : inputs_(inputs), tokens_(tokens), random_(seed) {}

  std::string next() {
    std::string text = inputs_[below(inputs_.size())];
    for (std::size_t steps = below(8) + 1; steps > 0; --steps) mutate(text);
    text.resize(std::min(text.size(), longest));
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : static_cast<std::size_t>(random_.next() % end); }
  const std::string& one_of(const std::vector<std::string>& all) { return all[below(all.size())]; }

  void mutate(std::string& text) {
    const std::size_t at = below(text.size() + 1),
                      size = below(std::min<std::size_t>(text.size() - at, 64) + 1);
    switch (below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 2:
        text.erase(at, size);
        break;
      case 3:
        text.insert(at, one_of(tokens_));
        break;
      case 4:
        text.replace(at, size, one_of(tokens_));
        break;
      case 5:
        text.replace(at, size, std::to_string(std::uint64_t{1} << below(64)));
        break;
      case 6: {  // a stretch many times: depth, and counts
        const std::string stretch = text.substr(at, size);
        const std::size_t most = longest / 4 / (size + 1);
        std::string repeated;
        for (std::size_t n = below(2) == 0 ? below(8) : below(most); n > 0; --n) repeated += stretch;
        text.insert(at, repeated);
        break;
      }
      default: {
        const std::string& other = one_of(inputs_);
        const std::size_t from = below(other.size() + 1);
        text.insert(at, other.substr(from, below(256)));
      }
    }
  }

  const std::vector<std::string>& inputs_;
  const std::vector<std::string>& tokens_;
  SplitMix64 random_;
};

// What a parser takes for a MiB is far below this. (The address sanitizer reserves terabytes.)
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  constexpr rlimit most = {std::size_t{2} << 30, std::size_t{2} << 30};
  ::setrlimit(RLIMIT_AS, &most);
#endif
}

// False where it took too long.
bool run(const std::string& input) {
  const std::clock_t start = std::clock();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (seconds < most_seconds) return true;
  std::fprintf(stderr, "an input of %zu bytes took %.0f s: %.60s\n", input.size(), seconds, input.c_str());
  return false;
}

int replay(const fs::path& corpus, const fs::path& dictionary, std::uint64_t mutations) {
  std::vector<std::string> inputs = files_of(corpus);
  const std::vector<std::string> tokens = tokens_of(dictionary);
  if (inputs.empty() || tokens.empty()) {
    std::fprintf(stderr, "`%s` or `%s` is empty\n", corpus.c_str(), dictionary.c_str());
    return 2;
  }
  const std::size_t small = inputs.size();
  for (std::string& large : large_inputs()) inputs.push_back(std::move(large));
  for (const std::string& input : inputs)
    if (input.size() > longest + 16 || !run(input)) return 1;

  // One mutation in 64 is of a large input, which takes as long as thousands of small ones.
  const std::vector<std::string> few(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(small));
  Mutations of_all(inputs, tokens, 1), of_few(few, tokens, 2);
  for (std::uint64_t n = 0; n < mutations; ++n)
    if (!run(n % 64 == 0 ? of_all.next() : of_few.next())) return 1;
  std::printf("%zu inputs and %llu mutations\n", inputs.size(), static_cast<unsigned long long>(mutations));
  return 0;
}

}  // namespace
}  // namespace posproof::fuzz

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s CORPUS DICTIONARY MUTATIONS\n", argv[0]);
    return 2;
  }
  posproof::fuzz::limit_memory();
  return posproof::fuzz::replay(argv[1], argv[2], std::stoull(argv[3]));
}
