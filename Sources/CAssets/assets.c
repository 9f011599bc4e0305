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

static const asset assets[] = {
    ASSET("ar.language.json", ar),
    ASSET("de.language.json", de),
    ASSET("en.language.json", en),
    ASSET("es.language.json", es),
    ASSET("fr.language.json", fr),
    ASSET("it.language.json", it),
    ASSET("ja.language.json", ja),
    ASSET("ko.language.json", ko),
    ASSET("nl.language.json", nl),
    ASSET("pl.language.json", pl),
    ASSET("pt.language.json", pt),
    ASSET("ro.language.json", ro),
    ASSET("sv.language.json", sv),
    ASSET("tr.language.json", tr),
    ASSET("mosquitto.conf", mosquitto_conf),
    ASSET("zh-Hans.language.json", zh_hans),
};

size_t asset_count(void) { return sizeof(assets) / sizeof(assets[0]); }

asset asset_at(size_t index) { return assets[index]; }
