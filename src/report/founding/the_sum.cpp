#include "report/founding/claim.h"

namespace posproof::report::founding {
namespace {

constexpr std::string_view rotation = "translation_is_a_rotation";
constexpr std::string_view kernel = "the_kernel_of_the_sinusoid";
constexpr std::string_view adding = "adding_position_to_a_token";
constexpr std::string_view directions = "directions_of_position";
constexpr std::string_view back = "looking_k_tokens_back";
constexpr std::string_view carries = "what_each_frequency_carries";
constexpr std::string_view added = "What is added";
constexpr std::string_view tokens = "How large tokens are";
constexpr std::string_view nearest = "The nearest token, position unknown";
constexpr std::string_view more = "More channels, smaller tokens";
constexpr std::string_view fixed = "A fixed projector separates token and position";
constexpr std::string_view terms = "The four terms of a logit";
constexpr std::string_view overlap = "Overlap with tokens";
constexpr std::string_view basis = "Without LayerNorm the computation singles out no basis";

}  // namespace

const std::vector<Claim>& the_sum() {
  static const std::vector<Claim> all = {
      {.id = "C1",
       .says = "The encoder's input is exactly the sum of embedding and encoding.",
       .answer = Answer::under_a_condition,
       .why = "Before dropout, and of embeddings that were multiplied by √d: in the first Transformer.",
       .evidence = {Said{adding, added, "The input of the encoder is the sum"},
                    Said{adding, added, "subtracting the row gives the token back"}}},
      {.id = "C2",
       .says = "v_2i = sin(t/T^(2i/d)) and v_(2i+1) = cos(the same).",
       .answer = Answer::definition,
       .why = "T is a free base.",
       .evidence = {OfProperty{"agrees_with_its_oracle", "sinusoidal"},
                    OfProperty{"table/has_geometric_wavelengths", "sinusoidal"}}},
      {.id = "C3",
       .says = "Embeddings are usually normalised, so that no entry exceeds 1.",
       .answer = Answer::is_false,
       .why =
           "Neither of the two recipes quoted normalises them. At initialisation a share of the entries exceeds the bound with that of the first Transformer, and none with GPT's; training can change either. A model that adds a normalisation of its own after the embedding is another case.",
       .evidence = {Said{adding, tokens, "Embeddings are not normalised"},
                    Cell{adding, tokens, {"N(0, 1/d), times √d (Tensor2Tensor)"}, "entries beyond 1"},
                    Cell{adding, tokens, {"N(0, 0.02²) (GPT)"}, "entries beyond 1"}}},
      {.id = "C4",
       .says = "The encoding is as large as the embedding, so it can ruin the meaning.",
       .answer = Answer::under_a_condition,
       .why =
           "Of the nearest token: in few dimensions, or with tokens that are small beside the encoding. Without noise, least squares for token and position together finds both.",
       .evidence = {Cell{adding, tokens, {"N(0, 1/d), times √d (Tensor2Tensor)"}, "nearest token wrong"},
                    Cell{adding, tokens, {"N(0, 0.02²) (GPT)"}, "nearest token wrong"},
                    Cell{adding, nearest, {"2", "1.00"}, "exact"},
                    Cell{adding, nearest, {"64", "1.00"}, "exact"},
                    Said{adding, "Least squares for token and position together",
                         "finds the token and the position with residual"}}},
      {.id = "C5",
       .says = "Coordinates of an embedding are meanings (“machine 80 %”).",
       .answer = Answer::needs_training,
       .why =
           "The computation without LayerNorm privileges no basis: tokens, rows and weights rotated together leave the output as it is, up to rounding. A table that is not rotated with them, LayerNorm, or training with an optimiser that works channel by channel does single one out. Whether a channel of a trained model then has a meaning is not shown.",
       .evidence = {Cell{directions,
                         basis,
                         {"tokens, rows and weights"},
                         "largest difference of an entry of the output"},
                    Cell{directions,
                         basis,
                         {"tokens and weights, not the rows"},
                         "largest difference of an entry of the output"},
                    Cell{directions,
                         basis,
                         {"tokens, rows and weights, with LayerNorm"},
                         "largest difference of an entry of the output"}}},
      {.id = "C6",
       .says = "The encoding may hide the embedding.",
       .answer = Answer::under_a_condition,
       .why =
           "The rows of a window take few directions: a fixed projection removes them and leaves enough of the token to find it. Rows of later positions have others.",
       .evidence = {Cell{directions, "Singular values of the table", {"512", "512"}, "99.9 %"},
                    Said{directions, fixed, "of the squared length of any row of that window is left"},
                    Said{directions, fixed, "That is enough"}}},
      {.id = "C7",
       .says = "Why both sine and cosine?",
       .answer = Answer::answered,
       .why = "With one of them no linear map moves every row by k positions.",
       .evidence = {Cell{rotation, "Why both sine and cosine", {"sines only"}, "shift by 5"},
                    Cell{rotation, "Why both sine and cosine", {"cosines only"}, "shift by 5"},
                    Cell{rotation, "Why both sine and cosine", {"both"}, "shift by 5"}}},
      {.id = "C8",
       .says = "The printed 2×2 matrix maps the row of t to that of t + k.",
       .answer = Answer::is_true,
       .why = "In the order (sine, cosine); in the other order it is the transpose.",
       .evidence = {Cell{rotation, "The shift matrix", {"512"}, "M_k p_t is p_(t+k)"},
                    OfProperty{"table/translates_by_a_rotation", "sinusoidal"}}},
      {.id = "C9",
       .says = "The map mixes the directions of the embedding, a disaster.",
       .answer = Answer::is_false,
       .why =
           "Nothing applies it to the embedding in the additive scheme; where it is applied, to queries and keys in RoPE, it can be undone.",
       .evidence = {Said{back, "Positions alone", "it does not change what is passed on"},
                    Said{back, "Positions alone", "A rotation loses nothing"}}},
      {.id = "C10",
       .says = "The linear map is defined on the encoding, not on the sum.",
       .answer = Answer::is_true,
       .why = "Applied to the sum it rotates the token, too.",
       .evidence = {Said{rotation, "The map rotates the token as well", "the token is rotated as well"},
                    Cell{rotation, "The map rotates the token as well", {"0"}, "|M_1 x - x|"}}},
      {.id = "C11",
       .says = "Why is the linear relation attractive, if it is one of the encodings only?",
       .answer = Answer::answered,
       .why =
           "One of the four terms of a logit is of positions alone, and a head that rotates by k looks k tokens back by it, as long as tokens are small; it fails with large tokens, less often if both are first projected onto the directions of position. Other matrices can do better, and the best was not sought.",
       .evidence = {Cell{back, "Positions alone", {"512"}, "queries that look k back"},
                    Said{back, "With tokens", "a token's product with itself"},
                    Said{back, "With tokens", "the head still looks back"}},
       .on_paper = "a head with suitable weights isolates the term of positions."},
      {.id = "C12",
       .says = "Adding (-0.7, 0.9) changes a token completely.",
       .answer = Answer::under_a_condition,
       .why =
           "Of the two channels of a small token: every pair of a row moves it by the same distance, one, whatever the token, which is much for a small one and little for a large one. The point itself does not lie on the unit circle, and is no pair of a sinusoidal row.",
       .evidence = {Said{adding, added, "is therefore impossible in one pair"},
                    Said{adding, added, "In the two channels of a pair"}}},
      {.id = "C13",
       .says = "A small amplitude would match intuition.",
       .answer = Answer::under_a_condition,
       .why =
           "It is a trade: the token is found more often, the position less often. Both are decoded with few errors at some scales of the larger width that was tried, and at none of the smaller.",
       .evidence = {Said{adding, "Token against position", "does what tokens larger by"},
                    Said{adding, "Token against position", "both are decoded with less than"},
                    Said{adding, "Token against position", "positions is the wrong one"}}},
      {.id = "C14",
       .says = "768 dimensions give twice the freedom of 384.",
       .answer = Answer::under_a_condition,
       .why =
           "In the leading term of the error's exponent, which doubles; where the error is still large the exponent grows by less.",
       .evidence = {Said{adding, more, "The error is about"},
                    Cell{adding, more, {"384"}, "scale for 1 % wrong of 32,000"},
                    Cell{adding, more, {"768"}, "scale for 1 % wrong of 32,000"}}},
      {.id = "C15",
       .says = "Training learns how to weigh token and position.",
       .answer = Answer::needs_training,
       .why = "That a fixed linear map separates the two is shown; that training finds one is not.",
       .evidence = {Said{directions, fixed, "A linear map that removes"},
                    Said{directions, fixed, "That is enough"}}},
      {.id = "C16",
       .says = "Attention adjusts the weight of position and token.",
       .answer = Answer::under_a_condition,
       .why =
           "With suitable weights. Content can be kept nearly alone; a head that keeps positions also keeps what tokens have in their directions. Exact separation needs fewer positions than channels.",
       .evidence = {Cell{back, terms, {"256", "content only"}, "x W x'"},
                    Cell{back, terms, {"256", "content only"}, "p W p'"},
                    Cell{back, terms, {"256", "position only"}, "p W p'"},
                    Cell{back, terms, {"256", "position only"}, "x W p'"},
                    Said{back, terms, "For as many positions as channels"},
                    Said{directions, fixed, "of the squared length of any row of that window is left"}}},
      {.id = "C17",
       .says = "It is like a Fourier transform.",
       .answer = Answer::under_a_condition,
       .why = "The same functions, but at geometric frequencies, which are no orthogonal basis.",
       .evidence = {Said{carries, "Not a Fourier basis", "The functions are those of a Fourier transform"},
                    Said{carries, "Not a Fourier basis", "have a cosine similarity beyond"}}},
      {.id = "C18",
       .says = "Sine and cosine allow linear maps between positions.",
       .answer = Answer::is_true,
       .why = "One rotation for all positions.",
       .evidence = {Cell{rotation, "Why both sine and cosine", {"both"}, "shift by 50"},
                    OfProperty{"table/composes_translations", "sinusoidal"}}},
      {.id = "C19",
       .says = "Sine and cosine bring an orthogonality that separates information.",
       .answer = Answer::is_false,
       .why =
           "Rows far apart and many pairs of columns still have large dot products, and random tokens do not avoid the directions of position; what is orthogonal is the matrix of a shift.",
       .evidence =
           {Cell{kernel, "The limit of a wide row", {"512"}, "g(100)"},
            Said{carries, "Not a Fourier basis", "have a cosine similarity beyond"},
            Cell{directions, overlap, {"energy of tokens, all equally frequent"}, "median (5 to 95 %)"},
            Cell{directions, overlap, {"energy of tokens, frequency 1/rank (Zipf)"}, "median (5 to 95 %)"},
            Cell{directions, overlap, {"directions of position / width"}, "median (5 to 95 %)"},
            OfProperty{"table/inverts_translation_by_transposing", "sinusoidal"}}},
      {.id = "C20",
       .says = "RNNs know positions by themselves, Transformers need encodings.",
       .answer = Answer::under_a_condition,
       .why = "Transformers without a mask.",
       .evidence = {Cell{"what_is_symmetric", "By operation", {"recurrent network"}, "f(P x) less P f(x)"},
                    Cell{"what_is_symmetric", "By operation", {"self-attention"}, "f(P x) less P f(x)"},
                    Cell{"what_is_symmetric",
                         "By operation",
                         {"self-attention, causal mask"},
                         "f(P x) less P f(x)"}}},
      {.id = "C21",
       .says = "Would separate or concatenated inputs make more sense than the sum?",
       .answer = Answer::answered,
       .why =
           "Concatenation of as many channels as the token has is at least as expressive: addition is the case of two equal blocks of weights.",
       .evidence = {Cell{"add_concatenate_or_learn",
                         "One matrix or two",
                         {"[X P] [W1; W2] = X W1 + P W2"},
                         "draws in which both sides are the same bits"},
                    Cell{"add_concatenate_or_learn",
                         "One matrix or two",
                         {"[X P] [W; W] = (X + P) W"},
                         "draws in which both sides are the same bits"},
                    Said{"add_concatenate_or_learn", "One matrix or two",
                         "the best single matrix with a bias loses"}}},
  };
  return all;
}

}  // namespace posproof::report::founding
