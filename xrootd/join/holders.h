/* SPDX-License-Identifier: BSD-3-Clause */
/* holders.h - limit servers, memory and output lines per sender (holder), a source address */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* maximum number of senders; all further senders share number 0 */
#define HOLDERS_MAX 4096
#define HOLDER_ALLOWANCE (4 << 20)	/* largest quota of output lines, in bytes */

struct xrd_ages {
	struct xrd_entry *oldest, *newest;
};

struct holder {
	struct in6_addr address;
	uint32_t servers;
	size_t bytes;			/* memory of the users and files of this sender, in bytes */
	/* lists of entries by age: age[0] in use; age[1] ended, but kept for late records */
	struct xrd_ages age[2];
	int64_t allowance;	/* remaining quota for lines about evicted files, in bytes */
};

struct holders {
	struct holder *of;
	size_t n;			/* elements 0 to .n - 1 of .of are or were in use */
};

void holders_init(struct holders *h);
void holders_free(struct holders *h);

/* Get a sender's number, which is valid while the sender has a server, a user or a file. */
uint16_t holders_number(struct holders *h, const struct in6_addr *address);

struct holder *holders_with_most_servers(const struct holders *h);
struct holder *holders_with_most_bytes(const struct holders *h);

/* Raise a sender's quota by the number of bytes that it sent. */
void holder_earn(struct holder *h, size_t bytes);

/* Use quota for a line of output. Returns false if the remaining quota is too small. */
bool holder_spend(struct holder *h, size_t bytes);
