/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-send.c - delivers the records of this host's archive to the configured sinks */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "archive/archive.h"
#include "archive/host.h"
#include "base/system/confine.h"
#include "base/log.h"
#include "base/system/privileges.h"
#include "recorder/options.h"
#include "send/feed.h"
#include "send/feeds.h"

#define OWN_PATHS      7
#define SINK_PATHS_MAX 128
#define WAIT_S         2	/* until the archive's folder is looked for again */

enum { ONCE, CHECK };
static const struct cli_option table[] = {
	[ONCE]  = { "once",  NULL, "send the last record to each sink and exit" },
	[CHECK] = { "check", NULL, "report the mistakes in the configuration and exit" },
};

static void print_sections(void)
{
	sections_print(stdout);
}

static const struct cli cli = {
	.program = "nodometer-send", .operands = "", .configured = true, CLI_OPTIONS(table),
	.about = "Delivers the records of this host's archive to the sinks of the configuration.\n"
		 "Each sink continues where it stopped.",
	.more = print_sections, .page = "nodometer-send(8)",
};

struct sender {
	struct config c;
	struct host host;
	struct files root;
	struct sections sections;
	struct feed_node node;
	bool check;
};

static volatile int stop;

static void on_signal(int which)
{
	(void)which;
	stop = 1;
}

/* An archive that is made while we wait has no past. 0, or -EINTR. */
static int wait_for_archive(struct sender *s)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	bool said = false;
	buf_addf(&path, "%s/%s%c", s->c.dir, s->host.name, '\0');
	while (access(path.p, R_OK | X_OK) < 0) {
		int e = errno;
		if (e != ENOENT && e != EACCES)
			return -e;
		s->node.new_archive |= e == ENOENT;
		if (!said)
			log_notice("%s: %s; waiting for it", path.p, strerror(e));
		said = true;
		ppoll(NULL, 0, &(struct timespec){ .tv_sec = WAIT_S }, &s->node.usual);
		if (stop)
			return -EINTR;
	}
	return 0;
}

/* It is of who owns the archive, whom root becomes, and all may look. */
static int hand_over(const struct sender *s, const char *dir)
{
	struct stat st;
	if (stat(dir, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid())
		return 0;
	if (chmod(dir, 0755) < 0)
		return -errno;
	bool root = geteuid() == 0 && stat(s->c.dir, &st) == 0;
	return root && chown(dir, st.st_uid, st.st_gid) < 0 ? -errno : 0;
}

/* For the cursors. What is above was there before, or is ours as well. */
static int make_state_dir(const struct sender *s)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	bool is_new = access(s->c.state_dir, F_OK) < 0;
	buf_addf(&path, "%s/%s%c", s->c.state_dir, s->host.name, '\0');
	int r = archive_make_dirs(path.p);
	if (r == 0 && is_new)
		r = hand_over(s, s->c.state_dir);
	return r < 0 ? r : hand_over(s, path.p);
}

/*
 * As the archive's owner, who reads what every user does, and below its parent: it may be replaced.
 * /etc and /run hold what name servers are asked by.
 */
static void confine_sender(const struct sender *s)
{
	char above[CONFIG_TEXT_MAX];
	struct confined c;
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	confine_parent(s->c.dir, above, sizeof(above));
	struct confine_path paths[OWN_PATHS + SINK_PATHS_MAX] = {
		{ s->c.dir,                                CONFINE_READ },
		{ strcmp(above, "/") == 0 ? "" : above,    CONFINE_READ },
		{ s->node.once ? "" : s->c.state_dir,      CONFINE_KEEP },
		{ s->root.in_root ? s->c.root : "/proc",   CONFINE_READ },
		{ "/etc",                                  CONFINE_READ },
		{ "/run",                                  CONFINE_READ },
		{ credentials ? credentials : "",          CONFINE_READ },
	};
	if (privileges_of_owner(s->c.dir, 0) < 0 || privileges_keep(0) < 0)
		log_notice("the capabilities of its start are kept");
	size_t n = sections_put_paths(&s->sections, paths + OWN_PATHS, SINK_PATHS_MAX);
	confine(paths, OWN_PATHS + n, MAY_CONNECT | MAY_NETWORK, &c);
	if (c.why[0])
		log_notice("not confined by %s", c.why);
}

static void heed_signals(struct sender *s)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigprocmask(SIG_BLOCK, &ours, &s->node.usual);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int send_last(struct sender *s)
{
	int failed = 0;
	confine_sender(s);
	for (size_t i = 0; i < s->sections.n && !stop; i++) {
		int r = feed_run(s->sections.one[i], &s->node);
		failed = r < 0 ? r : failed;
	}
	return failed;
}

static int run(struct sender *s)
{
	heed_signals(s);
	if (s->node.once)
		return send_last(s);
	int r = wait_for_archive(s);
	if (r < 0)
		return r == -EINTR ? 0 : r;
	r = make_state_dir(s);
	if (r < 0) {
		log_error("%s/%s: %s; it is to hold how far each sink is: [send] state-dir",
			  s->c.state_dir, s->host.name, strerror(-r));
		return r;
	}
	confine_sender(s);
	if (s->sections.n == 1)
		return feed_run(s->sections.one[0], &s->node);
	return feeds_run(&s->sections, &s->node);
}

/* Of the file, by line, and of what its keys make together. */
static int configure(struct sender *s, struct options *o)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	const struct config_sinks take = sections_take(&s->sections);
	o->sinks = &take;
	int r = options_read(o, &s->c, &errors);
	s->c.sinks = NULL;
	if (r == 0)
		r = sections_check(&s->sections, &errors);
	if (r == 0 && !s->check && s->sections.n == 0) {
		buf_addf(&errors, "no section [sink NAME] is there: there is nothing to do; "
			 "nodometer-send(8) has one to start with\n");
		r = -EINVAL;
	}
	if (s->check)
		return options_say_checked(o, r, buf_str(&errors));
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	return r < 0 ? 2 : -1;
}

/* A status to leave with, or -1. */
static int take_options(struct sender *s, int argc, char **argv)
{
	struct options o = { NULL };
	const char *arg;
	int id;
	while ((id = options_next(&o, &cli, argc, argv, &arg)) >= 0) {
		s->node.once |= id == ONCE;
		s->check |= id == CHECK;
	}
	if (id != CLI_END)
		return id == CLI_SHOWN ? CLI_OK : CLI_WRONG;
	if (optind != argc)
		return cli_misused(&cli, "takes no words");
	return configure(s, &o);
}

static int work(struct sender *s)
{
	int r = files_open_root(&s->root, s->c.root);
	if (r < 0) {
		log_error("%s: %s", s->c.root, strerror(-r));
		return 1;
	}
	host_identify(&s->host, &s->root, s->c.hostname);
	s->node.config = &s->c;
	s->node.host = s->host.name;
	s->node.stop = &stop;
	s->node.sink = (struct sink_node){
		.host = s->host.name, .root = &s->root, .started = time(NULL),
		.listener = &log_listener,
		.last_chance = s->node.once,
	};
	r = run(s);
	files_free(&s->root);
	return r < 0;
}

int main(int argc, char **argv)
{
	static struct sender s;

	log_open("nodometer-send", LOG_LEVEL_INFO);
	int status = take_options(&s, argc, argv);
	if (status < 0)
		status = work(&s);
	sections_free(&s.sections);
	config_free(&s.c);
	return status;
}
