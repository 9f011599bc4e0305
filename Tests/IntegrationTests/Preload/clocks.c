// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into the programs of a test (LD_PRELOAD): sets their wall clocks and boot clocks ahead of this machine's by
// the milliseconds in the first eight bytes of the file TEST_CLOCKS. When the number rises, that is like a suspend of
// all machines: both clocks jump, CLOCK_MONOTONIC does not, and the due timers of these clocks fire. Their kernel calls
// the wall clock unsynchronised.

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;
static const int64_t nothing;
static const volatile int64_t *file = &nothing;

// The absolute timers of the program, by descriptor.
enum { descriptors = 1024 };
static struct {
    bool jumps, isSet;
    int flags;
    struct itimerspec time;
} timers[descriptors];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool jumps(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_BOOTTIME;
}

static struct timespec later(struct timespec time, int64_t milliseconds)
{
    int64_t all = time.tv_sec * second + time.tv_nsec + milliseconds * 1000000;
    // Zero would disarm the timer.
    if (all < 1) all = 1;
    return (struct timespec){.tv_sec = all / second, .tv_nsec = all % second};
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && jumps(clock)) *time = later(*time, *file);
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

int adjtimex(struct timex *state)
{
    *state = (struct timex){.status = STA_UNSYNC};
    return TIME_ERROR;
}

int timerfd_create(clockid_t clock, int flags)
{
    int descriptor = (int)syscall(SYS_timerfd_create, clock, flags);
    if (descriptor >= 0 && descriptor < descriptors) {
        pthread_mutex_lock(&lock);
        timers[descriptor].jumps = jumps(clock);
        timers[descriptor].isSet = false;
        pthread_mutex_unlock(&lock);
    }
    return descriptor;
}

static int set(int descriptor, int64_t ahead, struct itimerspec *before)
{
    struct itimerspec here = timers[descriptor].time;
    here.it_value = later(here.it_value, -ahead);
    return (int)syscall(SYS_timerfd_settime, descriptor, timers[descriptor].flags, &here, before);
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *time, struct itimerspec *before)
{
    if (descriptor < 0 || descriptor >= descriptors || !timers[descriptor].jumps)
        return (int)syscall(SYS_timerfd_settime, descriptor, flags, time, before);
    bool isSet = (flags & TFD_TIMER_ABSTIME) && (time->it_value.tv_sec || time->it_value.tv_nsec);
    pthread_mutex_lock(&lock);
    timers[descriptor].isSet = isSet;
    timers[descriptor].flags = flags;
    timers[descriptor].time = *time;
    int result = isSet ? set(descriptor, *file, before)
                       : (int)syscall(SYS_timerfd_settime, descriptor, flags, time, before);
    pthread_mutex_unlock(&lock);
    return result;
}

// Polls the file for a jump, so that due timers fire within ten milliseconds.
static void *watch(void *unused)
{
    int64_t seen = *file;
    for (;; usleep(10000)) {
        int64_t ahead = *file;
        if (ahead == seen) continue;
        seen = ahead;
        pthread_mutex_lock(&lock);
        // The call fails without effect if the descriptor is no timer any more.
        for (int descriptor = 0; descriptor < descriptors; descriptor++)
            if (timers[descriptor].isSet) set(descriptor, ahead, NULL);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("TEST_CLOCKS");
    int opened = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (opened < 0) return;
    void *bytes = mmap(NULL, sizeof *file, PROT_READ, MAP_SHARED, opened, 0);
    close(opened);
    if (bytes == MAP_FAILED) return;
    file = bytes;
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) == 0) pthread_detach(thread);
}
