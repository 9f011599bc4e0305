// SPDX-License-Identifier: Apache-2.0

// An empty table of data for ICU, in place of the 34 MB of locales and time zones that Foundation brings.
//
// GRDB needs Foundation, and Foundation needs ICU; but nothing in Lockstep formats by locale, and Zone reads the time zones of
// the system. The linker takes this definition, which comes first, and leaves the library's out. With a toolchain whose ICU has
// another number this has no effect, and Tests/Deploy/package finds that the package has become too large.
//
// Only in release builds, where Foundation is linked in: in others it is shared with programs that may need the data.

#include "nolocales.h"

#ifdef LOCKSTEP_STATIC

#include <stdint.h>

// The layout is that of ICU's own empty table (stubdata): a header, its description, and the number of entries.
const struct {
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t description_size, reserved_word;
    uint8_t is_big_endian, is_ebcdic, size_of_character, reserved_byte;
    char format[4];
    uint8_t format_version[4], data_version[4], padding[8];
    uint32_t entries, padding_of_entries;
} icudt76_dat __attribute__((aligned(16))) = {
    .header_size = 32,
    .magic = {0xda, 0x27},
    .description_size = 20,
    .size_of_character = 2,
    .format = {'T', 'o', 'C', 'P'},
    .format_version = {1},
};

#endif
