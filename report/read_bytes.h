/* SPDX-License-Identifier: BSD-3-Clause */
/* read_bytes.h - what was read of a host goes from one process of a program to another */
#pragma once

#include "report/read.h"

/* Of as many figures as the query has; said: what was to be reported meanwhile, as lines. */
void read_bytes_put(struct buf *b, const struct node_query *q, const struct node_read *found,
		    struct str said);
/* The other way round. *said borrows from bytes. */
void read_bytes_take(struct str bytes, const struct node_query *q,
		     struct node_read *found, struct str *said);

/* The runs alone; they are taken off the front of the bytes. */
void read_bytes_put_runs(struct buf *b, const struct node_query *q, const struct runs *runs);
void read_bytes_take_runs(struct str *bytes, const struct node_query *q, struct runs *runs);
