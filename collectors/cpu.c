/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu - time each logical CPU spent in each mode, from /proc/stat */
#include "collectors/collector.h"

/* In the file's own column order (Documentation/filesystems/proc.rst, 1.7); ticks of 1/100 s. */
static const struct metric metrics[] = {
	{ "user",    COUNTER, "cs", "user mode, virtual processors included" },
	{ "nice",    COUNTER, "cs", "user mode at low priority"              },
	{ "system",  COUNTER, "cs", "kernel mode"                            },
	{ "idle",    COUNTER, "cs", "idle"                                   },
	{ "iowait",  COUNTER, "cs", "idle with I/O outstanding"              },
	{ "irq",     COUNTER, "cs", "hardware interrupts"                    },
	{ "softirq", COUNTER, "cs", "software interrupts"                    },
};

static int collect(struct sample *s)
{
	struct str text, line, cpu;
	uint64_t v;
	int r = sample_read_shared(s, "proc/stat", &text);
	if (r < 0)
		return r;

	while (str_take_line(&text, &line)) {
		if (!str_take_prefix(&line, STR("cpu")))
			break;		/* they stand first */
		if (str_peek(line) == ' ' || !str_take_word(&line, &cpu) || !str_is_u64(cpu))
			continue;	/* the sum of them all */

		struct row row = sample_row(s, cpu);
		for (size_t i = 0; i < ARRAY_SIZE(metrics) && str_take_u64(&line, &v); i++)
			row_set(row, i, v);
	}
	return s->n_rows ? 0 : sample_absent(s, "/proc/stat has no line of a CPU");
}

const struct collector cpu_collector = {
	.name    = "cpu",
	.summary = "processor time by mode",
	.source  = "/proc/stat, line cpuN, in this order",
	.device  = "logical CPU",
	.collect = collect,
	METRICS(metrics),
};
