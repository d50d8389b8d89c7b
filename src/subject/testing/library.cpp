// A shared library for the tests of `lib:`. What stands in the environment variable POSPROOF_TEST_LIBRARY,
// words with a blank between them, makes it another: a value for each member of posproof_subject
// (`dtype=bf16`, `width=3`), the functions that it has (`has=rows,bias`), and how it misbehaves
// (`misbehaves=declines`).
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "subject/posproof_subject.h"

namespace {

std::string option(const std::string& name) {
  const char* all = std::getenv("POSPROOF_TEST_LIBRARY");
  std::istringstream words(all == nullptr ? "" : all);
  for (std::string word; std::getline(words, word, ';');)
    if (word.rfind(name + "=", 0) == 0) return word.substr(name.size() + 1);
  return "";
}

bool misbehaves(const char* how) {
  return option("misbehaves") == how;
}

std::string why;
double shift = 0;

// What all functions do besides answering.
int ends_as_told(const void* given, void* out, std::size_t numbers) {
  if (misbehaves("prints")) std::puts("hello");
  if (misbehaves("dies")) std::abort();
  if (misbehaves("changes")) std::memset(const_cast<void*>(given), 1, 1);
  if (misbehaves("writes_before")) static_cast<float*>(out)[-1] = 0;
  if (misbehaves("writes_behind")) static_cast<float*>(out)[numbers] = 0;
  if (misbehaves("declines")) return POSPROOF_DECLINED;
  if (misbehaves("fails")) return 7;
  return POSPROOF_ANSWERED;
}

template <class Number>
double at(const void* positions, std::size_t n) {
  return static_cast<double>(static_cast<const Number*>(positions)[n]);
}

double position(const void* positions, std::size_t n) {
  const std::string is = option("positions");
  return is == "int32"     ? at<std::int32_t>(positions, n)
         : is == "float64" ? at<double>(positions, n)
         : is == "float32" ? at<float>(positions, n)
                           : at<std::int64_t>(positions, n);
}

// Numbers of few bits, as `dtype` has them.
double get(const void* values, std::size_t n) {
  const std::string is = option("dtype");
  if (is == "f64") return static_cast<const double*>(values)[n];
  if (is != "bf16") return static_cast<const float*>(values)[n];
  const std::uint32_t bits = static_cast<std::uint32_t>(static_cast<const std::uint16_t*>(values)[n]) << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void put(void* values, std::size_t n, double value) {
  if (misbehaves("leaves_the_last") && n == 1) return;
  const std::string is = option("dtype");
  if (is == "f64") {
    static_cast<double*>(values)[n] = value;
  } else if (is != "bf16") {
    static_cast<float*>(values)[n] = static_cast<float>(value);
  } else {
    const auto narrow = static_cast<float>(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof bits);
    static_cast<std::uint16_t*>(values)[n] = static_cast<std::uint16_t>(bits >> 16);
  }
}

// t + shift + length / 16, plus the second number of a position
int rows(const void* positions, std::size_t n, std::size_t axes, std::int64_t length, void* out) {
  const std::string said = option("width");
  const std::size_t width = said.empty() ? 2 : std::stoul(said);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < width; ++c)
      put(out, r * width + c,
          position(positions, r * axes) + (axes > 1 ? position(positions, r * axes + 1) / 4 : 0) + shift +
              static_cast<double>(length) / 16 + static_cast<double>(c) * 32);
  return ends_as_told(positions, out, n * width);
}

// x times the position, times 2 for keys
int rotate(const void* x, const void* positions, std::size_t batch, std::size_t heads, std::size_t n,
           std::size_t dim, std::size_t axes, int is_key, void* out) {
  if (misbehaves("changes_positions")) std::memset(const_cast<void*>(positions), 1, 1);
  if (misbehaves("writes_before_x")) static_cast<float*>(const_cast<void*>(x))[-1] = 0;
  for (std::size_t e = 0; e < batch * heads * n * dim; ++e) {
    const std::size_t row = e / dim, token = row / (heads * n) * n + row % n;
    put(out, e, get(x, e) * position(positions, token * axes) * (is_key != 0 ? 2 : 1));
  }
  return ends_as_told(x, out, batch * heads * n * dim);
}

int rotate_backward(const void* x, const void* positions, std::size_t batch, std::size_t heads, std::size_t n,
                    std::size_t dim, std::size_t axes, int is_key, void* out) {
  const int said = rotate(x, positions, batch, heads, n, dim, axes, is_key, out);
  for (std::size_t e = 0; e < batch * heads * n * dim; ++e) put(out, e, -get(out, e));
  return said;
}

// 100 h + 4 i - j
int bias(const void* queries, std::size_t nq, const void* keys, std::size_t nk, std::size_t axes, void* out) {
  const std::string said = option("heads");
  const std::size_t heads = said.empty() ? 1 : std::stoul(said);
  for (std::size_t e = 0; e < heads * nq * nk; ++e)
    put(out, e,
        100.0 * static_cast<double>(e / (nq * nk)) + 4 * position(queries, e / nk % nq * axes) -
            position(keys, e % nk * axes));
  return ends_as_told(queries, out, heads * nq * nk);
}

// the first channels of q and k and the bias
int logits(const void* q, const void* queries, std::size_t nq, const void* k, const void* keys,
           std::size_t nk, std::size_t dim, std::size_t axes, void* out) {
  const int said = bias(queries, nq, keys, nk, axes, out);
  for (std::size_t i = 0; i < nq; ++i)
    for (std::size_t j = 0; j < nk; ++j)
      put(out, i * nk + j, get(out, i * nk + j) + get(q, i * dim) * get(k, j * dim));
  return said;
}

// q_0 times the sum of k_0 v over the keys that a query sees
int attend(const void* q, std::size_t nq, const void* k, const void* v, std::size_t nk,
           const std::uint8_t* mask, std::size_t dim, std::size_t value_dim, void* out) {
  for (std::size_t i = 0; i < nq; ++i)
    for (std::size_t c = 0; c < value_dim; ++c) {
      double sum = 0;
      for (std::size_t j = 0; j < nk; ++j)
        if (mask[i * nk + j] == 1) sum += get(k, j * dim) * get(v, j * value_dim + c);
      put(out, i * value_dim + c, get(q, i * dim) * sum);
    }
  return ends_as_told(q, out, nq * value_dim);
}

const char* reason() {
  return why.empty() ? nullptr : why.c_str();
}

// The texts outlive the call.
const char* kept(const std::string& name) {
  static std::array<std::string, 7> all;
  static std::size_t used = 0;
  const std::string said = option(name);
  return said.empty() ? nullptr : (all.at(used++ % all.size()) = said).c_str();
}

}  // namespace

extern "C" int posproof_start(const posproof_asked* asked, posproof_subject* out) {
  why = option("why");
  out->reason = reason;
  if (misbehaves("takes_no_part")) return POSPROOF_DECLINED;
  if (misbehaves("does_not_start")) return 3;
  out->name = kept("name"), out->version = kept("version"), out->dtype = kept("dtype");
  out->precision = kept("precision"), out->domain = kept("domain"), out->positions = kept("positions");
  out->conventions = kept("conventions");
  if (const std::string width = option("width"); !width.empty()) out->width = std::stoul(width);
  if (const std::string heads = option("heads"); !heads.empty()) out->heads = std::stoul(heads);
  const std::string has = "," + option("has") + ",";
  const auto is_there = [&has](const char* function) {
    return has == ",," || has.find("," + std::string(function) + ",") != std::string::npos;
  };
  if (is_there("rows")) out->rows = rows;
  if (is_there("rotate")) out->rotate = rotate;
  if (is_there("rotate_backward")) out->rotate_backward = rotate_backward;
  if (is_there("bias")) out->bias = bias;
  if (is_there("logits")) out->logits = logits;
  if (is_there("attend")) out->attend = attend;
  // A whole number, a list, a word, and what is none of these.
  const double factor = asked->number(asked, "factor");
  std::array<double, 2> list{};
  const std::size_t many = asked->numbers(asked, "list", list.data(), list.size());
  const char* word = asked->word(asked, "word");
  if (!std::isnan(factor)) shift += factor;
  shift += 1000.0 * static_cast<double>(many) + 10 * list[0] + 100 * list[1];
  if (word != nullptr && std::strcmp(word, "half") == 0) shift += 0.5;
  if (!std::isnan(asked->number(asked, "word")) || asked->word(asked, "nothing") != nullptr ||
      asked->numbers(asked, "word", list.data(), 2) != 0 || asked->numbers(asked, "dim", list.data(), 2) > 1)
    return POSPROOF_FAILED;
  static std::string encoding;
  encoding = asked->encoding;
  if (out->conventions == nullptr) out->conventions = encoding.c_str();
  return POSPROOF_ANSWERED;
}
