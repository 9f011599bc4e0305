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

/// The number of assets.
size_t asset_count(void);

/// The asset at an index below `asset_count()`.
asset asset_at(size_t index);

#endif
