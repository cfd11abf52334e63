/* SPDX-License-Identifier: BSD-3-Clause */
/* exits.h - the places of keys in type exits */
#pragma once

enum { EXITS_ENDED, EXITS_CPU, EXITS_MEM, EXITS_KEYS };
