/* SPDX-License-Identifier: BSD-3-Clause */
/* deliveries.c - show Prometheus the progress of all sinks of a node, as their cursors store it */
#include "sinks/deliveries.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "archive/cursor.h"
#include "base/json.h"
#include "formats/line/exposition.h"
#include "schema/metric.h"

#define SINKS_MAX 64
#define NAME_SIZE 128
#define PREFIX    "nodometer_sink_"
#define SECOND_US 1000000.0

struct delivery {
	char sink[NAME_SIZE];
	struct cursor cursor;
};

static const struct delivery_series {
	const char *name, *help;
	enum metric_kind kind;
	size_t offset;		/* offset of a 64-bit member in struct cursor */
	double scale;		/* divisor that converts the member to the unit of the series */
} all_series[] = {
	{ "sent_until_timestamp_seconds", "Records and lines up to this time were sent.", GAUGE,
	  offsetof(struct cursor, usec), SECOND_US },
	{ "success_timestamp_seconds", "Time of the last delivery.", GAUGE,
	  offsetof(struct cursor, success_us), SECOND_US },
	{ "waiting_bytes", "Bytes of lines that were not sent, as large as their files are.",
	  GAUGE, offsetof(struct cursor, waiting), 1 },
	{ "records", "Records and lines that the receiver accepted.", COUNTER,
	  offsetof(struct cursor, groups), 1 },
	{ "refused", "Records and lines that the receiver refused.", COUNTER,
	  offsetof(struct cursor, refused), 1 },
	{ "errors", "Deliveries that failed.", COUNTER, offsetof(struct cursor, errors), 1 },
	{ "receiver", "Number of the URL in use, from 1; 0 if the sink has only one.", GAUGE,
	  offsetof(struct cursor, receiver), 1 },
	{ "failovers", "Times that the next URL was used.", COUNTER,
	  offsetof(struct cursor, failovers), 1 },
	{ "lost_files", "Files removed or truncated before they were sent.", COUNTER,
	  offsetof(struct cursor, lost_files), 1 },
};

/* Load the cursors of the sinks in dir. Ignore other files in it, such as the state of counters. */
static size_t deliveries_load(const char *dir, struct delivery *to)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	size_t n = 0;
	while (d && n < SINKS_MAX && (e = readdir(d))) {
		struct buf path CLEANUP(buf_free) = { 0 };
		struct delivery one = { .cursor = { .epoch = 0 } };
		if (*e->d_name == '.' ||
		    !str_copy(one.sink, sizeof(one.sink), str_of(e->d_name)))
			continue;
		buf_addf(&path, "%s/%s%c", dir, e->d_name, '\0');
		if (cursor_load(&one.cursor, path.p) == 0)
			to[n++] = one;
	}
	if (d)
		closedir(d);
	return n;
}

static void deliveries_put_series(struct buf *to, const struct delivery_series *s,
				  const struct delivery *all, size_t n, struct str host)
{
	exposition_put_head(to, PREFIX, s->name, s->help, s->kind);
	for (size_t i = 0; i < n; i++) {
		uint64_t v;
		memcpy(&v, (const char *)&all[i].cursor + s->offset, sizeof(v));
		exposition_put_name(to, PREFIX, s->name, s->kind);
		buf_add(to, STR("{host="));
		exposition_put_quoted(to, host);
		buf_add(to, STR(",sink="));
		exposition_put_quoted(to, str_of(all[i].sink));
		buf_add(to, STR("} "));
		json_put_double(to, (double)v / s->scale);
		buf_add_char(to, '\n');
	}
}

void deliveries_put(struct buf *to, const char *dir, struct str host)
{
	struct delivery *all = xrealloc(NULL, SINKS_MAX * sizeof(*all));
	size_t n = deliveries_load(dir, all);
	for (size_t i = 0; n && i < ARRAY_SIZE(all_series); i++)
		deliveries_put_series(to, &all_series[i], all, n, host);
	free(all);
}
