/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-run.c - nodometer run: run a command, sample its nodes, and print the report */
#include <ctype.h>
#include <errno.h>
#include <nss.h>
#include <poll.h>
#include <stddef.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "archive/explain.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/keys.h"
#include "base/log.h"
#include "base/system/child.h"
#include "base/system/program.h"
#include "base/system/users.h"
#include "recorder/attributes.h"
#include "report/report.h"
#include "run/command.h"
#include "run/launcher.h"
#include "run/watch.h"

/* environment variable that tells the command the id of its run */
#define NESTED "NODOMETER_RUN"
#define NAME_MAX_BYTES 40
#define JOIN_MS    10000	/* ms to wait for another rank to start its sampler */
#define END_MS     10000	/* ms to take and write the last sample */
/* ms to wait for other nodes after the command failed, or after a launcher has ended */
#define FAILED_MS  1000
#define SILENT_US  30000000	/* time after which a node that writes nothing counts as dead */
/* ms; the interval at which other nodes are polled doubles until it exceeds this */
#define LOOK_MS    250
#define RESTARTS   3

enum { INTERVAL, DIR_OPTION, HTML, QUIET, RANK_OF };
static const struct cli_option table[] = {
	[INTERVAL]   = { "interval", "TIME", "between samples: 500ms, 1s (default), 1min", 'i' },
	[DIR_OPTION] = { "dir", "DIR", "folder for the records (default ./nodometer-RUN)", 'o' },
	[HTML]       = { "html", "FILE", "also write an HTML page with charts" },
	[QUIET]      = { "quiet", NULL, "do not print the report", 'q' },
	[RANK_OF]    = { "rank-of", "RUN",
			"this is a rank of RUN; another rank prints the report" },
};
static const struct cli cli = {
	.command = "run", .operands = "[--] COMMAND...", .until_word = true, CLI_OPTIONS(table),
	.about = "Runs a command and reports what it used, on standard error. Covers all nodes if\n"
		 "srun, mpirun, flux run or jsrun starts it, or if COMMAND is one of these or ssh.",
};

struct run {
	int64_t interval_us;
	const char *interval, *dir, *html, *rank_of;
	bool quiet;
	char **argv;
	struct launcher_place place;
	bool recorded;		/* the run is recorded, as far as this process knows */
	bool launches;	/* the command is a launcher, whose ranks are sampled */
	char id[128];
	char hostname[64];	/* hostname to use in records, or "" for that of the machine */
	char attributes[ATTRIBUTES_MAX + 1];
	char folder[ROOM_PATH_MAX];
	struct room room;
	struct watch watch;
	/* descriptor of the sampler's FIFO, or -1 if nothing is recorded on this node */
	int fifo;
	unsigned restarts;
};

static void take_interval(struct run *r, const char *arg)
{
	static const struct key key = {
		"--interval", KEY_NUMBER, offsetof(struct run, interval_us), key_times,
		20000, 3600000000,
	};
	struct buf why CLEANUP(buf_free) = { 0 };
	char text[64];
	snprintf(text, sizeof(text), "%s%s", arg, str_is_u64(str_of(arg)) ? "s" : "");
	if (!key_set(&key, r, text, &why))
		cli_wrong(&cli, STR_FMT, STR_ARG(buf_str(&why)));
	r->interval = arg;
}

static void run_take_options(struct run *r, int argc, char **argv)
{
	const char *arg;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		switch (o) {
		case INTERVAL:   take_interval(r, arg); break;
		case DIR_OPTION: r->dir = arg; break;
		case HTML:       r->html = arg; break;
		case QUIET:      r->quiet = true; break;
		case RANK_OF:    r->rank_of = arg; break;
		}
	if (optind == argc)
		cli_wrong(&cli, "missing COMMAND");
	r->argv = argv + optind;
}

/*
 * Return a hint if the command was not found because it was quoted as one word, or because only a
 * shell knows it.
 */
static const char *run_remedy(const char *command, int error)
{
	static const char *const of_shells[] = {
		".", "alias", "cd", "eval", "export", "module", "set", "source", "ulimit",
	};
	if (error != -ENOENT)
		return "";
	for (size_t i = 0; i < ARRAY_SIZE(of_shells); i++)
		if (strcmp(command, of_shells[i]) == 0)
			return "; this is a shell command: use nodometer run -- sh -c '...'";
	return strchr(command, ' ') ? "; write the command and its arguments as separate words, "
				      "without quotes around all of them" : "";
}

/* Copy the last component of a path, without the characters that a run's name may not have. */
static void run_put_name(char *to, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = 0;
	for (const char *c = slash ? slash + 1 : path; *c && n + 1 < size; c++)
		to[n++] = isalnum((unsigned char)*c) || strchr("._+-", *c) ? *c : '_';
	to[n] = '\0';
}

static void make_id(struct run *r)
{
	char name[NAME_MAX_BYTES], at[32] = "";
	time_t now = time(NULL);
	struct tm tm;
	run_put_name(name, sizeof(name), r->argv[0]);
	if (localtime_r(&now, &tm))
		strftime(at, sizeof(at), "%Y%m%d-%H%M%S", &tm);
	snprintf(r->id, sizeof(r->id), "%s-%s-%d", name, at, (int)getpid());
}

/*
 * Choose the id of the run. A run that a rank of another run starts directly gets an id of its own.
 */
static void choose_id(struct run *r)
{
	const char *outer = getenv(NESTED);
	r->place = launcher_place();
	if (r->place.launcher && !r->rank_of &&
	    (!r->place.id[0] || (outer && strcmp(outer, r->place.id) == 0)))
		r->place.launcher = NULL;
	if (r->rank_of)
		str_copy(r->id, sizeof(r->id), str_of(r->rank_of));
	else if (r->place.launcher)
		str_copy(r->id, sizeof(r->id), str_of(r->place.id));
	else
		make_id(r);
}

/* Choose the hostname. If several slurmds run on a machine, each is a node with its own name. */
static void choose_host(struct run *r, char host[64])
{
	const char *node = getenv("SLURMD_NODENAME");
	if (gethostname(host, 64) < 0)
		str_copy(host, 64, STR("localhost"));
	host[63] = '\0';
	size_t n = strcspn(host, ".");
	if (!node || !*node || strchr(node, '/') || (strncmp(node, host, n) == 0 && !node[n]))
		return;
	str_copy(r->hostname, sizeof(r->hostname), str_of(node));
	str_copy(host, 64, str_of(node));
}

static int put_attribute(struct buf *b, const char *key, const char *value)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	buf_addf(&one, "%s=%s", key, value);
	return attributes_add(b, buf_str(&one));
}

/*
 * Append the user's name from /etc/passwd or, if it is not there, from USER or LOGNAME. A name
 * service could hang.
 */
static void run_put_user(struct buf *b)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	const char *user = getenv("USER");
	if (!user || !*user)
		user = getenv("LOGNAME");
	if (!users_add_name(&name, getuid()) && user)
		buf_addf(&name, "%s", user);
	buf_add_char(&name, '\0');
	/* ignore a failure: the uid identifies the user as well */
	(void)!put_attribute(b, "user", name.p);
}

static const char *run_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/*
 * Append the name of the command. For an interpreter, also append the name of the script: the first
 * argument that is no option and names a file.
 */
static void run_put_command(struct buf *b, char *const argv[])
{
	struct stat st;
	size_t i = 1;

	buf_addf(b, "%s", run_last_part(argv[0]));
	while (argv[i] && argv[i][0] == '-')
		i++;
	if (argv[i] && stat(argv[i], &st) == 0 && S_ISREG(st.st_mode))
		buf_addf(b, " %s", run_last_part(argv[i]));
	buf_add_char(b, '\0');
}

/*
 * Append the number of CPUs that the command may use, unless it may use all CPUs. Append nothing
 * for one of several ranks, because its CPUs are only a part of the run's.
 */
static void run_put_cpus(const struct run *r, struct buf *b)
{
	cpu_set_t set;
	bool alone = (!r->place.launcher && !r->rank_of) || r->place.ranks_here == 1;

	if (!alone || sched_getaffinity(0, sizeof(set), &set) < 0 ||
	    CPU_COUNT(&set) >= sysconf(_SC_NPROCESSORS_ONLN))
		return;
	buf_addf(b, " cpus=%d", CPU_COUNT(&set));
}

static void run_put_attributes(struct run *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct buf command CLEANUP(buf_free) = { 0 };
	char name[NAME_MAX_BYTES];
	buf_addf(&b, "uid=%u", (unsigned)getuid());
	if (r->place.nodes)
		buf_addf(&b, " nodes=%zu", r->place.nodes);
	run_put_cpus(r, &b);
	run_put_user(&b);
	run_put_command(&command, r->argv);
	if (put_attribute(&b, "name", command.p) < 0) {
		run_put_name(name, sizeof(name), r->argv[0]);
		(void)!put_attribute(&b, "name", name);
	}
	str_copy(r->attributes, sizeof(r->attributes), buf_str(&b));
}

static void warn_of_folder(const struct run *r, int e)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	if (e == -EACCES && access(r->folder, W_OK) == 0)
		buf_addf(&why, "its folder .run-%u belongs to another user", (unsigned)geteuid());
	else
		explain_path(&why, r->folder, e, true);
	log_warning("%s: " STR_FMT "; the command runs, but nothing is recorded; select another "
		    "folder with --dir", r->folder, STR_ARG(buf_str(&why)));
}

/* Start the sampler of this node, or join the sampler of another rank. */
static int join(struct run *r)
{
	int64_t until = monotonic_ns() + JOIN_MS * INT64_C(1000000), pause = 1000000;
	int fd, e;
	do {
		e = watch_start(&r->watch);
		/* a sampler of another process has ended and removed the folder */
		if (e == -ENOENT)
			e = room_enter(&r->room);
		fd = e < 0 && e != -EBUSY ? e : room_join(&r->room);
		if (fd >= 0)
			return fd;
		if (fd != -ENXIO && fd != -ENOENT)
			return fd;
		clock_pause(&pause);
	} while (monotonic_ns() < until);
	return -ETIMEDOUT;
}

static void run_say(const struct run *r, const struct room_message *m)
{
	if (r->fifo >= 0)
		(void)!write(r->fifo, m, sizeof(*m));
}

static int run_enter(struct run *r)
{
	const struct room_message joined = { .what = ROOM_JOINED, .pid = getpid() };
	int fd = room_enter(&r->room);
	if (fd == 0)
		fd = join(r);
	if (fd < 0) {
		warn_of_folder(r, fd);
		r->fifo = -1;
		return -1;
	}
	r->fifo = fd;
	run_say(r, &joined);
	return fd;
}

static int start_again(void *arg)
{
	struct run *r = arg;
	close_fd(&r->fifo);
	/* some ranks may have ended, so their number is unknown now */
	r->watch.ranks = 0;
	if (r->restarts++ == RESTARTS) {
		log_warning("the sampler was killed %d times; recording stops", RESTARTS + 1);
		return -1;
	}
	return run_enter(r);
}

/*
 * Leave the sampler. The last process of a node waits until the sampler has finished, because a
 * scheduler may kill the sampler when all ranks have ended.
 */
static void run_leave(struct run *r, const struct command_end *end)
{
	struct room_message leaving = { .what = ROOM_LEFT, .pid = getpid(), .used = end->used,
				     .command = end->command, .status = command_status(end) };
	int64_t until = monotonic_ns() + END_MS * INT64_C(1000000), pause = 500000;
	bool all_left;
	if (r->fifo < 0)
		return;
	room_append_event(&r->room, '-');
	size_t joined = room_joined(&r->room, &all_left);
	do {
		run_say(r, &leaving);
		close_fd(&r->fifo);
		if (!all_left || joined < r->place.ranks_here)
			return;
		while (room_sampler(&r->room) == ROOM_SAMPLER_WORKS && monotonic_ns() < until)
			clock_pause(&pause);
	} while (room_sampler(&r->room) == ROOM_SAMPLER_KILLED && start_again(r) >= 0);
}

/*
 * Return whether ranks of other nodes may still run, because a node wrote a record recently. If no
 * node has written a record yet, count from the end of this command, which may have ended before
 * the samplers started.
 */
static bool others_work(const struct run *r, int64_t ended_us)
{
	const struct room_nodes n = room_nodes(&r->room);
	int64_t last_us = n.changed_us ? n.changed_us : ended_us;
	return (n.sampled || n.recorded < r->place.nodes) &&
	       realtime_us() - last_us < SILENT_US + 3 * r->interval_us;
}

/*
 * Wait for the other nodes. If this rank failed, wait for a short time only, so that the launcher
 * learns of the failure and can end the other ranks. Wait for as short a time if this command is a
 * launcher, because its ranks have all ended. Poll less and less often, because the whole site may
 * share the file system.
 */
static void wait_for_nodes(const struct run *r, bool failed)
{
	int64_t until = monotonic_ns() + (failed || r->launches ? FAILED_MS : INT32_MAX) *
			INT64_C(1000000), ended_us = realtime_us();
	for (int ms = 1; others_work(r, ended_us) && monotonic_ns() < until; ) {
		poll(NULL, 0, ms);
		ms += ms < LOOK_MS ? ms : 0;
	}
}

static _Noreturn void become_report(const struct run *r, bool html)
{
	char dir_option[] = "--dir", html_option[] = "--html", name[] = "report";
	char *argv[] = {
		name, (char *)r->id, dir_option, (char *)r->room.dir, html ? html_option : NULL,
		(char *)r->html, NULL,
	};
	dup2(STDERR_FILENO, STDOUT_FILENO);
	exit(report_main(html ? 6 : 4, argv));
}

/* Print the report. Returns false, after a message, if there is none. */
static bool print_page(const struct run *r, bool html)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		become_report(r, html);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0;
}

static void print_pages(const struct run *r)
{
	bool all = r->quiet || print_page(r, false);
	if (r->html)
		all = print_page(r, true) && all;
	if (!r->quiet && all)
		fprintf(stderr, "\nThe records are in %s; more: nodometer report %s --dir %s\n",
			r->room.dir, r->id, r->room.dir);
}

static bool is_printer(const struct run *r)
{
	return !r->rank_of && (!r->place.launcher || r->place.rank == 0);
}

static void run_finish(struct run *r, const struct command_end *end)
{
	bool failed = end->error || end->status || !r->recorded;
	if (!is_printer(r))
		return;
	if (end->left && !r->launches)
		log_notice("%zu processes of the command still run", end->left);
	if (r->launches || r->place.launcher)
		wait_for_nodes(r, failed);
	room_remove(&r->room);
	if (!end->error && r->recorded)
		print_pages(r);
}

/* Insert this program, with the folder of the run, before the program that a launcher starts. */
static void wrap(struct run *r)
{
	static char path[PROGRAM_PATH_MAX], of[] = "--rank-of", dir[] = "--dir", end[] = "--";
	static char interval[] = "--interval";
	char *prefix[] = {
		path, of, r->id, dir, r->room.dir, r->interval ? interval : end,
		r->interval ? (char *)r->interval : NULL, r->interval ? end : NULL, NULL,
	};
	const char *unknown;
	if (r->place.launcher || readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return;
	char **argv = launcher_wrap(r->argv, prefix, &unknown);
	if (argv)
		r->argv = argv;
	r->launches = argv != NULL;
	if (unknown)
		log_warning("%s: unknown option %s, so nodometer run cannot find the program in "
			    "the command line, and samples only this node: put \"nodometer run "
			    "--\" before the program, not before %s",
			    r->argv[0], unknown, r->argv[0]);
}

static bool run_make_room(struct run *r)
{
	char host[64];
	choose_host(r, host);
	run_put_attributes(r);
	if (r->dir)
		snprintf(r->folder, sizeof(r->folder), "%s", r->dir);
	else
		snprintf(r->folder, sizeof(r->folder), "nodometer-%s", r->id);
	int e = room_make(&r->room, r->folder, r->id, host);
	if (e < 0)
		warn_of_folder(r, e);
	return e == 0;
}

/* Start the sampler, or join it. If that fails, run the command without recording it. */
static void start_sampling(struct run *r)
{
	wrap(r);
	r->watch = (struct watch){
		.room = &r->room, .id = r->id, .hostname = r->hostname,
		.attributes = r->attributes, .interval_us = r->interval_us,
		.ranks = r->place.ranks_here, .listener = &log_listener,
	};
	r->recorded = r->launches || run_enter(r) >= 0;
	if (r->recorded && !r->launches)
		room_append_event(&r->room, '+');
}

/* Disable name services: they may hang, and a static program cannot load their libraries. */
static void ask_no_name_service(void)
{
	__nss_configure_lookup("passwd", "files");
	__nss_configure_lookup("group", "files");
}

int main(int argc, char **argv)
{
	static struct run r = { .interval_us = 1000000, .fifo = -1 };
	struct command_end end;

	log_open("nodometer run", LOG_LEVEL_INFO);
	ask_no_name_service();
	run_take_options(&r, argc, argv);
	end = (struct command_end){ .error = child_find(r.argv[0]) };
	if (end.error == 0) {
		choose_id(&r);
		bool has_room = run_make_room(&r);
		if (has_room)
			start_sampling(&r);
		setenv(NESTED, r.id, 1);
		const struct command c = {
			.argv = r.argv, .sampler = r.fifo, .lost = start_again, .arg = &r,
		};
		command_run(&c, &end);
		run_leave(&r, &end);
		if (has_room)
			run_finish(&r, &end);
	}
	if (end.error)
		log_error("%s: %s%s", r.argv[0], strerror(-end.error),
			  run_remedy(r.argv[0], end.error));
	command_end_like(&end);
}
