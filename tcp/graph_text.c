/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_text.c - print a .pm file as text: snapshots, gaps, memory and header */
#include "tcp/graph.h"

#include <arpa/inet.h>

static void text_put_raw(struct buf *b, const unsigned char *p, size_t n)
{
	buf_addf(b, "0x");
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "%02x", p[i]);
}

static void text_put_string(struct buf *b, const unsigned char *p, size_t n)
{
	while (n > 0 && p[n - 1] == '\0')
		n--;
	buf_add_char(b, '"');
	for (size_t i = 0; i < n; i++) {
		if (p[i] < ' ' || p[i] >= 0x7f)
			buf_addf(b, "\\%03o", p[i]);
		else
			buf_addf(b, p[i] == '"' || p[i] == '\\' ? "\\%c" : "%c", p[i]);
	}
	buf_add_char(b, '"');
}

/* Append an address; IPv4 addresses are stored as ::ffff:a.b.c.d. */
static void text_put_address(struct buf *b, const unsigned char *p)
{
	char text[INET6_ADDRSTRLEN];
	buf_addf(b, "\"%s\"", inet_ntop(AF_INET6, p, text, sizeof(text)));
}

static bool text_is_address(const struct pm_column *c)
{
	return c->flags == PM_STRING && c->length == 16 &&
	       (strcmp(c->name, "laddr") == 0 || strcmp(c->name, "raddr") == 0);
}

static void text_put_value(struct buf *b, const struct graph *g, size_t snapshot,
			   const struct graph_column *chosen)
{
	const struct pm_column *c = chosen->column;
	const unsigned char *entry = capture_entry(&g->capture, snapshot);
	uint64_t v;

	if (!c)
		buf_add_char(b, '-');
	else if (text_is_address(c))
		text_put_address(b, entry + c->offset);
	else if (c->flags == PM_STRING)
		text_put_string(b, entry + c->offset, c->length);
	else if (!pm_take(&g->capture.h, c, entry, &v))
		text_put_raw(b, entry + c->offset, c->length);
	else if (!capture_value(&g->capture, snapshot, c, &v))
		buf_add_char(b, '-');
	else if (chosen->unit == PM_UNIT_CLUSTERS && g->capture.h.cluster)
		buf_add_u64(b, v * g->capture.h.cluster);
	else
		buf_add_u64(b, v);
}

/* Append sequence number, time and ports of a snapshot. */
static void text_put_identity(struct buf *b, const struct graph *g, size_t snapshot)
{
	static const char *const names[] = { "seq_no", NULL, "lport", "rport" };
	const struct pm_header *h = &g->capture.h;
	const unsigned char *entry = capture_entry(&g->capture, snapshot);
	uint64_t v, usec;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct pm_column *c = names[i] ? pm_column(h, names[i]) : g->capture.time;
		if (i)
			buf_add_char(b, ' ');
		if (c && !names[i] && pm_take_time(h, c, entry, &v, &usec))
			buf_addf(b, "%llu.%06llu", (unsigned long long)v, (unsigned long long)usec);
		else if (c && names[i] && pm_take(h, c, entry, &v))
			buf_add_u64(b, v);
		else
			buf_add_char(b, '-');
	}
}

/* Append an explanation of the numbers in the column "location", if nodometer wrote the file. */
static void text_put_locations(struct buf *b, const struct graph *g)
{
	if (!str_starts(str_of(g->capture.h.version), STR("nodom")))
		return;
	buf_addf(b, "# location:");
	for (size_t i = 1; i < PM_LOCATIONS; i++)
		buf_addf(b, " %zu %s", i, pm_location_names[i]);
	buf_add_char(b, '\n');
}

void graph_put_text(struct buf *b, const struct graph *g)
{
	const struct capture *c = &g->capture;

	for (size_t i = 0; i < g->n_chosen; i++)
		if (strcmp(g->chosen[i].name, "location") == 0)
			text_put_locations(b, g);
	buf_addf(b, "# seq_no time lport rport");
	for (size_t i = 0; i < g->n_chosen; i++)
		buf_addf(b, " %s", g->chosen[i].name);
	buf_add_char(b, '\n');
	for (size_t i = 0; i < c->n; i++) {
		text_put_identity(b, g, c->of_connection[i]);
		for (size_t k = 0; k < g->n_chosen; k++) {
			buf_add_char(b, ' ');
			text_put_value(b, g, c->of_connection[i], &g->chosen[k]);
		}
		buf_add_char(b, '\n');
	}
}

static void text_put_moment(struct buf *b, const struct capture_moment *m)
{
	buf_addf(b, " %llu.%06llu", (unsigned long long)m->sec, (unsigned long long)m->usec);
}

void graph_put_gaps(struct buf *b, const struct graph *g, const char *before)
{
	const struct capture *c = &g->capture;
	for (size_t i = 1; i < c->n_moments; i++) {
		const struct capture_moment *m = &c->moment[i - 1];
		uint64_t missing = capture_gap(c, i);
		if (missing == 0)
			continue;
		buf_addf(b, "%sgap %u %u %llu", before, m[0].shown, m[1].shown,
			 (unsigned long long)missing);
		text_put_moment(b, &m[0]);
		text_put_moment(b, &m[1]);
		buf_add_char(b, '\n');
	}
}

void graph_put_memory(struct buf *b, const struct graph *g)
{
	const struct capture *c = &g->capture;
	if (c->h.cluster)
		buf_addf(b, "%llu bytes of system memory at most\n",
			 (unsigned long long)(c->clusters_most * c->h.cluster));
	else
		buf_addf(b, "%llu clusters of system memory at most; the file does not say how "
			 "large one is\n", (unsigned long long)c->clusters_most);
}

void graph_put_header(struct buf *b, const struct graph *g)
{
	static const char *const orders[] = { "little", "big", "PDP" };
	static const char *const scopes[] = { "monitor", "system", "connection" };
	static const char *const kinds[] = { "integer", "integer in network order", "string" };
	const struct pm_header *h = &g->capture.h;

	buf_addf(b, "%s: version %s, mods %u, %s-endian, clusters of %u bytes, header of %zu, "
		 "entries of %u\n", g->file, h->version[0] ? h->version : "-", h->mods,
		 orders[h->endian], h->cluster, h->bytes, h->entry_size);
	if (h->states_losses)
		buf_addf(b, "%llu moments were missed, %llu snapshots lost\n",
			 (unsigned long long)h->missed_moments,
			 (unsigned long long)h->lost_snapshots);
	for (size_t i = 0; i < h->n_columns; i++) {
		const struct pm_column *c = &h->column[i];
		buf_addf(b, "column %s: offset %u, length %u, scope %s, mask %u, %s\n", c->name,
			 c->offset, c->length, c->scope < 3 ? scopes[c->scope] : "?", c->mask,
			 c->flags < 3 ? kinds[c->flags] : "?");
	}
	for (size_t i = 0; i < g->capture.n_connections; i++)
		buf_addf(b, "connection %s: %zu snapshots\n", g->capture.connection[i].name,
			 g->capture.connection[i].n);
	buf_addf(b, "%zu snapshots in all, %zu shown\n", g->capture.n_moments, g->capture.n);
}
