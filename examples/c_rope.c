/* RoPE as kernels in C have it: float, in place, heads of one token after the other, and each angle the one before times a
   ratio. It knows nothing of posproof; c_rope.py asks it. */
#include <math.h>
#include <stdint.h>

/* x[tokens][heads][dim]; channels i and i + dim/2 are a pair. */
void rope_half_split(float *x, const int32_t *positions, int tokens, int heads, int dim, float base) {
  const float ratio = powf(base, -2.0f / (float)dim);
  for (int t = 0; t < tokens; ++t) {
    float angle = (float)positions[t];
    for (int i = 0; i < dim / 2; ++i, angle *= ratio) {
      const float c = cosf(angle), s = sinf(angle);
      for (int h = 0; h < heads; ++h) {
        float *head = x + ((int64_t)t * heads + h) * dim;
        const float a = head[i], b = head[i + dim / 2];
        head[i] = a * c - b * s;
        head[i + dim / 2] = a * s + b * c;
      }
    }
  }
}
