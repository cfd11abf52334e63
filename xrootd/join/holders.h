/* SPDX-License-Identifier: BSD-3-Clause */
/* holders.h - what each address that sends has here: servers, memory, and what it may cause */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOLDERS_MAX 4096		/* of more, all others are one: number 0 */
#define HOLDER_ALLOWANCE (4 << 20)	/* bytes */

struct xrd_ages {
	struct xrd_entry *oldest, *newest;
};

struct holder {
	struct in6_addr address;
	uint32_t servers;
	size_t bytes;			/* of its users and files */
	struct xrd_ages age[2];		/* in use; gone, and may be asked for still */
	int64_t allowance;		/* bytes of lines on what it made us forget */
};

struct holders {
	struct holder *of;
	size_t n;			/* ever used */
};

void holders_init(struct holders *h);
void holders_free(struct holders *h);

/* The number of this address: it stays while it has a server or an entry. */
uint16_t holders_number(struct holders *h, const struct in6_addr *address);

struct holder *holders_with_most_servers(const struct holders *h);
struct holder *holders_with_most_bytes(const struct holders *h);

/* Entitles an address to keep as many bytes as it sends. */
void holder_earn(struct holder *h, size_t bytes);

/* False: the address has had all bytes that it is entitled to. */
bool holder_spend(struct holder *h, size_t bytes);
