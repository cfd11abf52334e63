/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.c - assign the lines of a chart to nodes or devices */
#include "report/lines.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/units.h"

static void lines_add(struct lines *l, struct line line)
{
	l->line = vec_reserve(l->line, &l->cap, l->n + 1, sizeof(*l->line));
	l->line[l->n++] = line;
}

void lines_add_nodes(struct lines *l, const struct report *r)
{
	for (size_t i = 0; i < r->n; i++)
		lines_add(l, (struct line){ i, NULL });
}

static bool is(const struct line *line, size_t node, struct str device)
{
	return line->node == node && str_eq(str_of(line->device), device);
}

/*
 * Add a device of a node, unless the list has the device already. All samples list devices in the
 * same order, so start the search after the device found last.
 */
void lines_add_device(struct lines *l, size_t node, struct str device)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t at = (l->next + i) % l->n;
		if (is(&l->line[at], node, device)) {
			l->next = at + 1;
			return;
		}
	}
	l->too_many |= l->n == LINES_MAX;
	if (!l->too_many)
		lines_add(l, (struct line){ node, xstrdup(device) });
}

static int by_name(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return x->node != y->node ? (x->node > y->node) - (x->node < y->node) :
				    strverscmp(x->device, y->device);
}

void lines_sort(struct lines *l)
{
	if (l->n)
		qsort(l->line, l->n, sizeof(*l->line), by_name);
}

void lines_free(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->line[i].device);
	free(l->line);
}

void line_put_name(struct buf *b, const struct line *l, const struct report *r)
{
	if (!l->device || r->n > 1)
		buf_addf(b, "%s", text_name(node_name(r, l->node), 16).s);
	if (l->device)
		buf_addf(b, "%s%s", r->n > 1 ? " " : "", text_name(str_of(l->device), 20).s);
}

void line_put_pattern(struct buf *b, const char *device)
{
	for (; *device; device++) {
		if (strchr("*?[\\", *device))
			buf_add_char(b, '\\');
		buf_add_char(b, *device);
	}
	buf_add_char(b, '\0');
}
