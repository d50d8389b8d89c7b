#include "subject/protocol.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string_view>
#include <thread>

#include "catalogue/properties/table/has_constant_norm.h"
#include "search/trial.h"
#include "subject/arrays.h"
#include "subject/testing/subjects.h"

namespace posproof::protocol_test {
namespace {

using namespace std::chrono_literals;
using testing::bad;
using testing::expected;
using testing::rows;
using testing::sdk;
using testing::thrown;

Expected table_of_four() {
  return expected(Table{.dim = 4});
}

// The message of what goes wrong while the subject starts.
std::string start(const std::string& words, std::chrono::milliseconds call_time = 20s) {
  return thrown(words, [&] {
    Expected four = table_of_four();
    four.call_time = call_time;
    open(words, four);
  });
}

// The message of what goes wrong in the rows of positions 13 and 2; it starts without trouble.
std::string ask(const std::string& words) {
  const Subject subject = open(words, table_of_four());
  return thrown(words, [&] { rows(subject, {13, 2}); });
}

const std::string question = ": rows(positions [2], length 100): ";

bool alive(const std::string& pid) {
  return ::kill(std::stoi(pid), 0) == 0;
}

// Waits for it; a minute is for a test that fails.
bool gone(const std::string& pid) {
  for (int i = 0; i < 6000 && alive(pid); ++i) std::this_thread::sleep_for(10ms);
  return !alive(pid);
}

TEST(SubjectProtocol, a_subject_that_does_nothing_wrong_answers) {
  const Subject subject = open(bad("nothing"), table_of_four());
  EXPECT_EQ(subject.name, bad("nothing"));
  EXPECT_EQ(subject.description, "bad 2.5");
  EXPECT_EQ(subject.precision, all_f32);
  EXPECT_TRUE(subject.live);
  EXPECT_EQ(rows(subject, {13, 2}), Tensor({2, 4}, {13, 14, 15, 16, 2, 3, 4, 5}));
  EXPECT_EQ(rows(subject, {}), Tensor({0, 4}));
}

TEST(SubjectProtocol, the_domain_the_precision_and_the_conventions_are_the_subjects) {
  Table table{.dim = 4};
  table.positions.hard = {1, 2, 5, 9, 10};
  const Subject subject = open(bad("domain"), expected(table));
  const Domain& domain = as<Table>(subject.encoding).positions;
  EXPECT_EQ(domain.lo, 2);
  EXPECT_EQ(domain.hi, 9);
  EXPECT_TRUE(domain.ends);
  EXPECT_EQ(domain.hard, (std::vector<Position>{2, 5, 9}));
  EXPECT_EQ(subject.precision, Precision::parse("bf16/f32"));
  EXPECT_EQ(subject.description, "bad 2.5 (counts from two)");
  EXPECT_EQ(open(bad("domain") + "@f16", table_of_four()).precision, Precision::parse("f16"));
}

TEST(SubjectProtocol, on_a_grid_each_axis_ends_where_the_first_of_both_does) {
  Table table{.dim = 4};
  table.positions.axes = 2, table.positions.hi = 11, table.positions.last_on_axis = {11, 4};
  const Subject subject = open(bad("domain"), expected(table));
  const Domain& domain = as<Table>(subject.encoding).positions;
  EXPECT_EQ(domain.axes, 2u);
  EXPECT_EQ(domain.last_on_axis, (std::vector<Position>{9, 4}));
  EXPECT_FALSE(domain.class_token);
  table.positions.lo = -1, table.positions.class_token = -1;
  EXPECT_EQ(as<Table>(open(bad("domain"), expected(table)).encoding).positions.class_token, -1);
}

TEST(SubjectProtocol, hello_carries_the_encoding_and_its_parameters) {
  const Subject subject =
      open(bad("repeats_parameters"), expected(Table{.dim = 4}, "dim=4 table=index at=[0.5,0*5]"));
  EXPECT_EQ(subject.description, "bad 2.5 (learned dim=4 table=index at=[0.5,0*5])");
}

// A width of 0 is none to a kernel.
TEST(SubjectProtocol, hello_says_how_many_all_of_them_are) {
  const auto said = [](const std::string& parameters) {
    return open(bad("repeats_parameters"), expected(Table{.dim = 4}, parameters)).description;
  };
  EXPECT_EQ(said("dim=8 rotary_dim=0 kept_pairs=0"), "bad 2.5 (learned dim=8 rotary_dim=8 kept_pairs=4)");
  EXPECT_EQ(said("dim=8 rotary_dim=4 kept_pairs=0"), "bad 2.5 (learned dim=8 rotary_dim=4 kept_pairs=2)");
  EXPECT_EQ(said("dim=8 rotary_dim=4 kept_pairs=1"), "bad 2.5 (learned dim=8 rotary_dim=4 kept_pairs=1)");
  EXPECT_EQ(said("heads=3 biased_heads=0"), "bad 2.5 (learned heads=3 biased_heads=3)");
}

TEST(SubjectProtocol, a_program_that_cannot_be_started) {
  EXPECT_EQ(start("cmd:/no/such/program --fast"),
            "`/no/such/program` cannot be started: No such file or directory");
  EXPECT_EQ(start("cmd:/"), "`/` cannot be started: Permission denied");
}

TEST(SubjectProtocol, a_program_that_ends_before_the_handshake) {
  EXPECT_EQ(start("cmd:true"), ": it exits with status 0 before the handshake");
  EXPECT_EQ(start(bad("exits")),
            ": it exits with status 3 before the handshake\nits stderr ends with\nno module named rope\n");
  EXPECT_EQ(start(bad("killed")), ": it is killed by SIGABRT before the handshake");
}

TEST(SubjectProtocol, a_program_that_does_not_speak_the_protocol) {
  EXPECT_EQ(start("cmd:echo hello"), ": its stdout does not speak the protocol: it begins with \"hello\"");
  EXPECT_EQ(start(bad("prints")),
            ": its stdout does not speak the protocol: it begins with \"loading checkpoint shards\"");
  EXPECT_EQ(start("cmd:printf 'hi\\n\\033[1mthere'"),
            ": its stdout does not speak the protocol: it begins with \"hi\"");
}

TEST(SubjectProtocol, a_program_that_prints_and_waits) {
  EXPECT_EQ(start("cmd:sh -c 'echo hi; sleep 100'", 2s),
            ": its stdout does not speak the protocol: it begins with \"hi\"");
}

TEST(SubjectProtocol, a_program_that_does_not_answer_the_handshake) {
  EXPECT_EQ(start(bad("sleeps"), 100ms), ": no answer to the handshake within 300 ms");
}

TEST(SubjectProtocol, every_fault_of_an_introduction_is_named) {
  EXPECT_EQ(start(bad("other_protocol")), ": speaks protocol 2; this program speaks 1");
  EXPECT_EQ(start(bad("nothing_implemented")), ": implements no kind of call");
  EXPECT_EQ(start(bad("other_kind")),
            ": implements `teleport`, which is none of rows, rotate, bias, logits, attend");
  EXPECT_EQ(start(bad("other_dtype")), ": answers in `I64`, which is none of F64, F32, BF16, F16");
  EXPECT_EQ(start(bad("other_precision")),
            ": precision `fp31`: `fp31` is none of f64, f32, bf16, f16 "
            "(RESULT[/ANGLE][+table=FORMAT][+work=FORMAT][+input=FORMAT][+iterated], as in `bf16/f32`)");
  EXPECT_EQ(start(bad("commanding_precision")).substr(0, 24), ": precision `\\x1b[2J`: `");
  EXPECT_EQ(start(bad("other_way")),
            ": takes positions as `pairs`, which is none of each, shared, ascending, offset, sequence, mask");
  EXPECT_EQ(start(bad("backward_of_rows")), ": says `backward` and implements no `rotate`");
  EXPECT_EQ(start(bad("heads_of_keys_alone")),
            ": says `8` for `heads`; allowed: two whole numbers from 1 to 16384");
  EXPECT_EQ(start(bad("no_key_head")),
            ": says `8 0` for `heads`; allowed: two whole numbers from 1 to 16384");
  EXPECT_EQ(start(bad("too_many_heads")),
            ": says `8 16385` for `heads`; allowed: two whole numbers from 1 to 16384");
  EXPECT_EQ(start(bad("backward_or_not")), ": says `perhaps` for `backward`, which is `yes` or is left out");
  EXPECT_EQ(start(bad("processor_or_not")),
            ": says `perhaps` for `processor`, which is `yes` or is left out");
  // A double holds no whole number beyond 2^53.
  for (const std::string domain :
       {"10_5", "5", "5_10_begins", "5_10_ends_here", "-9007199254740993_5", "5_9007199254740993"})
    EXPECT_EQ(start(bad("domain_of_" + domain)), ": its domain `" +
                                                     std::regex_replace(domain, std::regex("_"), " ") +
                                                     "` is not FIRST LAST or FIRST LAST ends");
  EXPECT_EQ(start(bad("no_name")), ": `name` is missing from its `__metadata__`");
  EXPECT_EQ(start(bad("declines_hello")), ": declines in the handshake: there is no CUDA device");
}

std::vector<int> allowed(pid_t thread = 0) {
  cpu_set_t set;
  EXPECT_EQ(::sched_getaffinity(thread, sizeof set, &set), 0);
  std::vector<int> out;
  for (int number = 0; number < CPU_SETSIZE; ++number)
    if (CPU_ISSET(number, &set)) out.push_back(number);
  return out;
}

// How arrays lie in memory is told by the positions, whole or real, of queries and of keys, and by the shape.
TEST(SubjectProtocol, arrays_lie_otherwise_in_other_calls) {
  std::set<std::string_view> whole, real, keys, shapes;
  for (std::size_t n = 0; n < 64; ++n) {
    const auto t = static_cast<Position>(n);
    whole.insert(arrays_of({.positions = {.whole = {t}}}, {1, 4}));
    real.insert(arrays_of({.positions = {.real = {static_cast<double>(n) / 4}}}, {1, 4}));
    keys.insert(arrays_of({.positions = {.whole = {0}}, .keys = {.whole = {t}}}, {1, 1, 1}));
    shapes.insert(arrays_of({.positions = {.whole = {0}}}, {1, n + 1}));
  }
  const std::set<std::string_view> all = {"", "slice", "transposed"};
  EXPECT_EQ(whole, all);
  EXPECT_EQ(real, all);
  EXPECT_EQ(keys, all);
  EXPECT_EQ(shapes, all);
  for (std::size_t n = 0; n < 64; ++n)
    EXPECT_EQ(arrays_of({.positions = {.whole = {static_cast<Position>(n)}}}, {std::size_t{1} << 18}), "");
  EXPECT_EQ(arrays_of({.positions = {.whole = {0}}}, {2, 2, 1025, 64}), "transposed");
  EXPECT_EQ(arrays_of({.positions = {.whole = {0}}}, {2, 2, 1024, 64}), "");
}

TEST(SubjectProtocol, who_asks_for_it_is_told_where_we_wait) {
  const std::vector<int> before = allowed();
  const Subject told = open(bad("told_its_processor"), table_of_four());
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto number = static_cast<int>(rows(told, {5}).data.front());
    EXPECT_TRUE(std::ranges::find(before, number) != before.end()) << number;
    EXPECT_EQ(allowed(), before);  // this thread waited there, and may run anywhere again
  }
  const Subject not_told = open(bad("told_no_processor"), table_of_four());
  EXPECT_EQ(rows(not_told, {5}).data.front(), -1);
}

// It computes where the scheduler has it, and waits where we do.
TEST(PythonSubject, waits_on_the_processor_on_which_it_is_waited_for) {
  const std::vector<int> before = allowed();
  const Subject subject = open(sdk("processors"), expected(Table{.dim = 2}, "dim=2"));
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Tensor answer = rows(subject, {5});
    EXPECT_EQ(answer.data[0], static_cast<double>(before.size()));
    // It was narrowed before it answered.
    EXPECT_EQ(allowed(static_cast<pid_t>(answer.data[1])).size(), 1u);
  }
}

TEST(SubjectProtocol, every_fault_of_a_frame_is_named) {
  EXPECT_EQ(start(bad("number_for_word")), ": `__metadata__` has under `protocol` what is no string");
  EXPECT_EQ(start(bad("long_header")), ": the header is 2097152 bytes long; allowed: at most 1048576");
  EXPECT_EQ(start(bad("huge_header")),
            ": the header is 4611686018427387904 bytes long; allowed: at most 1048576");
  EXPECT_EQ(start(bad("cut_hello")),
            ": it exits with status 0 in the middle of a frame: of its header, 42 of 131 bytes came");
  EXPECT_EQ(ask(bad("cut")),
            question + "it exits with status 0 in the middle of a frame: of its values, 28 of 32 bytes came");
  EXPECT_EQ(ask(bad("shape_without_bytes")),
            question + "tensor `result` of shape [2, 4] in F32 has 32 bytes, its data_offsets hold 28");
  EXPECT_EQ(ask(bad("huge_shape")),
            question +
                "tensor `result` of shape [1099511627776, 1099511627776] has more bytes than can be counted");
}

TEST(SubjectProtocol, an_answer_of_another_shape_dtype_or_name_is_an_error) {
  EXPECT_EQ(ask(bad("other_shape")), question + "its answer has shape [1, 4]; [2, 4] was asked for");
  EXPECT_EQ(ask(bad("huge_result")),
            question + "its answer has shape [68719476736, 4]; [2, 4] was asked for");
  EXPECT_EQ(ask(bad("double")), question + "answers F64; declared F32");
  EXPECT_EQ(ask(bad("other_name")),
            question + "its answer holds `rows`; the protocol has one tensor, `result`");
  EXPECT_EQ(ask(bad("two_names")),
            question + "its answer holds `result`, `more`; the protocol has one tensor, `result`");
  EXPECT_EQ(ask(bad("other_id")), question + "it answers call `7`; call 1 was asked");
  EXPECT_EQ(ask(bad("other_answer")),
            question + "its answer is `maybe`, which is none of result, declined, error");
  EXPECT_EQ(ask(bad("error")), question + "KeyError: 'inv_freq'");
  EXPECT_EQ(ask(bad("values_with_an_error")), question + "its answer `error` carries 32 bytes of values");
}

// Nobody has to answer a call without tokens.
TEST(SubjectProtocol, an_error_where_there_are_no_tokens_is_no_failure) {
  const Subject subject = open(bad("error"), table_of_four());
  EXPECT_THROW(rows(subject, {}), Discard);
  EXPECT_THROW(rows(subject, {2}), Failure);
}

TEST(SubjectProtocol, after_a_wrong_shape_the_same_process_goes_on) {
  const Subject subject = open(bad("counts"), table_of_four());
  EXPECT_EQ(rows(subject, {0}), Tensor({1, 4}, {1, 1, 1, 1}));
  const Table& table = as<Table>(subject.encoding);
  EXPECT_EQ(table.rows(std::vector<Position>{0}, 1), Tensor({1, 4}, {2, 2, 2, 2})) << "state is kept";
}

TEST(SubjectProtocol, declining_is_a_refusal) {
  const std::string words = bad("declined");
  const Subject subject = open(words, table_of_four());
  EXPECT_EQ(thrown<Refusal>(words, [&] { rows(subject, {0}); }), " declines: this model has no positions");
}

TEST(SubjectProtocol, a_crash_is_named_and_the_next_call_starts_it_anew) {
  const std::string words = bad("crash");
  const Subject subject = open(words, table_of_four());
  const std::string message = "it is killed by SIGSEGV\nits stderr ends with\nabout to read past the end\n";
  EXPECT_EQ(thrown(words, [&] { rows(subject, {13, 2}); }), question + message);
  EXPECT_EQ(thrown(words, [&] { rows(subject, {13, 3}); }), question + message) << "the second time as well";
  EXPECT_EQ(rows(subject, {12}), Tensor({1, 4}, {12, 13, 14, 15}));
  EXPECT_EQ(ask(bad("exit_later")), question + "it exits with status 5");
}

TEST(SubjectProtocol, a_death_between_two_calls_is_named_by_the_second) {
  const std::string pid = ::testing::TempDir() + "posproof_dies_after_" + std::to_string(::getpid());
  const std::string words = bad("dies_after " + pid);
  const Subject subject = open(words, table_of_four());
  rows(subject, {1});
  std::string process;
  std::ifstream(pid) >> process;
  ASSERT_TRUE(gone(process)) << "its end comes a little later than its answer";
  EXPECT_EQ(thrown(words,
                   [&] {
                     rows(subject, {13, 2});
                   }),
            question + "it exits with status 9 after the call before");
  EXPECT_EQ(rows(subject, {1}), Tensor({1, 4}, {1, 2, 3, 4}));
  std::filesystem::remove(pid);
}

TEST(SubjectProtocol, a_program_that_is_started_anew_must_introduce_itself_as_before) {
  const std::string mark = ::testing::TempDir() + "posproof_changes_" + std::to_string(::getpid());
  const std::string words = bad("changes " + mark);
  const Subject subject = open(words, table_of_four());
  EXPECT_EQ(thrown(words, [&] { rows(subject, {13, 2}); }), question + "it exits with status 0");
  EXPECT_EQ(thrown(words,
                   [&] {
                     rows(subject, {13, 2});
                   }),
            ": introduces itself otherwise than when it was started first");
  std::filesystem::remove(mark);
}

// It answers how often it was asked since, and how often it was told to renew.
TEST(SubjectProtocol, a_program_that_renews_is_asked_to_and_any_other_is_started_anew) {
  for (const bool renews : {true, false}) {
    const Subject subject = open(bad(renews ? "renews" : "renews_not"), table_of_four());
    rows(subject, {1});
    EXPECT_EQ(rows(subject, {1}), Tensor({1, 4}, {2, 0, 2, 0}));
    subject.renew();
    const double told = renews ? 1 : 0;
    EXPECT_EQ(rows(subject, {1}), Tensor({1, 4}, {1, told, 1, told}));
  }
}

TEST(SubjectProtocol, a_hang_ends_at_the_deadline_with_all_that_was_started) {
  Expected four = table_of_four();
  four.call_time = 1s;  // three times that for the first answer
  const std::string words = bad("hang_deaf");
  const Subject subject = open(words, four);
  const std::string message = thrown(words, [&] { rows(subject, {13, 2}); });
  const std::string start_of_it = question + "no answer within 3 s\nits stderr ends with\n";
  ASSERT_EQ(message.substr(0, start_of_it.size()), start_of_it);
  const std::string pids =
      message.substr(start_of_it.size());  // its own, which ignores SIGTERM, and its child's
  EXPECT_TRUE(gone(pids.substr(0, pids.find(' '))));
  EXPECT_TRUE(gone(pids.substr(pids.find(' ') + 1)));
  EXPECT_EQ(rows(subject, {1}), Tensor({1, 4}, {1, 2, 3, 4})) << "the next call starts it anew";
}

TEST(SubjectProtocol, a_subject_leaves_nothing_behind) {
  const std::string words = bad("leaves_a_child");
  {
    const Subject subject = open(words, table_of_four());
    const std::string message = thrown(words, [&] { rows(subject, {13, 2}); });
    const std::string start_of_it = question + "it exits with status 1\nits stderr ends with\n";
    ASSERT_EQ(message.substr(0, start_of_it.size()), start_of_it);
    EXPECT_TRUE(gone(message.substr(start_of_it.size()))) << "the child of a dead child";
    rows(subject, {1});
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no zombie, no child";
}

TEST(SubjectProtocol, what_is_written_between_answers_is_no_answer) {
  const std::string words = bad("prints_later");
  const Subject subject = open(words, table_of_four());
  rows(subject, {1});
  EXPECT_EQ(
      thrown(words,
             [&] {
               rows(subject, {13, 2});
             }),
      question +
          "its stdout does not speak the protocol: where an answer should begin stands \"step 2 of 10\"");

  const std::string more = bad("says_more");
  const Subject verbose = open(more, table_of_four());
  rows(verbose, {1});
  EXPECT_EQ(
      thrown(more,
             [&] {
               rows(verbose, {13, 2});
             }),
      question +
          "its stdout does not speak the protocol: where an answer should begin stands \"\\x01\\x02\\x03\"");
}

TEST(SubjectProtocol, a_flood_on_stderr_blocks_nobody_and_its_tail_is_kept) {
  const Subject subject = open(bad("floods_stderr"), table_of_four());
  EXPECT_EQ(rows(subject, {1}).data.front(), 1);
  EXPECT_EQ(rows(subject, {2}).data.front(), 2);
}

// The message of the second call, of so many rows.
std::string second(const std::string& words, std::size_t size) {
  Expected four = table_of_four();
  four.call_time = 2s;
  const Subject subject = open(words, four);
  rows(subject, {1});
  return thrown(words, [&] { rows(subject, std::vector<Position>(size, 13)); });
}

TEST(SubjectProtocol, whatever_is_late_ends_in_time) {
  const std::string large = ": rows(positions [1000000], length 100): ", late = "no answer within 2 s";
  EXPECT_EQ(second(bad("stops_reading"), 2), question + late);
  EXPECT_EQ(second(bad("stops_reading"), 1'000'000), large + late) << "a write blocks";
  EXPECT_EQ(second(bad("closes_stdin"), 2), question + late);
  const std::string complaint = question + late + "\nits stderr ends with\n";
  EXPECT_EQ(second(bad("complains_for_ever"), 2).substr(0, complaint.size()), complaint);
}

TEST(SubjectProtocol, one_deadline_is_for_the_whole_answer) {
  Expected four = table_of_four();
  four.call_time = 700ms;  // three times that for the first answer
  const std::string words = bad("slow"), late = question + "no answer within 2100 ms";
  const Subject subject = open(words, four);
  EXPECT_EQ(thrown(words, [&] { rows(subject, {13, 2}); }).substr(0, late.size()), late);
}

TEST(SubjectProtocol, a_second_answer_is_none) {
  const std::string words = bad("answers_twice");
  const Subject subject = open(words, table_of_four());
  rows(subject, {1});
  const std::string message = thrown(words, [&] { rows(subject, {13, 2}); });
  const std::string start_of_it =
      question + "its stdout does not speak the protocol: where an answer should begin stands \"";
  EXPECT_EQ(message.substr(0, start_of_it.size()), start_of_it);
  EXPECT_EQ(rows(subject, {1}), Tensor({1, 4}, {1, 2, 3, 4})) << "the next call starts it anew";
}

// A wrong answer is read over, so that the program goes on; one of more than 16 MiB is not waited for.
TEST(SubjectProtocol, a_program_goes_on_after_an_answer_of_another_shape) {
  for (const auto& [words, shape, calls] :
       {std::tuple{"other_shape_at_13", "[1, 4]", 2.0}, {"too_large_at_13", "[1048577, 4]", 1.0}}) {
    const Subject subject = open(bad(words), table_of_four());
    EXPECT_EQ(testing::thrown<Failure>(bad(words),
                                       [&] {
                                         rows(subject, {13, 2});
                                       }),
              question + "its answer has shape " + shape + "; [2, 4] was asked for");
    EXPECT_EQ(rows(subject, {1}).data.front(), calls) << words;
  }
}

TEST(SubjectProtocol, what_the_subject_does_not_implement_is_said) {
  EXPECT_EQ(thrown(bad("nothing"), [] { open(bad("nothing"), expected(Rotary{.dim = 4})); }),
            ": implements rows; `learned` can be asked as rotate");
}

TEST(SubjectProtocol, nan_comes_through_and_is_refuted) {
  Table declared{.dim = 4, .pairs = {{0, 1, 1.0}, {2, 3, 0.01}}};
  const Subject subject = open(bad("nan"), expected(declared));
  EXPECT_TRUE(std::isnan(rows(subject, {1}).data.front()));
  const auto asked = trial(properties::table::has_constant_norm, subject.encoding, subject.precision);
  EXPECT_TRUE(std::holds_alternative<Refuted>(replay(*asked, Case::parse("t=3"))));
}

TEST(SubjectProtocol, content_that_the_subjects_format_cannot_hold_is_not_sent) {
  const Subject subject = open(sdk("twice f16"), expected(Rotary{.dim = 2}));
  const auto& rotary = as<Rotary>(subject.encoding);
  EXPECT_EQ(thrown("",
                   [&] {
                     rotary.rotate(Tensor({1, 1, 1, 2}, {0.25, 0.1}), std::vector<Position>{0}, Role::query);
                   }),
            "`x` holds 0.1, which F16 cannot hold exactly");
}

}  // namespace
}  // namespace posproof::protocol_test
