/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.c - signals of a program that receives datagrams, and the file that it appends to */
#include "tracers/xrootd/receiver.h"

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

static void on_signal(int which)
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
	while (fd < 0 && errno == EINTR && !ended);	/* a pipe waits for its reader */
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

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A file that gets another name goes on in a new one: the directory is what counts. */
static void find_folder(const char *output, char *to, size_t size)
{
	if (is_folder(output))
		str_copy(to, size, str_of(output));
	else
		confine_parent(output, to, size);
}

/* The owner of the folder, where that is not root. */
static bool take_owner(const char *output, struct identity *who)
{
	char folder[PROGRAM_PATH_MAX];
	struct stat st;
	find_folder(output, folder, sizeof(folder));
	if (stat(folder, &st) < 0 || st.st_uid == 0)
		return false;
	*who = (struct identity){ st.st_uid, st.st_gid };
	return true;
}

static struct identity find_owner(const struct receiver_paths *p)
{
	struct identity who = privileges_nobody();
	for (size_t i = 0; i < RECEIVER_OUTPUTS; i++)
		if (p->output[i] && take_owner(p->output[i], &who))
			return who;
	if (p->state)
		take_owner(p->state, &who);
	return who;
}

/* Root's folder, or file, with no more names than these: others may have made one of them. */
static bool give(int dirfd, const char *path, nlink_t names, const struct identity *who)
{
	struct stat st;
	int fd CLEANUP(close_fd) = openat(dirfd, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != 0 ||
	    !(S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_nlink <= names)))
		return false;
	if (fchownat(fd, "", who->uid, who->gid, AT_EMPTY_PATH) == 0)
		return true;
	log_warning("%s: it stays root's: %s", path, strerror(errno));
	return false;
}

/* In a folder that was root's, all is as root made it: "current" is a second name. */
static void give_folder(const char *path, const struct identity *who)
{
	const struct dirent *e;
	DIR *d = give(AT_FDCWD, path, 1, who) ? opendir(path) : NULL;
	while (d && (e = readdir(d)))
		if (e->d_type == DT_REG)
			give(dirfd(d), e->d_name, 2, who);
	if (d)
		closedir(d);
}

void receiver_become(const struct receiver_paths *p)
{
	struct identity who = find_owner(p);
	if (geteuid() != 0)
		return;
	for (size_t i = 0; i < RECEIVER_OUTPUTS; i++)
		if (p->output[i] && !is_folder(p->output[i]))
			give(AT_FDCWD, p->output[i], 1, &who);
	for (size_t i = 0; i < ARRAY_SIZE(p->given); i++)
		if (p->given[i])
			give_folder(p->given[i], &who);
	if (p->state)
		give(AT_FDCWD, p->state, 1, &who);
	int r = privileges_become(&who, 0);
	if (r < 0)
		log_warning("going on as root, who cannot become user %u here: %s",
			    (unsigned)who.uid, strerror(-r));
}

void receiver_confine(const struct receiver_paths *p)
{
	char folder[RECEIVER_OUTPUTS][PROGRAM_PATH_MAX], tidy[PROGRAM_PATH_MAX] = "";
	char beside[PROGRAM_PATH_MAX] = "";
	bool writes = p->state != NULL;
	struct confined c;

	if (p->state)
		confine_parent(p->state, beside, sizeof(beside));
	if (p->tidies && program_find("tidy", tidy) < 0)
		tidy[0] = '\0';
	struct confine_path paths[6 + RECEIVER_OUTPUTS] = {
		{ beside,                                 CONFINE_KEEP },
		{ "/",                                    CONFINE_LIST },	/* for hwloc */
		{ "/proc",                                CONFINE_READ },	/* for a header */
		{ "/sys",                                 CONFINE_READ },
		{ tidy,                                   CONFINE_RUN  },
		{ p->tidies ? confine_interpreter() : "", CONFINE_RUN  },
	};
	size_t n = 6;
	for (size_t i = 0; i < RECEIVER_OUTPUTS; i++) {
		if (!p->output[i])
			continue;
		find_folder(p->output[i], folder[i], sizeof(folder[i]));
		paths[n++] = (struct confine_path){ folder[i], CONFINE_KEEP };
		writes = true;
	}
	confine(paths, n, (p->tidies ? MAY_RUN : 0) | MAY_SIGNAL | MAY_SHARE, &c);
	/* Where root could not become another user it still writes what is of others. */
	int r = privileges_keep(geteuid() == 0 && writes ? PRIVILEGES_OF_OWNER : 0);
	if (c.why[0] || r < 0)
		log_debug("not confined: %s%s", c.why, r < 0 ? " capabilities" : "");
}
