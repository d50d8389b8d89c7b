// What a verdict and an exit code say of an implementation that raises, dies, hangs, declines or remembers.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "command/testing/ran.h"
#include "gate/history.h"
#include "subject/testing/subjects.h"

namespace posproof::contract_test {
namespace {

using testing::posproof;
using testing::Ran;

std::string contract(const std::string& what) {
  return fmt::format("\"{}\"", testing::python("src/subject/testing/contract.py", what));
}

Ran gate(const std::string& what, const std::string& options = "") {
  return posproof(fmt::format("gate rope --dim 8 {} {}", options, contract(what)));
}

std::size_t times(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

// What stands after `again: ` on the first line that has it.
std::string again(const std::string& said) {
  const auto at = said.find("again: posproof ");
  return at == std::string::npos ? "none" : said.substr(at + 16, said.find('\n', at) - at - 16);
}

TEST(Contract, right_code_holds) {
  const Ran right = gate("right");
  EXPECT_EQ(right.code, 0) << right.said;
  EXPECT_NE(right.said.find("HOLDS      answers_like_a_new_object"), std::string::npos) << right.said;
}

TEST(Contract, a_search_that_is_cut_short_is_no_pass) {
  const Ran slow = gate("slow", "--time 1 --budget 3");
  EXPECT_EQ(slow.code, 3) << slow.said;
  EXPECT_NE(slow.said.find("stopped by `--time` (1 s) after "), std::string::npos) << slow.said;
  EXPECT_NE(slow.said.find("not asked: the time for the whole run was used up (`--budget`, 3 s)"),
            std::string::npos)
      << slow.said;
  EXPECT_EQ(times(slow.said, "REFUTED"), 0u) << slow.said;

  const auto json = nlohmann::json::parse(gate("slow", "--time 1 --json --filter agrees_with").out);
  EXPECT_EQ(json["asked"][0]["verdict"], "undecided");
  EXPECT_TRUE(json["undecided"].get<bool>());
}

TEST(Contract, an_error_inside_the_domain_refutes_and_is_shown_once) {
  const Ran raises = gate("raises");
  EXPECT_EQ(raises.code, 1) << raises.said;
  EXPECT_EQ(times(raises.said, "Traceback"), 1u) << raises.said;
  EXPECT_NE(raises.said.find("ValueError: position 100 is too far\n  at  batch=1 tokens=1 t=100 "),
            std::string::npos)
      << raises.said;
  EXPECT_NE(raises.said.find("REFUTED  rope --dim 8 --heads 2 of cmd:"), std::string::npos);
  EXPECT_NE(raises.said.find(" properties; cause: ValueError: position 100 is too far\n"), std::string::npos)
      << raises.said;
  EXPECT_EQ(times(raises.said, "fail in the same way as agrees_with_its_oracle\n"), 1u) << raises.said;
  EXPECT_EQ(posproof(again(raises.said)).code, 1) << raises.said;
}

TEST(Contract, another_format_or_shape_refutes) {
  const Ran wide = gate("wide");
  EXPECT_EQ(wide.code, 1);
  EXPECT_NE(wide.said.find("answers f64; declared f32\n"), std::string::npos) << wide.said;
  EXPECT_EQ(times(wide.said, "Traceback"), 0u) << wide.said;
  EXPECT_LT(wide.said.size(), 5000u);
  const Ran narrow = gate("narrow");
  EXPECT_EQ(narrow.code, 1);
  EXPECT_NE(narrow.said.find("its answer has shape [1, 2, 1, 6]; [1, 2, 1, 8] was asked for"),
            std::string::npos)
      << narrow.said;
}

// One that says that it takes contiguous arrays alone is given such; one that reads the wrong memory is
// wrong.
TEST(Contract, arrays_that_are_not_contiguous_may_be_refused_and_not_misread) {
  EXPECT_EQ(gate("contiguous_only", "--cases 40").code, 0);
  const Ran misread = gate("takes_memory_for_contiguous", "--filter agrees_with");
  EXPECT_EQ(misread.code, 1) << misread.said;
  EXPECT_EQ(posproof(again(misread.said)).code, 1) << misread.said;
}

// A rotation in 16 bits that casts its cosines is usual; one that rounds once can say so, and is held to it.
TEST(Contract, products_in_16_bits_are_allowed_to_rotations_that_do_not_say_otherwise) {
  const auto gated = [](const std::string& what, const std::string& precision) {
    std::string words = contract(what);
    words.insert(words.size() - 1, precision);
    return posproof(fmt::format("gate rope --dim 16 --cases 40 {}", words)).code;
  };
  EXPECT_EQ(gated("bf16_products", ""), 0);
  EXPECT_EQ(gated("bf16_once", ""), 0);
  EXPECT_EQ(gated("bf16_once", "@bf16+table=f32"), 0);
  EXPECT_EQ(gated("bf16_products", "@bf16+table=f32"), 1);
}

TEST(Contract, a_crash_refutes_where_it_repeats) {
  const Ran dies = gate("dies", "--filter agrees_with");
  EXPECT_EQ(dies.code, 1) << dies.said;
  EXPECT_NE(dies.said.find("it is killed by SIGSEGV"), std::string::npos) << dies.said;
  EXPECT_NE(dies.said.find(" t=1000 "), std::string::npos) << dies.said;

  const std::string mark = ::testing::TempDir() + "posproof_died_once";
  std::remove(mark.c_str());
  const Ran once = gate("dies_once " + mark, "--filter answers_like");
  std::remove(mark.c_str());
  EXPECT_EQ(once.code, 0) << "asked again, it is right: " << once.said;
}

TEST(Contract, a_hang_is_an_error_and_is_not_waited_for_again_and_again) {
  const Ran hangs = gate("hangs", "--call-time 0.3");
  EXPECT_EQ(hangs.code, 3) << hangs.said;
  EXPECT_NE(hangs.said.find("no answer within "), std::string::npos) << hangs.said;
  EXPECT_NE(hangs.said.find("not asked: 2 answers were late"), std::string::npos) << hangs.said;
}

TEST(Contract, what_is_declined_inside_the_domain_is_not_checked) {
  const Ran declines = gate("declines", "--cases 60");
  EXPECT_EQ(declines.code, 3) << declines.said;
  EXPECT_NE(declines.said.find("from position 100 on; if it ends there, declare domain=(0, 99), ends=True"),
            std::string::npos)
      << declines.said;
  const Ran sweep = posproof(fmt::format("accuracy rope --dim 8 {}", contract("declines")));
  EXPECT_EQ(sweep.code, 3) << sweep.said;
  EXPECT_NE(sweep.said.find("3996 positions were declined, the first is 100"), std::string::npos)
      << sweep.said;
  const Ran declares = gate("declares", "--cases 60");
  EXPECT_EQ(declares.code, 0) << declares.said;
}

// Each remembers something; the counterexample has the calls that matter, and shows it in a new process.
TEST(Contract, what_an_object_remembers_is_shown_by_its_calls) {
  for (const std::string what :
       {"grows_once", "never_grows", "keyed_by_shape", "first_batch", "restarts_behind_a_prefill"}) {
    const Ran found = gate(what, "--filter answers_like");
    EXPECT_EQ(found.code, 1) << what << found.said;
    const std::string shown = again(found.said);
    EXPECT_EQ(posproof(shown).code, 1) << what << ": " << shown;
    const std::size_t before = what == "grows_once" || what == "first_batch" ? 2 : 1;
    EXPECT_LE(std::stoul(shown.substr(shown.find("before=") + 7)), before) << what << ": " << shown;
  }
}

// By sequences of calls that are the same in every run, however few random cases are asked.
TEST(Contract, what_an_object_remembers_is_found_by_one_case) {
  const std::string check = "check answers_like_a_new_object rope --dim 4 --positions 0:9 --cases 1 ";
  EXPECT_EQ(posproof(check + contract("keyed_by_shape")).code, 1);
}

TEST(Contract, what_shows_only_after_other_calls_sends_the_reader_to_them) {
  const Ran found = gate("keyed_by_shape", "--cases 60");
  EXPECT_EQ(found.code, 1);
  EXPECT_NE(
      found.said.find(" properties; cause: positions stay as long as calls have the same number of rows "
                      "and tokens\n"),
      std::string::npos)
      << found.said;
  EXPECT_NE(found.said.find("\nREFUTED    agrees_with_its_oracle, call/is_stateless"), std::string::npos)
      << found.said;
  EXPECT_NE(found.said.find(": follow from answers_like_a_new_object (--in-full prints each)\n"),
            std::string::npos)
      << found.said;
  EXPECT_NE(gate("keyed_by_shape", "--in-full --filter agrees_with")
                .said.find("it depends on the calls before: a new object that is asked only this is right"),
            std::string::npos);
  EXPECT_EQ(posproof(again(found.said)).code, 1) << "the first printed command: " << again(found.said);
}

TEST(Contract, a_claimed_failure_fails_as_claimed) {
  const Ran claimed = posproof("check score/decays_with_distance rope");
  EXPECT_EQ(claimed.code, 0) << claimed.said;
  EXPECT_NE(claimed.said.find("  fails as claimed\n  witness  "), std::string::npos) << claimed.said;
  EXPECT_EQ(posproof("check score/decays_with_distance rope --json").code, 0);
  EXPECT_EQ(posproof("check score/depends_on_offset rope --cases 20").code, 0);
}

// An empty word is a variable that was not set; a number is one number.
TEST(Contract, words_that_mean_nothing_are_refused) {
  const std::string right = contract("right");
  for (const std::string& words :
       std::vector<std::string>{"gate rope --dim '' " + right,
                                "gate rope --positions '' " + right,
                                std::string("gate rope ''"),
                                "gate rope --dim '64 base=2' " + right,
                                "gate rope --positions '0:9 x=3' " + right,
                                "gate rope --positions '0:9:12' " + right,
                                "gate rope --positions '0 b=1:9' " + right,
                                "gate rope --seed -1 " + right,
                                "gate rope --cases -1 " + right,
                                "gate rope --time nan " + right,
                                "gate rope --time '' " + right,
                                "gate rope --call-time 0 " + right,
                                "gate rope --call-time -1 " + right,
                                "gate rope --call-time nan " + right,
                                "gate rope --call-time 1e300 " + right,
                                "gate rope --budget 0 " + right,
                                "gate rope --budget nan " + right,
                                "gate rope --filter '' " + right,
                                "gate rope 'cmd:python3 x.py@bf17'",
                                "gate rope 'table:x.npy@f33'",
                                "gate rope cmd:",
                                "gate rope table:",
                                std::string("check rotary/composes rope --case ''"),
                                std::string("check '' rope"),
                                std::string("check rotary/composes rope ''"),
                                std::string("accuracy rope -o ''"),
                                std::string("accuracy rope --positions ''"),
                                std::string("accuracy rope ''"),
                                std::string("oracle rope --positions '' -o x.npy"),
                                std::string("oracle rope --positions 0:9 -o ''"),
                                std::string("gate rope --spec '' x"),
                                std::string("report ''"),
                                std::string("explain ''")}) {
    const Ran refused = posproof(words);
    EXPECT_EQ(refused.code, 2) << words << "\n" << refused.said;
    EXPECT_FALSE(refused.said.empty()) << words;
  }
}

}  // namespace
}  // namespace posproof::contract_test
