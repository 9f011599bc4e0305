// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into the programs of a test (LD_PRELOAD): a program of Lockstep that closes a descriptor twice ends with
// SIGABRT. The second close would close whatever another thread has opened in between. Child processes may close
// descriptors that are not open: a shell and the code between fork and exec do.

#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The process to watch; 0 in other programs, which inherit the library.
static pid_t watched;

__attribute__((constructor)) static void watch(void)
{
    if (strncmp(program_invocation_short_name, "lockstep", 8) == 0) watched = getpid();
}

int close(int descriptor)
{
    static const char text[] = "closes.c: close of a descriptor that is not open\n";
    int result = (int)syscall(SYS_close, descriptor);
    if (result != 0 && errno == EBADF && getpid() == watched) {
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        abort();
    }
    return result;
}
