/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c - take messages of an AMQP queue, and acknowledge them once they are processed */
#include "xrootd/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/child.h"
#include "base/system/close_all.h"
#include "base/system/program.h"

/*
 * how long to wait at the end until nodometer-xrootd-queue has acknowledged the last messages, in
 * milliseconds
 */
#define END_MS 5000

static _Noreturn void queue_run_program(const struct queue *q, const char *path, int in, int out)
{
	const char *argv[12] = { path, q->url };
	const char *const options[][2] = {
		{ "--queue", q->name }, { "--password-file", q->password_file },
		{ "--ca-file", q->ca_file },
	};
	size_t n = 2;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i][1]) {
			argv[n++] = options[i][0];
			argv[n++] = options[i][1];
		}
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) {
		close_all_but(-1, -1);
		execv(path, (char **)argv);
	}
	_exit(127);
}

int queue_start(struct queue *q)
{
	char path[PROGRAM_PATH_MAX];
	int in[2], out[2];
	int r = program_find("xrootd-queue", path);
	if (r < 0)
		return r;
	if (pipe2(in, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(out, O_CLOEXEC) < 0) {
		r = -errno;
		close_fd(&in[0]);
		close_fd(&in[1]);
		return r;
	}
	q->pid = fork();
	r = q->pid < 0 ? -errno : 0;
	if (q->pid == 0)
		queue_run_program(q, path, in[0], out[1]);
	close_fd(&in[0]);
	close_fd(&out[1]);
	q->counts = in[1];
	q->messages = out[0];
	(void)fcntl(q->counts, F_SETFL, O_NONBLOCK);
	return r;
}

void queue_tell(struct queue *q, uint64_t n)
{
	char line[32];
	if (n <= q->acknowledged)
		return;
	int size = snprintf(line, sizeof(line), "%llu\n", (unsigned long long)n);
	/* If the pipe is full, write nothing: the next number includes this number. */
	if (write(q->counts, line, (size_t)size) == size)
		q->acknowledged = n;
}

void queue_end(struct queue *q)
{
	if (q->pid <= 0)
		return;
	close_fd(&q->counts);
	if (!child_has_ended(q->pid, END_MS))
		child_kill(q->pid, END_MS);
	close_fd(&q->messages);
	q->pid = 0;
}
