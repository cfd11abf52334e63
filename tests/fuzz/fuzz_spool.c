/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_spool.c - put any file into RUNTIME-DIR/marks: a name, a newline, its contents */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/unwritten.h"
#include "recorder/jobs.h"
#include "recorder/requests.h"
#include "base/files.h"
#include "base/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static char folder[64];

static void remove_folder(void)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/marks/lock", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/marks", folder);
	rmdir(path);
	rmdir(folder);
}

/* Return the spool, which is in one temporary folder for all inputs. */
static struct spool *get_spool(void)
{
	static struct spool s = { .dirfd = -1, .lockfd = -1 };
	const char *tmp = getenv("TMPDIR");
	if (s.dirfd >= 0)
		return &s;
	log_open("fuzz_spool", LOG_LEVEL_ERROR);
	snprintf(folder, sizeof(folder), "%s/spool-XXXXXX", tmp ? tmp : "/tmp");
	must(mkdtemp(folder) != NULL);
	atexit(remove_folder);
	must(spool_open(&s, folder) == 0);
	return &s;
}

/* Write a file into the spool's folder. Returns false if no file of this name can exist there. */
static bool put_file(const struct spool *s, struct str name, struct str text)
{
	char path[256];
	bool plain = name.n && !str_has(name, '/') && !str_has(name, '\0') &&
		     !str_eq(name, STR(".")) && !str_eq(name, STR("..")) &&
		     !str_eq(name, STR("lock"));
	if (!plain || !str_copy(path, sizeof(path), name))
		return false;
	int fd CLEANUP(close_fd) = openat(s->dirfd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
					  0600);
	return fd >= 0 && files_write(fd, text) == 0;
}

static void try_request(struct str text)
{
	struct request q;
	if (!request_take(text, &q))
		return;
	must(q.text.n == 0 || (q.text.p >= text.p && q.text.n <= text.n));
	if (request_check(&q) < 0 || q.what == REQUEST_MARK)
		return;
	must(job_id_valid(q.id) && q.id.n + q.attributes.n <= q.text.n);
}

/* Check that a file with the name of a request is read as it was written, or removed. */
static void try_marks(struct spool *s, struct str name, struct str text)
{
	struct spooled *all;
	char path[256];
	size_t n;
	must(spool_read(s, &all, &n) == 0);
	str_copy(path, sizeof(path), name);
	must(n <= 1);
	if (n == 0 && str_peek(name) != '.' && str_ends(name, STR(SPOOL_MARK)))
		must(!spool_has(s, path));
	if (n == 1) {
		must(str_eq(str_of(all[0].name), name) && str_eq(buf_str(&all[0].text), text));
		must(all[0].usec >= 0 && spool_has(s, path) && text.n <= SPOOL_MARK_MAX);
		try_request(text);
	}
	spooled_free(all, n);
}

/*
 * Check that only whole record groups are taken over, and that a second run takes over nothing
 * more.
 */
static void try_groups(struct spool *s)
{
	static struct unwritten u;
	struct buf left CLEANUP(buf_free) = { 0 };
	int fd = spool_open_groups(s, false);
	if (fd < 0)
		return;
	unwritten_read(fd, &left);
	must(left.n <= UNWRITTEN_BYTES_MAX);
	must(left.n == 0 || (left.n > 2 && left.p[0] == '\n' && left.p[left.n - 1] == '\n'));
	must(unwritten_open(&u, fd) == 0 && u.n <= UNWRITTEN_GROUPS_MAX);
	must(u.n == 0 || str_eq(buf_str(&u.text), buf_str(&left)));
	must(unwritten_add(&u, 1, STR("\n$hpcperfstats 1\n"), STR("\n1 -\nnodometer - 1 1 1 1\n"),
			   true) == 0);
	unwritten_done(&u, 1);
	unwritten_clear(&u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size }, name;
	struct spool *s = get_spool();
	if (!str_take_line(&text, &name) || !put_file(s, name, text))
		return 0;
	try_marks(s, name, text);
	try_groups(s);
	char path[256];
	str_copy(path, sizeof(path), name);
	unlinkat(s->dirfd, path, 0);
	return 0;
}
