/* SPDX-License-Identifier: BSD-3-Clause */
/* status_lines.c - table of the lines of the agent's reply to "status", and how to print them */
#include "cli/status_lines.h"

#include "base/base.h"

#define NUMBER  STATUS_NUMBER
#define MOMENT  STATUS_MOMENT
#define SECONDS STATUS_SECONDS
#define TEXT    STATUS_TEXT

const struct status_line status_lines[] = {
	{ "version",        TEXT,         "version"                  },
	{ "pid",            NUMBER,       "process"                  },
	{ "since",          MOMENT,       "running since"            },
	{ "interval",       SECONDS,      "interval"                 },
	{ "file",           TEXT,         "current file"             },
	{ "size",           NUMBER,       "its size in bytes"        },
	{ "samples",        NUMBER,       "samples taken"            },
	{ "last",           MOMENT,       "last sample"              },
	{ "missed",         NUMBER,       "ticks missed"             },
	{ "waiting",        NUMBER,       "groups waiting in memory" },
	{ "lost",           NUMBER,       "groups lost"              },
	{ "marks_lost",     NUMBER,       "marks lost"               },
	{ "left",           NUMBER,       "marks not yet written"    },
	{ "ended_later",    NUMBER,       "jobs ended by a later one"},
	{ "hangs",          SECONDS,      "archive hangs for"        },
	{ "stopped",        TEXT,         "nothing is written"       },
	{ "removed",        MOMENT,       "folder removed or moved"  },
	{ "live_interval",  SECONDS,      "live interval"            },
	{ "live_file",      TEXT,         "live file"                },
	{ "live_last",      MOMENT,       "last live sample"         },
	{ "live_stopped",   TEXT,         "no live samples"          },
	{ "job",            STATUS_JOB,   "job"                      },
	{ "released",       TEXT,         "counters released to job" },
	{ "landlock",       NUMBER,       "landlock ABI (0: none)"   },
	{ "landlock_holds", TEXT,         "landlock holds"           },
	{ "seccomp",        TEXT,         "seccomp"                  },
	{ "capabilities",   TEXT,         "capabilities"             },
	{ "unconfined",     TEXT,         "not confined:"            },
	{ "bpf",            STATUS_LINE,  "read by BPF"              },
	{ "hooks",          TEXT,         "hooks of root run as"     },
	{ "error",          STATUS_ERROR, "type in error"            },
	{ "refused",        STATUS_LINE,  "reload refused"           },
	{ "denied",         NUMBER,       "requests refused"         },
	{ "denied_to",      STATUS_LINE,  "of them, lately, to"      },
};
const size_t n_status_lines = ARRAY_SIZE(status_lines);
