/* SPDX-License-Identifier: BSD-3-Clause */
/* digits.h - convert decimal numbers eight digits at a time */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Load eight characters, the first into the lowest byte; digits become 0 to 9. */
static inline uint64_t digits_load(const char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof(x));
	return le64toh(x) ^ 0x3030303030303030u;
}

/* Count the digits at the start of eight characters from digits_load(). */
static inline unsigned digits_count(uint64_t x)
{
	uint64_t other = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
	return other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
}

/* Count the leading blanks of eight characters. */
static inline unsigned digits_blanks(const char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof(x));
	x = le64toh(x) ^ 0x2020202020202020u;
	return x ? (unsigned)__builtin_ctzll(x) >> 3 : 8;
}

/*
 * Convert eight digits from digits_load() to a number in three steps. Each step joins neighbours:
 * digits to numbers below 100, these to numbers below 10^4, these to the result. The
 * multiplications put their results into the upper halves.
 */
static inline uint64_t digits_join(uint64_t x)
{
	x = x * (10u << 8 | 1) >> 8 & 0x00ff00ff00ff00ffu;
	x = x * (100u << 16 | 1) >> 16 & 0x0000ffff0000ffffu;
	return x * ((uint64_t)10000 << 32 | 1) >> 32;
}

/*
 * Convert the first n (1 to 7) of eight digits from digits_load() to a number. The shift drops the
 * other digits and fills up with leading zeros.
 */
static inline uint64_t digits_join_some(uint64_t x, unsigned n)
{
	return digits_join(x << (64 - 8 * n));
}

/*
 * Split a number below 10^8 into eight digits, the first in the lowest byte: into two numbers below
 * 10^4, then four below 100, then digits.
 */
static inline uint64_t digits_split(uint64_t v)
{
	v = v / 10000 | v % 10000 << 32;
	/* divide by 100; exact below 10^4 */
	uint64_t q = v * 10486 >> 20 & 0x0000007f0000007fu;
	v = q | (v - 100 * q) << 16;
	q = v * 103 >> 10 & 0x000f000f000f000fu;		/* divide by 10; exact below 100 */
	return q | (v - 10 * q) << 8;
}

/* Split a number below 10^4 into four zeros and its four digits. */
static inline uint64_t digits_split_four(uint64_t v)
{
	uint32_t q = (uint32_t)v * 10486 >> 20;
	uint32_t pairs = q | ((uint32_t)v - 100 * q) << 16;
	q = pairs * 103 >> 10 & 0x000f000f;
	return (uint64_t)(q | (pairs - 10 * q) << 8) << 32;
}

/*
 * Store eight digits as characters, leaving out the first `leading` (0 to 7). Always writes eight
 * bytes, of which the last `leading` are zero.
 */
static inline void digits_store(char *p, uint64_t x, unsigned leading)
{
	x = htole64((x | 0x3030303030303030u) >> 8 * leading);
	memcpy(p, &x, sizeof(x));
}
