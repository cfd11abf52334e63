/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_pm.c - .pm files: headers and values that were read and written again stay the same */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "formats/pm/pm.h"
#include "tcp/graph.h"
#include "tcp/verdicts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const struct pm_header *a, const struct pm_header *b)
{
	if (a->mods != b->mods || a->entry_size != b->entry_size || a->endian != b->endian ||
	    a->cluster != b->cluster || strcmp(a->version, b->version) != 0 ||
	    a->n_columns != b->n_columns)
		return false;
	for (size_t i = 0; i < a->n_columns; i++)
		if (strcmp(a->column[i].name, b->column[i].name) != 0 ||
		    a->column[i].flags != b->column[i].flags ||
		    a->column[i].offset != b->column[i].offset ||
		    a->column[i].length != b->column[i].length)
			return false;
	return true;
}

static void write_again(const struct pm_header *h)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct pm_header again;
	struct pm_fault fault;

	pm_put_header(&b, h);
	if (b.n > PM_HEADER_MAX)
		return;
	if (pm_read_header(buf_str(&b), &again, &fault) < 0 || !same(h, &again))
		abort();
	pm_header_free(&again);
}

/* Check that setting each value to the value that was read gives the same bytes. */
static void set_again(const struct pm_header *h, const unsigned char *entry)
{
	unsigned char *copy = malloc(h->entry_size);
	uint64_t v, usec;

	memcpy(copy, entry, h->entry_size);
	for (size_t i = 0; i < h->n_columns; i++) {
		const struct pm_column *c = &h->column[i];
		if (c->length == 0)
			continue;
		if (pm_take(h, c, entry, &v))
			pm_set(h, c, copy, v);
		if (pm_take_time(h, c, entry, &v, &usec))
			pm_set_time(h, c, copy, v, usec);
	}
	if (memcmp(copy, entry, h->entry_size) != 0)
		abort();
	free(copy);
}

/* Check that each connection of any file has a valid verdict, and no stalled time below 0. */
static void judge(const struct capture *c)
{
	struct verdicts v;

	verdicts_of(&v, c);
	for (size_t i = 0; i < n_rankings; i++)
		verdicts_sort(&v, &rankings[i]);
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i].verdict >= VERDICTS || v.p[i].stalled < 0)
			abort();
	verdicts_free(&v);
}

/* Do the same as nodometer tcp graph: print all columns of all connections as text and points. */
static void show(const uint8_t *data, size_t size)
{
	struct graph g = { .file = "f" };
	struct pm_fault fault;
	struct buf b CLEANUP(buf_free) = { 0 };
	int fd = memfd_create("pm", MFD_CLOEXEC);

	if (write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	if (capture_read(&g.capture, fd, &fault) == 0) {
		struct graph_column chosen[8];
		g.chosen = chosen;
		for (size_t i = 0; i < g.capture.h.n_columns && g.n_chosen < 8; i++)
			if (g.capture.h.column[i].length)
				chosen[g.n_chosen++] = (struct graph_column){
					&g.capture.h.column[i], g.capture.h.column[i].name,
					PM_UNIT_SEQUENCE, 1 };
		graph_put_text(&b, &g);
		graph_put_gaps(&b, &g, "");
		graph_put_header(&b, &g);
		for (size_t i = 0; i < g.n_chosen && g.capture.n; i++)
			graph_put_points(&b, &g, &(struct graph_curve){ &chosen[i], 0, "" });
	}
	if (g.capture.of_connection && g.capture.time)
		judge(&g.capture);
	capture_free(&g.capture);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str file = { (const char *)data, size };
	struct pm_header h;
	struct pm_fault fault;

	show(data, size);
	if (pm_read_header(file, &h, &fault) < 0)
		return 0;
	write_again(&h);
	for (size_t at = h.bytes; size - at >= h.entry_size; at += h.entry_size)
		set_again(&h, data + at);
	pm_header_free(&h);
	return 0;
}
