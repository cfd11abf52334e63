/* SPDX-License-Identifier: BSD-3-Clause */
/* nfsd - requests answered by this node's NFS server, from /proc/net/rpc/nfsd */
#include "collectors/collector.h"
#include "collectors/word_lines.h"
#include "schema/types/nfsd.h"

/*
 * Positions of numbers on the lines (fs/nfsd/stats.c, nfsd_show(), and net/sunrpc/stats.c). The
 * first number of the lines proc3 and proc4ops says how many numbers follow: one for each procedure
 * (RFC 1813) or operation (RFC 7530, section 16), in the order of their codes.
 */
static const struct word_place places[] = {
	{ "rpc", 0, NFSD_CALLS },
	{ "rpc", 1, NFSD_BAD_CALLS },
	{ "io",  0, NFSD_READ_BYTES },
	{ "io",  1, NFSD_WRITE_BYTES },
	{ "proc3", 1 + 1,  NFSD_GETATTR }, { "proc4ops", 1 + 9,  NFSD_GETATTR },
	{ "proc3", 1 + 2,  NFSD_SETATTR }, { "proc4ops", 1 + 34, NFSD_SETATTR },
	{ "proc3", 1 + 3,  NFSD_LOOKUP  }, { "proc4ops", 1 + 15, NFSD_LOOKUP  },
	{ "proc3", 1 + 4,  NFSD_ACCESS  }, { "proc4ops", 1 + 3,  NFSD_ACCESS  },
	{ "proc3", 1 + 6,  NFSD_READ    }, { "proc4ops", 1 + 25, NFSD_READ    },
	{ "proc3", 1 + 7,  NFSD_WRITE   }, { "proc4ops", 1 + 38, NFSD_WRITE   },
	{ "proc3", 1 + 12, NFSD_REMOVE  }, { "proc4ops", 1 + 28, NFSD_REMOVE  },
	{ "proc3", 1 + 14, NFSD_RENAME  }, { "proc4ops", 1 + 29, NFSD_RENAME  },
	{ "proc3", 1 + 16, NFSD_READDIR }, { "proc4ops", 1 + 26, NFSD_READDIR },
	{ "proc3", 1 + 17, NFSD_READDIR },
	{ "proc3", 1 + 21, NFSD_COMMIT  }, { "proc4ops", 1 + 5,  NFSD_COMMIT  },
	{ "proc4ops", 1 + 18, NFSD_OPEN },
};

/*
 * Keep the low 32 bits of the numbers of operations. Each is the sum of two counters, for NFS 3 and
 * NFS 4, which may wrap at 2^32 at different times. Modulo 2^32, the sum wraps like a single
 * counter.
 */
static void nfsd_cut_operations(struct row row)
{
	for (size_t i = NFSD_READ; i < nfsd_type.n_metrics; i++)
		if (row_is_set(row, i))
			row.value[i] &= UINT32_MAX;
}

static int nfsd_collect(struct source *s)
{
	struct row row;
	struct str text;
	int r = source_read(s, "proc/net/rpc/nfsd", &text);
	if (r < 0)
		return r;
	row = rows_add(&s->rows, STR("-"));
	if (row_word_lines(row, text, places, ARRAY_SIZE(places))) {
		nfsd_cut_operations(row);
		return 0;
	}
	rows_drop(&s->rows);
	return source_absent(s, "/proc/net/rpc/nfsd has nothing that is known");
}

const struct collector nfsd_collector = {
	.type    = &nfsd_type,
	.collect = nfsd_collect,
};
