// SPDX-License-Identifier: Apache-2.0

// Before 2.1, the library reports an unknown property of a packet to the log of no client, and its log function asserts
// that there is one: `log__printf(NULL, …)` in property_mosq.c. One packet of a false server would end the process.
// Here that assertion, and no other, ends the read. Nothing is locked at that place, so the client can be destroyed;
// the message that was being read is lost memory.

#define _GNU_SOURCE  // RTLD_NEXT

#include "shim.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf *reading;

int cmosquitto_read(struct mosquitto *client) {
    jmp_buf here;
    if (_setjmp(here)) {
        reading = NULL;
        return MOSQ_ERR_MALFORMED_PACKET;
    }
    reading = &here;
    int code = mosquitto_loop_read(client, 1);
    reading = NULL;
    return code;
}

// The program's definition precedes that of the C library, also for calls from shared libraries.
_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) {
    if (reading && function && !strcmp(function, "log__printf") && !strcmp(assertion, "mosq")) longjmp(*reading, 1);
    void (*original)(const char *, const char *, unsigned int, const char *) = dlsym(RTLD_NEXT, "__assert_fail");
    if (original) original(assertion, file, line, function);
    abort();
}
