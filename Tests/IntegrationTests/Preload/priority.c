// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into the programs of a test (LD_PRELOAD): writes each priority that a thread asks for to the file that the
// variable TEST_PRIORITIES names.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int setpriority(__priority_which_t which, id_t who, int priority)
{
    (void)which, (void)who;
    char line[16];
    int length = snprintf(line, sizeof line, "%d\n", priority);
    int file = open(getenv("TEST_PRIORITIES"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0 && write(file, line, length) == length) close(file);
    return 0;
}
