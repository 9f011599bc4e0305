// SPDX-License-Identifier: Apache-2.0

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// libcrypto and libssl, which libmosquitto needs too.
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Variadic functions are not imported.
static inline EVP_PKEY *copenssl_new_key(void) {
    return EVP_EC_gen("P-256");
}

#endif
