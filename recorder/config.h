/* SPDX-License-Identifier: BSD-3-Clause */
/* config.h - the configuration file: nodometer.conf(5) */
#pragma once

#include "archive/tidy.h"
#include "base/keys.h"
#include "recorder/sampler.h"

#define CONFIG_TEXT_MAX KEY_TEXT_MAX
#define CONFIG_LIVE_DIR "live"	/* below the runtime directory: an archive of its newest samples */
#define CONFIG_SCHEDULER_USERS "condor"	/* the default: HTCondor's own user */

/* Who takes the sections [sink NAME]: true, or why gets what is wrong. */
struct config_sinks {
	bool (*section)(void *arg, struct str name, struct buf *why);
	bool (*set)(void *arg, struct str name, const char *key, const char *value,
		    struct buf *why);
	void *arg;
};

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
	char scheduler_users[CONFIG_TEXT_MAX];	/* likewise */
	int64_t interval_us;
	int64_t live_us;			/* between samples of the live tier; 0: none */
	char live_types[CONFIG_TEXT_MAX];	/* in these; empty: all but proc */
	int64_t spread_us;
	int64_t deadline_us;
	struct tidy_limits retain;
	char dialect[CONFIG_TEXT_MAX];		/* "1.0", "2.3", or empty: 1.0 with decimals */
	bool exclusive_jobs;			/* each job has the node alone */
	bool job_cgroups;			/* jobs are looked for in control groups */
	bool confine;				/* the agent, by landlock and seccomp */
	char readable[CONFIG_TEXT_MAX];		/* folders that it may read all the same */
	bool counters_yield;			/* jobs may ask for the hardware counters */
	char state_dir[CONFIG_TEXT_MAX];	/* nodometer-send's: how far each sink is */
	bool has_sinks;				/* there is a section [sink NAME] */
	const struct config_sinks *sinks;	/* not in the file; NULL: they are not looked at */
	enum type_use *use;			/* n_collectors of them */
	struct named_types named;		/* [counters] */
};

/* All defaults. config_free() ends it. */
void config_init(struct config *c);
void config_free(struct config *c);

/*
 * Reads a file over what c holds. Each error is a line "FILE:LINE: TEXT" added to errors; -EINVAL
 * then, and c has what is right in the file, for who goes on all the same. Another -errno where the
 * file cannot be read.
 */
int config_read(struct config *c, const char *path, struct buf *errors) MUST_CHECK;

/* The same of the file path, which may be absent, and then of conf.d/?*.conf beside it, by name. */
int config_read_all(struct config *c, const char *path, struct buf *errors) MUST_CHECK;

/*
 * Looks for the events of [counters], where a program is about to count them: see named_resolve().
 * Each error is a line as above; -EINVAL then.
 */
int config_resolve(struct config *c, struct buf *errors) MUST_CHECK;

const char *config_default_path(void);
