/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.h - a .pm file in memory: its snapshots in order, by connection; what is missing */
#pragma once

#include "base/map.h"
#include "formats/pm/pm_columns.h"
#include "tracers/tcp/ports.h"

#define CAPTURE_BYTES_MAX (1ull << 31)	/* of the snapshots that are kept */

struct connection {
	struct ports ports;
	char name[128];		/* "1055.5050", or with addresses "10.0.0.1:1055 10.0.0.2:5050" */
	unsigned same;		/* connections before it with these ports */
	size_t first, n;	/* snapshots of it in .of_connection */
	size_t key, key_n;	/* in .keys: what makes it another connection */
};

struct snapshot {
	int64_t seq;		/* wraps taken out: a larger one is younger */
	size_t at;		/* in .entries */
	uint32_t connection;
};

struct moment {			/* of every entry of the file, also of those that are not kept */
	int64_t seq;
	uint32_t shown;		/* seq_no as it stands there */
	uint64_t sec, usec;
};

/* All zero, and .only, is what capture_read() starts from. */
struct capture {
	struct ports_list only;		/* connections that are kept; none: all */

	struct pm_header h;
	const struct pm_column *time, *valid;
	bool unsorted;
	size_t cut;		/* bytes after the last whole entry */
	struct buf entries, keys;
	struct snapshot *snapshot;
	size_t n, cap;
	uint32_t *of_connection;	/* snapshots, connection by connection */
	struct connection *connection;
	size_t n_connections, cap_connections;
	struct map by_key, by_ports;
	struct moment *moment;
	size_t n_moments, cap_moments;
	uint64_t clusters_most;	/* largest m_clused of the file */
};

/* 0; -EBADMSG and *fault; -EFBIG: more than CAPTURE_BYTES_MAX; or another -errno. */
int capture_read(struct capture *c, int fd, struct pm_fault *fault) MUST_CHECK;
/* The same by the file's name, for programs: what is wrong is logged. 0 or -errno. */
int capture_load(struct capture *c, const char *file) MUST_CHECK;
void capture_free(struct capture *c);

static inline const unsigned char *capture_entry(const struct capture *c, size_t snapshot)
{
	return (const unsigned char *)c->entries.p + c->snapshot[snapshot].at;
}

/* Entries that are missing between this moment and the one before it. */
static inline uint64_t capture_gap(const struct capture *c, size_t moment)
{
	int64_t step = moment ? c->moment[moment].seq - c->moment[moment - 1].seq : 1;
	return step > 1 ? (uint64_t)step - 1 : 0;
}

/* The value of a column of an integer; false: none, not known, not of the snapshot's instant. */
bool capture_value(const struct capture *c, size_t snapshot, const struct pm_column *column,
		   uint64_t *ret);

/* Microseconds since the epoch; false: no column time. */
bool capture_time(const struct capture *c, size_t snapshot, int64_t *usec);
