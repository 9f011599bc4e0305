// SPDX-License-Identifier: Apache-2.0

#ifndef LOCKSTEP_ASSETS_H
#define LOCKSTEP_ASSETS_H

#include <stddef.h>

/// A file of the sources that the programs carry within them.
typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} asset;

/// The number of languages.
size_t language_count(void);

/// The catalogue of words at an index below `language_count()`; its name is the BCP 47 tag.
asset language_at(size_t index);

/// The configuration of the broker.
asset mosquitto_configuration(void);

#endif
