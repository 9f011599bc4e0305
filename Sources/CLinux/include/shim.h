// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

// Headers that Swift's Glibc module leaves out.
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/timex.h>

// <unistd.h> declares this for GNU programs only.
int pipe2(int ends[2], int flags);

// Variadic functions are not imported.
static inline void clinux_name_this_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
