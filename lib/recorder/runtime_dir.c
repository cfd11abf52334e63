/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * runtime_dir.c - find the runtime directory without reading all of the configuration
 *
 * A hook needs only the runtime directory, and config_read() would take longer than the mark
 * itself. If the agent has read the same files without errors, and they are unchanged since, the
 * hook need not check them.
 */
#include "recorder/runtime_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY "runtime-dir"
#define FILE_MAX 65536	/* bytes; a larger configuration file is left to config_read() */

/* Names of the files read so far, and the time of the newest change to one of them. */
struct config_seen {
	struct buf files;
	struct timespec newest;
	char *dir;
};

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Parse "= PATH". Returns false if the value is not a simple absolute path. */
static bool runtime_dir_take_value(struct str line, char dir[CONFIG_TEXT_MAX])
{
	line = str_trim(line);
	if (!str_take_prefix(&line, STR("=")))
		return false;
	line = str_trim(line);
	return str_peek(line) == '/' && !str_has(line, ';') && !str_has(line, '#') &&
	       str_copy(dir, CONFIG_TEXT_MAX, line);
}

bool runtime_dir_take(struct str text, char dir[CONFIG_TEXT_MAX])
{
	struct str line;
	bool of_agent = false;
	if (str_has(text, '\0'))
		return false;
	while (str_take_line(&text, &line)) {
		line = str_trim(line);
		if (str_peek(line) == '[')
			of_agent = str_eq(line, STR("[agent]"));
		else if (str_take_prefix(&line, STR(KEY)) &&
			 (!of_agent || !runtime_dir_take_value(line, dir)))
			return false;
	}
	return true;
}

/* Read a file of at most `size` bytes. Returns false if it is larger or cannot be read. */
static bool runtime_dir_read(const char *path, int flags, char *to, size_t size, struct stat *st,
			     struct str *text)
{
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
	if (fd < 0 || fstat(fd, st) < 0 || !S_ISREG(st->st_mode))
		return false;
	ssize_t n = read(fd, to, size);
	*text = (struct str){ to, n < 0 ? 0 : (size_t)n };
	return n >= 0 && (size_t)n < size;
}

static bool config_see(struct config_seen *s, const char *path)
{
	static char bytes[FILE_MAX];
	struct stat st;
	struct str text;
	if (!runtime_dir_read(path, 0, bytes, sizeof(bytes), &st, &text) ||
	    !runtime_dir_take(text, s->dir))
		return false;
	if (is_later(&st.st_ctim, &s->newest))
		s->newest = st.st_ctim;
	buf_addf(&s->files, "%s%s", s->files.n ? ", " : "", path);
	return true;
}

static int is_config(const struct dirent *e)
{
	return e->d_name[0] != '.' && str_ends(str_of(e->d_name), STR(".conf"));
}

/* Add the files of conf.d to s, in the order of their names. */
static bool config_see_folder(struct config_seen *s, const char *folder)
{
	char path[PATH_MAX];
	struct dirent **entry;
	int n = scandir(folder, &entry, is_config, alphasort);
	bool fine = n >= 0 || errno == ENOENT;
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
		fine = fine && config_see(s, path);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return fine;
}

static bool config_see_all(struct config_seen *s)
{
	bool missing = access(CONFIG_PATH, F_OK) < 0 && errno == ENOENT;
	return (missing || config_see(s, CONFIG_PATH)) &&
	       config_see_folder(s, SYSCONFDIR "/nodometer/conf.d");
}

/*
 * Return true if the agent has read exactly the files of s, after their last change. The list of
 * the files that the agent has read (CONFIG_READ) may belong to another user, and root reads it
 * without a timeout, so do not follow a symbolic link.
 */
static bool agent_has_read(const struct config_seen *s)
{
	static char bytes[FILE_MAX];
	char path[CONFIG_TEXT_MAX + sizeof("/" CONFIG_READ)];
	struct stat st;
	struct str names;
	snprintf(path, sizeof(path), "%s/" CONFIG_READ, s->dir);
	return runtime_dir_read(path, O_NOFOLLOW, bytes, sizeof(bytes), &st, &names) &&
	       str_eq(names, buf_str(&s->files)) && is_later(&st.st_mtim, &s->newest);
}

bool runtime_dir_find(const char *config, char dir[CONFIG_TEXT_MAX])
{
	struct config_seen s = { .dir = dir };
	str_copy(dir, CONFIG_TEXT_MAX, STR(CONFIG_RUNTIME_DIR));
	bool found = (config ? config_see(&s, config) : config_see_all(&s)) && agent_has_read(&s);
	buf_free(&s.files);
	return found;
}
