/* What a shared library exports so that posproof can ask it: one function, posproof_start(). For code in C, and for
 * everything that C can call (C++, Rust, Fortran, Zig):
 *
 *     cc -O2 -shared -fPIC -I src/subject my_rope.c -o my_rope.so
 *     posproof gate rope --dim 64 lib:my_rope.so
 *
 * All arrays are contiguous and row-major (the last axis varies fastest) and begin at a multiple of 64 bytes. Of contents
 * (x, q, k, v) and answers each number is in the format `dtype`; of 16 bits as they are stored. Positions are in the
 * format `positions`; where a token has several numbers, `axes` of them, they stand side by side, and where it has one,
 * `axes` is 1. What a function is given it leaves as it was; `out` is its own, and holds NaN before. Nothing is asked
 * whose answer is empty. examples/c_library.c is one such library. */
#ifndef POSPROOF_SUBJECT_H
#define POSPROOF_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. Whatever is none of these is an error, too. */
enum {
  POSPROOF_ANSWERED = 0,
  POSPROOF_DECLINED = 1, /* no, by intention: a position past the end of a table */
  POSPROOF_FAILED = 2    /* it went wrong */
};

/* What the library is taken for. Valid as long as posproof_start() runs, and so are the texts that it gives. */
struct posproof_asked {
  const char* encoding; /* an id of `posproof list encodings`: "rope" */
  /* A parameter of the encoding by its name (`posproof explain rope`): as text, "half_split"; NULL where there is none. */
  const char* (*word)(const struct posproof_asked* asked, const char* parameter);
  /* As a number; NaN where it is none. */
  double (*number)(const struct posproof_asked* asked, const char* parameter);
  /* Of a list, how many numbers it has, the first `most` of which are written; a number is a list of one. */
  size_t (*numbers)(const struct posproof_asked* asked, const char* parameter, double* out, size_t most);
};

/* What the library says of itself, and the functions that it has. What is 0 is as it usually is, or absent. */
struct posproof_subject {
  const char* name;        /* "my rope"; usually the name of the file */
  const char* version;     /* "1.2" */
  const char* dtype;       /* of contents and answers: "f64", "f32" (usual), "bf16", "f16" */
  const char* precision;   /* in what it rounds, where that is not dtype: "bf16/bf16", "f32+table=bf16", "f32+iterated" */
  const char* domain;      /* positions that it is meant for: "0 2047", or "0 2047 ends" where it declines all others */
  const char* positions;   /* of its arguments: "int64" (usual), "int32", "float64" (where they are real), "float32" */
  const char* conventions; /* free words, which are reported */
  size_t width;            /* of a row; usually the parameter dim */
  size_t heads;            /* of a bias or of logits; usually the parameter heads, or 1 */

  /* A table: positions [n, axes] of a sequence of `length` tokens -> out [n, width]. */
  int (*rows)(const void* positions, size_t n, size_t axes, int64_t length, void* out);

  /* A rotation: x [batch, heads, n, dim], positions [batch, n, axes] -> out, of the shape of x. `is_key`: 0 for queries,
   * 1 for keys. */
  int (*rotate)(const void* x, const void* positions, size_t batch, size_t heads, size_t n, size_t dim, size_t axes,
                int is_key, void* out);
  /* Its backward pass: x is the gradient with respect to what rotate() gives, out that with respect to what it took. */
  int (*rotate_backward)(const void* x, const void* positions, size_t batch, size_t heads, size_t n, size_t dim,
                         size_t axes, int is_key, void* out);

  /* A bias: queries [nq, axes], keys [nk, axes] -> out [heads, nq, nk], what is added to the logits. */
  int (*bias)(const void* queries, size_t nq, const void* keys, size_t nk, size_t axes, void* out);

  /* Logits as the softmax sees them: q [nq, dim], k [nk, dim], queries [nq, axes], keys [nk, axes] -> out [heads, nq, nk]. */
  int (*logits)(const void* q, const void* queries, size_t nq, const void* k, const void* keys, size_t nk, size_t dim,
                size_t axes, void* out);

  /* The whole operator: q [nq, dim], k [nk, dim], v [nk, value_dim], mask [nq, nk] of 0 and 1 (a query sees a key where it
   * is 1) -> out [nq, value_dim]. Positions are row numbers. */
  int (*attend)(const void* q, size_t nq, const void* k, const void* v, size_t nk, const uint8_t* mask, size_t dim,
                size_t value_dim, void* out);

  /* Why the last answer was declined or failed. */
  const char* (*reason)(void);
};

/* Called once, before anything else; `out` holds zeros. What it says and its functions last until the process ends.
 * Returns POSPROOF_ANSWERED; POSPROOF_DECLINED, or anything else, where it takes no part. */
int posproof_start(const struct posproof_asked* asked, struct posproof_subject* out);

#ifdef __cplusplus
}
#endif

#endif
