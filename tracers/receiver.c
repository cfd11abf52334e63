/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.c - signals of a program that receives datagrams, and the file that it appends to */
#include "tracers/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "base/files.h"
#include "base/log.h"

static volatile sig_atomic_t ended, hangup;

static void on_signal(int which)
{
	if (which == SIGHUP)
		hangup = 1;
	else
		ended = 1;
}

void receiver_heed(int signal_number)
{
	sigaction(signal_number, &(struct sigaction){ .sa_handler = on_signal }, NULL);
}

bool receiver_is_ended(void)
{
	return ended;
}

bool receiver_take_hangup(void)
{
	bool came = hangup;
	if (came)
		hangup = 0;
	return came;
}

void receiver_block(sigset_t *usual)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, usual);
}

int receiver_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : fd;
}

bool receiver_reopen(const char *path, int *fd)
{
	int new = receiver_open(path);
	if (new < 0) {
		log_error("%s: %s", path, strerror(-new));
		return false;
	}
	close_fd(fd);
	*fd = new;
	return true;
}
