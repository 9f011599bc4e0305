// SPDX-License-Identifier: Apache-2.0

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// libcrypto, which libmosquitto needs too.
#include <openssl/sha.h>

#endif
