#include "attention/plug.h"

namespace posproof::attention {

Attention plug(const Encoding&) { return {}; }

}  // namespace posproof::attention
