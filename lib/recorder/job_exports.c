/* SPDX-License-Identifier: BSD-3-Clause */
/* job_exports.c - write files for other programs: which job has which GPU, and summaries of jobs */
#include "recorder/job_exports.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/json.h"
#include "base/listener.h"
#include "figures/allocation.h"

/*
 * Folders with one file per GPU. The GPU's number is the file's name. The exporter of jobstats and
 * CEEMS reads "JOB UID". dcgm-exporter (--hpc-job-mapping-dir) reads one line per job that shares
 * the GPU and ignores files whose names are not numbers (internal/pkg/transformation/hpc.go).
 */
static const struct folder {
	const char *key;	/* configuration key */
	size_t offset;
	/* true: one line per job; false: a single line with the newest job and its uid */
	bool shared;
} folders[] = {
	{ "gpu-job-dir",  offsetof(struct config, gpu_job_dir),  false },
	{ "dcgm-job-dir", offsetof(struct config, dcgm_job_dir), true  },
};

static const char *exports_folder(const struct config *c, const struct folder *f)
{
	return (const char *)c + f->offset;
}

static void exports_warn(const struct listener *listener, const char *key, const char *path, int e)
{
	say_warning(listener, "%s: %s: %s", key, path, strerror(-e));
}

/* Read a whole small file; a missing file is empty. */
static int exports_read_whole(const char *path, struct buf *b)
{
	struct files here = { .rootfd = AT_FDCWD };
	struct str text;
	int r = files_read(&here, path, FILE_TO_END, b, &text);
	here.rootfd = -1;
	files_free(&here);
	b->n = r < 0 ? 0 : text.n;
	return r == -ENOENT ? 0 : r;
}

/* Append the lines of `text`, the contents of a file, to `to`, without the lines of job `id`. */
static void exports_put_others(struct buf *to, struct str text, struct str id)
{
	struct str line, rest, word;
	while (str_take_line(&text, &line)) {
		rest = line;
		if (str_take_word(&rest, &word) && !str_eq(word, id))
			buf_addf(to, STR_FMT "\n", STR_ARG(line));
	}
}

static int exports_enter_job(const struct folder *f, const char *path, struct str id,
			     struct str uid)
{
	struct buf old CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };
	int e = f->shared ? exports_read_whole(path, &old) : 0;
	if (e < 0)
		return e;
	exports_put_others(&text, buf_str(&old), id);
	buf_add(&text, id);
	if (!f->shared && uid.n)
		buf_addf(&text, " " STR_FMT, STR_ARG(uid));
	buf_add_char(&text, '\n');
	return files_replace(path, buf_str(&text));
}

static void exports_enter_all(const struct folder *f, const struct listener *listener,
			      const char *dir,
			      const bool has[GPUS_MAX], struct str id, struct str uid)
{
	char path[CONFIG_TEXT_MAX + 16];
	for (unsigned i = 0; i < GPUS_MAX; i++) {
		if (!has[i])
			continue;
		snprintf(path, sizeof(path), "%s/%u", dir, i);
		int e = exports_enter_job(f, path, id, uid);
		if (e < 0) {
			exports_warn(listener, f->key, path, e);
			return;		/* writing the remaining files would fail as well */
		}
	}
}

void job_exports_begin(const struct config *c, const struct listener *listener, struct str id,
		       const struct attributes *known)
{
	bool has[GPUS_MAX];
	if ((!c->gpu_job_dir[0] && !c->dcgm_job_dir[0]) || known->gpus.n == 0)
		return;
	if (gpu_list(known->gpus, has) < 0) {
		say_warning(listener,
			    "job " STR_FMT ": gpus=" STR_FMT ": expected numbers below %d, such as "
			    "0,2-3", STR_ARG(id), STR_ARG(known->gpus), GPUS_MAX);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (exports_folder(c, &folders[i])[0])
			exports_enter_all(&folders[i], listener, exports_folder(c, &folders[i]),
					  has, id,
					  known->uid);
}

static int exports_remove_job(const char *path, struct str id)
{
	struct buf old CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };
	int e = exports_read_whole(path, &old);
	if (e < 0)
		return e;
	exports_put_others(&text, buf_str(&old), id);
	if (text.n >= old.n)
		return 0;
	if (text.n)
		return files_replace(path, buf_str(&text));
	return unlink(path) < 0 ? -errno : 0;
}

/*
 * Remove a job from all files of a folder. The files themselves show which GPUs the job has, so
 * this works after a restart of the agent.
 */
static void exports_remove_from_all(const struct folder *f, const struct listener *listener,
				    const char *dir,
				    struct str id)
{
	char path[CONFIG_TEXT_MAX + 256];
	const struct dirent *entry;
	DIR *d = opendir(dir);
	if (!d) {
		exports_warn(listener, f->key, dir, -errno);
		return;
	}
	while ((entry = readdir(d))) {
		if (!str_is_u64(str_of(entry->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		int e = exports_remove_job(path, id);
		if (e < 0)
			exports_warn(listener, f->key, path, e);
	}
	closedir(d);
}

/*
 * Remove an incomplete line, which has `done` bytes because the disk is full, since the next line
 * would continue it. Do nothing if another process has written to the file meanwhile.
 */
static void exports_remove_cut_line(int fd, size_t done)
{
	struct stat st;
	off_t end = lseek(fd, 0, SEEK_CUR);
	if (end >= (off_t)done && fstat(fd, &st) == 0 && st.st_size == end)
		(void)!ftruncate(fd, end - (off_t)done);
}

/* Append a line with a single write(2), so that concurrent writers and readers see whole lines. */
static int exports_append_line(const char *path, struct str line)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct stat st;
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd CLEANUP(close_fd) = open(path, flags, 0644);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	/* only a regular file is allowed: a FIFO could block, or lose the line */
	if (!S_ISREG(st.st_mode))
		return -ENXIO;
	/* the file is readable for everyone; the mode of the folder decides who can reach it */
	if (st.st_size == 0 && fchmod(fd, 0644) < 0)
		return -errno;
	buf_add(&text, line);
	buf_add_char(&text, '\n');
	ssize_t done = write(fd, text.p, text.n);
	if (done < 0)
		return -errno;
	if (done == (ssize_t)text.n)
		return 0;
	exports_remove_cut_line(fd, (size_t)done);
	return -ENOSPC;
}

static const char *exports_why(int e)
{
	return e == -ENXIO ? "is not a regular file" : e == -ELOOP ? "is a symbolic link" :
	       strerror(-e);
}

static void exports_put_word(struct buf *b, const char *name, const char *word)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_add_unescaped(&text, str_of(word));
	if (text.n)
		json_str(b, name, buf_str(&text));
}

static void exports_put_row(struct buf *b, struct str summary, const struct job *job)
{
	summary.n -= 1;		/* leave out the closing brace */
	buf_add(b, summary);
	exports_put_word(b, "user", job->user);
	exports_put_word(b, "account", job->account);
	json_close(b, '}');
}

/* Append a summary. The same error is reported only once, not for each job. */
static void exports_append_summary(const struct listener *listener, const char *path,
				   struct str row)
{
	static int said;
	int e = exports_append_line(path, row);
	if (e < 0 && e != said)
		say_warning(listener, "summary-dir: %s: %s; summaries of jobs are lost", path,
			    exports_why(e));
	said = e;
}

void job_exports_end(const struct config *c, const struct listener *listener,
		     const struct job *job, const char *host, struct str summary)
{
	struct buf row CLEANUP(buf_free) = { 0 };
	char path[CONFIG_TEXT_MAX + 272];
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (exports_folder(c, &folders[i])[0])
			exports_remove_from_all(&folders[i], listener,
						exports_folder(c, &folders[i]), str_of(job->id));
	if (!c->summary_dir[0])
		return;
	snprintf(path, sizeof(path), "%s/%s.jsonl", c->summary_dir, host);
	exports_put_row(&row, summary, job);
	exports_append_summary(listener, path, buf_str(&row));
}
