// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a program of a test (LD_PRELOAD): sets a variable before the program begins, as libfaketime does.

#include <stdlib.h>

__attribute__((constructor)) static void move(void) { setenv("TEST_MOVED", "1", 1); }
