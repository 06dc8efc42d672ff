#define NAME(f) plain_##f
#include "functions.h"
