/* SPDX-License-Identifier: BSD-3-Clause */
/* config.h - read the configuration file, nodometer.conf(5) */
#pragma once

#include "archive/tidy.h"
#include "base/keys.h"
#include "recorder/sampler.h"

#define CONFIG_TEXT_MAX KEY_TEXT_MAX
#define CONFIG_PATH SYSCONFDIR "/nodometer/nodometer.conf"
#define CONFIG_RUNTIME_DIR "/run/nodometer"	/* default of runtime-dir */
/*
 * File in the runtime directory with the names of the configuration files that the running agent
 * has read. The agent writes it only if the files have no errors. See recorder/runtime_dir.h.
 */
#define CONFIG_READ "configuration"
/* folder of live samples, below the runtime directory; see struct config, .live_us */
#define CONFIG_LIVE_DIR "live"
#define CONFIG_SCHEDULER_USERS "condor"	/* default of scheduler-users: HTCondor's own user */

/* Handlers of sections [sink NAME]. Each returns true, or false with the reason in `why`. */
struct config_sinks {
	bool (*section)(void *arg, struct str name, struct buf *why);
	bool (*set)(void *arg, struct str name, const char *key, const char *value,
		    struct buf *why);
	void *arg;
};

/* File and line of a key or of the first line of a section; see config_put_place(). */
struct config_place {
	char *name;	/* "SECTION" or "SECTION.KEY", such as "agent" or "agent.interval" */
	char *file;
	int line;
};

struct config {
	/* folder to read in place of /, for tests; set by --root, not by a key */
	char root[CONFIG_TEXT_MAX];
	char dir[CONFIG_TEXT_MAX];
	char runtime_dir[CONFIG_TEXT_MAX];
	char hostname[CONFIG_TEXT_MAX];		/* empty: the hostname of this machine */
	char job_file[CONFIG_TEXT_MAX];		/* empty: no job file is watched */
	/*
	 * folders for files that other programs read (job_exports.h); empty: no files are written
	 */
	char gpu_job_dir[CONFIG_TEXT_MAX];
	char dcgm_job_dir[CONFIG_TEXT_MAX];
	char summary_dir[CONFIG_TEXT_MAX];
	char advice[CONFIG_TEXT_MAX];		/* file with the site's costs of energy, or "" */
	/* names or numbers of users, "@GROUP" or "all", separated by blanks or commas */
	char users[CONFIG_TEXT_MAX];
	/*
	 * users besides root that may own cgroups of jobs, a list like .users without groups and
	 * "all"
	 */
	char scheduler_users[CONFIG_TEXT_MAX];
	int64_t interval_us;	/* interval of the samples of the archive, us */
	/*
	 * interval of live samples, us; they are taken between the samples of the archive, only for
	 * nodometer-send and nodometer top (live_tier.h); 0: none are taken
	 */
	int64_t live_us;
	/* types in live samples; empty: all but proc */
	char live_types[CONFIG_TEXT_MAX];
	/* us; each host delays its samples by a fixed time below this; 0: no delay */
	int64_t spread_us;
	int64_t deadline_us;	/* us; timeout for all replies of worker processes in a sample */
	struct tidy_limits retain;
	/* version of the raw format, "1.0" or "2.3"; empty: 1.0 with fractions of seconds */
	char dialect[CONFIG_TEXT_MAX];
	bool exclusive_jobs;			/* each job has its node alone */
	bool job_cgroups;			/* find jobs by their cgroups */
	bool confine;				/* confine the agent with landlock and seccomp */
	bool bpf;	/* read some types with BPF programs in the kernel */
	char readable[CONFIG_TEXT_MAX];	/* folders that the confined agent may read in addition */
	bool counters_yield;			/* jobs may reserve the hardware counters */
	/* user groups whose members may see all records through nodometer-answer */
	char answer_groups[CONFIG_TEXT_MAX];
	char state_dir[CONFIG_TEXT_MAX];	/* folder of nodometer-send's cursors */
	bool has_sinks;				/* the file has a section [sink NAME] */
	/* handlers for sections [sink NAME]; NULL: ignore these sections */
	const struct config_sinks *sinks;
	enum type_use *use;			/* one entry per collector, n_collectors in all */
	struct named_types named;		/* types that section [counters] defines */
	struct buf files;			/* files read so far, separated by commas */
	struct buf warnings;	/* warnings about suspicious settings, as lines "FILE:LINE: TEXT" */
	struct config_place *place;
	size_t n_places, cap_places;
};

/* Set all defaults. Call config_free() when done. */
void config_init(struct config *c);
void config_free(struct config *c);

/*
 * Read a file and overwrite the settings in c. Appends a line "FILE:LINE: TEXT" to errors for each
 * error. Returns 0; -EINVAL if there were errors (c has all correct settings, for callers that
 * continue); or another -errno if the file cannot be read.
 */
int config_read(struct config *c, const char *path, struct buf *errors) MUST_CHECK;

/*
 * Read the file `path`, which may be missing, and then the files conf.d/?*.conf in the same folder,
 * in the order of their names. Returns the same values as config_read().
 */
int config_read_all(struct config *c, const char *path, struct buf *errors) MUST_CHECK;

/*
 * Append "FILE:LINE: " of the line that set a key or, if key is "", that begins a section. Appends
 * nothing if no file has the key or section.
 */
void config_put_place(const struct config *c, const char *section, const char *key, struct buf *b);

/*
 * Add warnings to .warnings if this node lacks a user, a folder or disk space that the
 * configuration needs. This may be slow, because it queries name services and systemd.
 */
void config_look(struct config *c);

struct unit;
/*
 * Check whether the service of unit u can write to a folder. Returns false after adding a warning
 * if the service cannot. `makes` is true if the service creates a missing folder.
 */
bool config_look_at_folder(struct config *c, const struct unit *u, const char *section,
			   const char *key, const char *path, bool makes);

/*
 * Look up the events of section [counters] on this node; see named_resolve(). A missing event
 * causes a warning. Returns 0; -EINVAL with the errors appended as config_read() does; or another
 * -errno.
 */
int config_resolve(struct config *c, struct buf *errors) MUST_CHECK;

const char *config_default_path(void);
