/* SPDX-License-Identifier: BSD-3-Clause */
/* process_io.c - type process_io: bytes that each process reads and writes */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "syscr",       COUNTER, "",  "read system calls"       },
	{ "syscw",       COUNTER, "",  "write system calls"      },
	{ "read_bytes",  COUNTER, "B", "read from devices"       },
	{ "write_bytes", COUNTER, "B", "written to devices"      },
};

const struct type process_io_type = {
	.name    = "process_io",
	.about   = "input and output of every process",
	.source  = "/proc/PID/io, line KEY; root sees all, another user their own",
	.device  = "pid/name",
	.off     = true,
	METRICS(metrics),
};
