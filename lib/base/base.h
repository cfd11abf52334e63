/* SPDX-License-Identifier: BSD-3-Clause */
/* base.h - the few macros that every file may use */
#pragma once

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
/* Of a function that samples in the steady state do not call: kept out of the code that they do. */
#define COLD __attribute__((cold, noinline))
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
