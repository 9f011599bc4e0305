// SPDX-License-Identifier: Apache-2.0

#ifndef NOLOCALES_H
#define NOLOCALES_H

// Nothing to call; see nolocales.c.

#endif
