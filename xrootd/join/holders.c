/* SPDX-License-Identifier: BSD-3-Clause */
/* holders.c - limit servers, memory and output lines per sender (holder), a source address */
#include "xrootd/join/holders.h"

#include <stdlib.h>
#include <string.h>

void holders_init(struct holders *h)
{
	h->of = calloc(HOLDERS_MAX + 1, sizeof(*h->of));
	if (!h->of)
		abort();
	h->n = 1;
	h->of[0].allowance = HOLDER_ALLOWANCE;
}

void holders_free(struct holders *h)
{
	free(h->of);
	*h = (struct holders){ .n = 0 };
}

uint16_t holders_number(struct holders *h, const struct in6_addr *address)
{
	size_t free_one = 0;
	for (size_t i = 1; i < h->n; i++) {
		if (memcmp(&h->of[i].address, address, sizeof(*address)) == 0)
			return (uint16_t)i;
		if (!h->of[i].servers && !h->of[i].bytes)
			free_one = i;
	}
	if (!free_one && h->n <= HOLDERS_MAX)
		free_one = h->n++;
	if (free_one)
		h->of[free_one] = (struct holder){ .address = *address,
						   .allowance = HOLDER_ALLOWANCE };
	return (uint16_t)free_one;
}

struct holder *holders_with_most_servers(const struct holders *h)
{
	size_t most = 0;
	for (size_t i = 1; i < h->n; i++)
		if (h->of[i].servers > h->of[most].servers)
			most = i;
	return &h->of[most];
}

struct holder *holders_with_most_bytes(const struct holders *h)
{
	size_t most = 0;
	for (size_t i = 1; i < h->n; i++)
		if (h->of[i].bytes > h->of[most].bytes)
			most = i;
	return &h->of[most];
}

void holder_earn(struct holder *h, size_t bytes)
{
	h->allowance += (int64_t)bytes;
	if (h->allowance > HOLDER_ALLOWANCE)
		h->allowance = HOLDER_ALLOWANCE;
}

bool holder_spend(struct holder *h, size_t bytes)
{
	if (h->allowance < (int64_t)bytes)
		return false;
	h->allowance -= (int64_t)bytes;
	return true;
}
