/* SPDX-License-Identifier: BSD-3-Clause */
/* config_look.c - check that this node has the users, folders and disk space of a configuration */
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include "base/system/unit.h"
#include "base/system/users.h"
#include "recorder/config.h"

#define AT(field) offsetof(struct config, field)

/* Add the warning "FILE:LINE: warning: KEY = VALUE: WHY". */
static void config_warn(struct config *c, const char *section, const char *key, const char *value,
			struct str why)
{
	config_put_place(c, section, key, &c->warnings);
	buf_addf(&c->warnings, "warning: %s = %s: " STR_FMT "\n", key, value, STR_ARG(why));
}

static bool config_name_is_known(struct str name)
{
	char *word = xstrdup(name);
	bool known = word[0] == '@' ? getgrnam(word + 1) != NULL : getpwnam(word) != NULL;
	free(word);
	return known;
}

/*
 * Warn about each user or group in the value of a key that is neither in /etc nor known to a name
 * service.
 */
static void config_look_for_users(struct config *c, const char *key, const char *list)
{
	struct members m = { .groups = 0 };
	struct buf rest CLEANUP(buf_free) = { 0 };
	struct str names, name;
	members_add_local(&m, str_of(list), &rest);
	for (names = buf_str(&rest); str_take_word(&names, &name); ) {
		struct buf why CLEANUP(buf_free) = { 0 };
		bool group = str_peek(name) == '@';
		if (config_name_is_known(name))
			continue;
		buf_addf(&why, "no %s " STR_FMT " on this node", group ? "group" : "user",
			 STR_ARG(str_skip(name, group)));
		config_warn(c, "agent", key, list, buf_str(&why));
	}
}

bool config_look_at_folder(struct config *c, const struct unit *u, const char *section,
			   const char *key, const char *path, bool makes)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	if (!path[0] || unit_may_write(u, path, makes, &why))
		return true;
	config_warn(c, section, key, path, buf_str(&why));
	return false;
}

static void config_look_at_folders(struct config *c)
{
	static const struct {
		const char *key;
		size_t at;
		bool made;	/* the agent creates this folder */
	} folders[] = {
		{ "dir",          AT(dir),          true },
		{ "runtime-dir",  AT(runtime_dir),  true },
		{ "gpu-job-dir",  AT(gpu_job_dir),  false },
		{ "dcgm-job-dir", AT(dcgm_job_dir), false },
		{ "summary-dir",  AT(summary_dir),  false },
	};
	struct unit u CLEANUP(unit_free);
	unit_look(&u, "nodometerd");
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		config_look_at_folder(c, &u, "agent", folders[i].key,
				      (const char *)c + folders[i].at, folders[i].made);
}

static void config_look_at_size(struct config *c, const char *key, int64_t bytes, const char *then)
{
	struct buf value CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	char there[PATH_MAX];
	struct statvfs v;
	unit_nearest(c->dir, there, sizeof(there));
	if (statvfs(there, &v) < 0)
		return;
	uint64_t has = (uint64_t)v.f_blocks * v.f_frsize;
	if (bytes <= 0 || (uint64_t)bytes <= has)
		return;
	key_put_number(&value, key_sizes, bytes);
	buf_addf(&why, "the file system of %s has %llu MiB; %s%c", c->dir,
		 (unsigned long long)(has >> 20), then, '\0');
	buf_add_char(&value, '\0');
	config_warn(c, "agent", key, value.p, str_of(why.p));
}

void config_look(struct config *c)
{
	config_look_for_users(c, "users", c->users);
	if (strcmp(c->scheduler_users, CONFIG_SCHEDULER_USERS) != 0)
		config_look_for_users(c, "scheduler-users", c->scheduler_users);
	config_look_at_folders(c);
	config_look_at_size(c, "retain-size", c->retain.bytes,
			    "it fills up before any file is removed");
	config_look_at_size(c, "free-floor", c->retain.free_floor,
			    "all files but the newest would be removed");
}
