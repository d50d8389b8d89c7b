#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "attention/dot_product.h"
#include "attention/encoder.h"
#include "attention/generator.h"
#include "attention/mask.h"
#include "attention/reference_attention.h"
#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/encodings/t5_bias.h"
#include "catalogue/experiments/add_concatenate_or_learn.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "core/function.h"
#include "draws.h"
#include "measure.h"
#include "references.h"
#include "subspace.h"
#include "tables.h"

namespace posproof::experiments_add_concatenate_or_learn {
namespace {

using namespace document;
using attention::Generator;
using experiments::Drawn;
using experiments::draws;
using experiments::joined;
using experiments::largest_difference;
using experiments::percent;
using experiments::proved;
using experiments::rows;
using experiments::whole;
using experiments::yes_no;

// ---- parameters -----------------------------------------------------------------------------------------

std::size_t size(const Tensor& x) {
  return x.data.size();
}

// The parameters of one encoder block, as its tensors hold them.
std::size_t counted(std::size_t dim) {
  const attention::Block block = attention::random_block(dim, 1);
  const auto& [query, key, value, output] = block.projections;
  const auto& [up, up_shift, down, down_shift] = block.feed_forward;
  std::size_t out = size(query) + size(key) + size(value) + size(output) + size(up) + size(up_shift) +
                    size(down) + size(down_shift);
  for (const attention::LayerNorm* norm : {&block.after_attention, &block.after_feed_forward})
    out += size(norm->gain) + size(norm->shift);
  return out;
}

// What the count is for every width: four projections, two layers of 4 d hidden channels, shifts and norms.
constexpr std::size_t block_parameters(std::size_t dim) {
  return 12 * dim * dim + 9 * dim;
}

struct Model {  // an encoder as the paper's base model
  static constexpr std::size_t dim = 512, length = 512, blocks = 6, heads = 8, own_dim = 64, buckets = 32;
};

struct Cost {
  std::string way;
  std::size_t encoding, blocks;  // parameters of the encoding itself, and of the six blocks
  std::size_t channels;          // of a token as the first block sees it
};

std::vector<Cost> costs() {
  constexpr std::size_t wide = Model::dim + Model::own_dim;
  constexpr std::size_t blocks = Model::blocks * block_parameters(Model::dim);
  return {{"sinusoidal, added", 0, blocks, Model::dim},
          {"learned, added", Model::length * Model::dim, blocks, Model::dim},
          {"sinusoidal, 64 channels concatenated", 0, Model::blocks * block_parameters(wide), wide},
          {"the same, mapped back to 512", wide * Model::dim, blocks, Model::dim},
          {"learned, 64 channels concatenated", Model::length * Model::own_dim,
           Model::blocks * block_parameters(wide), wide},
          {"T5, a bias for 32 buckets and 8 heads", Model::buckets * Model::heads, blocks, Model::dim},
          {"RoPE, ALiBi", 0, blocks, Model::dim},
          {"sinusoidal, 512 channels concatenated", 0, Model::blocks * block_parameters(2 * Model::dim),
           2 * Model::dim}};
}

// ---- one matrix or two ----------------------------------------------------------------------------------

Tensor beside(const Tensor& x, const Tensor& p) {
  Tensor out({x.rows(), x.width() + p.width()});
  for (std::size_t r = 0; r < x.rows(); ++r) {
    std::ranges::copy(x.row(r), out.row(r).begin());
    std::ranges::copy(p.row(r), out.row(r).begin() + static_cast<std::ptrdiff_t>(x.width()));
  }
  return out;
}

Tensor above(const Tensor& a, const Tensor& b) {
  Tensor out({a.rows() + b.rows(), a.width()});
  std::ranges::copy(b.data, std::ranges::copy(a.data, out.data.begin()).out);
  return out;
}

Tensor sum(Tensor a, const Tensor& b) {
  for (std::size_t e = 0; e < a.data.size(); ++e) a.data[e] += b.data.at(e);
  return a;
}

Tensor identity(std::size_t dim) {
  Tensor out({dim, dim});
  for (std::size_t c = 0; c < dim; ++c) out.at(c, c) = 1;
  return out;
}

// Whole numbers from -8 to 8: products and sums of a few are exact in f64.
Tensor whole_numbers(Generator& numbers, Shape shape) {
  Tensor out(std::move(shape));
  for (double& value : out.data) value = std::floor(17 * numbers.uniform()) - 8;
  return out;
}

struct Identities {  // how many draws have both sides bit for bit
  std::uint64_t two_blocks = 0, one_block = 0, sum_itself = 0;
};

Identities identities() {
  constexpr std::size_t n = 6, dim = 8, own = 4;
  Identities out;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    Generator numbers(seed);
    const Tensor x = whole_numbers(numbers, {n, dim}), p = whole_numbers(numbers, {n, own}),
                 w1 = whole_numbers(numbers, {dim, dim}), w2 = whole_numbers(numbers, {own, dim}),
                 wide = whole_numbers(numbers, {n, dim});
    out.two_blocks += attention::product(beside(x, p), above(w1, w2)) ==
                      sum(attention::product(x, w1), attention::product(p, w2));
    out.one_block +=
        attention::product(beside(x, wide), above(w1, w1)) == attention::product(sum(x, wide), w1);
    const Tensor content = numbers.normal({n, dim}, 1), position = numbers.normal({n, dim}, 1);
    out.sum_itself += attention::product(beside(content, position), above(identity(dim), identity(dim))) ==
                      sum(content, position);
  }
  return out;
}

// The share of a token's variance that the best single matrix with a bias cannot recover from x + p: of
// tokens whose entries are independent with mean 0 and variance 1, and C the covariance of p over the
// positions, the matrix is (I + C)^-1 and the share 1 - tr (I + C)^-1 / d.
double lost(std::size_t dim, Position length) {
  const Tensor table = rows(experiments::table(encodings::sinusoidal, fmt::format("dim={}", dim)), length);
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> p(
      table.data.data(), static_cast<Eigen::Index>(length), static_cast<Eigen::Index>(dim));
  const auto d = static_cast<Eigen::Index>(dim);
  Eigen::MatrixXd second = Eigen::MatrixXd::Identity(d, d);
  second.selfadjointView<Eigen::Lower>().rankUpdate((p.rowwise() - p.colwise().mean()).transpose(),
                                                    1 / static_cast<double>(length));
  const Eigen::MatrixXd root =
      Eigen::LLT<Eigen::MatrixXd>(second).matrixL().solve(Eigen::MatrixXd::Identity(d, d));
  return 1 - root.squaredNorm() / static_cast<double>(dim);
}

constexpr std::array<Position, 3> windows = {64, 512, 2048};

// The share of the energy of the rows less their mean that no linear map from that many channels gives: what
// lies beyond as many of their strongest directions.
double out_of_reach(std::size_t dim, Position length, std::size_t channels) {
  experiments::Matrix p = experiments::sinusoidal_rows(dim, static_cast<experiments::Index>(length));
  p.rowwise() -= Eigen::RowVectorXd(p.colwise().mean());
  const experiments::Vector energy = experiments::strengths(p).strength.cwiseAbs2();
  return 1 - energy.head(static_cast<experiments::Index>(channels)).sum() / energy.sum();
}

struct Lost {
  std::size_t dim;
  std::array<double, windows.size()> share;
};

// ---- where a table ends ---------------------------------------------------------------------------------

std::string answer_at(const Table& table, Position t) {
  const std::array<Position, 1> at = {t};
  try {
    return fmt::format("a row, norm {}", fixed(experiments::norm(table.rows(at, t + 1).row(0)), 3));
  } catch (const Refusal&) {
    return "refused";
  }
}

// How many rows the sum of [tokens, d] and [table, d] has by the rule of NumPy and PyTorch: an axis of one is
// repeated. None: an error.
std::optional<std::size_t> broadcast(std::size_t tokens, std::size_t table) {
  if (tokens == table || table == 1) return tokens;
  if (tokens == 1) return table;
  return std::nullopt;
}

// ---- what is not added ----------------------------------------------------------------------------------

struct Scheme {
  std::string name;
  Drawn of_no_values;  // largest entry of the output for values that are all 0
  Drawn at_offset_0;   // largest difference of a logit at offset 0 from that without an encoding
};

std::vector<Scheme> schemes() {
  constexpr std::size_t n = 6, dim = 16;
  const auto made = [](const EncodingSpec& spec, std::string_view words) {
    return spec.make(with(spec, Case::parse(words)));
  };
  using Made = Function<Encoding(std::uint64_t seed)>;
  const auto fixed_one = [&](const EncodingSpec& spec, std::string_view words) -> Made {
    return [one = made(spec, words)](std::uint64_t) { return one; };
  };
  const std::vector<std::pair<std::string, Made>> all = {
      {"sinusoidal, added", fixed_one(encodings::sinusoidal, "dim=16")},
      {"learned, added (random, deviation 1)",
       [&](std::uint64_t seed) {
         return made(encodings::learned, fmt::format("dim=16 table=seeded std=1 table_seed={}", seed));
       }},
      {"RoPE", fixed_one(encodings::rope, "dim=16")},
      {"ALiBi, 4 heads", fixed_one(encodings::alibi, "heads=4")}};
  std::vector<Scheme> out;
  for (const auto& [name, encoding_of] : all) {
    Scheme scheme{name, {}, {}};
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
      const Encoding encoding = encoding_of(seed);
      const Attention operation = attention::reference_attention(encoding);
      const auto logits = attention::to_logits(encoding);
      Generator numbers(seed);
      const Tensor q = numbers.normal({n, dim}, 1), k = numbers.normal({n, dim}, 1), none({n, dim});
      double most = 0;
      for (const double value : operation.attend(q, k, none, mask::causal(n)).data)
        most = std::max(most, std::abs(value));
      scheme.of_no_values.see(most);
      std::vector<Position> at = {0, 1, 2, 3, 4, 5};
      const Tensor with = logits->logits(q, k, at, at);
      const std::size_t heads = with.shape.at(0), width = dim / heads;
      double off = 0;
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t t = 0; t < n; ++t) {
          double plain = 0;
          for (std::size_t c = 0; c < width; ++c) plain += q.at(t, h * width + c) * k.at(t, h * width + c);
          off = std::max(
              off, std::abs(with.data[(h * n + t) * n + t] - plain / std::sqrt(static_cast<double>(width))));
        }
      scheme.at_offset_0.see(off);
    }
    out.push_back(std::move(scheme));
  }
  return out;
}

// ---- the page -------------------------------------------------------------------------------------------

struct Measured {
  std::vector<Cost> costs;
  Identities identities;
  std::vector<Lost> lost;
  std::vector<Scheme> schemes;
  double beyond_64;  // of the rows of width 512, 512 positions, out of reach of 64 channels
};

constexpr double rounding = 1e-12;  // six tokens of size 1, sixteen channels

Measured measure() {
  Measured m{.costs = costs(),
             .identities = identities(),
             .lost = {},
             .schemes = schemes(),
             .beyond_64 = out_of_reach(Model::dim, Model::length, Model::own_dim)};
  for (const std::size_t dim : {8, 16, 32, 64, 128, 256, 512}) {
    Lost one{dim, {}};
    for (std::size_t w = 0; w < windows.size(); ++w) one.share[w] = lost(dim, windows[w]);
    m.lost.push_back(one);
  }
  return m;
}

void prove(const Measured& m) {
  for (const std::size_t dim : {4, 16, 64})
    proved(counted(dim) == block_parameters(dim), "a block has 12 d^2 + 9 d parameters");
  proved(m.costs[0].encoding == 0 && m.costs[6].encoding == 0, "the sinusoidal encoding and RoPE have none");
  proved(
      m.identities.two_blocks == draws && m.identities.one_block == draws && m.identities.sum_itself == draws,
      "both sides are the same bits in every draw");
  for (const Lost& one : m.lost)
    for (const double share : one.share) proved(share > 0.01, "one matrix loses a part at each width");
  for (std::size_t d = 1; d < m.lost.size(); ++d)
    for (std::size_t w = 0; w < windows.size(); ++w)
      proved(m.lost[d].share[w] < m.lost[d - 1].share[w], "a wide row hides less of the token");
  for (std::size_t s = 0; s < 2; ++s)
    proved(m.schemes[s].of_no_values.least() > 0.1 && m.schemes[s].at_offset_0.least() > 0.01,
           "what is added changes values and the logit at offset 0");
  for (std::size_t s = 2; s < 4; ++s)
    proved(m.schemes[s].of_no_values.most() == 0 && m.schemes[s].at_offset_0.most() < rounding,
           "RoPE and ALiBi change neither");
}

std::vector<Block> parameters(const Measured& m) {
  Grid grid{
      .columns = {"encoding", "its own parameters", "parameters of 6 blocks", "channels of a token",
                  "all, against the first"},
      .rows = {},
      .caption =
          "Encoder of 6 blocks, tokens of 512 channels, 512 positions (Vaswani et al. 2017, base model); "
          "a block of width d has a hidden layer of 4 d channels, also where the width is 576, and 12 d² + 9 d parameters, counted in its tensors at widths 4, 16 and 64."};
  const auto all = [](const Cost& one) { return static_cast<double>(one.encoding + one.blocks); };
  for (const Cost& one : m.costs)
    grid.rows.push_back({one.way, whole(static_cast<std::int64_t>(one.encoding)),
                         whole(static_cast<std::int64_t>(one.blocks)), std::to_string(one.channels),
                         fmt::format("+{}", percent(all(one) / all(m.costs[0]) - 1))});
  return {
      Section{"Parameters, counted"},
      Paragraph{
          "A context of n tokens is a matrix X of n rows and d columns; 4 tokens in 2 dimensions are 4 × 2 numbers. "
          "The positions are a second matrix P with n rows. "
          "To be added, P has to have d columns as well; to be concatenated, it may have any number of them, which is one more number to choose."},
      grid};
}

std::vector<Block> one_or_two(const Measured& m) {
  Plot plot{.name = "lost_by_width",
            .title = "What one matrix for both loses",
            .description = "",
            .x = {.label = "width d", .logarithmic = true, .log_base = 2},
            .y = {.label = "share of the token's variance, %"},
            .curves = {}};
  for (std::size_t w = 0; w < windows.size(); ++w) {
    Curve curve{fmt::format("{} positions", whole(windows[w])), {}};
    for (const Lost& one : m.lost)
      curve.points.emplace_back(static_cast<double>(one.dim), 100 * one.share[w]);
    plot.curves.push_back(std::move(curve));
    plot.description +=
        fmt::format("{}{} positions: from {} at width 8 to {} at width 512", w == 0 ? "" : "; ",
                    whole(windows[w]), percent(m.lost.front().share[w]), percent(m.lost.back().share[w]));
  }
  plot.description =
      "Share of a token's variance that the best single matrix with a bias does not recover from the sum, against the width. " +
      plot.description + ".";
  plot.caption =
      "1 - tr (I + C)^-1 / d, C the covariance of the rows over the positions from 0; sinusoidal encoding, base 10000, divisor d; tokens with independent entries of mean 0 and variance 1. With two blocks of weights nothing is lost.";
  Grid grid{
      .columns = {"statement", "draws in which both sides are the same bits"},
      .rows = {{"[X P] [W1; W2] = X W1 + P W2", fmt::format("{} of {}", m.identities.two_blocks, draws)},
               {"[X P] [W; W] = (X + P) W", fmt::format("{} of {}", m.identities.one_block, draws)},
               {"[X P] [I; I] = X + P", fmt::format("{} of {}", m.identities.sum_itself, draws)}},
      .caption =
          "6 tokens of 8 channels, encodings of 4 in the first line and of 8 in the others. The first two lines take whole numbers from -8 to 8, whose sums are exact in f64, the third normal ones."};
  return {
      Section{"One matrix or two"},
      Paragraph{
          "A layer that reads `[X P]` has a matrix of two blocks, W1 for the token and W2 for the position. "
          "Addition is the case of two equal blocks, so concatenation of as many position channels as the token has can do all that addition can. "
          "With fewer than the rank of the rows that are added (at most the number of positions) it cannot do all."},
      grid,
      Paragraph{bounded(
          "{} position channels reach at most as many directions: of the variance of the sinusoidal rows 0 to {} of width {} (less their mean), the best {} directions leave at least {} out, and a linear map from as many channels no less.",
          Model::own_dim, Model::length - 1, Model::dim, Model::own_dim, percent_at_least(m.beyond_64))},
      Paragraph{fmt::format(
          "The converse does not hold: with W1 = I and W2 = 0 the layer reads the token and ignores the position. "
          "From the sum, the best single matrix with a bias loses {} of the token's variance at width 512 and 512 positions, and {} at width 8: in the mean square, with all 512 positions equally likely and the token's entries of variance 1, independent of one another and of the position; of smaller tokens it loses more. "
          "At the widths tried, a wide row hides less of the token: slow pairs hardly change over the window, so the rows lie near few directions.",
          percent(m.lost.back().share[1]), percent(m.lost.front().share[1]))},
      plot};
}

std::vector<Block> where_it_ends() {
  const Table learned = experiments::table(encodings::learned, "dim=512 length=512 table=seeded"),
              sinusoidal = experiments::table(encodings::sinusoidal, "dim=512");
  Grid ends{
      .columns = {"position", "learned table of 512 rows", "sinusoidal"},
      .rows = {},
      .caption =
          "Width 512. The learned table is a random one (seed 1, standard deviation 0.02); how large its rows are is no result."};
  for (const Position t : {0, 511, 512, 1048576})
    ends.rows.push_back({whole(t), answer_at(learned, t), answer_at(sinusoidal, t)});
  proved(ends.rows[1][1] != "refused" && ends.rows[2][1] == "refused" && ends.rows[3][1] == "refused" &&
             ends.rows[3][2] != "refused",
         "the learned table ends at 512 and the sinusoidal one does not");
  Grid shapes{
      .columns = {"tokens", "rows of the sum with a table of 8 rows"},
      .rows = {},
      .caption =
          "By the rule of NumPy and PyTorch, which repeat an axis of length one ([broadcasting semantics](https://pytorch.org/docs/stable/notes/broadcasting.html))."};
  for (const std::size_t tokens : {1, 2, 7, 8, 9}) {
    const auto rows_of_sum = broadcast(tokens, 8);
    shapes.rows.push_back({std::to_string(tokens), rows_of_sum ? std::to_string(*rows_of_sum) : "error"});
  }
  proved(shapes.rows[0][1] == "8" && shapes.rows[3][1] == "8", "one token becomes eight without an error");
  return {
      Section{"A learned table ends"},
      Paragraph{
          "A learned table has a row for each position that it was made for and none beyond; the sinusoidal encoding is a formula. "
          "That a formula gives a row does not say that a trained model can use it."},
      ends,
      Paragraph{
          "A program that adds a table of fixed length to its input has to cut it to the input's length first. "
          "Without that, `x + table` does not refuse an input of one token: it is repeated for every row of the table. In place, `x += table` is an error."},
      shapes,
      Paragraph{
          "Trained models of both kinds: Vaswani et al. 2017, table 3, row (E), report a perplexity of 4.92 and a BLEU score of 25.7 with learned rows, 4.92 and 25.8 with sinusoids, on the development set and within its lengths. "
          "That was not repeated here."}};
}

std::string size_of(const Drawn& off) {
  if (off.most() < rounding) return "0";
  const auto [low, high] = off.band();
  return fmt::format("{} ({} to {})", fixed(off.median(), 2), fixed(low, 2), fixed(high, 2));
}

std::vector<Block> not_added(const Measured& m) {
  Grid grid{
      .columns = {"encoding", "output where all values are 0", "change of the logit at offset 0",
                  "touches the values"},
      .rows = {},
      .caption =
          "6 tokens of 16 channels, causal mask; queries and keys drawn independently, normal entries of variance 1, values 0, without projections, one head but for ALiBi; logits divided by the square root of the width of a head; largest absolute entry, median of 200 draws, 5th and 95th percentile. 0: below 1e-12 in all draws; of the outputs, exactly 0. Learned: uniform entries, another table in each draw. The sinusoidal row of position 0, which sees itself alone, has entries of 1."};
  for (const Scheme& one : m.schemes)
    grid.rows.push_back({one.name, size_of(one.of_no_values), size_of(one.at_offset_0),
                         yes_no(one.of_no_values.most() > rounding)});
  return {
      Section{"What is not added"},
      Paragraph{
          "RoPE (Su et al. 2021, eq. 34) rotates queries and keys, and ALiBi (Press et al. 2021, section 3) subtracts from the logit a penalty that is proportional to the distance. "
          "Neither touches the values, and neither changes the logit of a token with itself. "
          "What is added to the input changes both, and its rows are absolute: the offset enters through the dot products only."},
      grid};
}

Document run() {
  const Measured m = measure();
  prove(m);
  const auto all = [](const Cost& one) { return static_cast<double>(one.encoding + one.blocks); };
  const std::string finding = bounded(
      "A layer that reads the sum is one that reads the concatenation with the same matrix for token and position, so concatenation of as many channels as the token has can do all that addition can; at width 512 it makes the six blocks {} larger. "
      "64 channels make them {} larger, and leave at least {} of the variance of 512 rows of width 512 out of reach of a linear map. A learned table of 512 positions adds {}, the sinusoidal encoding none.",
      percent(static_cast<double>(block_parameters(2 * Model::dim)) /
                  static_cast<double>(block_parameters(Model::dim)) -
              1),
      percent(all(m.costs[2]) / all(m.costs[0]) - 1), percent_at_least(m.beyond_64),
      percent(all(m.costs[1]) / all(m.costs[0]) - 1));
  return {
      .title = "Addition is concatenation with one matrix for both",
      .finding = finding,
      .condition =
          "Reference encodings in f64, base 10000, divisor d; 200 draws of what is random, seeds 1 to 200; nothing is trained.",
      .blocks = joined(
          {parameters(m),
           one_or_two(m),
           where_it_ends(),
           not_added(m),
           {PageVerdict{bounded(
               "Addition costs no parameters and gives up the freedom to read token and position by matrices of their own. At width 512 and 512 equally likely positions that costs a linear layer with a bias that wants the token alone at least {} of the variance of tokens whose entries have unit variance and are independent of one another and of the position. "
               "Concatenation keeps it, and costs parameters in every block. Mapped back to the width of the token it costs parameters once ({} for 64 channels), and is a sum again, of a matrix times the token and another times the position. "
               "A learned table costs as many parameters as it has entries, and ends.",
               percent_at_least(m.lost.back().share[1]), percent(all(m.costs[3]) / all(m.costs[0]) - 1))}},
           experiments::references({experiments::vaswani_2017, experiments::su_2021, experiments::press_2021,
                                    experiments::raffel_2020})})};
}

}  // namespace

const Experiment entry{
    .question = "Should an encoding be added to the token, concatenated with it, or learned?",
    .method =
        "Count the parameters of each way, compare a layer over the concatenation with one over the sum, ask tables beyond their end, and set values to 0 to see what position does to them.",
    .run = &run,
    .asked_by = Asker::choosing,
};

}  // namespace posproof::experiments_add_concatenate_or_learn
