// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into the programs of a test (LD_PRELOAD): makes their wall clock synchronised and TEST_AHEAD seconds ahead.

#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static int64_t ahead;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("TEST_AHEAD");
    if (text) ahead = strtoll(text, NULL, 10);
}

int adjtimex(struct timex *state)
{
    *state = (struct timex){.maxerror = 5000};
    return TIME_OK;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += ahead;
    return result;
}

int gettimeofday(struct timeval *time, void *zone)
{
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
