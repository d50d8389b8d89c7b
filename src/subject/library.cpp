#include "subject/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <variant>
#include <vector>

#include "core/case.h"
#include "core/failure.h"
#include "subject/frame.h"
#include "subject/posproof_subject.h"
#include "subject/subject.h"

namespace posproof {
namespace {

std::string& serving_program() {
  static std::string program;
  return program;
}

// Why a question is not answered: the words of an answer that is no result.
struct Unanswered {
  std::string answer, name, why;
  bool changed = false;
};

Unanswered failed(std::string why) {
  return {"error", "text", std::move(why)};
}

Unanswered declined(std::string why) {
  return {"declined", "reason", std::move(why)};
}

// ---- arrays

// Bytes between two rows of others that nobody writes: whether all of them are as they were shows what a
// function in C does to what is not its own.
class Guarded {
 public:
  Guarded(std::size_t size, std::byte fill) : size_(size), bytes_(size + 3 * beside, guard) {
    const auto at = reinterpret_cast<std::uintptr_t>(bytes_.data());
    begin_ = beside + (beside - at % beside) % beside;
    std::fill_n(data(), size, fill);
  }

  std::byte* data() { return bytes_.data() + begin_; }
  std::size_t size() const { return size_; }
  std::string text() const { return {reinterpret_cast<const char*>(bytes_.data()) + begin_, size_}; }

  bool is_left_alone() const {
    const auto is_guard = [](std::byte one) { return one == guard; };
    const auto first = bytes_.begin(), own = first + static_cast<std::ptrdiff_t>(begin_);
    return std::all_of(first, own, is_guard) &&
           std::all_of(own + static_cast<std::ptrdiff_t>(size_), bytes_.end(), is_guard);
  }

 private:
  static constexpr std::size_t beside = 64;  // bytes, and what every array is aligned to
  static constexpr std::byte guard{0xA5};
  std::size_t size_, begin_ = 0;
  std::vector<std::byte> bytes_;
};

// What a function is given, and how it was.
struct Given {
  Guarded array;
  std::string before;

  bool is_unchanged() const { return array.is_left_alone() && array.text() == before; }
};

Given given(std::size_t size, const auto& write) {
  Given out{Guarded(size, std::byte{0}), ""};
  write(out.array.data());
  out.before = out.array.text();
  return out;
}

template <class Number>
Given converted(const std::vector<double>& values, std::string_view dtype) {
  return given(values.size() * sizeof(Number), [&](std::byte* at) {
    for (const double value : values) {
      const bool fits = std::abs(value) <= static_cast<double>(std::numeric_limits<Number>::max());
      const auto number = static_cast<Number>(fits ? value : 0);
      if (static_cast<double>(number) != value)
        throw declined(fmt::format("position {} is not exact in {}", value, dtype));
      std::memcpy(at, &number, sizeof number);
      at += sizeof number;
    }
  });
}

// ---- frames

struct Frame {
  frame::Header header;
  std::string values;

  const frame::Part& part(std::string_view name) const {
    for (const frame::Part& one : header.parts)
      if (one.name == name) return one;
    throw frame::Malformed(fmt::format("there is no tensor `{}`", name));
  }

  std::string_view bytes(const frame::Part& one) const {
    return std::string_view(values).substr(one.begin, one.size);
  }

  // Of F64, or of I64, whose numbers are exact in double.
  std::vector<double> numbers(std::string_view name) const {
    const frame::Part& one = part(name);
    if (one.dtype != Dtype::I64) return decode(one.dtype, bytes(one));
    std::vector<double> out;
    for (std::size_t at = 0; at < one.size; at += sizeof(std::int64_t)) {
      std::int64_t number = 0;
      std::memcpy(&number, values.data() + one.begin + at, sizeof number);
      out.push_back(static_cast<double>(number));
    }
    return out;
  }
};

class Conversation {
 public:
  Conversation(int input, int output) : input_(input), output_(output) {}

  std::optional<Frame> next() const {
    const std::optional<std::string> size = bytes(8);
    if (!size) return std::nullopt;
    Frame out;
    out.header = frame::parse(bytes(frame::header_size(*size)).value_or(""));
    out.values = bytes(out.header.size).value_or("");
    return out;
  }

  void say(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(output_, text.data(), text.size());
      if (written < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "an answer");
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  // None where the input has ended.
  std::optional<std::string> bytes(std::size_t count) const {
    std::string out(count, '\0');
    for (std::size_t done = 0; done < count;) {
      const ssize_t came = ::read(input_, out.data() + done, count - done);
      if (came == 0) return std::nullopt;
      if (came < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "a question");
      if (came > 0) done += static_cast<std::size_t>(came);
    }
    return out;
  }

  int input_, output_;
};

// ---- the library

// The parameters, as functions in C.
struct Asked : posproof_asked {
  explicit Asked(const Frame& hello) : posproof_asked{}, id(hello.header.word("encoding")) {
    const Parameters all = Case::parse(hello.header.word("parameters"));
    for (const auto& [name, value] : all.fields()) values[name] = {value, text(value)};
    encoding = id.c_str();
    word = [](const posproof_asked* asked, const char* name) -> const char* {
      const Known* known = static_cast<const Asked*>(asked)->find(name);
      return known == nullptr ? nullptr : known->words.c_str();
    };
    number = [](const posproof_asked* asked, const char* name) {
      const Known* known = static_cast<const Asked*>(asked)->find(name);
      const double* value = known == nullptr ? nullptr : std::get_if<double>(&known->value);
      return value == nullptr ? std::numeric_limits<double>::quiet_NaN() : *value;
    };
    numbers = [](const posproof_asked* asked, const char* name, double* out, std::size_t most) {
      const Known* known = static_cast<const Asked*>(asked)->find(name);
      std::vector<double> all;
      if (known != nullptr) {
        if (const auto* list = std::get_if<std::vector<double>>(&known->value)) all = *list;
        if (const auto* one = std::get_if<double>(&known->value)) all = {*one};
      }
      std::copy_n(all.begin(), std::min(most, all.size()), out);
      return all.size();
    };
  }

  std::size_t size_of(const char* parameter) const {
    const double value = number(this, parameter);
    return value >= 1 ? static_cast<std::size_t>(value) : 0;
  }

  struct Known {
    Value value;
    std::string words;
  };
  const Known* find(const char* name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }

  std::string id;
  std::map<std::string, Known, std::less<>> values;
};

std::string_view or_else(const char* said, std::string_view usual) {
  return said == nullptr ? usual : std::string_view(said);
}

class Library {
 public:
  explicit Library(const std::string& path) : path_(path) {}

  // Throws Unanswered where it takes no part.
  frame::Message hello(const Frame& frame) {
    // Never closed: what it says lasts.
    void* const loaded = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) throw failed(fmt::format("it cannot be loaded: {}", ::dlerror()));
    const auto start = reinterpret_cast<decltype(&posproof_start)>(::dlsym(loaded, "posproof_start"));
    if (start == nullptr) throw failed("it exports no posproof_start(): see posproof_subject.h");
    const Asked asked(frame);
    is_ = {};
    if (const int said = start(&asked, &is_); said != POSPROOF_ANSWERED)
      throw reason(said, "posproof_start()");
    const std::string_view dtype_word = or_else(is_.dtype, "f32");
    const auto found = posproof::format(dtype_word);
    if (!found) throw failed(fmt::format("its dtype is `{}`; allowed: f64, f32, bf16, f16", dtype_word));
    format_ = *found;
    positions_ = or_else(is_.positions, "int64");
    if (std::ranges::find(position_dtypes, positions_) == position_dtypes.end())
      throw failed(
          fmt::format("its positions are `{}`; allowed: {}", positions_, fmt::join(position_dtypes, ", ")));
    width_ = is_.width != 0 ? is_.width : asked.size_of("dim");
    heads_ = is_.heads != 0 ? is_.heads : std::max<std::size_t>(1, asked.size_of("heads"));
    return introduction();
  }

  // Throws Unanswered where there is none.
  std::string answer(const Frame& frame) {
    const std::string& call = frame.header.word("call");
    if (call == "rows") return rows(frame);
    if (call == "rotate") return rotate(frame);
    if (call == "bias") return bias(frame);
    if (call == "logits") return logits(frame);
    if (call == "attend") return attend(frame);
    throw failed(fmt::format("`{}` is not served", call));
  }

 private:
  frame::Message introduction() const {
    std::vector<std::string_view> kinds;
    if (is_.rows != nullptr) kinds.push_back("rows");
    if (is_.rotate != nullptr) kinds.push_back("rotate");
    if (is_.bias != nullptr) kinds.push_back("bias");
    if (is_.logits != nullptr) kinds.push_back("logits");
    if (is_.attend != nullptr) kinds.push_back("attend");
    if (kinds.empty()) throw failed("it has none of the functions rows, rotate, bias, logits, attend");
    frame::Message out;
    out.word("answer", "hello").word("protocol", "1").word("kinds", fmt::format("{}", fmt::join(kinds, " ")));
    out.word("name", or_else(is_.name, std::filesystem::path(path_).filename().native()));
    out.word("dtype", posproof::name(dtype(format_))).word("positions", positions_);
    const auto say = [&out](std::string_view name, const char* said) {
      if (said != nullptr) out.word(name, said);
    };
    say("version", is_.version), say("precision", is_.precision), say("domain", is_.domain);
    say("conventions", is_.conventions);
    if (is_.rotate_backward != nullptr) out.word("backward", "yes");
    return out;
  }

  Unanswered reason(int said, std::string_view function) const {
    const char* why = is_.reason == nullptr ? nullptr : is_.reason();
    if (said == POSPROOF_DECLINED) return declined(why == nullptr ? "it says no more" : why);
    return failed(why == nullptr ? fmt::format("{} returns {}", function, said) : why);
  }

  Given contents(const Frame& frame, std::string_view name) const {
    const std::vector<double> values = frame.numbers(name);
    return given(values.size() * bytes(format_), [&](std::byte* at) {
      for (const double value : values) {
        store(format_, value, at);
        at += bytes(format_);
      }
    });
  }

  Given positions(const Frame& frame, std::string_view name) const {
    const std::vector<double> values = frame.numbers(name);
    if (positions_ == "int64") return converted<std::int64_t>(values, positions_);
    if (positions_ == "int32") return converted<std::int32_t>(values, positions_);
    if (positions_ == "float64") return converted<double>(values, positions_);
    return converted<float>(values, positions_);
  }

  static std::size_t axes(const Shape& positions, std::size_t usual) {
    return positions.size() > usual ? positions.back() : 1;
  }

  // What `function` writes, of that shape: it is given the arrays, then where to write.
  std::string asked(const Frame& frame, std::string_view name, const Shape& shape, std::vector<Given> arrays,
                    const auto& function) const {
    Guarded out(count(shape) * bytes(format_), std::byte{0xFF});  // NaN in every format
    if (out.size() > 0) {
      const int said = function(arrays, out.data());
      if (!out.is_left_alone()) throw failed(fmt::format("{} writes beside its answer", name));
      if (said != POSPROOF_ANSWERED) throw reason(said, name);
      for (const Given& one : arrays)
        if (!one.is_unchanged()) {
          Unanswered changed = failed(fmt::format("{} changes what it is given", name));
          changed.changed = true;
          throw changed;
        }
    }
    const frame::Part part{"result", dtype(format_), shape, 0, out.size()};
    return frame::header_bytes({{"answer", "result"}, {"id", frame.header.word("id")}}, {&part, 1}) +
           out.text();
  }

  std::string rows(const Frame& frame) const {
    const Shape& at = frame.part("positions").shape;
    if (width_ == 0) throw failed("`width` is 0, and the encoding has no parameter dim");
    const std::int64_t length = std::stoll(frame.header.word("length"));
    return asked(frame, "rows()", {at[0], width_}, arrays_of(positions(frame, "positions")),
                 [&](std::vector<Given>& all, void* out) {
                   return is_.rows(all[0].array.data(), at[0], axes(at, 1), length, out);
                 });
  }

  std::string rotate(const Frame& frame) const {
    const bool backward = frame.header.has("backward");
    const Shape &x = frame.part("x").shape, &at = frame.part("positions").shape;
    const int is_key = frame.header.word("role") == "key";
    return asked(frame, backward ? "rotate_backward()" : "rotate()", x,
                 arrays_of(contents(frame, "x"), positions(frame, "positions")),
                 [&](std::vector<Given>& all, void* out) {
                   const auto function = backward ? is_.rotate_backward : is_.rotate;
                   return function(all[0].array.data(), all[1].array.data(), x[0], x[1], x[2], x[3],
                                   axes(at, 2), is_key, out);
                 });
  }

  std::string bias(const Frame& frame) const {
    const Shape &q = frame.part("queries").shape, &k = frame.part("keys").shape;
    return asked(frame, "bias()", {heads_, q[0], k[0]},
                 arrays_of(positions(frame, "queries"), positions(frame, "keys")),
                 [&](std::vector<Given>& all, void* out) {
                   return is_.bias(all[0].array.data(), q[0], all[1].array.data(), k[0], axes(q, 1), out);
                 });
  }

  std::string logits(const Frame& frame) const {
    const Shape &q = frame.part("q").shape, &k = frame.part("k").shape, &at = frame.part("queries").shape;
    return asked(frame, "logits()", {heads_, q[0], k[0]},
                 arrays_of(contents(frame, "q"), positions(frame, "queries"), contents(frame, "k"),
                           positions(frame, "keys")),
                 [&](std::vector<Given>& all, void* out) {
                   return is_.logits(all[0].array.data(), all[1].array.data(), q[0], all[2].array.data(),
                                     all[3].array.data(), k[0], q[1], axes(at, 1), out);
                 });
  }

  std::string attend(const Frame& frame) const {
    const Shape &q = frame.part("q").shape, &k = frame.part("k").shape, &v = frame.part("v").shape;
    const std::string_view visible = frame.bytes(frame.part("mask"));
    Given mask = given(visible.size(), [&](std::byte* at) {
      if (!visible.empty()) std::memcpy(at, visible.data(), visible.size());
    });
    return asked(frame, "attend()", {q[0], v[1]},
                 arrays_of(contents(frame, "q"), contents(frame, "k"), contents(frame, "v"), std::move(mask)),
                 [&](std::vector<Given>& all, void* out) {
                   return is_.attend(all[0].array.data(), q[0], all[1].array.data(), all[2].array.data(),
                                     k[0], reinterpret_cast<const std::uint8_t*>(all[3].array.data()), q[1],
                                     v[1], out);
                 });
  }

  template <class... Each>
  static std::vector<Given> arrays_of(Each&&... each) {
    std::vector<Given> out;
    out.reserve(sizeof...(each));
    (out.push_back(std::move(each)), ...);
    return out;
  }

  std::string path_;
  posproof_subject is_{};
  Format format_ = Format::f32;
  std::string positions_;
  std::size_t width_ = 0, heads_ = 1;
};

}  // namespace

void serve_libraries_with(std::string program) {
  serving_program() = std::move(program);
}

std::vector<std::string> command_that_serves(const std::string& library) {
  if (serving_program().empty())
    throw std::invalid_argument(
        fmt::format("`lib:{}`: the program posproof alone serves libraries", library));
  if (std::error_code none; !std::filesystem::is_regular_file(library, none))
    throw SubjectError(fmt::format("{}: there is no such file", library));
  return {serving_program(), "serve", library};
}

void serve_library(const std::string& path, int input, int output) {
  // A name without a slash would be looked for where the system's libraries are.
  Library library(std::filesystem::absolute(path).native());
  int own = output;
  if (output == STDOUT_FILENO) {
    own = ::dup(output);
    if (own < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      throw std::system_error(errno, std::generic_category(), "standard output");
  }
  const Conversation talk(input, own);
  while (const std::optional<Frame> asked = talk.next()) {
    const std::string& id = asked->header.word("id");
    try {
      if (asked->header.word("call") == "hello")
        talk.say(library.hello(*asked).word("id", id).bytes());
      else
        talk.say(library.answer(*asked));
    } catch (const Unanswered& none) {
      frame::Message out;
      out.word("answer", none.answer).word(none.name, none.why).word("id", id);
      if (none.changed) out.word("changed", "yes");
      talk.say(out.bytes());
    }
  }
}

}  // namespace posproof
