/* SPDX-License-Identifier: BSD-3-Clause */
/* plot_gnuplot.c - run gnuplot */
#include "plot/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/files.h"
#include "base/listener.h"

extern char **environ;

#define WORDS_MAX 4096	/* largest error message of gnuplot that is reported, in bytes */

/*
 * Create a file in memory with this text. gnuplot uses such files instead of pipes, so that it and
 * this process never wait for each other.
 */
static int memory(struct str text)
{
	int fd = memfd_create("nodometer-plot", MFD_CLOEXEC);
	int e = fd >= 0 ? files_write(fd, text) : 0;
	if (e < 0) {
		close(fd);
		return e;
	}
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	return fd;
}

/* Start gnuplot, with option -d to ignore the user's settings. */
static int spawn(int in, int out, int errors, pid_t *pid)
{
	static char name[] = "gnuplot", defaults[] = "-d";
	char *argv[] = { name, defaults, NULL };
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
	int e = posix_spawnp(pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -e;
}

/* Report gnuplot's error message line by line, without blank lines and lines that are only "^". */
static void report(int errors, const struct listener *listener)
{
	char words[WORDS_MAX];
	ssize_t n = pread(errors, words, sizeof(words), 0);
	struct str text = { words, n > 0 ? (size_t)n : 0 }, line;

	while (str_take_line(&text, &line)) {
		line = str_trim(line);
		if (line.n > 0 && !str_eq(line, STR("^")))
			say_error(listener, "gnuplot: " STR_FMT, STR_ARG(line));
	}
}

int gnuplot_run(struct str program, int to, const struct listener *listener)
{
	int in CLEANUP(close_fd) = memory(program);
	int errors CLEANUP(close_fd) = memory(STR(""));
	int status;
	pid_t pid;

	int r = in < 0 ? in : errors < 0 ? errors : spawn(in, to, errors, &pid);
	if (r == -ENOENT)
		say_error(listener, "gnuplot is not installed; install package gnuplot-nox "
			  "(Debian, Ubuntu) or gnuplot (EL, Fedora)");
	else if (r < 0)
		say_error(listener, "gnuplot: %s", strerror(-r));
	if (r < 0)
		return r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	report(errors, listener);
	if (WIFSIGNALED(status))
		say_error(listener, "gnuplot was ended by signal %d", WTERMSIG(status));
	else
		say_error(listener, "gnuplot failed with status %d", WEXITSTATUS(status));
	return -EIO;
}

int gnuplot_draw(struct str program, struct buf *to, const struct listener *listener)
{
	int out CLEANUP(close_fd) = memory(STR(""));
	const size_t begin = to->n;
	ssize_t n;

	int r = out < 0 ? out : gnuplot_run(program, out, listener);
	if (r < 0)
		return r;
	do {
		buf_reserve(to, 65536);
		n = pread(out, to->p + to->n, 65536, (off_t)(to->n - begin));
		to->n += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return n < 0 ? -errno : 0;
}

int gnuplot_run_text(struct str program, struct buf *to, const struct listener *listener)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str rest, line;

	int r = gnuplot_draw(program, &text, listener);
	if (r < 0)
		return r;
	rest = buf_str(&text);
	while (str_take_line(&rest, &line)) {
		str_take_prefix(&line, STR("\f"));
		while (line.n > 0 && line.p[line.n - 1] == ' ')
			line.n--;
		buf_add(to, line);
		buf_add_char(to, '\n');
	}
	return 0;
}

unsigned gnuplot_columns(void)
{
	struct winsize w;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_col < 40)
		return 80;
	return w.ws_col > 400 ? 400 : w.ws_col;
}
