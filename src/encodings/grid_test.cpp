// The searched grids tell the parameters apart: a parameter that is not read, or read in another's place, and
// a clamp or a branch that is left out change an answer in some setting that a search may draw.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "catalogue/encodings.h"
#include "catalogue/encodings/rope.h"
#include "core/call.h"
#include "encodings/made.h"

namespace posproof::grid_test {
namespace {

// What the encoding answers to one call of a dozen positions, of a row and of one that ends sooner, and what
// it declares; none where it refuses the parameters.
std::optional<Tensor> answered(const EncodingSpec& spec, const Parameters& parameters) {
  try {
    const Encoding encoding = spec.make(parameters);
    const Domain& domain = positions_of(encoding);
    std::vector<Position> at;
    for (const Position t : {0, 1, 2, 3, 9, 15, 25, 60, 100, 140, 1000})
      if (domain.lo + t <= domain.hi) at.push_back(domain.lo + t);
    Call call;
    if (const auto* operation = std::get_if<Attention>(&encoding)) {
      constexpr std::size_t n = 6;
      call.contents = {Tensor({n, operation->dim}), Tensor({n, operation->dim}),
                       Tensor({n, operation->value_dim})};
      call.mask = Mask({n, n});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) call.mask.at(i, j) = 1;
    } else {
      const bool has_rows = signature(encoding).has(Axis::batch);
      std::vector<Position> positions = at;
      if (has_rows) {
        positions.insert(positions.end(), at.begin(), at.end());
        positions.back() = at.front();
      }
      call = sequence(encoding, positions, nullptr, has_rows ? 2 : 1);
    }
    for (Tensor& content : call.contents)
      for (std::size_t e = 0; e < content.data.size(); ++e)
        content.data[e] = 1 + static_cast<double>(7 * e % 5);
    Tensor out = answer(encoding, call);
    out.data.push_back(is_causal(encoding) ? 1 : 0);
    out.data.push_back(is_modulo_rows(encoding) ? 1 : 0);
    return out;
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

Parameters changed(Parameters parameters, const Parameter& parameter, const Value& value) {
  parameters.set(parameter.name, value);
  return parameters;
}

// The settings in which a parameter matters, the others standard, or one or two of them at another value of
// their grids.
std::vector<Parameters> settings_for(const EncodingSpec& spec, const Parameter& parameter) {
  std::vector<Parameters> all = {standard(spec)};
  for (const Condition::Among& among : parameter.matters_where.all) {
    std::vector<Parameters> more;
    for (const Parameters& one : all)
      for (const Value& value : among.values)
        more.push_back(changed(one, *spec.parameters.find(among.parameter), value));
    all = std::move(more);
  }
  for (int change = 0; change < 2; ++change) {
    const std::size_t before = all.size();
    for (std::size_t n = 0; n < before; ++n)
      for (const Parameter& other : spec.parameters)
        for (const Value& value : other.grid)
          if (other.name != parameter.name && text(value) != text(*all[n].find(other.name)))
            all.push_back(changed(all[n], other, value));
    std::erase_if(all, [&](const Parameters& one) { return !parameter.matters_where.met(one); });
  }
  return all;
}

bool is_word(const Parameter& parameter) {
  return std::holds_alternative<type::Word>(parameter.type);
}

// A word may be what refuses, and how long a list is; a number shows in an answer.
bool may_refuse(const Parameter& parameter, const Value& a, const Value& b) {
  const auto *one = std::get_if<std::vector<double>>(&a), *two = std::get_if<std::vector<double>>(&b);
  return is_word(parameter) || (one && two && one->size() != two->size());
}

bool tell_apart(const EncodingSpec& spec, const Parameter& parameter, const Value& a, const Value& b) {
  return std::ranges::any_of(settings_for(spec, parameter), [&](const Parameters& setting) {
    const auto one = answered(spec, changed(setting, parameter, a)),
               two = answered(spec, changed(setting, parameter, b));
    return one && two ? !(*one == *two) : one.has_value() != two.has_value() && may_refuse(parameter, a, b);
  });
}

TEST(Grid, has_a_setting_in_which_each_value_of_a_parameter_differs_from_each_other) {
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Parameter& parameter : spec->parameters) {
      EXPECT_GE(parameter.grid.size(), 2u)
          << id << ": " << parameter.name << " has one value: nothing shows it";
      for (std::size_t b = 1; b < parameter.grid.size(); ++b)
        for (std::size_t a = 0; a < b; ++a)
          EXPECT_TRUE(tell_apart(*spec, parameter, parameter.grid[a], parameter.grid[b]))
              << id << ": " << parameter.name << " " << text(parameter.grid[a]) << " and "
              << text(parameter.grid[b]);
    }
}

// Whether reading `other` in the place of `parameter` changes an answer, or is refused, in a setting of the
// grid.
bool shows(const EncodingSpec& spec, const Parameter& parameter, const Parameter& other) {
  const std::vector<Parameters> settings = settings_for(spec, parameter);
  return std::ranges::any_of(settings, [&](const Parameters& setting) {
    for (const Value& own : parameter.grid)
      for (const Value& read : other.grid) {
        if (text(own) == text(read)) continue;
        const Parameters right = changed(changed(setting, other, read), parameter, own);
        const auto here = answered(spec, right);
        if (here && here != answered(spec, changed(right, parameter, read))) return true;
      }
    return false;
  });
}

TEST(Grid, has_a_setting_in_which_a_number_that_is_read_for_another_shows) {
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Parameter& one : spec->parameters)
      for (const Parameter& other : spec->parameters) {
        const bool numbers =
            std::holds_alternative<type::Whole>(one.type) || std::holds_alternative<type::Real>(one.type);
        if (!numbers || one.type.index() != other.type.index() || one.name == other.name) continue;
        EXPECT_TRUE(shows(*spec, one, other)) << id << ": " << other.name << " read for " << one.name;
      }
}

// Every value that it names is searched.
Parameters in_the_grid(const EncodingSpec& spec, std::string_view words) {
  const Parameters named = Case::parse(words);
  for (const auto& [name, value] : named.fields()) {
    const auto& grid = spec.parameters.find(name)->grid;
    EXPECT_TRUE(
        std::ranges::any_of(grid, [&, &value = value](const Value& one) { return text(one) == text(value); }))
        << name << "=" << text(value) << " is not searched";
  }
  return with(spec, named);
}

// Peng et al. 2023, as the models' code has it, with each step that keeps the ramp within the ladder.
struct Ramp {
  bool first_from_0 = true, last_within_dim = true, ends_apart = true, outward = true;

  std::vector<double> frequencies(const Parameters& p) const {
    const double dim = p.real("dim"), base = p.real("base");
    const auto index = [&](double rotations) {
      return dim * std::log(p.real("original_length") / (rotations * 2 * std::numbers::pi)) /
             (2 * std::log(base));
    };
    double first = index(p.real("beta_fast")), last = index(p.real("beta_slow"));
    if (outward && p.word("truncate") == "true") first = std::floor(first), last = std::ceil(last);
    if (first_from_0) first = std::max(first, 0.0);
    if (last_within_dim) last = std::min(last, dim - 1);
    if (ends_apart && first == last) last += 0.001;
    std::vector<double> out;
    for (double i = 0; i < dim / 2; ++i) {
      const double w = std::pow(base, -2 * i / dim);
      const double ramp = std::clamp((i - first) / (last - first), 0.0, 1.0);
      out.push_back(w / p.real("factor") * ramp + w * (1 - ramp));
    }
    return out;
  }
};

std::vector<double> frequencies(const Parameters& parameters) {
  std::vector<double> out;
  const auto rotary = encodings::rope.make<Rotary>(parameters);
  for (const Pair& pair : rotary.pairs) out.push_back(pair.frequency);
  return out;
}

// The largest relative difference; NaN where one is no number.
double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    const double share = std::abs(a[n] / b[n] - 1);
    if (!(share <= most)) most = share;
  }
  return most;
}

TEST(Grid, reaches_every_clamp_of_yarn) {
  struct {
    std::string_view what, words;
    Ramp without;
  } const all[] = {
      {"the first index is at least 0", "dim=8 scaling=yarn original_length=64", {.first_from_0 = false}},
      {"the first index is at least 0, not rounded",
       "dim=8 scaling=yarn original_length=64 truncate=false",
       {.first_from_0 = false}},
      {"the last index is within the width",
       "dim=8 scaling=yarn original_length=1000000 base=10",
       {.last_within_dim = false}},
      {"the ends are never one", "dim=8 scaling=yarn original_length=6", {.ends_apart = false}},
      {"the ends are rounded outward", "dim=8 scaling=yarn", {.outward = false}},
  };
  for (const auto& [what, words, without] : all) {
    const Parameters setting = in_the_grid(encodings::rope, words);
    const auto made = frequencies(setting);
    EXPECT_LT(apart(made, Ramp{}.frequencies(setting)), 1e-14) << what;
    EXPECT_FALSE(apart(made, without.frequencies(setting)) < 1e-3) << what << " may be left out in " << words;
  }
}

// Where pairs are kept, blended and divided: how often each.
TEST(Grid, reaches_every_part_of_the_scalings_by_rotations) {
  for (const std::string_view words :
       {"dim=64 scaling=llama3", "dim=64 scaling=llama3 low_freq_factor=2 high_freq_factor=8",
        "dim=64 scaling=by_parts", "dim=64 scaling=by_parts beta_slow=2 beta_fast=16"}) {
    const Parameters setting = in_the_grid(encodings::rope, words);
    Parameters plain = setting;
    plain.set("scaling", "none");
    const auto made = frequencies(setting), unscaled = frequencies(plain);
    const bool llama3 = setting.word("scaling") == "llama3";
    const double low = setting.real(llama3 ? "low_freq_factor" : "beta_slow"),
                 high = setting.real(llama3 ? "high_freq_factor" : "beta_fast"),
                 factor = setting.real("factor");
    int kept = 0, blended = 0, divided = 0;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const double rotations = setting.real("original_length") * unscaled[i] / (2 * std::numbers::pi);
      const double share = std::clamp((rotations - low) / (high - low), 0.0, 1.0);
      EXPECT_NEAR(made[i], unscaled[i] * (share + (1 - share) / factor), made[i] * 1e-13)
          << words << " " << i;
      ++(share == 1 ? kept : share == 0 ? divided : blended);
    }
    EXPECT_GT(kept, 1) << words;
    EXPECT_GT(blended, 1) << words;
    EXPECT_GT(divided, 1) << words;
  }
}

TEST(Grid, has_an_attention_factor_that_is_given_and_one_that_is_made) {
  const auto amplitude = [](std::string_view words) {
    return encodings::rope.make<Rotary>(in_the_grid(encodings::rope, words)).amplitude;
  };
  EXPECT_EQ(amplitude("scaling=yarn attention_factor=1.5"), 1.5);
  EXPECT_DOUBLE_EQ(amplitude("scaling=yarn factor=2"), 0.1 * std::log(2.0) + 1);
  EXPECT_DOUBLE_EQ(amplitude("scaling=yarn"), 0.1 * std::log(8.0) + 1);
  EXPECT_EQ(amplitude("scaling=llama3 attention_factor=1.5"), 1);
}

}  // namespace
}  // namespace posproof::grid_test
