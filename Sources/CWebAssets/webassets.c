// SPDX-License-Identifier: Apache-2.0

#include "webassets.h"

#include <string.h>

// Standard since C23; the compiler that comes with Swift has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char kiosk_html[] = {
#embed "../Web/Kiosk/kiosk.html"
};
static const unsigned char kiosk_css[] = {
#embed "../Web/Kiosk/kiosk.css"
};
static const unsigned char kiosk_js[] = {
#embed "../Web/Kiosk/kiosk.js"
};
static const unsigned char live_js[] = {
#embed "../Web/Shared/live.js"
};
static const unsigned char remote_html[] = {
#embed "../Web/Remote/remote.html"
};
static const unsigned char remote_css[] = {
#embed "../Web/Remote/remote.css"
};
static const unsigned char remote_js[] = {
#embed "../Web/Remote/remote.js"
};
static const unsigned char remote_worker_js[] = {
#embed "../Web/Remote/remote-worker.js"
};
static const unsigned char remote_manifest[] = {
#embed "../Web/Remote/remote.webmanifest"
};
static const unsigned char remote_svg[] = {
#embed "../Web/Remote/remote.svg"
};
static const unsigned char remote_192[] = {
#embed "../Web/Remote/remote-192.png"
};
static const unsigned char remote_512[] = {
#embed "../Web/Remote/remote-512.png"
};
static const unsigned char alerts_js[] = {
#embed "../Web/Shared/alerts.js"
};
static const unsigned char look_css[] = {
#embed "../Web/Shared/look.css"
};
static const unsigned char inter_text[] = {
#embed "../Web/Shared/inter-text.v1.woff2"
};
static const unsigned char inter_bold[] = {
#embed "../Web/Shared/inter-bold.v1.woff2"
};
static const unsigned char inter_digits[] = {
#embed "../Web/Shared/inter-digits.v1.woff2"
};
static const unsigned char week_css[] = {
#embed "../Web/Week/week.css"
};
static const unsigned char week_js[] = {
#embed "../Web/Week/week.js"
};

#define ASSET(name, bytes) {name, bytes, sizeof(bytes)}

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} assets[] = {
    ASSET("kiosk.html", kiosk_html), ASSET("kiosk.css", kiosk_css),
    ASSET("kiosk.js", kiosk_js),      ASSET("look.css", look_css),     ASSET("week.css", week_css),
    ASSET("week.js", week_js),        ASSET("inter-text.v1.woff2", inter_text),
    ASSET("live.js", live_js),        ASSET("remote.html", remote_html), ASSET("remote.css", remote_css),
    ASSET("remote.js", remote_js),    ASSET("remote-worker.js", remote_worker_js),
    ASSET("remote.webmanifest", remote_manifest), ASSET("remote.svg", remote_svg),
    ASSET("remote-192.png", remote_192), ASSET("remote-512.png", remote_512),
    ASSET("inter-bold.v1.woff2", inter_bold), ASSET("inter-digits.v1.woff2", inter_digits),
    ASSET("alerts.js", alerts_js),
};

const unsigned char *web_asset(const char *name, size_t *count) {
    for (size_t index = 0; index < sizeof(assets) / sizeof(assets[0]); index++) {
        if (strcmp(assets[index].name, name) != 0) continue;
        *count = assets[index].count;
        return assets[index].bytes;
    }
    return NULL;
}
