/* SPDX-License-Identifier: BSD-3-Clause */
/* confinement.c - confine the agent to the needs of its configuration */
#include "agent/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/privileges.h"
#include "base/system/program.h"
#include "recorder/owner.h"

#define PLACES_MAX 64

/*
 * files that the agent reads at the start and on reload: names of users, this node's name, and the
 * first UID of ordinary users
 */
static const char *const etc_files[] = {
	"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/login.defs",
};

/* The rules that the process is under, and the paths that they allow. A reload cannot add paths. */
struct confinement {
	struct confined in_force;
	uint64_t privileges;		/* mask of the capabilities kept since the start */
	struct confine_path place[PLACES_MAX];
	char text[PLACES_MAX][CONFIG_TEXT_MAX];
	size_t n;
};

static void confinement_add(struct confinement *c, struct str path, enum confine_use use)
{
	if (path.n == 0 || c->n == PLACES_MAX)
		return;
	if (!str_copy(c->text[c->n], CONFIG_TEXT_MAX, path))
		return;
	c->place[c->n] = (struct confine_path){ c->text[c->n], use };
	c->n++;
}

/*
 * Allow the folder that contains the path, not only the file: if the file is replaced, the rule
 * must also cover the new file.
 */
static void confinement_add_parent(struct confinement *c, const char *path, enum confine_use use)
{
	char above[CONFIG_TEXT_MAX];
	confine_parent(path, above, sizeof(above));
	if (strcmp(above, "/") != 0)
		confinement_add(c, str_of(above), use);
}

static void confinement_add_folders(struct confinement *c, const struct config *k)
{
	const char *others[] = { k->gpu_job_dir, k->dcgm_job_dir, k->summary_dir };
	struct str list = str_of(k->readable), item;

	confinement_add(c, str_of(k->dir), CONFINE_KEEP);
	confinement_add(c, str_of(k->runtime_dir), CONFINE_KEEP);
	confinement_add_parent(c, k->job_file, CONFINE_READ);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		confinement_add(c, str_of(others[i]), CONFINE_KEEP);
		confinement_add_parent(c, others[i], CONFINE_PUT);
	}
	while (str_take_item(&list, &item))
		confinement_add(c, item, CONFINE_READ);
}

/*
 * Allow the folder of a configuration file. For a file directly in /etc, allow only the file: a
 * rule for /etc would include /etc/shadow.
 */
static void confinement_add_config(struct confinement *c, const char *path)
{
	char above[CONFIG_TEXT_MAX];
	confine_parent(path, above, sizeof(above));
	confinement_add(c, str_of(strcmp(above, "/etc") == 0 ? path : above), CONFINE_READ);
}

/*
 * Allow the paths of the system that the agent reads. HTCondor's EXECUTE folder is below
 * /var/lib/condor by default.
 */
static void confinement_add_system(struct confinement *c, const struct options *o,
				   const struct config *k)
{
	char tidy[PROGRAM_PATH_MAX];
	bool captured = strcmp(k->root, "/") != 0;

	confinement_add_config(c, o->given.config ? o->given.config : config_default_path());
	if (k->advice[0])
		confinement_add_config(c, k->advice);
	/* hwloc opens the root folder of the file system */
	confinement_add(c, STR("/"), CONFINE_LIST);
	confinement_add(c, STR("/proc"), CONFINE_READ);
	for (size_t i = 0; i < ARRAY_SIZE(etc_files); i++)
		confinement_add(c, str_of(etc_files[i]), CONFINE_READ);
	confinement_add(c, captured ? str_of(k->root) : STR("/sys"), CONFINE_READ);
	if (!captured) {
		confinement_add(c, STR("/dev"), CONFINE_CHANGE);
		confinement_add(c, STR("/var/lib/condor"), CONFINE_READ);
	}
	if (program_find("tidy", tidy) == 0)
		confinement_add(c, str_of(tidy), CONFINE_RUN);
	confinement_add(c, str_of(confine_interpreter()), CONFINE_RUN);
}

static void confinement_drop_privileges(struct confinement *c, const struct config *k)
{
	c->privileges = owner_privileges(k);
	int r = privileges_keep(c->privileges | (geteuid() == 0 ? PRIVILEGES_OF_OWNER : 0));
	if (r < 0)
		log_warning("cannot drop capabilities: %s; all of them are kept", strerror(-r));
}

struct confinement *confinement_start(const struct options *o, const struct config *k, bool walks)
{
	struct confinement *c = xrealloc(NULL, sizeof(*c));

	memset(c, 0, sizeof(*c));
	if (!k->confine) {
		c->privileges = UINT64_MAX;
		str_copy(c->in_force.why, sizeof(c->in_force.why), STR("confine = no"));
		return c;
	}
	/*
	 * Create missing folders, because a rule needs an existing folder. A failure is reported
	 * later, when the folder is used.
	 */
	if (archive_make_dirs(k->dir) < 0 || (mkdir(k->runtime_dir, 0755) < 0 && errno != EEXIST))
		log_debug("the archive's folder or the runtime directory does not exist and cannot "
			  "be created yet");
	confinement_add_folders(c, k);
	confinement_add_system(c, o, k);
	confine(c->place, c->n, MAY_RUN | MAY_CONNECT | MAY_COUNT | MAY_SIGNAL | MAY_SHARE |
		(walks ? MAY_WALK : 0), &c->in_force);
	confinement_drop_privileges(c, k);
	return c;
}

int confinement_allows(const struct confinement *c, const struct config *next, struct buf *errors)
{
	struct confinement wanted = { .n = 0 };

	confinement_add_folders(&wanted, next);
	for (size_t i = 0; c->in_force.landlock && i < wanted.n; i++)
		if (!confine_covers(c->place, c->n, &wanted.place[i])) {
			buf_addf(errors, "%s: the agent is confined to the folders that it was "
				 "started with; restart it\n", wanted.text[i]);
			return -EPERM;
		}
	for (size_t i = 0; c->in_force.landlock && i < ARRAY_SIZE(etc_files); i++) {
		int fd CLEANUP(close_fd) = open(etc_files[i], O_RDONLY | O_CLOEXEC);
		if (fd >= 0 || errno != EACCES)
			continue;
		buf_addf(errors, "%s: it was replaced, and the agent is confined to the file that "
			 "it was started with; restart it\n", etc_files[i]);
		return -EPERM;
	}
	if (owner_privileges(next) & ~c->privileges)
		log_warning("types that the new configuration switches on may lack values that "
			    "only root can read, since the agent has dropped the capability for "
			    "them: restart the agent");
	return 0;
}

/*
 * Append the lines about the confinement to the reply to "status". If a protection is missing, a
 * line "unconfined" says which one, and why.
 */
void confinement_put(const struct confinement *c, struct buf *b)
{
	const struct confined *in_force = &c->in_force;
	buf_addf(b, "landlock %d\nlandlock_holds %s\nseccomp %s\ncapabilities ",
		 in_force->landlock, in_force->holds[0] ? in_force->holds : "nothing",
		 in_force->seccomp ? "on" : "off");
	privileges_put(b, privileges_left());
	buf_add_char(b, '\n');
	if (in_force->why[0])
		buf_addf(b, "unconfined %s\n", in_force->why);
}
