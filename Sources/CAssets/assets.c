// SPDX-License-Identifier: Apache-2.0

#include "assets.h"

// Standard since C23; the compiler that comes with Swift has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char en[] = {
#embed "../Display/Languages/en.json"
};

static const unsigned char openapi[] = {
#embed "../Web/HTTP/openapi.json"
};
static const unsigned char kiosk_html[] = {
#embed "../Web/Kiosk/kiosk.html"
};
static const unsigned char kiosk_css[] = {
#embed "../Web/Kiosk/kiosk.css"
};
static const unsigned char kiosk_js[] = {
#embed "../Web/Kiosk/kiosk.js"
};

#define ASSET(name, bytes) {name, bytes, sizeof(bytes)}

static const asset assets[] = {
    ASSET("en.language.json", en),
    ASSET("openapi.json", openapi),
    ASSET("kiosk.html", kiosk_html),
    ASSET("kiosk.css", kiosk_css),
    ASSET("kiosk.js", kiosk_js),
};

size_t asset_count(void) { return sizeof(assets) / sizeof(assets[0]); }

asset asset_at(size_t index) { return assets[index]; }
