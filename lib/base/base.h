/* SPDX-License-Identifier: BSD-3-Clause */
/* base.h - macros for every file */
#pragma once

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
/*
 * Marks a function that a usual sample never calls. The compiler places these functions apart, so
 * that the code that samples run is contiguous.
 */
#define COLD __attribute__((cold, noinline))
#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
