// RoPE in C++ that answers posproof itself: the subject protocol (src/subject/protocol.md) with a JSON
// library.
//
//     c++ -O2 -std=c++17 examples/cpp_rope.cpp -o cpp_rope
//     ./run posproof gate rope --heads 2 "cmd:./cpp_rope"
//     ./run posproof gate rope --heads 2 "cmd:./cpp_rope --wrong sine_of_first_half"    # exit 1
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// ---- what is put to the test

// x [batch, heads, n, dim] and positions [batch, n]; channels i and i + dim/2 are a pair.
class Rope {
 public:
  Rope(std::size_t dim, double base, std::string wrong) : dim_(dim), wrong_(std::move(wrong)) {
    for (std::size_t i = 0; i < dim / 2; ++i)
      frequencies_.push_back(
          static_cast<float>(1 / std::pow(base, 2 * static_cast<double>(i) / static_cast<double>(dim))));
  }

  void rotate(std::vector<float>& x, const std::vector<std::size_t>& shape,
              const std::vector<std::int64_t>& positions) const {
    const std::size_t heads = shape.at(1), n = shape.at(2);
    for (std::size_t row = 0; row * dim_ < x.size(); ++row) {
      const auto t = static_cast<float>(positions.at(row / (heads * n) * n + row % n));
      float* token = x.data() + row * dim_;
      for (std::size_t i = 0; i < dim_ / 2; ++i) {
        const float c = std::cos(t * frequencies_[i]), s = std::sin(t * frequencies_[i]);
        const float a = token[i], b = token[i + dim_ / 2];
        token[i] = a * c - b * s;
        token[i + dim_ / 2] = (wrong_ == "sine_of_first_half" ? token[i] : a) * s + b * c;  // overwritten
      }
    }
  }

 private:
  std::size_t dim_;
  std::string wrong_;
  std::vector<float> frequencies_;
};

// ---- frames

using Words = std::map<std::string, std::string>;

struct Frame {
  nlohmann::json header;
  std::string values;

  std::string word(const std::string& name) const { return header.at("__metadata__").at(name); }

  std::vector<std::size_t> shape(const std::string& name) const { return header.at(name).at("shape"); }

  template <class Number>
  std::vector<Number> numbers(const std::string& name) const {
    const std::size_t begin = header.at(name).at("data_offsets").at(0),
                      end = header[name]["data_offsets"].at(1);
    std::vector<Number> out((end - begin) / sizeof(Number));
    if (!out.empty()) std::memcpy(out.data(), values.data() + begin, end - begin);
    return out;
  }
};

std::string bytes(std::uint64_t count) {
  std::string out(count, '\0');
  if (!std::cin.read(out.data(), static_cast<std::streamsize>(count)))
    std::exit(0);  // posproof has no more questions
  return out;
}

Frame read() {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes(sizeof length).data(), sizeof length);
  Frame out{nlohmann::json::parse(bytes(length)), ""};
  std::uint64_t end = 0;
  for (const auto& [name, tensor] : out.header.items())
    if (name != "__metadata__") end = std::max<std::uint64_t>(end, tensor.at("data_offsets").at(1));
  out.values = bytes(end);
  return out;
}

void write(const Words& words, const std::vector<std::size_t>& shape = {},
           const std::vector<float>& result = {}) {
  nlohmann::json header = {{"__metadata__", words}};
  const std::size_t size = result.size() * sizeof(float);
  if (!shape.empty()) header["result"] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {0, size}}};
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::cout.write(reinterpret_cast<const char*>(&length), sizeof length) << text;
  std::cout.write(reinterpret_cast<const char*>(result.data()), static_cast<std::streamsize>(size)).flush();
}

// ---- the exchange

// `dim=64 heads=1 base=10000 ...`
double parameter(const std::string& parameters, const std::string& name) {
  std::istringstream all(parameters);
  for (std::string one; all >> one;)
    if (one.rfind(name + "=", 0) == 0) return std::stod(one.substr(name.size() + 1));
  throw std::invalid_argument("there is no parameter " + name);
}

int main(int argc, char** argv) {
  const std::string wrong = argc == 3 ? argv[2] : "";
  const Frame hello = read();
  const std::string parameters = hello.word("parameters");
  const Rope rope(static_cast<std::size_t>(parameter(parameters, "dim")), parameter(parameters, "base"),
                  wrong);
  const Words introduction = {{"answer", "hello"}, {"protocol", "1"}, {"name", "cpp_rope"},
                              {"kinds", "rotate"}, {"dtype", "F32"},  {"renews", "yes"}};
  const auto introduce = [&](const Frame& asked) {
    Words words = introduction;
    words["id"] = asked.word("id");
    write(words);
  };
  introduce(hello);
  for (;;) {
    const Frame asked = read();
    if (asked.word("call") == "renew") {  // `rope` remembers nothing: it is as good as new
      introduce(asked);
      continue;
    }
    const std::vector<double> x = asked.numbers<double>("x");
    std::vector<float> y(x.begin(), x.end());
    rope.rotate(y, asked.shape("x"), asked.numbers<std::int64_t>("positions"));
    write({{"answer", "result"}, {"id", asked.word("id")}}, asked.shape("x"), y);
  }
}
