/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-send.c - delivers the records of this host's archive to the configured sinks */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "archive/archive.h"
#include "archive/cursor.h"
#include "archive/host.h"
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/privileges.h"
#include "recorder/options.h"
#include "send/audit.h"
#include "send/feed.h"
#include "send/feeds.h"

#define OWN_PATHS      9
#define SINK_PATHS_MAX 128
#define PATHS_MAX      (OWN_PATHS + SINK_PATHS_MAX)
#define LOCK_NS        200000000
#define WAIT_S         2	/* until the archive's folder is looked for again */

enum { ONCE, DRY_RUN, AUDIT, CHECK };
static const struct cli_option table[] = {
	[ONCE]    = { "once",    NULL, "send the last record to each sink and exit" },
	[DRY_RUN] = { "dry-run", NULL, "print how many records wait for each sink and exit" },
	[AUDIT]   = { "audit",   NULL, "compare what receivers hold, refill holes, and exit" },
	[CHECK]   = { "check",   NULL, "report the mistakes in the configuration and exit" },
};

static void print_sections(void)
{
	sections_print(stdout);
}

static const struct cli cli = {
	.program = "nodometer-send", .operands = "[NAME]", .configured = true, CLI_OPTIONS(table),
	.about = "Delivers the records of this host's archive to the sinks of the configuration.\n"
		 "Each sink continues where it stopped.",
	.more = print_sections, .page = "nodometer-send(8)",
};

struct sender {
	struct options options;
	struct config c;
	struct host host;
	struct files root;
	struct sections sections;
	struct feed_node node;
	bool check, audit, confined, landlock;
	const char *audited;	/* the only sink, or NULL */
	bool new_state;		/* the folder of cursors was made, and not handed over yet */
	struct confine_path given[PATHS_MAX];	/* to what it is confined, until its end */
	size_t n_given;
	int lock;		/* see cursor_lock(), or -1 */
};

static volatile int stop, ended, reload;

static void on_signal(int which)
{
	if (which == SIGHUP)
		reload = 1;
	else
		ended = 1;
	stop = 1;
}

/* Only interrupts feeds_run(), which looks who has ended. */
static void on_child(int which)
{
	(void)which;
}

/* Gives a directory to the owner of the archive, whom root becomes; all users may look into it. */
static int hand_over(const struct sender *s, const char *dir)
{
	struct stat st;
	if (stat(dir, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid())
		return 0;
	int fd CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0755) < 0)
		return -errno;
	bool root = geteuid() == 0 && stat(s->c.dir, &st) == 0;
	return root && fchown(fd, st.st_uid, st.st_gid) < 0 ? -errno : 0;
}

/* Makes the folder of the cursors; folders above it exist, or are ours as well. */
static int make_state_dir(struct sender *s)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	s->new_state |= access(s->c.state_dir, F_OK) < 0;
	buf_addf(&path, "%s/%s%c", s->c.state_dir, s->host.name, '\0');
	int r = archive_make_dirs(path.p);
	if (r == 0 && s->new_state)
		r = hand_over(s, s->c.state_dir);
	s->new_state &= access(s->c.dir, F_OK) < 0;
	return r < 0 ? r : hand_over(s, path.p);
}

/*
 * The archive, and what is below its parent: it may be replaced. /etc and /run hold what name
 * servers are asked by. How many paths there are.
 */
static size_t put_paths(const struct feed_node *node, const struct sections *sections,
			struct confine_path *to)
{
	static char above[CONFIG_TEXT_MAX];
	const struct config *config = node->config;
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	confine_parent(config->dir, above, sizeof(above));
	const struct confine_path own[] = {
		{ config->dir,                             CONFINE_READ },
		{ strcmp(above, "/") == 0 ? "" : above,    CONFINE_READ },
		{ node->once ? "" : config->state_dir,     CONFINE_KEEP },
		{ strcmp(config->root, "/") == 0 ? "/proc" : config->root, CONFINE_READ },
		{ "/etc",                                  CONFINE_READ },
		{ "/run",                                  CONFINE_READ },
		{ config->runtime_dir,                     CONFINE_READ },
		{ credentials ? credentials : "",          CONFINE_READ },
	};
	memcpy(to, own, sizeof(own));
	return ARRAY_SIZE(own) + sections_put_paths(sections, to + ARRAY_SIZE(own), SINK_PATHS_MAX);
}

static void confine_to(const struct confine_path *paths, size_t n, struct confined *ret)
{
	confine(paths, n, MAY_CONNECT | MAY_NETWORK | MAY_SIGNAL | MAY_SHARE, ret);
}

/* The process of a sink is confined to what this one needs. */
static void confine_feed(const struct feed_node *node, const struct section *s)
{
	const struct sections one = { .one = { (struct section *)s }, .n = 1 };
	struct confine_path paths[PATHS_MAX];
	struct confined c;
	confine_to(paths, put_paths(node, &one, paths), &c);
}

/* Keeps the paths of the rules: the configuration that names them may be replaced. */
static void note_given(struct sender *s)
{
	static char above[CONFIG_TEXT_MAX];
	const char *config = s->options.config ? s->options.config : config_default_path();
	confine_parent(config, above, sizeof(above));
	s->n_given = put_paths(&s->node, &s->sections, s->given);
	s->given[s->n_given++] = (struct confine_path){ above, CONFINE_READ };
	for (size_t i = 0; i < s->n_given; i++)
		s->given[i].path = xstrdup(str_of(s->given[i].path));
}

/*
 * Confines the sender, which runs as the archive's owner, to what all of its sinks need and to its
 * configuration. It starts no program, and has no peer.
 */
static void confine_sender(struct sender *s)
{
	struct confined c;
	if (s->confined)
		return;
	if (privileges_of_owner(s->c.dir, 0) < 0 || privileges_keep(0) < 0)
		log_notice("the capabilities of its start are kept");
	note_given(s);
	confine_to(s->given, s->n_given, &c);
	if (c.why[0])
		log_notice("not confined by %s", c.why);
	s->landlock = c.landlock > 0;
	s->confined = true;
}

static void heed_signals(struct sender *s)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, &s->node.usual);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	sigaction(SIGHUP, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = on_child }, NULL);
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

static void print_waiting(const struct section *s, const struct feed_waiting *w)
{
	printf("[sink %s] ", s->name);
	if (w->fresh)
		printf("begins with what is new: it has no cursor\n");
	else if (!w->records)
		printf("nothing waits\n");
	if (!w->records)
		return;
	printf("records that wait: %llu, of %s to %s; %lld s at rate = %lld\n",
	       (unsigned long long)w->records, cli_moment(w->first_us).s,
	       cli_moment(w->last_us).s,
	       (long long)((w->records + (uint64_t)s->rate - 1) / (uint64_t)s->rate),
	       (long long)s->rate);
}

static int print_all_waiting(struct sender *s)
{
	int failed = 0;
	confine_sender(s);
	for (size_t i = 0; i < s->sections.n && !stop; i++) {
		struct feed_waiting w;
		int r = feed_count(s->sections.one[i], &s->node, &w);
		if (r == 0)
			print_waiting(s->sections.one[i], &w);
		else
			log_error("[sink %s] %s/%s: %s", s->sections.one[i]->name, s->c.dir,
				  s->host.name, strerror(-r));
		failed = r < 0 ? r : failed;
	}
	return failed;
}

/* Whether all that this sink delivered is there. */
static bool audit_one(struct sender *s, struct section *one)
{
	struct buf said CLEANUP(buf_free) = { 0 };
	int r = audit_run(one, &s->node, &said);
	struct str text = buf_str(&said), line;
	FILE *to = r < 0 && r != -EOPNOTSUPP ? stderr : stdout;
	while (str_take_line(&text, &line))
		fprintf(to, "[sink %s] " STR_FMT "\n", one->name, STR_ARG(line));
	if (r < 0 && !said.n)
		fprintf(to, "[sink %s] %s\n", one->name, strerror(-r));
	return r == 0 || (r == -EOPNOTSUPP && !s->audited);
}

static int audit_all(struct sender *s)
{
	bool found = false, whole = true;
	confine_sender(s);
	for (size_t i = 0; i < s->sections.n && !stop; i++) {
		if (s->audited && strcmp(s->audited, s->sections.one[i]->name) != 0)
			continue;
		found = true;
		whole &= audit_one(s, s->sections.one[i]);
	}
	if (!found)
		log_error("no section [sink %s] is there", s->audited);
	return whole && found ? 0 : -EIO;
}

/* Waits for the processes of a sender that was killed: a signal ends them soon. 0 or -errno. */
static int take_lock(struct sender *s)
{
	bool said = false;
	while ((s->lock = cursor_lock(s->c.state_dir, s->host.name)) == -EAGAIN) {
		if (!said)
			log_notice("%s/%s/.lock: another nodometer-send delivers these records; "
				   "waiting for its end", s->c.state_dir, s->host.name);
		said = true;
		ppoll(NULL, 0, &(struct timespec){ .tv_nsec = LOCK_NS }, &s->node.usual);
		if (stop)
			return -EINTR;
	}
	return s->lock < 0 ? s->lock : 0;
}

static void say_no_state(const struct sender *s, int r)
{
	log_error("%s/%s: %s; it is to hold how far each sink is: [send] state-dir",
		  s->c.state_dir, s->host.name, strerror(-r));
}

/*
 * An archive that is made while the sender waits has no past. The cursors say so from now on, so
 * that a sender that is killed before the first record still begins with it.
 */
static void note_waiting(struct sender *s)
{
	int r = make_state_dir(s);
	if (r < 0)
		say_no_state(s, r);
	for (size_t i = 0; r == 0 && i < s->sections.n; i++)
		feed_await(s->sections.one[i], &s->node);
}

/* Lines of files need no archive of this host: a center that gathers others' may have none. */
static bool has_records(const struct sections *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->one[i]->lines[0])
			return true;
	return false;
}

/* 0, or -EINTR. */
static int wait_for_archive(struct sender *s)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	int said = 0;
	buf_addf(&path, "%s/%s%c", s->c.dir, s->host.name, '\0');
	while (has_records(&s->sections) && access(path.p, R_OK | X_OK) < 0) {
		int e = errno;
		if (e != said) {
			log_notice("%s: %s; waiting for it", path.p, strerror(e));
			if (e == ENOENT)
				note_waiting(s);
		}
		said = e;
		ppoll(NULL, 0, &(struct timespec){ .tv_sec = WAIT_S }, &s->node.usual);
		if (stop)
			return -EINTR;
	}
	return 0;
}

static int deliver(struct sender *s)
{
	int r = wait_for_archive(s);
	if (r < 0)
		return r;
	r = make_state_dir(s);
	confine_sender(s);
	if (r == 0)
		r = take_lock(s);
	if (r == -EINTR)
		return r;
	if (r < 0) {
		say_no_state(s, r);
		return r;
	}
	r = feeds_run(&s->sections, &s->node);
	close_fd(&s->lock);
	s->lock = -1;
	return r;
}

/* Of the file, by line, and of what its keys make together. 0 or -errno, and lines in errors. */
static int read_config(const struct sender *s, struct config *c, struct sections *sections,
		       struct buf *errors)
{
	struct options o = s->options;
	const struct config_sinks take = sections_take(sections);
	o.sinks = &take;
	int r = options_read(&o, c, errors);
	c->sinks = NULL;
	if (r == 0)
		r = sections_check(sections, c, errors);
	if (r == 0)
		sections_find_runs(sections, c, s->host.name);
	if (r == 0 && !s->check && sections->n == 0) {
		buf_addf(errors, "no section [sink NAME] is there: there is nothing to do; "
			 "nodometer-send(8) has one to start with\n");
		r = -EINVAL;
	}
	return r;
}

static int configure(struct sender *s)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	int r = read_config(s, &s->c, &s->sections, &errors);
	if (s->check) {
		config_look(&s->c);
		sections_look(&s->sections, &s->c);
		return options_say_checked(&s->c, r, buf_str(&errors));
	}
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	return r < 0 ? 2 : -1;
}

/* Whether cursors can be kept where a configuration that was read again has them. */
static bool can_keep_state(struct sender *s)
{
	int r = make_state_dir(s);
	int lock CLEANUP(close_fd) = r < 0 ? -1 : cursor_lock(s->c.state_dir, s->host.name);
	if (r == 0 && lock < 0 && lock != -EAGAIN)
		r = lock;
	if (r < 0)
		say_no_state(s, r);
	return r == 0;
}

/* Whether the rules, which are for good, allow what another configuration names. */
static bool is_allowed(const struct sender *s, const struct config *c,
		       const struct sections *sections, struct buf *errors)
{
	struct confine_path wanted[PATHS_MAX];
	struct feed_node node = s->node;
	node.config = c;
	size_t n = s->landlock ? put_paths(&node, sections, wanted) : 0;
	for (size_t i = 0; i < n; i++) {
		if (confine_covers(s->given, s->n_given, &wanted[i]))
			continue;
		buf_addf(errors, "%s: the sender is confined to the paths that it was started "
			 "with; restart it\n", wanted[i].path);
		return false;
	}
	return true;
}

/* Reads the configuration again; an error in it changes nothing. */
static void configure_again(struct sender *s)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	struct sections sections = { .n = 0 };
	struct config c, before = s->c;
	if (read_config(s, &c, &sections, &errors) == 0 &&
	    is_allowed(s, &c, &sections, &errors)) {
		s->c = c;
		if (can_keep_state(s)) {
			sections_free(&s->sections);
			config_free(&before);
			s->sections = sections;
			log_info("configuration read again: %zu sinks", sections.n);
			return;
		}
		s->c = before;
	}
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	log_error("the configuration stays as it was");
	sections_free(&sections);
	config_free(&c);
}

/* A status to leave with, or -1. */
static int take_options(struct sender *s, int argc, char **argv)
{
	const char *arg;
	int id;
	while ((id = options_next(&s->options, &cli, argc, argv, &arg)) >= 0) {
		s->node.once |= id == ONCE;
		s->node.dry |= id == DRY_RUN;
		s->check |= id == CHECK;
		s->audit |= id == AUDIT;
	}
	if (id != CLI_END)
		return id == CLI_SHOWN ? CLI_OK : CLI_WRONG;
	if (s->audit && optind + 1 == argc)
		s->audited = argv[optind++];
	if (optind != argc)
		return cli_misused(&cli, "takes no words, but --audit a name");
	if (s->node.once + s->node.dry + s->audit > 1)
		return cli_misused(&cli, "takes one of --once, --dry-run and --audit");
	return configure(s);
}

/* As it is configured, until SIGHUP or the end: 0, -EINTR or another -errno. */
static int run_configured(struct sender *s)
{
	int r = files_open_root(&s->root, s->c.root);
	if (r < 0) {
		log_error("%s: %s", s->c.root, strerror(-r));
		return r;
	}
	host_identify(&s->host, &s->root, s->c.hostname);
	sections_find_runs(&s->sections, &s->c, s->host.name);
	s->node.config = &s->c;
	s->node.host = s->host.name;
	s->node.begin = confine_feed;
	s->node.stop = &stop;
	s->node.sink = (struct sink_node){
		.host = s->host.name, .root = &s->root, .started = time(NULL),
		.listener = &log_listener,
		.last_chance = s->node.once,
	};
	r = s->audit ? audit_all(s) : s->node.once ? send_last(s) :
	    s->node.dry ? print_all_waiting(s) : deliver(s);
	files_free(&s->root);
	return r;
}

/* Signals come in only where something is waited for: none is lost between these lines. */
static int work(struct sender *s)
{
	int r;
	heed_signals(s);
	for (;;) {
		r = run_configured(s);
		if (ended || !reload)
			break;
		reload = stop = 0;
		configure_again(s);
	}
	return r < 0 && r != -EINTR;
}

int main(int argc, char **argv)
{
	static struct sender s = { .lock = -1 };

	log_open("nodometer-send", LOG_LEVEL_INFO);
#ifdef M_TRIM_THRESHOLD
	mallopt(M_TRIM_THRESHOLD, 4 << 20);	/* else each record's buffers are new pages */
#endif
	int status = take_options(&s, argc, argv);
	if (status < 0)
		status = work(&s);
	sections_free(&s.sections);
	config_free(&s.c);
	return status;
}
