/* SPDX-License-Identifier: BSD-3-Clause */
/* json_place.c - write time, host, labels and jobs of a record as JSON members */
#include "formats/line/json_place.h"

#include "base/json.h"

void json_put_place(struct buf *b, const struct line_node *node, const struct record *r)
{
	json_raw(b, "time", STR(""));
	buf_add_time(b, r->usec);
	json_str(b, "host", node->host);
	for (size_t i = 0; i < node->n_labels; i++) {
		char name[64];
		if (str_copy(name, sizeof(name), node->label[i].name))
			json_str(b, name, node->label[i].value);
	}
	json_open(b, "jobs", '[');
	for (size_t i = 0; i < r->n_jobs; i++)
		json_str(b, NULL, r->job[i]);
	json_close(b, ']');
}
