#include "subject/protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/call.h"
#include "core/failure.h"
#include "subject/interrupt.h"
#include "subject/processor.h"
#include "subject/sandbox.h"
#include "subject/words.h"

namespace posproof {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 5> all_kinds = {"rows", "rotate", "bias", "logits", "attend"};
constexpr std::array<std::string_view, 6> ways_of_positions = {"each",   "shared",   "ascending",
                                                               "offset", "sequence", "mask"};
constexpr std::size_t longest_word = 2000;  // characters of the subject's own words in a message
constexpr std::size_t dropped = std::size_t{1}
                                << 24;  // bytes of a wrong answer that are read over, to stay in step
constexpr int start_takes =
    3;  // calls: importing PyTorch takes a second on an idle machine, and so does compiling
constexpr int most_late = 2;  // answers, before a subject is given up

// Numbers that are 0 where all of them are meant, as code takes them: as many as there are.
Parameters as_counted(Parameters parameters) {
  const auto set = [&parameters](std::string_view name, std::string_view all, double part) {
    const Value* const found = parameters.find(name);
    if (found != nullptr && *found == Value{0.0} && parameters.find(all) != nullptr)
      parameters.set(name, std::floor(parameters.real(all) * part));
  };
  set("rotary_dim", "dim", 1);
  set("kept_pairs", "rotary_dim", 0.5);
  set("biased_heads", "heads", 1);
  return parameters;
}

std::string seconds(std::chrono::milliseconds time) {
  return time % 1000ms == 0ms ? fmt::format("{} s", time / 1000ms) : fmt::format("{} ms", time.count());
}

// Text where a frame should begin. A small header's length has zeros from its fourth byte on, text has none.
bool is_text(std::string_view bytes) {
  const auto printed = [](char c) {
    return (c >= ' ' && c != 127) || c == '\n' || c == '\t' || c == '\r' || c == '\033';
  };
  return !bytes.empty() &&
         std::all_of(bytes.begin(), bytes.begin() + std::min(bytes.size(), std::size_t{2}), printed);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const auto start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const auto end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// Sequences and offsets count tokens; integers hold no other numbers, where they are said to be what it
// takes.
bool takes_whole_positions(const Introduction& it, bool said) {
  const std::string_view way = it.takes_positions;
  const bool integers =
      std::ranges::none_of(it.positions, [](std::string_view dtype) { return dtype.starts_with("float"); });
  return way == "offset" || way == "sequence" || way == "mask" || (said && integers);
}

bool says_yes(const frame::Header& header, std::string_view word) {
  if (!header.has(word)) return false;
  const std::string& said = header.word(word);
  if (said != "yes")
    throw frame::Malformed(
        fmt::format("says `{}` for `{}`, which is `yes` or is left out", printable(said, 20), word));
  return true;
}

std::array<std::size_t, 2> parse_heads(const std::string& text) {
  constexpr std::size_t most = 16384;
  const std::vector<std::string> words = words_of(text);
  std::array<std::size_t, 2> out = {};
  bool right = words.size() == out.size();
  for (std::size_t n = 0; right && n < out.size(); ++n) {
    const auto [end, error] = std::from_chars(words[n].data(), words[n].data() + words[n].size(), out[n]);
    right = error == std::errc() && end == words[n].data() + words[n].size() && out[n] > 0 && out[n] <= most;
  }
  if (!right)
    throw frame::Malformed(fmt::format("says `{}` for `heads`; allowed: two whole numbers from 1 to {}",
                                       printable(text, 40), most));
  return out;
}

Domain parse_domain(const std::string& text) {
  const auto refusal = [&text] {
    return frame::Malformed(
        fmt::format("its domain `{}` is not FIRST LAST or FIRST LAST ends", printable(text, 60)));
  };
  const auto position = [&](const std::string& word) {
    constexpr Position most = Position{1} << 53;
    Position value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < -most || value > most)
      throw refusal();
    return value;
  };
  const auto words = words_of(text);
  if (words.size() < 2 || words.size() > 3 || (words.size() == 3 && words[2] != "ends")) throw refusal();
  Domain domain(position(words[0]), position(words[1]));
  if (domain.hi < domain.lo) throw refusal();
  domain.ends = words.size() == 3;
  return domain;
}

std::string kinds_of(const Expected& expected) {
  std::vector<std::string_view> calls;
  for (const Encoding& declared : expected.declared) calls.push_back(signature(declared).call);
  return fmt::format("{}", fmt::join(calls, " "));
}

}  // namespace

SubjectProtocol::SubjectProtocol(std::string name, std::vector<std::string> argv, const Expected& expected)
    : name_(printable(name)),
      argv_(std::move(argv)),
      encoding_(expected.encoding),
      parameters_(as_counted(expected.parameters).text()),
      kinds_(kinds_of(expected)),
      call_time_(expected.call_time) {
  if (expected.sandbox) {
    Sandboxed all = sandboxed(argv_);
    argv_ = std::move(all.argv);
    containment_ = std::move(all.containment);
    seen_ = Process::Status::of_a_wrapper;
  }
  start();
}

Tensor SubjectProtocol::ask(const frame::Message& message, frame::Words more, std::string_view call,
                            const Shape& shape) {
  if (late_ >= most_late)
    throw SubjectError(fmt::format("{}: not asked: {} answers were late", name_, late_));
  const std::string id = std::to_string(++last_id_);
  more.emplace_back("call", call);
  more.emplace_back("id", id);
  if (interrupted() != 0) throw SubjectError(fmt::format("{}: {}", name_, interruption()));
  if (!process_) start();
  question_ = message.text(more);
  const auto here = introduction_.processor ? processor() : std::nullopt;
  if (here) more.emplace_back("processor", std::to_string(*here));
  process_->wait_here(here.has_value());
  const auto idle = process_->await(1, Process::Clock::now());
  if (idle == Process::Wait::ready) no_protocol();
  if (idle == Process::Wait::ended) died(fmt::format("it {} after the call before", process_->ending()));

  const auto deadline = Process::Clock::now() + answer_time();
  const frame::Header header = exchange(message.bytes(more), deadline, right_answer(id, shape));
  const std::string& answer = header.word("answer");
  if (answer == "declined")
    throw Refusal(fmt::format("{} declines: {}", name_, printable(header.word("reason"), longest_word)));
  if (answer == "error") {
    const std::string text = printable(header.word("text"), longest_word);
    const bool changed =
        header.has("changed");  // what it was given: it answered, and did something else besides
    throw Failure(changed ? Failure::How::answered_otherwise : Failure::How::raised, text, about(text));
  }

  try {
    check_result(header, shape);
  } catch (const Failure&) {
    if (header.size > dropped) process_.reset();
    if (process_) need(header.size, "values", deadline);
    if (process_) process_->take(header.size);
    throw;
  }
  need(header.size, "values", deadline);
  answered_ = true;
  Tensor given(shape, decode(introduction_.dtype, process_->come().substr(0, header.size)));
  process_->take(header.size);
  return given;
}

// The header that is to come, where nothing is wrong.
frame::Known SubjectProtocol::right_answer(const std::string& id, const Shape& shape) const {
  const Dtype dtype = introduction_.dtype;
  return frame::known({{"answer", "result"}, {"id", id}},
                      {{"result", dtype, shape, 0, count(shape) * size(dtype)}});
}

void SubjectProtocol::start() {
  question_.clear();
  answered_ = false;
  process_ = std::make_unique<Process>(argv_, seen_);
  introduce("hello");
}

void SubjectProtocol::renew() {
  if (!process_ || process_->ended()) process_.reset();
  if (!process_ || !introduction_.renews) {
    process_.reset();
    return start();
  }
  question_.clear();
  answered_ = false;
  introduce("renew");
}

// By the words of a handshake, which are the same each time.
void SubjectProtocol::introduce(std::string_view call) {
  frame::Message hello;
  hello.word("call", call).word("id", "0").word("protocol", protocol_version);
  hello.word("encoding", encoding_).word("parameters", parameters_).word("kinds", kinds_);

  const frame::Header header = exchange(hello.bytes(), Process::Clock::now() + start_takes * call_time_);
  try {
    const std::string& answer = header.word("answer");
    if (answer == "declined")
      give_up("declines in the handshake: " + printable(header.word("reason"), longest_word));
    if (answer == "error") give_up("fails in the handshake: " + printable(header.word("text"), longest_word));
    if (answer != "hello") give_up("answers `" + printable(answer, 40) + "` to the handshake");
    introduction_ = introduction_of(header);
  } catch (const frame::Malformed& malformed) {
    give_up(malformed.what());
  }
  if (!introduced_.empty() && introduced_ != header.words)
    give_up("introduces itself otherwise than when it was started first");
  introduced_ = header.words;
}

Introduction SubjectProtocol::introduction_of(const frame::Header& header) const {
  using frame::Malformed;
  if (const std::string& version = header.word("protocol"); version != protocol_version)
    throw Malformed(
        fmt::format("speaks protocol {}; this program speaks {}", printable(version, 20), protocol_version));
  const auto optional = [&header](std::string_view word) {
    return header.has(word) ? header.word(word) : "";
  };

  Introduction it;
  it.name = printable(header.word("name"), 100);
  it.version = printable(optional("version"), 100);
  it.conventions = printable(optional("conventions"), longest_word);
  it.renews = says_yes(header, "renews");
  it.processor = says_yes(header, "processor");
  it.kinds = words_of(header.word("kinds"));
  if (it.kinds.empty()) throw Malformed("implements no kind of call");
  for (const std::string& kind : it.kinds)
    if (std::find(all_kinds.begin(), all_kinds.end(), kind) == all_kinds.end())
      throw Malformed(fmt::format("implements `{}`, which is none of {}", printable(kind, 40),
                                  fmt::join(all_kinds, ", ")));

  const std::string& answers = header.word("dtype");
  const auto named = dtype(answers);
  if (!named || !is_float(*named))
    throw Malformed(
        fmt::format("answers in `{}`, which is none of F64, F32, BF16, F16", printable(answers, 40)));
  it.dtype = *named;
  try {
    it.precision =
        Precision::parse(header.has("precision") ? header.word("precision") : precision_word(it.dtype));
  } catch (const std::invalid_argument& error) {
    throw Malformed(error.what());
  }
  if (header.has("positions")) it.positions = words_of(header.word("positions"));
  for (const std::string& one : it.positions)
    if (std::find(position_dtypes.begin(), position_dtypes.end(), one) == position_dtypes.end())
      throw Malformed(fmt::format("takes positions in `{}`, which is none of {}", printable(one, 40),
                                  fmt::join(position_dtypes, ", ")));
  if (it.positions.empty()) throw Malformed("takes positions in no dtype");
  if (header.has("domain")) it.domain = parse_domain(header.word("domain"));
  if (header.has("takes_positions")) it.takes_positions = header.word("takes_positions");
  if (std::find(ways_of_positions.begin(), ways_of_positions.end(), it.takes_positions) ==
      ways_of_positions.end())
    throw Malformed(fmt::format("takes positions as `{}`, which is none of {}",
                                printable(it.takes_positions, 40), fmt::join(ways_of_positions, ", ")));
  it.whole_positions = takes_whole_positions(it, header.has("positions"));
  if (header.has("heads")) it.heads = parse_heads(header.word("heads"));
  it.backward = says_yes(header, "backward");
  if (it.backward && std::find(it.kinds.begin(), it.kinds.end(), "rotate") == it.kinds.end())
    throw Malformed("says `backward` and implements no `rotate`");
  return it;
}

frame::Header SubjectProtocol::exchange(std::string message, Deadline deadline, const frame::Known& usual) {
  process_->send(std::move(message));
  try {
    const frame::Header header = read_header(deadline, usual);
    const std::string &id = header.word("id"), asked = std::to_string(question_.empty() ? 0 : last_id_);
    if (id != asked)
      give_up(fmt::format("it answers call `{}`; call {} was asked", printable(id, 20), asked));
    const std::string& answer = header.word("answer");
    if (answer != "hello" && answer != "result" && answer != "declined" && answer != "error")
      give_up(
          fmt::format("its answer is `{}`, which is none of result, declined, error", printable(answer, 40)));
    if (answer == "declined") header.word("reason");
    if (answer == "error") header.word("text");
    if (answer != "result" && header.size != 0)
      give_up(fmt::format("its answer `{}` carries {} bytes of values", answer, header.size));
    return header;
  } catch (const frame::Malformed& malformed) {
    give_up(malformed.what());
  }
}

frame::Header SubjectProtocol::read_header(Deadline deadline, const frame::Known& usual) {
  if (process_->await(8, deadline) != Process::Wait::ready && is_text(process_->come())) no_protocol();
  need(8, "length", deadline);
  std::size_t size = 0;
  try {
    size = frame::header_size(process_->come());
  } catch (const frame::Malformed&) {
    if (is_text(process_->come())) no_protocol();
    throw;
  }
  process_->take(8);
  need(size, "header", deadline);
  frame::Header header = frame::parse(process_->come().substr(0, size), usual);
  process_->take(size);
  if (Process::Clock::now() > deadline)
    give_up(fmt::format("{}, with the time that its header takes to be read", late()));
  return header;
}

void SubjectProtocol::need(std::size_t count, std::string_view of, Deadline deadline) {
  const auto wait = process_->await(count, deadline);
  if (wait == Process::Wait::ready) return;
  if (wait == Process::Wait::interrupted) give_up(interruption());
  const std::size_t came = process_->come().size();
  const bool begun = came != 0 || of != "length";
  const std::string where =
      begun ? fmt::format(" in the middle of a frame: of its {}, {} of {} bytes came", of, came, count) : "";
  const std::string_view before = question_.empty() && !begun ? " before the handshake" : "";
  if (wait == Process::Wait::ended) {
    const std::string what = fmt::format("it {}{}{}", process_->ending(), before, where);
    question_.empty() ? give_up(what) : died(what);
  }
  if (!question_.empty()) ++late_;
  give_up(late() + (begun ? "," + where : ""));
}

std::string SubjectProtocol::late() const {
  return question_.empty()
             ? fmt::format("no answer to the handshake within {}", seconds(start_takes * call_time_))
             : fmt::format("no answer within {}", seconds(answer_time()));
}

void SubjectProtocol::check_result(const frame::Header& header, const Shape& shape) const {
  const auto otherwise = [this](const std::string& what) {
    return Failure(Failure::How::answered_otherwise, what, about(what));
  };
  if (header.word("answer") != "result") throw otherwise("its answer is `hello`");
  if (header.parts.size() != 1 || header.parts.front().name != "result") {
    std::string names;
    for (const frame::Part& part : header.parts) names += (names.empty() ? "`" : ", `") + part.name + "`";
    throw otherwise(fmt::format("its answer holds {}; the protocol has one tensor, `result`",
                                names.empty() ? "no tensor" : printable(names, 200)));
  }
  const frame::Part& part = header.parts.front();
  if (part.dtype != introduction_.dtype)
    throw otherwise(fmt::format("answers {}; declared {}", name(part.dtype), name(introduction_.dtype)));
  if (part.shape != shape)
    throw Failure(
        Failure::How::answered_otherwise, "its answer has another shape",
        about(fmt::format("its answer has shape {}; {} was asked for", text(part.shape), text(shape))));
}

std::string SubjectProtocol::about(std::string_view what) const {
  return question_.empty() ? fmt::format("{}: {}", name_, what)
                           : fmt::format("{}: {}: {}", name_, question_, what);
}

std::chrono::milliseconds SubjectProtocol::answer_time() const {
  return answered_ ? call_time_ : start_takes * call_time_;
}

void SubjectProtocol::give_up(std::string_view what) {
  throw SubjectError(ended_about(what));
}

void SubjectProtocol::died(std::string_view what) {
  throw Failure(Failure::How::died, std::string(what), ended_about(what));
}

// What is said of a program that is ended here.
std::string SubjectProtocol::ended_about(std::string_view what) {
  std::string message = about(what);
  if (process_) {
    process_->stop();
    const std::string_view stderr_tail = process_->stderr_tail();
    if (!stderr_tail.empty())
      message += "\nits stderr ends with\n" + printable(stderr_tail, stderr_tail.size());
    process_.reset();
  }
  return message;
}

void SubjectProtocol::no_protocol() {
  process_->await(80, Process::Clock::now() + 50ms);  // for a longer quotation, if there is more
  const std::string_view came = process_->come();
  const std::string line = printable(came.substr(0, came.find_first_of("\r\n")), 60);
  give_up(fmt::format("its stdout does not speak the protocol: {} \"{}\"",
                      question_.empty() ? "it begins with" : "where an answer should begin stands", line));
}

}  // namespace posproof
