// A subject for the tests of the program: whatever encoding it is taken for, in double, from the oracle. Each
// word that it is given spoils it a little:
//
//   domain=0:99        the positions that it says it is meant for
//   wrong=7            adds 1/4 to what it answers for position 7 (of a bias: for the offset key - query)
//   declines=7         declines position 7 and all behind it
//   raises=7           answers with an error there
//   late=0.5           takes that many seconds for each answer
//   log=FILE           adds to the file a line for each position that it is asked for (of a bias: the offset)
//   defect=NAME        is that defect of the encoding instead
//   interrupts=FILE:2  sends that signal to the process whose number the file has, and answers nothing
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

#include "catalogue/defects.h"
#include "core/call.h"
#include "core/failure.h"
#include "core/spec.h"
#include "run/catalogued.h"
#include "subject/frame.h"

namespace posproof {
namespace {

using Options = std::map<std::string, std::string>;

std::string taken(std::size_t count) {
  std::string bytes(count, '\0');
  if (!std::cin.read(bytes.data(), static_cast<std::streamsize>(count))) std::exit(0);
  return bytes;
}

struct Frame {
  frame::Header header;
  std::string values;

  template <class Number>
  std::vector<Number> numbers(std::string_view name, Shape* shape = nullptr) const {
    for (const frame::Part& part : header.parts)
      if (part.name == name) {
        std::vector<Number> out(part.size / sizeof(Number));
        if (!out.empty()) std::memcpy(out.data(), values.data() + part.begin, part.size);
        if (shape != nullptr) *shape = part.shape;
        return out;
      }
    return {};
  }
};

Frame read() {
  Frame out;
  out.header = frame::parse(taken(frame::header_size(taken(8))));
  out.values = taken(out.header.size);
  return out;
}

void reply(frame::Message message, const Frame& asked) {
  message.word("id", asked.header.word("id"));
  std::cout << message.bytes() << std::flush;
}

Call call_of(const Frame& asked, const Signature& known) {
  Call out;
  out.positions.whole = asked.numbers<Position>(known.has(Axis::key) ? "queries" : "positions");
  out.keys.whole = asked.numbers<Position>("keys");
  if (asked.header.has("length")) out.length = std::stoll(asked.header.word("length"));
  if (asked.header.has("role")) out.role = asked.header.word("role") == "key" ? Role::key : Role::query;
  for (const Operand& operand : known.takes) {
    Shape shape;
    auto values = asked.numbers<double>(operand.name, &shape);
    if (operand.has(Axis::batch)) out.batch = shape.at(0);
    out.contents.emplace_back(shape, std::move(values));
  }
  return out;
}

// What an entry of the answer is for: the position of its token, or the offset of its pair.
Position place(const Call& call, const Tensor& answer, std::size_t entry) {
  const std::size_t keys = call.keys.size();
  if (keys > 0)
    return call.keys.whole[entry % keys] - call.positions.whole[entry / keys % call.positions.size()];
  const std::size_t row = entry / answer.shape.back(), tokens = call.positions.size() / call.batch;
  const std::size_t batch = answer.shape.size() == 4 ? row / tokens / answer.shape[1] : 0;
  return call.positions.whole[batch * tokens + row % tokens];
}

class Asked {
 public:
  explicit Asked(Options options) : options_(std::move(options)) {}

  void hello(const Frame& asked) {
    const EncodingSpec& spec = encoding_named(asked.header.word("encoding"));
    const Parameters parameters = Case::parse(asked.header.word("parameters"));
    encoding_ = spec.oracle(parameters);
    if (const auto* wanted = option("defect"))
      encoding_ = wrong(asked.header.word("encoding"), *wanted, parameters);
    frame::Message out;
    out.word("answer", "hello").word("protocol", "1").word("name", "test").word("dtype", "F64");
    out.word("kinds", signature(encoding_).call).word("renews", "yes");
    if (const auto* domain = option("domain")) {
      std::string words = *domain;
      words[words.find(':')] = ' ';
      out.word("domain", words);
    }
    reply(out, asked);
  }

  void call(const Frame& asked) {
    const Call call = call_of(asked, signature(encoding_));
    Tensor out;
    try {
      out = answer(encoding_, call);
    } catch (const Failure& failure) {
      return reply_with("error", "text", failure.what(), asked);
    } catch (const Refusal& refusal) {
      return reply_with("declined", "reason", refusal.what(), asked);
    }
    if (const auto* seconds = option("late"))
      std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(*seconds)));
    if (const auto* file = option("interrupts")) interrupt(*file);
    for (const char* how : {"declines", "raises"})
      if (const auto* from = option(how))
        for (const Position t : call.positions.whole)
          if (t >= std::stoll(*from)) return refuse(how, t, asked);
    std::ofstream log;
    if (const auto* file = option("log")) log.open(*file, std::ios::app);
    const auto* wrong = option("wrong");
    for (std::size_t entry = 0; entry < out.data.size(); ++entry) {
      const Position at = place(call, out, entry);
      if (wrong != nullptr && at == std::stoll(*wrong)) out.data[entry] += 0.25;
      if (log.is_open()) log << at << '\n';
    }
    frame::Message message;
    reply(message.word("answer", "result").values("result", out), asked);
  }

 private:
  const std::string* option(const std::string& name) const {
    const auto found = options_.find(name);
    return found == options_.end() ? nullptr : &found->second;
  }

  static void interrupt(const std::string& words) {
    const auto colon = words.rfind(':');
    pid_t process = 0;
    std::ifstream(words.substr(0, colon)) >> process;
    ::kill(process, std::stoi(words.substr(colon + 1)));
    std::this_thread::sleep_for(std::chrono::minutes(1));  // it is ended
  }

  static void refuse(std::string_view how, Position t, const Frame& asked) {
    if (how == "declines")
      reply_with("declined", "reason", fmt::format("no position {}", t), asked);
    else
      reply_with("error", "text", fmt::format("fails at position {}", t), asked);
  }

  static void reply_with(std::string_view answer, std::string_view name, const std::string& why,
                         const Frame& asked) {
    frame::Message message;
    reply(message.word("answer", answer).word(name, why), asked);
  }

  static Encoding wrong(const std::string& encoding, const std::string& name, const Parameters& parameters) {
    for (const auto& [family, defects] : catalogue::defects())
      for (const Defect& defect : defects->defects)
        if (family == encoding && defect.name == name) return defect.make(parameters);
    throw std::invalid_argument("no defect " + name);
  }

  Options options_;
  Encoding encoding_ = Table{};
};

int run(int argc, char** argv) {
  Options options;
  for (int n = 1; n < argc; ++n) {
    const std::string word = argv[n];
    options[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  Asked subject(std::move(options));
  while (true) {
    const Frame asked = read();
    const std::string& call = asked.header.word("call");
    if (call == "hello" || call == "renew")
      subject.hello(asked);
    else
      subject.call(asked);
  }
}

}  // namespace
}  // namespace posproof

int main(int argc, char** argv) {
  return posproof::run(argc, argv);
}
