// SPDX-License-Identifier: Apache-2.0

#include "assets.h"

// Standard since C23; the compiler that comes with Swift has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char ar[] = {
#embed "../Display/Languages/ar.json"
};
static const unsigned char de[] = {
#embed "../Display/Languages/de.json"
};
static const unsigned char en[] = {
#embed "../Display/Languages/en.json"
};
static const unsigned char es[] = {
#embed "../Display/Languages/es.json"
};
static const unsigned char fr[] = {
#embed "../Display/Languages/fr.json"
};
static const unsigned char it[] = {
#embed "../Display/Languages/it.json"
};
static const unsigned char ja[] = {
#embed "../Display/Languages/ja.json"
};
static const unsigned char ko[] = {
#embed "../Display/Languages/ko.json"
};
static const unsigned char nl[] = {
#embed "../Display/Languages/nl.json"
};
static const unsigned char pl[] = {
#embed "../Display/Languages/pl.json"
};
static const unsigned char pt[] = {
#embed "../Display/Languages/pt.json"
};
static const unsigned char ro[] = {
#embed "../Display/Languages/ro.json"
};
static const unsigned char sv[] = {
#embed "../Display/Languages/sv.json"
};
static const unsigned char tr[] = {
#embed "../Display/Languages/tr.json"
};
static const unsigned char zh_hans[] = {
#embed "../Display/Languages/zh-Hans.json"
};
static const unsigned char mosquitto_conf[] = {
#embed "../../Config/mosquitto.conf"
};

#define ASSET(name, bytes) {name, bytes, sizeof(bytes)}

static const asset languages[] = {
    ASSET("ar", ar),
    ASSET("de", de),
    ASSET("en", en),
    ASSET("es", es),
    ASSET("fr", fr),
    ASSET("it", it),
    ASSET("ja", ja),
    ASSET("ko", ko),
    ASSET("nl", nl),
    ASSET("pl", pl),
    ASSET("pt", pt),
    ASSET("ro", ro),
    ASSET("sv", sv),
    ASSET("tr", tr),
    ASSET("zh-Hans", zh_hans),
};

size_t language_count(void) { return sizeof(languages) / sizeof(languages[0]); }

asset language_at(size_t index) { return languages[index]; }

asset mosquitto_configuration(void) { return (asset)ASSET("mosquitto.conf", mosquitto_conf); }
