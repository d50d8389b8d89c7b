#include "run/agreement.h"
