/* RoPE in C as posproof asks it, without any other language: a shared library with posproof_start().
 *
 *     cc -O2 -shared -fPIC -I src/subject examples/c_library.c -o c_library.so -lm
 *     ./run posproof gate rope --base 500000 lib:c_library.so
 *     cc -O2 -shared -fPIC -I src/subject -DWRONG examples/c_library.c -o c_wrong.so -lm
 *     ./run posproof gate rope --base 500000 lib:c_wrong.so    # exit 1: the second head is not rotated
 */
#include <math.h>
#include <posproof_subject.h>
#include <string.h>

static double base;

/* x [batch, heads, n, dim], positions [batch, n]; channels i and i + dim/2 are a pair. */
static int rotate(const void* given, const void* positions, size_t batch, size_t heads, size_t n, size_t dim, size_t axes,
                  int is_key, void* answer) {
  const float* x = given;
  const int32_t* t = positions;
  float* y = answer;
  (void)axes, (void)is_key;
  for (size_t row = 0; row < batch * heads * n; ++row, x += dim, y += dim) {
    const int32_t at = t[row / (heads * n) * n + row % n];
#ifdef WRONG
    if (row / n % heads == 1) {
      memcpy(y, x, dim * sizeof *x);
      continue;
    }
#endif
    for (size_t i = 0; i < dim / 2; ++i) {
      const double angle = at * pow(base, -2.0 * (double)i / (double)dim);
      const float c = (float)cos(angle), s = (float)sin(angle), a = x[i], b = x[i + dim / 2];
      y[i] = a * c - b * s;
      y[i + dim / 2] = a * s + b * c;
    }
  }
  return POSPROOF_ANSWERED;
}

static const char* reason(void) {
  return "channels i and i + dim/2 are a pair, and no frequency is scaled";
}

int posproof_start(const struct posproof_asked* asked, struct posproof_subject* subject) {
  subject->reason = reason;
  if (strcmp(asked->encoding, "rope") != 0 || strcmp(asked->word(asked, "layout"), "half_split") != 0 ||
      strcmp(asked->word(asked, "scaling"), "none") != 0)
    return POSPROOF_DECLINED;
  base = asked->number(asked, "base");
  subject->name = "c_library";
  subject->positions = "int32";
  subject->rotate = rotate;
  return POSPROOF_ANSWERED;
}
