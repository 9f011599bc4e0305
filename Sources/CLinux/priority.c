// SPDX-License-Identifier: Apache-2.0

// libdispatch asks the kernel for a raised priority of one of its threads in every program. Without root the kernel refuses,
// and libdispatch writes that to the system log at each start. No thread here needs a raised priority, so it is not asked for.

#define _GNU_SOURCE

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// The program's definition precedes that of the C library, also for calls from shared libraries.
int setpriority(__priority_which_t which, id_t who, int priority) {
    if (priority < 0) return 0;
    return (int)syscall(SYS_setpriority, which, who, priority);
}
