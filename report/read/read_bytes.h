/* SPDX-License-Identifier: BSD-3-Clause */
/* read_bytes.h - pass the runs found on a host between processes of a program */
#pragma once

#include "report/read/read.h"

/* Serialize the found runs with the query's figures, and the messages `said`, one per line. */
void read_bytes_put(struct buf *b, const struct node_query *q, const struct node_read *found,
		    struct str said);
/* Deserialize what read_bytes_put() wrote. *said points into bytes. */
void read_bytes_take(struct str bytes, const struct node_query *q,
		     struct node_read *found, struct str *said);

/* Serialize or deserialize runs without messages. read_bytes_take_runs() advances *bytes. */
void read_bytes_put_runs(struct buf *b, const struct node_query *q, const struct runs *runs);
void read_bytes_take_runs(struct str *bytes, const struct node_query *q, struct runs *runs);
