// How long the calls are that agreement draws: as long as a tile of a kernel where there is room for it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/call.h"

namespace posproof::call_draw_test {
namespace {

// Answers sizes with these, one after another, and writes down the largest that was allowed, and whole
// numbers with the largest; everything else with the simplest.
class Longest final : public Draw {
 public:
  explicit Longest(std::vector<std::int64_t> sizes, std::string mask = "")
      : sizes_(std::move(sizes)), mask_(std::move(mask)) {}
  const std::vector<std::string>& asked() const { return asked_; }
  std::string masks() const {
    std::vector<std::string> out;
    for (const Value& one : masks_) out.push_back(text(one));
    return fmt::format("{}", fmt::join(out, ", "));
  }

 protected:
  Value answer(std::string_view name, const Choice& choice) override {
    struct Answer {
      Longest& self;
      std::string_view name;
      Value operator()(const choice::Integer& one) const {
        self.asked_.push_back(fmt::format("{} to {}", name, one.hi));
        return static_cast<double>(one.hi);
      }
      Value operator()(const choice::Size& one) const {
        self.asked_.push_back(fmt::format("{} to {}", name, *std::ranges::max_element(one.sizes)));
        return static_cast<double>(self.sizes_.at(self.next_++));
      }
      Value operator()(const choice::PositionIn& one) const { return static_cast<double>(one.lo); }
      Value operator()(const choice::Values& one) const { return std::vector<double>(one.size); }
      Value operator()(const choice::Permutation& one) const { return std::vector<double>(one.size); }
      Value operator()(const choice::OneOf& one) const {
        if (name != "mask") return one.values.front();
        self.masks_ = one.values;
        return std::ranges::find(one.values, self.mask_) == one.values.end() ? one.values.front()
                                                                             : self.mask_;
      }
    };
    return std::visit(Answer{*this, name}, choice);
  }

 private:
  std::vector<std::int64_t> sizes_;
  std::size_t next_ = 0;
  std::vector<std::string> asked_;
  Value mask_;
  std::vector<Value> masks_;
};

std::string asked(const Encoding& encoding, std::vector<std::int64_t> sizes) {
  Longest draw(std::move(sizes));
  draw_call(encoding, positions_of(encoding), draw);
  return fmt::format("{}", fmt::join(draw.asked(), ", "));
}

std::string of_table(std::size_t dim) {
  return asked(Table{.dim = dim}, {1});
}
std::string of_rotation(std::size_t dim, std::size_t heads) {
  return asked(Rotary{.dim = dim, .heads = heads}, {1});
}
std::string of_bias(std::size_t heads, std::int64_t queries) {
  return asked(Bias{.heads = heads}, {queries, 1});
}
std::string of_logits(std::size_t heads, std::int64_t queries) {
  return asked(Contextual{.dim = 2, .heads = heads}, {queries, 1});
}
std::string of_attention(std::size_t dim, std::size_t values) {
  return asked(Attention{.dim = dim, .value_dim = values}, {1});
}

// 65536 values in all: of rows, of rotated tokens in every batch row, of pairs in every head, of q, k and v.
TEST(DrawnCall, is_as_long_as_there_is_room_for) {
  EXPECT_EQ(of_table(64), "rows to 129");
  EXPECT_EQ(of_table(508), "rows to 129");
  EXPECT_EQ(of_table(509), "rows to 128");
  EXPECT_EQ(of_table(4096), "rows to 16");
  EXPECT_EQ(of_table(4097), "rows to 4");

  EXPECT_EQ(of_rotation(64, 2), "batch to 3, tokens to 129");
  EXPECT_EQ(of_rotation(128, 8), "batch to 3, tokens to 17");
  EXPECT_EQ(of_rotation(128, 11), "batch to 3, tokens to 2");
  EXPECT_EQ(of_rotation(4096, 3), "batch to 2, tokens to 2");

  EXPECT_EQ(of_bias(8, 4), "nq to 129, nk to 129");
  EXPECT_EQ(of_bias(8, 129), "nq to 129, nk to 33");
  EXPECT_EQ(of_bias(2048, 1), "nq to 32, nk to 32");
  EXPECT_EQ(of_logits(16, 33), "nq to 129, nk to 64");
  EXPECT_EQ(of_logits(2048, 2), "nq to 32, nk to 16");

  EXPECT_EQ(of_attention(64, 64), "tokens to 129");
  EXPECT_EQ(of_attention(1024, 512), "tokens to 17");
  EXPECT_EQ(of_attention(512, 1024), "tokens to 32");
}

// Of up to four positions each is drawn, of more the first: the names of both stand in recorded cases.
TEST(DrawnCall, of_four_positions_has_each_of_them) {
  const auto drawn = [](const Encoding& encoding, const std::string& words) {
    Replay draw(Case::parse(words));
    return draw_call(encoding, Domain(0, 100), draw);
  };
  const Call pairs = drawn(Bias{.heads = 1}, "nq=4 nk=4 i=7 i1=0 i2=9 i3=7 j=1 j1=100 j2=1 j3=2");
  EXPECT_EQ(pairs.positions.whole, (std::vector<Position>{7, 0, 9, 7}));
  EXPECT_EQ(pairs.keys.whole, (std::vector<Position>{1, 100, 1, 2}));
  const Call rows = drawn(Table{.dim = 1}, "rows=4 t=5 t1=3 t2=5 t3=90 n=91");
  EXPECT_EQ(rows.positions.whole, (std::vector<Position>{5, 3, 5, 90}));
}

// Of rows of five or more that go on from their first position, the last such position is the one from which
// they reach the end of the domain, and do not begin again.
TEST(DrawnCall, of_rows_that_go_on_ends_with_the_domain) {
  Domain domain(3, 20);
  domain.ends = true;
  const auto drawn = [&](const std::string& words) {
    Replay draw(Case::parse(words + " n=21 arranged=consecutive"));
    return draw_call(Table{.dim = 1}, domain, draw).positions.whole;
  };
  EXPECT_EQ(drawn("rows=15 t=6"),
            (std::vector<Position>{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}));
  EXPECT_THROW(drawn("rows=15 t=7"), std::invalid_argument);
}

// Of a causal operator, where the mask hides one key of four from every later query, and nothing else.
TEST(DrawnMask, hides_one_key_from_every_later_query) {
  const auto mask = [](const std::string& words, bool causal) {
    Replay draw(Case::parse(words));
    return draw_call(Attention{.dim = 1, .value_dim = 1, .causal = causal}, Domain(0, 0), draw).mask;
  };
  const std::string contents = " q=[0*4] k=[0*4] v=[0*4]";
  EXPECT_EQ(mask("tokens=4 mask=one_hidden unseen=1" + contents, true),
            Mask({4, 4}, {1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(mask("tokens=4 mask=causal" + contents, true),
            Mask({4, 4}, {1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}));
  EXPECT_THROW(mask("tokens=4 mask=one_hidden unseen=3" + contents, true), std::invalid_argument)
      << "no query comes after it";
  EXPECT_THROW(mask("tokens=4 mask=one_hidden unseen=1" + contents, false), std::invalid_argument);
}

// Where every number is a position, a part is drawn for each row.
TEST(DrawnCall, of_real_positions_has_a_part_for_each) {
  Table table{.dim = 1};
  table.positions = {0, 100};
  table.positions.real = true;
  Longest draw({2});
  const Call call = draw_call(table, positions_of(table), draw);
  EXPECT_TRUE(call.positions.whole.empty());
  EXPECT_EQ(call.positions.real, (std::vector<double>{1 - 0x1p-20, 1 - 0x1p-20}));
  // Behind the last position of the domain there is none.
  table.positions = Domain(3, 3);
  table.positions.real = true;
  Longest last({2});
  EXPECT_EQ(draw_call(table, table.positions, last).positions.real, (std::vector<double>{3, 3}));
  EXPECT_EQ(fmt::format("{}", fmt::join(draw.asked(), ", ")),
            "rows to 129, t_part to 1048575, t1_part to 1048575");
}

// Each row of a recorded call is padded, or packed, with two tokens more than the one before.
TEST(DrawnCall, of_rows_may_arrange_each_in_its_own_way) {
  const Rotary rotary{.dim = 2};
  const auto drawn = [&](std::string_view arranged) {
    Replay draw(
        Case::parse(fmt::format("batch=3 tokens=5 arranged={} t=0 t1=0 t2=7 role=key x=[1,1]", arranged)));
    const auto all = draw_call(rotary, rotary.positions, draw).positions.whole;
    return fmt::format("{}", fmt::join(all, " "));
  };
  EXPECT_EQ(drawn("left_padded_apart padding=0"), "0 1 2 3 4 0 0 0 1 2 7 7 7 7 7");
  EXPECT_EQ(drawn("left_padded_apart padding=4"), "0 0 0 0 0 0 0 1 2 3 7 7 7 7 8");
  EXPECT_EQ(drawn("packed_apart packed=2"), "0 1 0 1 2 0 1 2 3 0 7 7 8 9 10");
  EXPECT_EQ(drawn("left_padded padding=2"), "0 0 0 1 2 0 0 0 1 2 7 7 7 8 9");
}

// Tokens of a grid row by row; each row of the call has two columns more.
TEST(DrawnCall, of_rows_may_be_grids) {
  Rotary rotary{.dim = 2};
  rotary.positions.axes = 2;
  Replay draw(
      Case::parse("batch=2 tokens=6 arranged=grids_apart columns=2 t=0 t_1=10 t1=1 t1_1=5 role=key x=[1,1]"));
  const auto all = draw_call(rotary, rotary.positions, draw).positions.whole;
  EXPECT_EQ(fmt::format("{}", fmt::join(all, " ")), "0 10 0 11 1 10 1 11 2 10 2 11 1 5 1 6 1 7 1 8 2 5 2 6");
}

TEST(DrawnCall, of_a_class_token_has_it_on_every_axis) {
  Bias bias{.heads = 1, .positions = Domain(-1, 8)};
  bias.positions.axes = 2;
  const auto drawn = [&](std::string_view words) {
    Replay draw(Case::parse(words));
    const Call call = draw_call(bias, bias.positions, draw);
    return fmt::format("{} / {}", fmt::join(call.positions.whole, " "), fmt::join(call.keys.whole, " "));
  };
  constexpr std::string_view one = "nq=1 nk=2 i=0 i_1=-1 j=2 j_1=0 j1=-1 j1_1=3",
                             row = "nq=1 nk=5 i=1 i_1=0 arranged_j=consecutive j=-1 j_1=1";
  EXPECT_EQ(drawn(one), "0 -1 / 2 0 -1 3");
  bias.positions.class_token = -1;
  EXPECT_EQ(drawn(one), "-1 -1 / 2 0 -1 -1");
  EXPECT_EQ(drawn(row), "1 0 / -1 -1 0 2 1 3 2 4 3 5");
  const Call along = sequence(bias, {-1, 0, 5});
  EXPECT_EQ(along.positions.whole, (std::vector<Position>{-1, -1, 0, 3, 5, 8}));
}

// The values of the first half of the keys are negative where there are many, whatever the queries are.
TEST(DrawnCall, of_many_keys_has_values_of_either_sign) {
  const Attention of{.dim = 1, .value_dim = 1};
  Replay draw(Case::parse("tokens=1 mask=across keys=10 q=[1] k=[1] v=[1]"));
  const Tensor values = draw_call(of, positions_of(of), draw).contents[2];
  for (std::size_t r = 0; r < 10; ++r) EXPECT_EQ(values.at(r, 0) < 0, r < 5) << r;
}

// Every query sees every key where there are others of them: in recorded calls, and not where keys mean
// something at or before the query alone.
// The last key has the largest product with every query, of whatever sign, and those of the first half are
// smaller than those of the second.
TEST(DrawnCall, of_many_keys_meets_the_largest_logit_last) {
  const Attention truth{.dim = 2, .value_dim = 2};
  for (const std::string k : {"[1,0.5]", "[-1,-0.5]"})
    for (const std::size_t n : {65, 129, 257}) {
      Replay draw(Case::parse(fmt::format("tokens={} mask=none q=[1,1] k={} v=[1,1]", n, k)));
      const Call call = draw_call(truth, Domain(0, 1), draw);
      const auto logit = [&](std::size_t key) {
        return call.contents[0].at(0, 0) * call.contents[1].at(key, 0) +
               call.contents[0].at(0, 1) * call.contents[1].at(key, 1);
      };
      double first = logit(0), second = logit(n / 2);
      for (std::size_t key = 0; key + 1 < n; ++key)
        (key < n / 2 ? first : second) = std::max(key < n / 2 ? first : second, logit(key));
      EXPECT_LT(first, second) << k << n;
      EXPECT_LT(second, logit(n - 1)) << k << n;
    }
}

TEST(DrawnCall, of_attention_may_have_other_keys_than_queries) {
  const auto drawn = [](bool causal) {
    const Attention of{.dim = 1, .value_dim = 1, .causal = causal};
    Replay draw(Case::parse("tokens=2 mask=across keys=3 q=[1,2] k=[1,2,3] v=[4,5,6]"));
    return draw_call(of, positions_of(of), draw);
  };
  const Call call = drawn(false);
  EXPECT_EQ(call.mask, Tensor({2, 3}, {1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(call.contents[0].data, (std::vector<double>{1, 2}));
  EXPECT_EQ(call.contents[2].data, (std::vector<double>{4, 5, 6}));
  EXPECT_THROW(drawn(true), NoAnswer);
}

// As many masks as the operator takes; padding where there is a key to leave out, at the end.
TEST(DrawnCall, of_attention_has_each_mask_that_it_takes) {
  const auto masks = [](std::int64_t tokens, bool causal, bool any) {
    const Attention of{.dim = 1, .value_dim = 1, .causal = causal, .any_mask = any};
    Longest draw({tokens});
    draw_call(of, positions_of(of), draw);
    return draw.masks();
  };
  EXPECT_EQ(masks(3, false, true), "none, causal, padding");
  EXPECT_EQ(masks(2, false, true), "none, causal, padding");
  EXPECT_EQ(masks(1, false, true), "none, causal");
  EXPECT_EQ(masks(3, true, true), "causal, padding, one_hidden");
  EXPECT_EQ(masks(1, true, false), "causal");
  EXPECT_EQ(masks(3, false, false), "none, causal");

  const auto mask = [](std::string name) {
    const Attention of{.dim = 1, .value_dim = 1, .any_mask = true};
    Longest draw({3}, std::move(name));
    return draw_call(of, positions_of(of), draw).mask;
  };
  EXPECT_EQ(mask("none"), Tensor({3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(mask("causal"), Tensor({3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(mask("padding"), Tensor({3, 3}, {1, 1, 0, 1, 1, 0, 1, 1, 0})) << "two keys are kept";
}

}  // namespace
}  // namespace posproof::call_draw_test
