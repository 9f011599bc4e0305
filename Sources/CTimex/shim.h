// SPDX-License-Identifier: Apache-2.0

#ifndef CTIMEX_SHIM_H
#define CTIMEX_SHIM_H

#include <sys/timex.h>

#endif
