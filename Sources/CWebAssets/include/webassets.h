// SPDX-License-Identifier: Apache-2.0

#ifndef LOCKSTEP_WEB_ASSETS_H
#define LOCKSTEP_WEB_ASSETS_H

#include <stddef.h>

/// Returns the bytes of a file that the HTTP server serves; NULL if none has that name.
///
/// It sets `count` to their number.
const unsigned char *web_asset(const char *name, size_t *count);

#endif
