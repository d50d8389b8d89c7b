// Caches of cosines and sines, right and wrong in many ways and in every shape that is read: compared as they
// lie in their files, and as rotating says. Both find the same.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>

#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/call.h"
#include "core/function.h"
#include "run/testing/accuracy.h"
#include "search/search.h"
#include "subject/array_header.h"
#include "subject/dtype.h"

namespace posproof::accuracy_of_caches_test {
namespace {

using testing::Setting;

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t rows = 1100;  // more than are asked for in one call

// Of a pair at a position.
struct Point {
  double cosine, sine;
};
using Points = std::vector<std::vector<Point>>;  // [rows][pairs]

const Points& exact_points(const Setting& setting) {
  static std::map<std::string, Points> made;
  Points& out = made[setting.parameters];
  if (!out.empty()) return out;
  const auto rotary = as<Rotary>(setting.truth());
  for (std::size_t t = 0; t < rows; ++t) {
    Tensor x({1, rotary.heads, 1, rotary.dim});
    for (const Pair& pair : rotary.pairs) x.at(0, pair.first) = 1;
    const Tensor y = rotary.rotate(x, std::vector<Position>{static_cast<Position>(t)}, Role::query);
    std::vector<Point>& row = out.emplace_back();
    for (const Pair& pair : rotary.pairs) row.push_back({y.at(0, pair.first), y.at(0, pair.second)});
  }
  return out;
}

class File {
 public:
  File(const std::string& name, Format format, const Shape& shape, const std::vector<double>& values)
      : path_((std::filesystem::temp_directory_path() /
               fmt::format("posproof_test_{}_{}.safetensors", getpid(), name))
                  .string()) {
    std::string stored(values.size() * bytes(format), '\0');
    for (std::size_t n = 0; n < values.size(); ++n)
      store(format, values[n], std::as_writable_bytes(std::span(stored)).data() + n * bytes(format));
    std::ofstream(path_, std::ios::binary) << safetensors_header("rows", format, shape, {}) << stored;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// How the points lie in one file or two, and what stands in channels of no pair.
struct Lying {
  std::string name;
  std::size_t files;
  Function<std::size_t(const Rotary&)> columns;
  // Columns of a pair's cosine and of its sine, twice where there are two.
  Function<std::vector<std::pair<std::size_t, std::size_t>>(const Pair&)> places;
};

const std::vector<Lying> shapes = {
    {"one, a column for each channel", 1, [](const Rotary& r) { return r.dim; },
     [](const Pair& pair) {
       return std::vector{std::pair{pair.first, pair.second}};
     }},
    {"one, a column for each channel that rotates", 1, [](const Rotary& r) { return 2 * r.pairs.size(); },
     [](const Pair& pair) {
       return std::vector{std::pair{pair.first, pair.second}};
     }},
    {"two, a column for each pair", 2, [](const Rotary& r) { return r.pairs.size(); },
     [](const Pair& pair) {
       return std::vector{std::pair{pair.index, pair.index}};
     }},
    {"two, a column for each channel that rotates", 2, [](const Rotary& r) { return 2 * r.pairs.size(); },
     [](const Pair& pair) {
       return std::vector{std::pair{pair.first, pair.first}, std::pair{pair.second, pair.second}};
     }}};

// What `spoiled` makes of a point: of a position, a pair and which of two places it is.
using Spoiled = Function<Point(const Points&, std::size_t t, std::size_t pair, std::size_t place)>;

// The subject of such a cache, while its files are there.
void with_cache(const Setting& setting, const Lying& shape, Format format, const Spoiled& spoiled,
                double tail, const Function<void(Subject&)>& use) {
  const auto rotary = as<Rotary>(setting.truth());
  const Points& points = exact_points(setting);
  const std::size_t columns = shape.columns(rotary);
  std::vector<std::vector<double>> values(shape.files, std::vector<double>(rows * columns, 0.0));
  if (shape.files == 1 && columns == rotary.dim)
    for (const std::size_t c : channels_in_no_pair(rotary)) values[0][70 * columns + c] = tail;
  for (std::size_t t = 0; t < rows; ++t)
    for (const Pair& pair : rotary.pairs) {
      const auto places = shape.places(pair);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const Point point = spoiled(points, t, pair.index, k);
        values.front()[t * columns + places[k].first] = nearest(format, point.cosine);
        values.back()[t * columns + places[k].second] = nearest(format, point.sine);
      }
    }
  const File first("cache_first", format, {rows, columns}, values.front()),
      second("cache_second", format, {rows, columns}, values.back());
  Subject subject =
      setting.open("table:" + first.path() + (shape.files == 2 ? "," + second.path() : std::string()));
  use(subject);
}

Accuracy of(const Setting& setting, const Lying& shape, Format format, const Spoiled& spoiled, double tail,
            bool as_it_lies) {
  Accuracy out;
  with_cache(setting, shape, format, spoiled, tail, [&](Subject& subject) {
    if (!as_it_lies)
      subject.stored_rotations->read = [](Position, std::size_t, StoredRotations::Rows&) { return false; };
    out = accuracy(setting.truth(), subject);
  });
  return out;
}

std::string in_words(const Accuracy& a) {
  std::string out = fmt::format(
      "{} {} {} rows {} declined {} entries {} wrong {} ulp {:a} at {} {} largest {:a} at {} {} worst {:a} {:a} {} "
      "vacuous {} beyond {} {} {} {:a} stopped `{}`",
      static_cast<int>(a.format), a.first, a.last, a.rows, a.declined, a.entries, a.wrong, a.ulp,
      a.ulp_at.position, a.ulp_at.column, a.largest, a.largest_at ? a.largest_at->position : -1,
      a.largest_at ? a.largest_at->column : 0, a.worst.error, a.worst.bound, a.worst_at.text(), a.vacuous,
      a.beyond ? a.beyond->at.position : -1, a.beyond ? a.beyond->at.column : 0,
      a.beyond ? a.beyond->again.text() : "", a.beyond ? a.beyond->residual.error : 0, a.stopped);
  for (const PositionRange& range : a.profile)
    out +=
        fmt::format("; {} {} {:a} {:a} {:a}", range.first, range.last, range.error, range.bound, range.ulp);
  for (const auto& against : a.against) out += fmt::format("; {}", against.wrong);
  return out;
}

Spoiled with(Function<void(Point&, std::size_t t, std::size_t pair, std::size_t place)> change) {
  return [change = std::move(change)](const Points& all, std::size_t t, std::size_t pair, std::size_t place) {
    Point point = all[t][pair];
    change(point, t, pair, place);
    return point;
  };
}
const Spoiled right = with([](Point&, std::size_t, std::size_t, std::size_t) {});

struct Wrong {
  std::string name;
  Spoiled spoiled;
  double tail = 0;
};

std::vector<Wrong> wrong_ways() {
  const auto at = [](std::size_t where, auto change) {
    return with([where, change](Point& point, std::size_t t, std::size_t pair, std::size_t) {
      if (t == where && pair == 1) change(point);
    });
  };
  return {
      {"right", right},
      {"scaled", with([](Point& p, std::size_t, std::size_t, std::size_t) { p.cosine *= 1 + 0x1p-9; })},
      {"a row late", [](const Points& all, std::size_t t, std::size_t pair,
                        std::size_t) { return all[t == 0 ? 0 : t - 1][pair]; }},
      {"negative sines", with([](Point& p, std::size_t, std::size_t, std::size_t) { p.sine = -p.sine; })},
      {"-0", with([](Point& p, std::size_t t, std::size_t, std::size_t) {
         if (t % 3 == 0) p.sine = -0.0;
       })},
      {"the second place alone", with([](Point& p, std::size_t t, std::size_t, std::size_t place) {
         if (t > 1000 && place == 1) p.sine += 0.01, p.cosine += 0.02;
       })},
      {"NaN", at(70, [](Point& p) { p.cosine = not_a_number; })},
      {"an infinite sine", at(1060, [](Point& p) { p.sine = -infinity; })},
      {"random numbers", with([](Point& p, std::size_t t, std::size_t pair, std::size_t) {
         std::mt19937_64 random(31 * t + pair);
         p.cosine = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60) - 90);
         p.sine = -std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60) - 90);
       })},
      {"a channel of no pair", right, 0.25},
      {"a channel of no pair is NaN", right, not_a_number},
  };
}

TEST(AccuracyOfCaches, as_they_lie_is_as_rotating_says) {
  for (const std::string parameters :
       {"dim=8", "dim=8 layout=half_split", "dim=8 rotary_dim=4", "dim=8 rotary_dim=4 layout=half_split"})
    for (const Lying& shape : shapes)
      for (const Wrong& wrong : wrong_ways())
        for (const Format format : {Format::f32, Format::bf16}) {
          const Setting setting{"rope", parameters + " base=500000"};
          SCOPED_TRACE(parameters + ", " + shape.name + ", " + wrong.name + " in " +
                       std::string(name(dtype(format))));
          const Accuracy quick = of(setting, shape, format, wrong.spoiled, wrong.tail, true);
          EXPECT_EQ(in_words(quick), in_words(of(setting, shape, format, wrong.spoiled, wrong.tail, false)));
          if (wrong.name == "right") {
            EXPECT_EQ(quick.wrong, 0u);
            EXPECT_EQ(quick.entries, 2 * rows * 8);
          }
        }
}

TEST(AccuracyOfCaches, of_f64_and_f16_too) {
  const Setting setting{"rope", "dim=8 layout=half_split"};
  for (const Format format : {Format::f64, Format::f16})
    for (const Wrong& wrong : wrong_ways()) {
      SCOPED_TRACE(wrong.name);
      EXPECT_EQ(in_words(of(setting, shapes[3], format, wrong.spoiled, 0, true)),
                in_words(of(setting, shapes[3], format, wrong.spoiled, 0, false)));
    }
}

// In widths that are compared many at a time, too.
TEST(AccuracyOfCaches, a_sine_of_0_may_be_negative) {
  const Spoiled negative = with([](Point& p, std::size_t t, std::size_t, std::size_t) {
    if (t == 0) p.sine = -0.0;
  });
  for (const std::string layout : {"interleaved", "half_split"})
    for (const Format format : every_format) {
      const Accuracy found =
          of({"rope", "dim=128 layout=" + layout}, shapes.front(), format, negative, 0, true);
      EXPECT_EQ(found.wrong, 0u) << layout << ' ' << name(dtype(format));
      EXPECT_EQ(found.rows, rows);
    }
}

// What plain numbers are is seen in the file: nothing is rotated, where it is not asked otherwise.
TEST(AccuracyOfCaches, plain_numbers_are_not_rotated) {
  const Setting setting{"rope", "dim=8"};
  const File file("cache_plain", Format::f32, {3, 8},
                  {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, infinity});
  Subject subject = setting.open("table:" + file.path());
  as<Rotary>(subject.encoding).rotate = [](const Tensor&, const Positions&, Role) -> Tensor {
    throw std::logic_error("it was rotated");
  };
  const Accuracy two = accuracy(setting.truth(), subject, {.positions = std::pair{Position{0}, Position{1}}});
  EXPECT_EQ(two.rows, 2u);
  EXPECT_FALSE(two.errored);
  const Accuracy three = accuracy(setting.truth(), subject);
  ASSERT_TRUE(three.errored);
  EXPECT_EQ(three.errored->what, "it was rotated");
}

// Its cosines and sines are rounded, not what is rotated: where the two products of a channel cancel, that is
// more.
TEST(CacheIn16Bits, holds_where_it_is_rounded_once_and_not_where_it_is_cut) {
  const Setting setting{"rope", "dim=4"};
  const Spoiled cut = with([](Point& p, std::size_t, std::size_t, std::size_t) {
    for (double* x : {&p.cosine, &p.sine})
      if (std::abs(nearest(Format::bf16, *x)) > std::abs(*x)) *x *= 1 - 0x1p-8;
  });
  const auto verdict = [&](const Property& property, Format format, const Spoiled& spoiled) {
    std::optional<Verdict> out;
    with_cache(setting, shapes.front(), format, spoiled, 0, [&](Subject& subject) {
      out = search(*trial(property, subject.encoding, subject.precision),
                   {.id = "cache", .budget = {.cases = 20000}});
    });
    return *out;
  };
  for (const Format format : {Format::f16, Format::bf16})
    for (const Property* property : {&properties::score::depends_on_offset,
                                     &properties::rotary::preserves_norm, &properties::rotary::composes})
      EXPECT_TRUE(std::holds_alternative<Holds>(verdict(*property, format, right)))
          << property->statement << " " << name(dtype(format));
  EXPECT_TRUE(std::holds_alternative<Refuted>(verdict(agreement(setting.truth()), Format::bf16, cut)));
}

// The slowest sines are far below half a unit in the last place of 1, and right to all of their digits.
TEST(CacheIn16Bits, has_small_sines_right_to_their_own_digits) {
  const Setting setting{"rope", "dim=8"};
  const auto sines = [&](double (*to)(double)) {
    return with([to](Point& p, std::size_t, std::size_t, std::size_t) { p.sine = to(p.sine); });
  };
  const auto beyond = [&](Format format, const Spoiled& spoiled) {
    std::optional<Accuracy> out;
    with_cache(setting, shapes.front(), format, spoiled, 0,
               [&](Subject& subject) { out = accuracy(setting.truth(), subject); });
    return out->beyond.has_value();
  };
  for (const Format format : {Format::f16, Format::bf16, Format::f32}) {
    EXPECT_FALSE(beyond(format, right)) << name(format);
    EXPECT_FALSE(beyond(format, sines([](double x) { return x * (1 + 0x1p-25); }))) << name(format);
  }
  for (const Format format : {Format::f16, Format::bf16}) {
    EXPECT_TRUE(beyond(format, sines([](double x) { return std::abs(x) < 1.9e-3 ? 0 : x; }))) << name(format);
    EXPECT_TRUE(beyond(format, sines([](double x) { return std::abs(x) < 1e-3 ? -x : x; }))) << name(format);
    EXPECT_TRUE(beyond(format, sines([](double x) { return std::abs(x) < 5e-3 ? x * (1 + 0x1p-6) : x; })))
        << name(format);
  }
}

TEST(AccuracyOfCaches, other_rows_than_the_file_has_are_refused) {
  const Setting setting{"rope", "dim=4"};
  const File file("cache_short", Format::f32, {2, 4}, {1, 0, 1, 0, 1, 0, 1, 0});
  const StoredRotations stored = *setting.open("table:" + file.path()).stored_rotations;
  StoredRotations::Rows read;
  EXPECT_TRUE(stored.read(0, 2, read));
  EXPECT_EQ(read.of_first.size(), 2u * 4u * sizeof(float));
  EXPECT_THROW(stored.read(-1, 2, read), Refusal);
  EXPECT_THROW(stored.read(1, 2, read), Refusal);
}

}  // namespace
}  // namespace posproof::accuracy_of_caches_test
