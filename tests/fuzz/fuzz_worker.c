/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_worker.c - read any answer of a worker process */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "recorder/worker.h"
#include "base/clock.h"
#include "base/system/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ANSWER_MAX 65536	/* capacity of a socket without a reader */

static void must(bool holds)
{
	if (!holds)
		abort();
}

static const struct metric metrics[] = {
	{ "use",  COUNTER, "ms", "time in which something ran" },
	{ "temp", GAUGE,   "C",  "temperature"                 },
};

static void look(const struct source *s)
{
	for (size_t i = 0; i < s->rows.n; i++) {
		struct str name = rows_device(&s->rows, i);
		must(name.p + name.n <= s->rows.names.p + s->rows.names.n);
		must(name.n > 0 && !str_has(name, ' ') && !str_has(name, '\n'));
		must(rows_present(&s->rows, i) && rows_values(&s->rows, i));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct files root = { .rootfd = -1 };
	struct source s;
	struct worker w = { .pid = INT32_MAX, .type = "fuzz" };	/* a process that does not exist */
	int pair[2];
	if (size > ANSWER_MAX)
		return 0;
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	w.fd = pair[0];
	must(stream_send(pair[1], data, size, INT64_MAX) == 0);
	close(pair[1]);
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));
	/*
	 * an earlier, longer sample has left device names in memory after the names of this sample
	 */
	buf_reserve(&s.rows.names, ANSWER_MAX);
	memset(s.rows.names.p, 'x', ANSWER_MAX);
	int r = worker_answer(&w, &s, monotonic_ns() + 1000000000);
	must(r <= 0 && (r == 0 || s.rows.n == 0 || w.fd >= 0));
	look(&s);
	source_free(&s);
	worker_free(&w);
	return 0;
}
