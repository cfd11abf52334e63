/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.c - signals, privileges and output files of a program that receives datagrams */
#include "xrootd/receiver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/privileges.h"
#include "base/system/program.h"

static volatile sig_atomic_t ended, hangup, question;

static void receiver_on_signal(int which)
{
	if (which == SIGHUP)
		hangup = 1;
	else if (which == SIGUSR1)
		question = 1;
	else
		ended = 1;
}

void receiver_heed(int signal_number)
{
	sigaction(signal_number, &(struct sigaction){ .sa_handler = receiver_on_signal }, NULL);
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

bool receiver_take_question(void)
{
	bool came = question;
	if (came)
		question = 0;
	return came;
}

void receiver_block(sigset_t *usual)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGUSR1);
	sigprocmask(SIG_BLOCK, &ours, usual);
}

int receiver_open(const char *path)
{
	int fd;
	do
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	/* opening a pipe waits for a reader, and a signal interrupts the wait */
	while (fd < 0 && errno == EINTR && !ended);
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

static bool receiver_is_directory(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Get the directory of an output, which must stay writable: after a rename, the file is created
 * again.
 */
static void receiver_output_directory(const char *output, char *to, size_t size)
{
	if (receiver_is_directory(output))
		str_copy(to, size, str_of(output));
	else
		confine_parent(output, to, size);
}

/* Get the owner of the output's directory. Returns false if the owner is root. */
static bool receiver_directory_owner(const char *output, struct identity *who)
{
	char folder[PROGRAM_PATH_MAX];
	struct stat st;
	receiver_output_directory(output, folder, sizeof(folder));
	if (stat(folder, &st) < 0 || st.st_uid == 0)
		return false;
	*who = (struct identity){ st.st_uid, st.st_gid };
	return true;
}

static struct identity receiver_find_owner(const struct receiver_paths *p)
{
	struct identity who = privileges_nobody();
	for (size_t i = 0; i < RECEIVER_OUTPUTS; i++)
		if (p->output[i] && receiver_directory_owner(p->output[i], &who))
			return who;
	if (p->state)
		receiver_directory_owner(p->state, &who);
	return who;
}

/*
 * Give a file or directory of root to the user. Refuse a file with more than `names` hard links,
 * because another user may have made a link. Returns true if the owner changed.
 */
static bool receiver_give_path(int dirfd, const char *path, nlink_t names,
			       const struct identity *who)
{
	struct stat st;
	int fd CLEANUP(close_fd) = openat(dirfd, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != 0 ||
	    !(S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_nlink <= names)))
		return false;
	if (fchownat(fd, "", who->uid, who->gid, AT_EMPTY_PATH) == 0)
		return true;
	log_warning("cannot change the owner of %s: %s", path, strerror(errno));
	return false;
}

/*
 * Give a directory of root, with its files, to the user. Accept files with two links: an archive's
 * newest file is also named "current", and only root could make links here.
 */
static void receiver_give_directory(const char *path, const struct identity *who)
{
	const struct dirent *e;
	DIR *d = receiver_give_path(AT_FDCWD, path, 1, who) ? opendir(path) : NULL;
	while (d && (e = readdir(d)))
		if (e->d_type == DT_REG)
			receiver_give_path(dirfd(d), e->d_name, 2, who);
	if (d)
		closedir(d);
}

void receiver_become(const struct receiver_paths *p)
{
	struct identity who = receiver_find_owner(p);
	if (geteuid() != 0)
		return;
	for (size_t i = 0; i < RECEIVER_OUTPUTS; i++)
		if (p->output[i] && !receiver_is_directory(p->output[i]))
			receiver_give_path(AT_FDCWD, p->output[i], 1, &who);
	for (size_t i = 0; i < ARRAY_SIZE(p->handed_over); i++)
		if (p->handed_over[i])
			receiver_give_directory(p->handed_over[i], &who);
	if (p->state)
		receiver_give_path(AT_FDCWD, p->state, 1, &who);
	int r = privileges_become(&who, 0);
	if (r < 0)
		log_warning("cannot become user %u, continuing as root: %s",
			    (unsigned)who.uid, strerror(-r));
}

void receiver_confine(const struct receiver_paths *p)
{
	char folder[RECEIVER_OUTPUTS][PROGRAM_PATH_MAX], tidy[PROGRAM_PATH_MAX] = "";
	char state_dir[PROGRAM_PATH_MAX] = "";
	bool writes = p->state != NULL;
	struct confined c;

	if (p->state)
		confine_parent(p->state, state_dir, sizeof(state_dir));
	if (p->tidies && program_find("tidy", tidy) < 0)
		tidy[0] = '\0';
	struct confine_path paths[6 + RECEIVER_OUTPUTS] = {
		{ state_dir,                                 CONFINE_KEEP },
		/* hwloc lists the root directory */
		{ "/",                                    CONFINE_LIST },
		/* the header of record files is made from /proc */
		{ "/proc",                                CONFINE_READ },
		{ "/sys",                                 CONFINE_READ },
		{ tidy,                                   CONFINE_RUN  },
		{ p->tidies ? confine_interpreter() : "", CONFINE_RUN  },
	};
	size_t n = 6;
	for (size_t i = 0; i < RECEIVER_OUTPUTS; i++) {
		if (!p->output[i])
			continue;
		receiver_output_directory(p->output[i], folder[i], sizeof(folder[i]));
		paths[n++] = (struct confine_path){ folder[i], CONFINE_KEEP };
		writes = true;
	}
	unsigned may = (p->tidies ? MAY_RUN : 0) | (p->serves ? MAY_ACCEPT : 0);
	confine(paths, n, may | MAY_SIGNAL | MAY_SHARE, &c);
	/* If root could not become another user, keep the capability to write files of others. */
	int r = privileges_keep(geteuid() == 0 && writes ? PRIVILEGES_OF_OWNER : 0);
	if (c.why[0] || r < 0)
		log_debug("not confined: %s%s", c.why, r < 0 ? " capabilities" : "");
}
