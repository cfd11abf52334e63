/* SPDX-License-Identifier: BSD-3-Clause */
/* digits.h - decimal numbers, eight digits at a time */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Loads eight characters at once, the first into the lowest byte; digits become 0..9. */
static inline uint64_t digits_load(const char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof(x));
	return le64toh(x) ^ 0x3030303030303030u;
}

/* Counts the digits among the eight characters, from the front. */
static inline unsigned digits_count(uint64_t x)
{
	uint64_t other = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
	return other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
}

/* Counts the blanks among the eight characters, from the front. */
static inline unsigned digits_blanks(const char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof(x));
	x = le64toh(x) ^ 0x2020202020202020u;
	return x ? (unsigned)__builtin_ctzll(x) >> 3 : 8;
}

/* The number that eight digits make: pairs, fours, all of them, each in the upper half of two. */
static inline uint64_t digits_join(uint64_t x)
{
	x = x * (10u << 8 | 1) >> 8 & 0x00ff00ff00ff00ffu;
	x = x * (100u << 16 | 1) >> 16 & 0x0000ffff0000ffffu;
	return x * ((uint64_t)10000 << 32 | 1) >> 32;
}

/* Joins the first n digits, 1 to 7: the others are shifted out, zeros come in front. */
static inline uint64_t digits_join_some(uint64_t x, unsigned n)
{
	return digits_join(x << (64 - 8 * n));
}

/* The digits of a number below 10^8, the first in the lowest byte: fours, pairs, each alone. */
static inline uint64_t digits_split(uint64_t v)
{
	v = v / 10000 | v % 10000 << 32;
	uint64_t q = v * 10486 >> 20 & 0x0000007f0000007fu;	/* by 100, as far as 10^4 */
	v = q | (v - 100 * q) << 16;
	q = v * 103 >> 10 & 0x000f000f000f000fu;		/* by 10, as far as 100 */
	return q | (v - 10 * q) << 8;
}

/* Splits a number below 10^4 likewise; its four digits follow four zeros. */
static inline uint64_t digits_split_four(uint64_t v)
{
	uint32_t q = (uint32_t)v * 10486 >> 20;
	uint32_t pairs = q | ((uint32_t)v - 100 * q) << 16;
	q = pairs * 103 >> 10 & 0x000f000f;
	return (uint64_t)(q | (pairs - 10 * q) << 8) << 32;
}

/* Eight digits as characters; leading ones of them are shifted out. */
static inline void digits_store(char *p, uint64_t x, unsigned leading)
{
	x = htole64((x | 0x3030303030303030u) >> 8 * leading);
	memcpy(p, &x, sizeof(x));
}
