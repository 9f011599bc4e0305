// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into the programs of a test (LD_PRELOAD): their kernel calls the wall clock unsynchronised, whatever this
// machine's kernel calls it.

#include <sys/timex.h>

int adjtimex(struct timex *state)
{
    *state = (struct timex){.status = STA_UNSYNC};
    return TIME_ERROR;
}
