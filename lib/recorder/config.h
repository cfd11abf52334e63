/* SPDX-License-Identifier: BSD-3-Clause */
/* config.h - the configuration file: nodometer.conf(5) */
#pragma once

#include "archive/tidy.h"
#include "base/keys.h"
#include "recorder/sampler.h"

#define CONFIG_TEXT_MAX KEY_TEXT_MAX
#define CONFIG_LIVE_DIR "live"	/* below the runtime directory: an archive of its newest samples */
#define CONFIG_SCHEDULER_USERS "condor"	/* the default: HTCondor's own user */

/* Takes the sections [sink NAME]: true, or why gets the mistake. */
struct config_sinks {
	bool (*section)(void *arg, struct str name, struct buf *why);
	bool (*set)(void *arg, struct str name, const char *key, const char *value,
		    struct buf *why);
	void *arg;
};

/* Where a section begins, or a key was set last; see config_put_place(). */
struct config_place {
	char *name;		/* "agent", "agent.interval" */
	char *file;
	int line;
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
	char advice[CONFIG_TEXT_MAX];		/* a site's: what energy costs; empty: none */
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
	bool bpf;				/* programs in the kernel read some types */
	char readable[CONFIG_TEXT_MAX];		/* folders that it may read all the same */
	bool counters_yield;			/* jobs may ask for the hardware counters */
	char answer_groups[CONFIG_TEXT_MAX];	/* members may see all that nodometer-answer has */
	char state_dir[CONFIG_TEXT_MAX];	/* nodometer-send's: how far each sink is */
	bool has_sinks;				/* there is a section [sink NAME] */
	const struct config_sinks *sinks;	/* not in the file; NULL: they are not looked at */
	enum type_use *use;			/* n_collectors of them */
	struct named_types named;		/* [counters] */
	struct buf files;			/* read so far, with commas between them */
	struct buf warnings;			/* lines as of errors, about what is not wrong */
	struct config_place *place;
	size_t n_places, cap_places;
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

/* Adds "FILE:LINE: " of a key, or with key "" of a section; nothing where no file has it. */
void config_put_place(const struct config *c, const char *section, const char *key, struct buf *b);

/*
 * Looks whether this node has the users, folders and room that c names, for who checks a
 * configuration: a name service is waited for, and systemd is asked. Warnings are added.
 */
void config_look(struct config *c);

/* The same of a folder that the service of unit u writes to; makes: it makes a missing one. */
struct unit;
bool config_look_at_folder(struct config *c, const struct unit *u, const char *section,
			   const char *key, const char *path, bool makes);

/*
 * Looks for the events of [counters], where a program is about to count them: see named_resolve().
 * Each error is a line as above; -EINVAL then. An event that is not here is a warning.
 */
int config_resolve(struct config *c, struct buf *errors) MUST_CHECK;

const char *config_default_path(void);
