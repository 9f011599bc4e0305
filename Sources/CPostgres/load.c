// SPDX-License-Identifier: Apache-2.0

#include "cpostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define DEFINE(Result, name, parameters, arguments) \
    static Result(*loaded_##name) parameters; \
    Result cpostgres_##name parameters { return loaded_##name arguments; }
CPOSTGRES_FUNCTIONS(DEFINE)

static const char *problem;

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        problem = strdup(dlerror());
        return;
    }
#define LOAD(Result, name, parameters, arguments) \
    if (!(loaded_##name = (Result(*) parameters)dlsym(library, #name))) problem = "libpq.so.5 has no " #name;
    CPOSTGRES_FUNCTIONS(LOAD)
}

const char *cpostgres_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return problem;
}
