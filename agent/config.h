/* SPDX-License-Identifier: BSD-3-Clause */
/* config.h - the configuration file: nodometer.conf(5) */
#pragma once

#include "agent/sampler.h"
#include "archive/tidy.h"

#define CONFIG_TEXT_MAX 512

struct config {
	char root[CONFIG_TEXT_MAX];		/* not in the file: --root */
	char dir[CONFIG_TEXT_MAX];
	char runtime_dir[CONFIG_TEXT_MAX];
	char hostname[CONFIG_TEXT_MAX];		/* empty: this machine's own */
	char job_file[CONFIG_TEXT_MAX];		/* empty: not watched */
	char gpu_job_dir[CONFIG_TEXT_MAX];	/* these three: empty: nothing is written */
	char dcgm_job_dir[CONFIG_TEXT_MAX];
	char summary_dir[CONFIG_TEXT_MAX];
	char users[CONFIG_TEXT_MAX];		/* names with blanks or commas between them */
	int64_t interval_us;
	int64_t spread_us;
	int64_t deadline_us;
	struct tidy_limits retain;
	bool dialect_23;			/* the host as third word of the group line */
	bool job_cgroups;			/* jobs are looked for in control groups */
	bool counters_yield;			/* jobs may ask for the hardware counters */
	char summary_destination[CONFIG_TEXT_MAX];	/* nodometer-send's: HOST:PORT ... */
	char summary_types[CONFIG_TEXT_MAX];	/* empty: all but proc */
	char summary_site[CONFIG_TEXT_MAX];
	int64_t summary_interval_us;		/* 0: each record group */
	int64_t summary_bytes;			/* of a packet */
	enum type_use *use;			/* n_collectors of them */
};

/* All defaults. config_free() ends it. */
void config_init(struct config *c);
void config_free(struct config *c);

/*
 * Reads a file over what c holds; an error names file and line in error and returns -EINVAL, or
 * another -errno where the file cannot be read. c is changed only on success.
 */
int config_read(struct config *c, const char *path, char *error, size_t size) MUST_CHECK;

const char *config_default_path(void);
