// PyTorch modules that are called as those of well-known projects are (src/subject/testing/modules/),
// attached in three lines at most through serve_module() of the SDK: the right ones hold, each taken as it is
// meant, and their twins with one mistake are refuted. One process imports PyTorch for all of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "gate/testing/verdicts.h"
#include "run/catalogued.h"
#include "subject/process.h"
#include "subject/testing/subjects.h"

namespace posproof::modules_test {
namespace {

using namespace std::chrono_literals;
using testing::source;
using testing::thrown;
using testing::verdicts;

const std::string folder = source + "/src/subject/testing/";

// src/subject/testing/torch_server.py, while this stands.
class Server {
 public:
  Server()
      : socket_(::testing::TempDir() + "posproof_torch_" + std::to_string(::getpid())),
        process_({POSPROOF_PYTHON, folder + "torch_server.py", socket_}) {
    if (process_.await(1, Process::Clock::now() + 60s) != Process::Wait::ready)
      throw std::runtime_error("the server does not start: " + std::string(process_.stderr_tail()));
  }
  ~Server() { std::filesystem::remove(socket_); }

  std::string subject(const std::string& module) const {
    return fmt::format("cmd:{} -S -E '{}relay.py' '{}' '{}modules/attach.py' {}", POSPROOF_PYTHON, folder,
                       socket_, folder, module);
  }

 private:
  std::string socket_;
  Process process_;
};

struct Row {
  std::string module, encoding, parameters;
  std::string taken = {};  // what serve_module() says that it took it as
  std::string verdicts = "H";
};

// Behind these words stands nothing, or where a table ends and with which error: PyTorch's words are its own.
bool is_taken(std::string_view description, const std::string& taken) {
  const std::string words = "(taken as " + taken;
  const std::size_t at = description.find(words);
  if (at == std::string_view::npos) return false;
  const std::string_view behind = description.substr(at + words.size());
  return behind == ")" || behind.starts_with(", which ends at position ");
}

void expect(const Server& server, const std::vector<Row>& rows, const std::string& prefix = "") {
  for (const Row& row : rows) {
    const EncodingSpec& spec = encoding_named(row.encoding);
    const Parameters parameters = with(spec, Case::parse(row.parameters));
    const Encoding truth = spec.oracle(parameters);
    const Subject subject = open(server.subject(prefix + row.module),
                                 {.encoding = row.encoding, .parameters = parameters, .declared = {truth}});
    EXPECT_EQ(verdicts(subject, truth), row.verdicts) << prefix + row.module;
    EXPECT_TRUE(row.taken.empty() || is_taken(subject.description, row.taken))
        << row.module << ": " << subject.description;
  }
}

#define NEEDS_TORCH \
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "the Python that was found cannot import torch"

const std::string by_halves = ", applied by rotate_half, in posproof_subject.py";
const std::string by_q_k = ", applied by apply_rotary_pos_emb(q, k, cos, sin)";

TEST(Modules, rotary_modules_that_give_cosines_angles_or_complex_numbers) {
  NEEDS_TORCH;
  const std::string each = "forward(x, position_ids), a position for each token, x as bhnd";
  expect(
      Server(),
      {{"llama", "rope", "dim=8 heads=2", each + by_q_k},
       {"llama_alone", "rope", "dim=8 heads=2", each + by_halves, "HH"},
       {"llama_grouped", "rope", "dim=8 heads=2", each + by_q_k, "HH"},
       // Loaded in bf16 its frequencies stay in f32; to(bfloat16) rounds them.
       {"llama_bf16", "rope", "dim=64 heads=2",
        each + by_q_k + ", buffers as they are: inv_freq in f32 (buffers=True moves them to bf16)"},
       {"llama_moved_to_bf16", "rope", "dim=64 heads=2", each + by_q_k, "R"},
       {"configured", "rope", "dim=8 heads=2 base=500000", each + by_halves},
       {"cached", "rope", "dim=8 heads=2",
        "forward(x, seq_len), a position for each token, x as bhnd, applied by apply_by_ids(q, k, cos, sin, position_ids)"},
       {"megatron", "rope", "dim=8 heads=2",
        "forward(max_seq_len, offset), an offset, x as nbhd, applied by apply_megatron(t, freqs)"},
       {"meta", "rope", "dim=8 heads=2 layout=interleaved",
        "a table, an offset, x as bnhd, applied by apply_complex(xq, xk, freqs_cis)"},
       {"x_transformers", "rope", "dim=8 heads=2", "forward(t), one row of positions, x as bhnd" + by_halves},
       {"local_attention", "rope", "dim=8 heads=2",
        "forward(t), one row of positions, x as bhnd, applied by apply_scaled(q, k, freqs)"},
       {"x_transformers_scale", "rope", "dim=8 heads=2",
        "forward(t), one row of positions, x as bhnd" + by_halves},
       {"pair_angles", "rope", "dim=8 heads=2", "forward(t), one row of positions, x as bhnd" + by_halves},
       {"pair_angles", "rope", "dim=8 heads=2 layout=interleaved",
        "forward(t), one row of positions, x as bhnd, applied by the interleaved rotate_half, in "
        "posproof_subject.py"},
       {"flash", "rope", "dim=8 heads=2 layout=interleaved",
        "a table, an offset, x as bnhd, applied by apply_flash(x, cos, sin)"},
       {"flash", "rope", "dim=8 heads=2",
        "a table, an offset, x as bnhd, applied by apply_flash(x, cos, sin)"}});
}

TEST(Modules, rotary_modules_that_rotate) {
  NEEDS_TORCH;
  expect(
      Server(),
      {{"torchtune", "rope", "dim=8 heads=2 layout=interleaved",
        "forward(x, input_pos), a position for each token, x as bnhd"},
       {"rotary_embedding_torch", "rope", "dim=8 heads=2 layout=interleaved",
        "rotate_queries_or_keys(t, offset), an offset, x as bhnd"},
       {"esm", "rope", "dim=8 heads=2", "forward(q, k), whole sequences, x as bhnd"},
       {"glm", "rope", "dim=8 heads=2",
        "forward(max_seq_len, offset), whole sequences, x as bhnd, applied by rotate_half, in "
        "posproof_subject.py"},
       {"qwen_vl", "m_rope", "dim=8 heads=2 sections=[1,2,1]",
        "forward(x, position_ids), a position for each token, x as bhnd, applied by "
        "apply_multimodal_rotary_pos_emb(q, k, cos, sin)"},
       {"nanogpt", "rope", "dim=8 heads=2", "forward(x_BTHD), whole sequences, x as bnhd"},
       {"vllm", "rope", "dim=8 heads=2 layout=interleaved",
        "forward(positions, query, key), a position for each token, x as n(hd)"},
       {"vllm", "rope", "dim=8 heads=2 rotary_dim=4",
        "forward(positions, query, key), a position for each token, x as n(hd)"},
       {"packed", "rope", "dim=8 heads=2", "forward(qkv, seqlen_offset), an offset, qkv as bn3hd"},
       {"packed_by_heads", "rope", "dim=8 heads=2", "forward(qkv, seqlen_offset), an offset, qkv as b3hnd"},
       {"packed_in_place", "rope", "dim=8 heads=2", "forward(qkv, seqlen_offset), an offset, qkv as bn3hd"},
       {"tables_of_one_batch", "rope", "dim=8 heads=2 layout=interleaved",
        "a table, an offset, x as bnhd, applied by apply_every_two(tensor, sin, cos)"},
       {"offset", "rope", "dim=8 heads=2", "forward(x, offset), an offset, x as bhnd"}});
}

TEST(Modules, tables_and_biases) {
  NEEDS_TORCH;
  expect(
      Server(),
      {{"tutorial", "sinusoidal", "dim=8", "forward(x), whole sequences, added to x as nbd"},
       {"batch_first", "sinusoidal", "dim=8", "forward(x), whole sequences, added to x as bnd"},
       {"fairseq", "sinusoidal", "dim=8 layout=sin_cos divisor=half_minus_one offset=2",
        "forward(input), whole sequences, a row of ids"},
       {"mae", "sinusoidal", "dim=8 layout=sin_cos",
        "get_1d_sincos_pos_embed(embed_dim, pos), a position for each token, a row of them"},
       {"unnamed", "sinusoidal", "dim=8 layout=sin_cos",
        "<lambda>(position), a position for each token, a row of them"},
       {"resized", "resized_table", "dim=8 from_height=4 from_width=5 height=6 width=8",
        "a table of 48 rows"},
       {"grid", "sincos_2d", "dim=8 grid=[4,5]", "a table of 20 rows, those of the grid"},
       {"grid_behind_a_class_token", "sincos_2d", "dim=8 grid=[4,5]",
        "a table of 21 rows, those of the grid behind 1 of zeros"},
       {"grid_before_a_class_token", "sincos_2d", "dim=8 grid=[4,5]",
        "a table of 21 rows, those of the grid before 1 of zeros"},
       {"window", "relative_table", "heads=2 height=3 width=4", "get_bias(), whole sequences, as it is"},
       {"window_added", "relative_table", "heads=2 height=3 width=4",
        "forward(attn), whole sequences, zeros in the place of logits"},
       {"window_table", "relative_table", "heads=2 height=3 width=4",
        "a table of 12 keys, those of the window"},
       {"timesteps", "timestep_embedding", "dim=8", "a table of 1000 rows"},
       {"dropout_rate", "sinusoidal", "dim=8", "forward(x), whole sequences, added to x as bnd"},
       {"wenet", "sinusoidal", "dim=8", "forward(x, offset), an offset, added to x as bnd, the first of two"},
       {"sum", "sinusoidal", "dim=5 odd=truncate", "forward(x, offset), an offset, added to x as bnd"},
       {"conformer", "sinusoidal", "dim=8",
        "forward(x), whole sequences, by the length of x as bnd, the second of two"},
       {"length_of_x", "sinusoidal", "dim=8", "forward(x), whole sequences, by the length of x as bnd"},
       {"number_of_ids", "sinusoidal", "dim=8", "forward(x), whole sequences, a row of ids"},
       {"one", "sinusoidal", "dim=8", "forward(x), whole sequences, added to x as bnd", "R"},
       {"scripted", "sinusoidal", "dim=8", "forward(x), whole sequences, by the length of x as bnd"},
       {"partial", "timestep_embedding", "dim=8 layout=cos_sin shift=0",
        "partial(timesteps), a position for each token, a row of them"},
       {"noise", "timestep_embedding", "dim=8 layout=cos_sin",
        "forward(x), a position for each token, x as a row of positions"},
       {"either_each", "sinusoidal", "dim=8",
        "forward(x), a position for each token, x as a row of positions"},
       {"embedding", "learned", "dim=8 length=64",
        "forward(input), a position for each token, a row of them"},
       {"opt", "learned", "dim=8 length=64 offset=2",
        "forward(attention_mask, past_key_values_length), an offset, a mask"},
       {"bart", "learned", "dim=8 length=64 offset=2",
        "forward(input_ids, past_key_values_length), an offset, a row of ids"},
       {"marian", "sinusoidal", "dim=8 layout=sin_cos",
        "forward(input_ids_shape, past_key_values_length), an offset, the shape of a row of ids"},
       {"vit", "learned", "dim=8 length=197", "a table of 197 rows"},
       {"bloom", "alibi", "heads=4 rows=key_index",
        "build_alibi_tensor(attention_mask, num_heads, dtype), sequences behind padding"},
       {"bloom_behind_padding", "alibi", "heads=4 rows=key_index",
        "build(attention_mask, num_heads, dtype), sequences behind padding"},
       {"alibi_of_length", "alibi", "heads=4 form=symmetric",
        "forward(batch_size, seq_len), whole sequences, numbers of tokens"},
       {"alibi", "alibi", "heads=4 form=symmetric", "forward(i, j), whole sequences, numbers of tokens"},
       {"t5", "t5_bias", "heads=2",
        "compute_bias(query_length, key_length), whole sequences, numbers of tokens"},
       {"mpnet", "t5_bias", "heads=2",
        "compute_position_bias(x, position_ids), whole sequences, zeros in the place of tokens"},
       {"t5_decoder", "t5_bias", "heads=2 direction=unidirectional",
        "compute_bias(query_length, key_length), whole sequences, numbers of tokens"},
       {"t5", "t5_bias", "heads=2 table=seeded table_seed=3", ""},
       {"opt", "learned", "dim=8 length=64 offset=2 table=seeded std=0.5", ""},
       {"t5_told", "t5_bias", "heads=2", ""},
       {"t5_told", "t5_bias", "heads=2 direction=unidirectional", ""},
       {"residues", "relative_table", "heads=5 axes=line width=5",
        "forward(residue_index, mask), whole sequences, a row of positions, heads last"}});
}

TEST(Modules, tables_of_a_grid_and_at_real_positions) {
  NEEDS_TORCH;
  expect(
      Server(),
      {{"channels_last", "sincos_2d", "dim=8 grid=[4,6]",
        "forward(tensor), whole sequences, by the extents of x as b..d"},
       {"channels_first", "sincos_2d", "dim=8 grid=[4,6]",
        "forward(x, mask), whole sequences, by the extents of x as bd.."},
       {"patches", "sincos_2d", "dim=8 grid=[4,6]",
        "posemb_sincos_2d(patches), whole sequences, by the extents of x as b..d"},
       {"extents", "sincos_2d", "dim=8 grid=[4,6]",
        "build_sincos(h, w, dim), whole sequences, the extents of the grid"},
       {"size", "sincos_2d", "dim=8 grid=[4,6]", "forward(size), whole sequences, the extents of the grid"},
       {"square", "sincos_2d", "dim=8 grid=[5,5]",
        "get_2d_sincos_pos_embed(embed_dim, grid_size), whole sequences, the extents of the grid"},
       {"image", "sincos_2d", "dim=8 grid=[4,6]", "a table of 24 rows, those of the grid"},
       {"transposed", "sinusoidal", "dim=8", "a table of 64 rows"},
       {"harmonic", "nerf", "axes=3 frequencies=6 factor=one input=last order=part_axis_frequency",
        "forward(x), a position for each token, x as a row of positions"},
       {"column", "timestep_embedding", "dim=8",
        "forward(input), a position for each token, x as a column of positions"},
       {"hours", "sinusoidal", "dim=8",
        "forward(x), a position for each token, x as a row of positions, which ends at position 23"},
       {"short", "sinusoidal", "dim=8",
        "forward(x), whole sequences, added to x as bnd, which ends at position 99"}});
}

TEST(Modules, twins_of_these_that_are_wrong_at_their_last_place_or_in_their_order_are_refuted) {
  NEEDS_TORCH;
  expect(
      Server(),
      {{"channels_last", "sincos_2d", "dim=8 grid=[4,6]", "", "R"},
       {"channels_first", "sincos_2d", "dim=8 grid=[4,6]", "", "R"},
       {"patches", "sincos_2d", "dim=8 grid=[4,6]", "", "R"},
       {"extents", "sincos_2d", "dim=8 grid=[4,6]", "", "R"},
       {"size", "sincos_2d", "dim=8 grid=[4,6]", "", "R"},
       {"square", "sincos_2d", "dim=8 grid=[5,5]", "", "R"},
       {"image", "sincos_2d", "dim=8 grid=[4,6]", "", "R"},
       {"transposed", "sinusoidal", "dim=8", "", "R"},
       {"harmonic", "nerf", "axes=3 frequencies=6 factor=one input=last order=part_axis_frequency", "", "R"},
       {"column", "timestep_embedding", "dim=8", "", "R"},
       {"hours", "sinusoidal", "dim=8", "", "R"},
       {"short", "sinusoidal", "dim=8", "", "R"}},
      "wrong_");
}

TEST(Modules, twins_with_one_mistake_are_refuted) {
  NEEDS_TORCH;
  expect(Server(),
         {{"llama", "rope", "dim=8 heads=2", "", "R"},
          {"cached", "rope", "dim=8 heads=2", "", "R"},
          {"megatron", "rope", "dim=8 heads=2", "", "R"},
          {"x_transformers", "rope", "dim=8 heads=2", "", "R"},
          {"x_transformers_scale", "rope", "dim=8 heads=2", "", "R"},
          {"local_attention", "rope", "dim=8 heads=2", "", "R"},
          {"flash", "rope", "dim=8 heads=2", "", "R"},
          {"torchtune", "rope", "dim=8 heads=2 layout=interleaved", "", "R"},
          {"esm", "rope", "dim=8 heads=2", "", "R"},
          {"glm", "rope", "dim=8 heads=2", "", "R"},
          {"qwen_vl", "m_rope", "dim=8 heads=2 sections=[1,2,1]", "", "R"},
          {"nanogpt", "rope", "dim=8 heads=2", "", "R"},
          {"marian", "sinusoidal", "dim=8 layout=sin_cos", "", "R"},
          {"vllm", "rope", "dim=8 heads=2 rotary_dim=4", "", "R"},
          {"offset", "rope", "dim=8 heads=2", "", "R"},
          {"tutorial", "sinusoidal", "dim=8", "", "R"},
          {"fairseq", "sinusoidal", "dim=8 layout=sin_cos divisor=half_minus_one offset=2", "", "R"},
          {"mae", "sinusoidal", "dim=8 layout=sin_cos", "", "R"},
          {"resized", "resized_table", "dim=8 from_height=4 from_width=5 height=6 width=8", "", "R"},
          {"grid", "sincos_2d", "dim=8 grid=[4,5]", "", "R"},
          {"grid_behind_a_class_token", "sincos_2d", "dim=8 grid=[4,5]", "", "R"},
          {"window", "relative_table", "heads=2 height=3 width=4", "", "R"},
          {"window_added", "relative_table", "heads=2 height=3 width=4", "", "R"},
          {"window_table", "relative_table", "heads=2 height=3 width=4", "", "R"},
          {"timesteps", "timestep_embedding", "dim=8", "", "R"},
          {"dropout_rate", "sinusoidal", "dim=8", "", "R"},
          {"wenet", "sinusoidal", "dim=8", "", "R"},
          {"sum", "sinusoidal", "dim=5 odd=truncate", "", "R"},
          {"conformer", "sinusoidal", "dim=8", "", "R"},
          {"length_of_x", "sinusoidal", "dim=8", "", "R"},
          {"noise", "timestep_embedding", "dim=8 layout=cos_sin", "", "R"},
          {"scripted", "sinusoidal", "dim=8", "", "R"},
          {"partial", "timestep_embedding", "dim=8 layout=cos_sin shift=0", "", "R"},
          {"tables_of_one_batch", "rope", "dim=8 heads=2 layout=interleaved", "", "R"},
          {"packed", "rope", "dim=8 heads=2", "", "R"},
          {"opt", "learned", "dim=8 length=64 offset=2", "", "R"},
          {"bloom", "alibi", "heads=4 rows=key_index", "", "R"},
          {"t5", "t5_bias", "heads=2", "", "R"},
          {"bloom_behind_padding", "alibi", "heads=4 rows=key_index", "", "R"},
          {"mpnet", "t5_bias", "heads=2", "", "R"},
          {"t5_decoder", "t5_bias", "heads=2 direction=unidirectional", "", "R"},
          {"residues", "relative_table", "heads=5 axes=line width=5", "", "R"}},
         "wrong_");
}

TEST(Modules, an_operation_without_a_gradient_is_refuted) {
  NEEDS_TORCH;
  const Encoding truth = encoding_named("rope").oracle(with(encoding_named("rope"), Case::parse("dim=8")));
  const Server server;
  const Subject subject = open(server.subject("no_gradient"), testing::expected(truth, "dim=8"));
  EXPECT_EQ(verdicts(subject, truth), "HR");
  const std::string words = server.subject("no_gradient");
  const std::string why = thrown(words, [&] {
    const std::vector<Position> at = {3};
    as<Rotary>(*subject.backward).rotate(Tensor({1, 1, 1, 8}), at, Role::query);
  });
  EXPECT_EQ(
      why,
      ": rotate(x [1, 1, 1, 8], positions [1, 1], role query, backward yes): no gradient comes back to x");
}

// Two forward passes stand before the backward pass of the first.
TEST(Modules, a_backward_pass_that_rotates_by_the_last_positions_is_refuted) {
  NEEDS_TORCH;
  const Encoding truth = encoding_named("rope").oracle(with(encoding_named("rope"), Case::parse("dim=8")));
  const Server server;
  for (const auto& [name, verdict] : {std::pair{"own_backward", "HH"}, std::pair{"wrong_own_backward", "HR"}})
    EXPECT_EQ(verdicts(open(server.subject(name), testing::expected(truth, "dim=8")), truth), verdict)
        << name;
}

// The trial call has five tokens, of five positions; this one is as long as its first call.
TEST(Modules, what_is_served_was_not_tried_before) {
  NEEDS_TORCH;
  const Server server;
  const Encoding truth = encoding_named("rope").oracle(with(encoding_named("rope"), Case::parse("dim=8")));
  Expected rope = testing::expected(truth, "dim=8");
  rope.encoding = "rope";
  for (const std::string module : {"scratch", "scratch_as_it_is"}) {
    const Subject subject = open(server.subject(module), rope);
    EXPECT_NE(subject.description.find("(taken as forward(x), whole sequences, x as bnhd)"),
              std::string::npos)
        << subject.description;
    Tensor x({1, 1, 2, 8});
    x.data[0] = x.data[8] = 1;
    const std::vector<Position> at = {9, 3};
    const Tensor y = as<Rotary>(subject.encoding).rotate(x, at, Role::query);
    // Off by a few 2^-24 in f32, where another whole position is off by a tenth and more.
    EXPECT_NEAR(y.data[0], std::cos(9.0), 0x1p-20);
    EXPECT_NEAR(y.data[12], std::sin(3.0), 0x1p-20);
  }
}

TEST(Modules, what_is_said_beside_a_module_counts) {
  NEEDS_TORCH;
  const Server server;
  Expected learned = testing::expected(Table{.dim = 8}, "dim=8 length=64 table=index");
  const Subject subject = open(server.subject("embedding_in_part"), learned);
  EXPECT_EQ(positions_of(subject.encoding).hi, 9);
  EXPECT_EQ(subject.description,
            "Embedding (of a checkpoint; taken as forward(input), a position for each token, a row of them)");
}

TEST(Modules, what_is_not_recognised_is_refused_with_what_was_seen_and_what_is_known) {
  NEEDS_TORCH;
  const Server server;
  const auto refused = [&](const std::string& module, const std::string& encoding = "rope") {
    const std::string words = server.subject(module);
    return thrown(words, [&] {
      Expected one =
          encoding == "rope" ? testing::expected(Rotary{.dim = 4}) : testing::expected(Table{.dim = 4});
      one.encoding = encoding;
      open(words, one);
    });
  };
  const std::string constructor = refused("unknown_parameter");
  EXPECT_NE(
      constructor.find(
          "serve_module(Odd): its parameter `spin` is unknown; the nearest known are p, max_position, seq_len. "),
      std::string::npos)
      << constructor;
  EXPECT_NE(constructor.find("serve_module(lambda asked: Odd(...)) constructs it as you say"),
            std::string::npos);
  EXPECT_NE(refused("wrong_batch_first", "sinusoidal")
                .find("adds other rows to the second sequence than to the first"),
            std::string::npos);
  for (
      const auto& [module, encoding, why] : std::vector<std::array<std::string, 3>>{
          {"rotates_v", "rope", "qkv as bn3hd: v did not come back as it was"},
          {"rotates_second_v", "rope", "qkv as bn3hd: v did not come back as it was"},
          {"packed_elsewhere", "rope", "serve_module(PackedLike): not recognised"},
          {"amplitude", "rope",
           "it gives shapes [[5, 4], [1]], which are no cosines and sines, or angles, of 5 tokens and 4 channels"},
          {"half_of_sines", "rope",
           "it gives shapes [[5, 4], [5, 2]], which are no cosines and sines, or angles, of 5 tokens and 4 channels"},
          {"times", "sinusoidal", "added to x as bnd: what x adds to the answer changes with the token"},
          {"unlike", "sinusoidal", "gives 2 arrays, which are not x with its rows, or x, and its rows"},
          {"either", "sinusoidal",
           "serve_module(EitherLike): two ways to call it fit, and their answers differ\n"
           "forward(x), whole sequences, added to x as bnd\n"
           "forward(x), a position for each token, x as a row of positions\n"
           "takes_positions=`sequence` or axes= says which one is meant"}})
    EXPECT_NE(refused(module, encoding).find(why), std::string::npos) << refused(module, encoding);
  const auto refused_of_a_grid = [&](const std::string& module) {
    const std::string words = server.subject(module);
    Expected one = testing::expected(Table{.dim = 8}, "dim=8 grid=[4,5]");
    one.encoding = "sincos_2d";
    return thrown(words, [&] { open(words, one); });
  };
  EXPECT_NE(refused_of_a_grid("first_alone").find("adds other rows to the second sequence than to the first"),
            std::string::npos);
  EXPECT_NE(refused_of_a_grid("grid_behind_a_row_that_is_not_zero")
                .find("tried  a table of 22 rows, those of the grid: answers shape [22, 8]"),
            std::string::npos);
  const std::string shape = refused("unknown_shape");
  for (
      const std::string part :
      {"serve_module(Linear): not recognised\nit is forward(input)\n",
       "tried  forward(input), whole sequences, x as bhnd: answers shape [2, 3, 5, 3] to x of shape [2, 3, 5, 4]\n",
       "known are\n", "rotary   forward(x, position_ids)", "table    forward(x) that adds it",
       "bias     compute_bias(query_length, key_length)"})
    EXPECT_NE(shape.find(part), std::string::npos) << part << "\nnot in\n" << shape;
}

}  // namespace
}  // namespace posproof::modules_test
