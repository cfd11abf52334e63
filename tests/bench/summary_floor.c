/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * summary_floor.c - measure the kernel's cost of mpxstats: receive packets and write prepared texts
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/buf.h"
#include "base/files.h"
#include "formats/xrootd/xrdflat.h"
#include "xrootd/input/datagrams.h"

#define WRITE_BYTES (64u << 10)

/*
 * Prepared texts, indexed by the length of the packet. All packets of mpxstats.sh differ in length.
 */
static struct buf texts[65536];

static void put(void *arg, struct str key, struct str value)
{
	buf_addf(arg, STR_FMT " " STR_FMT "\n", STR_ARG(key), STR_ARG(value));
}

static struct str text_of(struct str packet)
{
	struct buf *b = &texts[packet.n];
	const struct xrd_values to = { .put = put, .arg = b };
	if (!b->n && xrd_read_plain(packet, &to, NULL) < 0)
		exit(1);
	if (!b->n || b->p[b->n - 1] != '\n' || b->p[b->n - 2] != '\n')
		buf_add_char(b, '\n');
	return buf_str(b);
}

/* Usage: summary_floor -f flat -p PORT, the same options as mpxstats */
int main(int argc, char **argv)
{
	struct datagrams in = { .room = 32 << 20 };
	struct datagram d[DATAGRAMS_AT_ONCE];
	struct buf out = { 0 };
	const char *why;
	int n;
	if (argc != 5 || datagrams_open(&in, NULL, argv[4], &why) < 0)
		return 1;
	for (;;) {
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		while ((n = datagrams_receive(&in, 0, d)) > 0) {
			for (int i = 0; i < n; i++)
				buf_add(&out, text_of(d[i].bytes));
			if (out.n >= WRITE_BYTES && files_write(1, buf_str(&out)) == 0)
				out.n = 0;
		}
		if (out.n && files_write(1, buf_str(&out)) == 0)
			out.n = 0;
	}
}
