#define NAME(f) traced_##f
#include "functions.h"
