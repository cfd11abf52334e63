/* SPDX-License-Identifier: BSD-3-Clause */
/* holders.h - account each sender's servers, memory and quota of output lines */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* limit of senders; the addresses of further senders share number 0 */
#define HOLDERS_MAX 4096
#define HOLDER_ALLOWANCE (4 << 20)	/* largest quota of output lines, in bytes */

struct xrd_ages {
	struct xrd_entry *oldest, *newest;
};

struct holder {
	struct in6_addr address;
	uint32_t servers;
	size_t bytes;			/* memory of the users and files of this sender, in bytes */
	/* age[0]: entries in use; age[1]: entries that have ended, but may still be looked up */
	struct xrd_ages age[2];
	int64_t allowance;		/* quota for lines about evicted files, in bytes */
};

struct holders {
	struct holder *of;
	size_t n;			/* number of holders that were ever in use */
};

void holders_init(struct holders *h);
void holders_free(struct holders *h);

/*
 * Get the number of an address. The number is valid as long as the address has a server or an
 * entry.
 */
uint16_t holders_number(struct holders *h, const struct in6_addr *address);

struct holder *holders_with_most_servers(const struct holders *h);
struct holder *holders_with_most_bytes(const struct holders *h);

/* Raise an address's quota of lines by the n bytes that the address sent. */
void holder_earn(struct holder *h, size_t bytes);

/* Spend quota on a line. Returns false if the quota is too small. */
bool holder_spend(struct holder *h, size_t bytes);
