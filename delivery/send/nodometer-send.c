/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-send.c - deliver the records of this host's archive to the configured sinks */
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
#include "send/connect.h"
#include "send/feed.h"
#include "send/feeds.h"

#define SENDER_PATHS   9
#define SINK_PATHS_MAX 128
#define PATHS_MAX      (SENDER_PATHS + SINK_PATHS_MAX)
#define LOCK_RETRY_NS  200000000
#define OPEN_RETRY_S   2	/* seconds between two attempts to open the archive's folder */

enum { ONCE, DRY_RUN, AUDIT, CHECK, CONNECT };
static const struct cli_option table[] = {
	[ONCE]    = { "once",    NULL, "send the last record to each sink and exit" },
	[DRY_RUN] = { "dry-run", NULL, "print how many records wait for each sink and exit" },
	[AUDIT]   = { "audit",   NULL,
			"compare the receivers' data, resend what is missing, and exit" },
	[CHECK]   = { "check",   NULL, "report the mistakes in the configuration and exit" },
	[CONNECT] = { "connect", NULL, "--check, then try to connect to each receiver for 5 s" },
};

static void send_print_sections(void)
{
	sections_print(stdout);
}

static const struct cli cli = {
	.program = "nodometer-send", .operands = "[NAME]", .common = CLI_ALL, CLI_OPTIONS(table),
	.about = "Delivers the records of this host's archive to the sinks of the configuration.\n"
		 "Each sink continues where it stopped.",
	.more = send_print_sections, .page = "nodometer-send(8)",
};

struct send_program {
	struct options options;
	struct config c;
	struct host host;
	struct files root;
	struct sections sections;
	struct feed_node node;
	bool check, connect, audit, confined, landlock;
	const char *audited;	/* name of the only sink to audit; or NULL */
	/* the state folder was created, but not yet given to the archive's owner */
	bool new_state;
	/* paths that the process may use; send_confine() makes the list final */
	struct confine_path allowed[PATHS_MAX];
	size_t n_allowed;
	int lock;	/* descriptor of the lock of cursor_lock(), or -1; kept on reload */
	struct buf locked;	/* folder that .lock belongs to */
};

static volatile int stop, ended, reload;

static void send_on_signal(int which)
{
	if (which == SIGHUP)
		reload = 1;
	else
		ended = 1;
	stop = 1;
}

/* Do nothing: the signal only interrupts the wait in feeds_run(), which reaps the process. */
static void send_on_child(int which)
{
	(void)which;
}

/*
 * Return true if a sink sends records of the archive. Sinks that send only lines of files need no
 * archive, and a host that collects other hosts' log files may have none.
 */
static bool send_has_records(const struct sections *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->one[i]->lines[0])
			return true;
	return false;
}

/*
 * Append, with a NUL, the folder whose owner the sender becomes if root starts it: the archive or,
 * if the archive belongs to root, this host's folder in it: a receiver started by root writes the
 * folders of hosts as another user.
 */
static void send_put_owned_folder(const struct send_program *s, struct buf *path)
{
	struct stat st;
	buf_addf(path, "%s/%s%c", s->c.dir, s->host.name, '\0');
	if (send_has_records(&s->sections) && stat(s->c.dir, &st) == 0 && st.st_uid == 0 &&
	    stat(path->p, &st) == 0)
		return;
	path->n = 0;
	buf_addf(path, "%s%c", s->c.dir, '\0');
}

/* Give a lock file of root, left by an earlier sender in the folder dirfd, to the user. */
static void send_chown_lock(int dirfd, const struct stat *user)
{
	struct stat st;
	int fd CLEANUP(close_fd) = openat(dirfd, ".lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink == 1 && fchown(fd, user->st_uid, user->st_gid) < 0)
		log_debug(".lock: %s", strerror(errno));
}

/* Give a folder to the user that root switches to. All users may list the folder. */
static int send_chown_folder(const struct send_program *s, const char *dir)
{
	struct buf owned CLEANUP(buf_free) = { 0 };
	struct stat st;
	if (stat(dir, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid())
		return 0;
	int fd CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0755) < 0)
		return -errno;
	send_put_owned_folder(s, &owned);
	if (geteuid() != 0 || stat(owned.p, &st) < 0)
		return 0;
	send_chown_lock(fd, &st);
	return fchown(fd, st.st_uid, st.st_gid) < 0 ? -errno : 0;
}

/* Create the folder for the cursors and its missing parents, and give it to the sender's user. */
static int send_make_state_dir(struct send_program *s)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	s->new_state |= access(s->c.state_dir, F_OK) < 0;
	buf_addf(&path, "%s/%s%c", s->c.state_dir, s->host.name, '\0');
	int r = archive_make_dirs(path.p);
	if (r == 0 && s->new_state)
		r = send_chown_folder(s, s->c.state_dir);
	s->new_state &= access(s->c.dir, F_OK) < 0;
	return r < 0 ? r : send_chown_folder(s, path.p);
}

/*
 * List the paths that the sender needs. The archive's parent is included, because the archive may
 * be replaced; /etc and /run have the configuration of name resolution. Returns the number of
 * paths.
 */
static size_t send_put_paths(const struct feed_node *node, const struct sections *sections,
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

static void send_confine_to(const struct confine_path *paths, size_t n, struct confined *ret)
{
	confine(paths, n, MAY_CONNECT | MAY_NETWORK | MAY_SIGNAL | MAY_SHARE, ret);
}

/* Confine the process of one sink to the paths of that sink. */
static void send_confine_feed(const struct feed_node *node, const struct section *s)
{
	const struct sections one = { .one = { (struct section *)s }, .n = 1 };
	struct confine_path paths[PATHS_MAX];
	struct confined c;
	send_confine_to(paths, send_put_paths(node, &one, paths), &c);
}

/*
 * Keep copies of the paths in the confinement rules, since a reload frees the configuration that
 * has them.
 */
static void send_keep_paths(struct send_program *s)
{
	static char above[CONFIG_TEXT_MAX];
	const char *given = s->options.given.config;
	const char *config = given ? given : config_default_path();
	confine_parent(config, above, sizeof(above));
	s->n_allowed = send_put_paths(&s->node, &s->sections, s->allowed);
	s->allowed[s->n_allowed++] = (struct confine_path){ above, CONFINE_READ };
	for (size_t i = 0; i < s->n_allowed; i++)
		s->allowed[i].path = xstrdup(str_of(s->allowed[i].path));
}

/*
 * Confine the sender, which runs as the archive's owner, to the paths of all sinks and the
 * configuration. The sender starts no programs.
 */
static void send_confine(struct send_program *s)
{
	struct buf owned CLEANUP(buf_free) = { 0 };
	struct confined c;
	if (s->confined)
		return;
	send_put_owned_folder(s, &owned);
	if (privileges_of_owner(owned.p, 0) < 0 || privileges_keep(0) < 0)
		log_notice("cannot drop capabilities; all of them are kept");
	send_keep_paths(s);
	send_confine_to(s->allowed, s->n_allowed, &c);
	if (c.why[0])
		log_notice("not confined by %s", c.why);
	s->landlock = c.landlock > 0;
	s->confined = true;
}

static void send_set_signals(struct send_program *s)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, &s->node.usual);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = send_on_signal }, NULL);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = send_on_signal }, NULL);
	sigaction(SIGHUP, &(struct sigaction){ .sa_handler = send_on_signal }, NULL);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = send_on_child }, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int send_last(struct send_program *s)
{
	int failed = 0;
	send_confine(s);
	for (size_t i = 0; i < s->sections.n && !stop; i++) {
		int r = feed_run(s->sections.one[i], &s->node);
		failed = r < 0 ? r : failed;
	}
	return failed;
}

static void send_print_waiting(const struct section *s, const struct feed_waiting *w)
{
	int64_t rate = section_rate(s);
	printf("[sink %s] ", s->name);
	if (w->fresh)
		printf("has no cursor yet: only new records will be sent\n");
	else if (!w->records)
		printf("nothing waits\n");
	if (!w->records)
		return;
	printf("%llu records wait, from %s to %s; sending them takes %lld s at rate = %lld\n",
	       (unsigned long long)w->records, cli_moment(w->first_us).s,
	       cli_moment(w->last_us).s,
	       (long long)((w->records + (uint64_t)rate - 1) / (uint64_t)rate),
	       (long long)rate);
}

static int send_print_all_waiting(struct send_program *s)
{
	int failed = 0;
	send_confine(s);
	for (size_t i = 0; i < s->sections.n && !stop; i++) {
		struct feed_waiting w;
		int r = feed_count(s->sections.one[i], &s->node, &w);
		if (r == 0)
			send_print_waiting(s->sections.one[i], &w);
		failed = r < 0 ? r : failed;
	}
	return failed;
}

/*
 * Audit one sink. Returns true if the receiver has everything that was delivered, or if the
 * receiver cannot be queried and the user has not named this sink.
 */
static bool send_audit_one(struct send_program *s, struct section *one)
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

static int send_audit_all(struct send_program *s)
{
	bool found = false, whole = true;
	send_confine(s);
	for (size_t i = 0; i < s->sections.n && !stop; i++) {
		if (s->audited && strcmp(s->audited, s->sections.one[i]->name) != 0)
			continue;
		found = true;
		whole &= send_audit_one(s, s->sections.one[i]);
	}
	if (!found)
		log_error("no section [sink %s] in the configuration", s->audited);
	return whole && found ? 0 : -EIO;
}

/*
 * Take the lock of the state folder. If processes of a killed sender hold the lock, wait: a signal
 * ends these processes soon. On reload, keep the lock if the folder is the same: a sink's process
 * that hangs still holds it, so it could not be taken again. Returns 0 or -errno.
 */
static int send_take_lock(struct send_program *s)
{
	struct buf folder CLEANUP(buf_free) = { 0 };
	bool said = false;
	buf_addf(&folder, "%s/%s", s->c.state_dir, s->host.name);
	if (s->lock >= 0 && str_eq(buf_str(&folder), buf_str(&s->locked)))
		return 0;
	close_fd(&s->lock);
	s->locked.n = 0;
	buf_add(&s->locked, buf_str(&folder));
	while ((s->lock = cursor_lock(s->c.state_dir, s->host.name)) == -EAGAIN) {
		if (!said)
			log_notice("%s/%s/.lock: another nodometer-send delivers these records; "
				   "waiting until it ends", s->c.state_dir, s->host.name);
		said = true;
		ppoll(NULL, 0, &(struct timespec){ .tv_nsec = LOCK_RETRY_NS }, &s->node.usual);
		if (stop)
			return -EINTR;
	}
	return s->lock < 0 ? s->lock : 0;
}

static void send_log_no_state(const struct send_program *s, int r)
{
	log_error("%s/%s: %s; this folder stores the position of each sink: see [send] state-dir",
		  s->c.state_dir, s->host.name, strerror(-r));
}

/*
 * While the archive does not exist, save cursors at the first record that will be written. Then a
 * sender that is killed before the archive is created still starts with that record.
 */
static void send_init_cursors(struct send_program *s)
{
	int r = send_make_state_dir(s);
	if (r < 0)
		send_log_no_state(s, r);
	for (size_t i = 0; r == 0 && i < s->sections.n; i++)
		feed_await(s->sections.one[i], &s->node);
}

/* Wait until the archive can be read. Returns 0, or -EINTR if stopped. */
static int send_wait_for_archive(struct send_program *s)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	int said = 0;
	buf_addf(&path, "%s/%s%c", s->c.dir, s->host.name, '\0');
	while (send_has_records(&s->sections) && access(path.p, R_OK | X_OK) < 0) {
		int e = errno;
		if (e != said) {
			log_notice("%s: %s; waiting for it", path.p, strerror(e));
			if (e == ENOENT)
				send_init_cursors(s);
		}
		said = e;
		ppoll(NULL, 0, &(struct timespec){ .tv_sec = OPEN_RETRY_S }, &s->node.usual);
		if (stop)
			return -EINTR;
	}
	return 0;
}

static int send_deliver(struct send_program *s)
{
	int r = send_wait_for_archive(s);
	if (r < 0)
		return r;
	r = send_make_state_dir(s);
	send_confine(s);
	if (r == 0)
		r = send_take_lock(s);
	if (r == -EINTR)
		return r;
	if (r < 0) {
		send_log_no_state(s, r);
		return r;
	}
	return feeds_run(&s->sections, &s->node);
}

/*
 * Read the configuration and check its keys, each by itself and together. Returns 0, or -errno and
 * lines in errors.
 */
static int send_read_config(const struct send_program *s, struct config *c,
			    struct sections *sections,
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
		buf_addf(errors, "no section [sink NAME], so there is nothing to send; "
			 "nodometer-send(8) has an example\n");
		r = -EINVAL;
	}
	return r;
}

/*
 * Become the user that the sender runs as, because another user may have access to more or fewer
 * files and receivers.
 */
static int send_become_sender(struct send_program *s)
{
	struct buf owned CLEANUP(buf_free) = { 0 };
	int r = files_open_root(&s->root, s->c.root);
	if (r < 0) {
		log_error("%s: %s", s->c.root, strerror(-r));
		return r;
	}
	host_identify(&s->host, &s->root, s->c.hostname);
	files_free(&s->root);
	send_put_owned_folder(s, &owned);
	r = privileges_of_owner(owned.p, 0);
	if (r == 0)
		r = privileges_keep(0);
	if (r < 0)
		log_error("cannot connect to receivers: cannot become the owner of %s, as the "
			  "sender does: %s", owned.p, strerror(-r));
	return r;
}

/* Try all receivers. Returns the exit status. */
static int send_connect(struct send_program *s)
{
	struct buf answers CLEANUP(buf_free) = { 0 }, errors CLEANUP(buf_free) = { 0 };
	if (s->sections.n == 0) {
		log_error("no section [sink NAME], so there is no receiver to connect to");
		return CLI_FAILED;
	}
	if (send_become_sender(s) < 0)
		return CLI_FAILED;
	fflush(stdout);		/* child processes would inherit the buffer and write it again */
	s->node = (struct feed_node){
		.config = &s->c, .host = "", .begin = send_confine_feed,
		.sink = { .host = "", .listener = &log_listener, .runs_once = true },
	};
	int r = connect_all(&s->sections, &s->node, &answers, &errors);
	fprintf(stderr, STR_FMT, STR_ARG(buf_str(&errors)));
	printf(STR_FMT, STR_ARG(buf_str(&answers)));
	return r < 0 ? CLI_FAILED : CLI_OK;
}

/* Check the configuration and print what is wrong. Returns the exit status. */
static int send_check(struct send_program *s, int r, struct buf *errors)
{
	config_look(&s->c);
	int wrong = sections_look(&s->sections, &s->c, errors);
	int status = options_say_checked(&s->c, r < 0 ? r : wrong, buf_str(errors));
	return status == CLI_OK && s->connect ? send_connect(s) : status;
}

static int send_configure(struct send_program *s)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	int r = send_read_config(s, &s->c, &s->sections, &errors);
	if (s->check)
		return send_check(s, r, &errors);
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	return r < 0 ? 2 : -1;
}

/* Return true if cursors can be stored in the state folder of the reloaded configuration. */
static bool send_can_keep_state(struct send_program *s)
{
	int r = send_make_state_dir(s);
	int lock CLEANUP(close_fd) = r < 0 ? -1 : cursor_lock(s->c.state_dir, s->host.name);
	if (r == 0 && lock < 0 && lock != -EAGAIN)
		r = lock;
	if (r < 0)
		send_log_no_state(s, r);
	return r == 0;
}

/*
 * Return true if this process may use all paths of a new configuration: its confinement cannot be
 * extended.
 */
static bool send_is_allowed(const struct send_program *s, const struct config *c,
			    const struct sections *sections, struct buf *errors)
{
	struct confine_path wanted[PATHS_MAX];
	struct feed_node node = s->node;
	node.config = c;
	size_t n = s->landlock ? send_put_paths(&node, sections, wanted) : 0;
	for (size_t i = 0; i < n; i++) {
		if (confine_covers(s->allowed, s->n_allowed, &wanted[i]))
			continue;
		buf_addf(errors, "%s: the sender is confined to the paths that it was started "
			 "with; restart it\n", wanted[i].path);
		return false;
	}
	return true;
}

static bool send_open_root(const struct config *c, struct files *ret, struct buf *errors)
{
	int r = files_open_root(ret, c->root);
	if (r < 0)
		buf_addf(errors, "%s: %s\n", c->root, strerror(-r));
	return r == 0;
}

/* Reload the configuration. On an error keep the old one. */
static void send_reload(struct send_program *s)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	struct sections sections = { .n = 0 };
	struct config c, before = s->c;
	struct files root = { .rootfd = -1 };
	if (send_read_config(s, &c, &sections, &errors) == 0 &&
	    send_is_allowed(s, &c, &sections, &errors) && send_open_root(&c, &root, &errors)) {
		s->c = c;
		if (send_can_keep_state(s)) {
			sections_free(&s->sections);
			config_free(&before);
			files_free(&s->root);
			s->sections = sections;
			s->root = root;
			log_info("configuration reloaded: %zu sinks", sections.n);
			return;
		}
		s->c = before;
	}
	files_free(&root);
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	log_error("the new configuration is not used; the old one stays in force");
	sections_free(&sections);
	config_free(&c);
}

/*
 * Read the options and the configuration. Returns the exit status, or -1 if the sender should run.
 */
static int send_read_options(struct send_program *s, int argc, char **argv)
{
	const char *arg;
	int id;
	while ((id = options_next(&s->options, &cli, argc, argv, &arg)) >= 0) {
		s->node.once |= id == ONCE;
		s->node.dry |= id == DRY_RUN;
		s->check |= id == CHECK || id == CONNECT;
		s->connect |= id == CONNECT;
		s->audit |= id == AUDIT;
	}
	if (id != CLI_END)
		return id == CLI_SHOWN ? CLI_OK : CLI_WRONG;
	if (s->audit && optind + 1 == argc)
		s->audited = argv[optind++];
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		return CLI_WRONG;
	if (s->node.once + s->node.dry + s->audit > 1)
		return cli_misused(&cli, "use only one of --once, --dry-run and --audit");
	return send_configure(s);
}

/*
 * Run with the present configuration until a signal ends the sender or SIGHUP reloads it. Returns
 * 0, -EINTR or another -errno.
 */
static int send_run(struct send_program *s)
{
	host_identify(&s->host, &s->root, s->c.hostname);
	sections_find_runs(&s->sections, &s->c, s->host.name);
	s->node.config = &s->c;
	s->node.host = s->host.name;
	s->node.begin = send_confine_feed;
	s->node.stop = &stop;
	s->node.sink = (struct sink_node){
		.host = s->host.name, .root = &s->root, .started = time(NULL),
		.listener = &log_listener,
		.runs_once = s->node.once,
	};
	return s->audit ? send_audit_all(s) : s->node.once ? send_last(s) :
	       s->node.dry ? send_print_all_waiting(s) : send_deliver(s);
}

/*
 * Run until the end, reloading on SIGHUP. Signals are blocked except while waiting, so that none is
 * lost.
 */
static int send_main_loop(struct send_program *s)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	int r = send_open_root(&s->c, &s->root, &errors) ? 0 : -ENOENT;
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	send_set_signals(s);
	while (r == 0) {
		r = send_run(s);
		if (ended || !reload)
			break;
		reload = stop = 0;
		send_reload(s);
		r = 0;
	}
	files_free(&s->root);
	return r < 0 && r != -EINTR;
}

int main(int argc, char **argv)
{
	static struct send_program s = { .lock = -1 };

	log_open("nodometer-send", LOG_LEVEL_INFO);
#ifdef M_TRIM_THRESHOLD
	/* do not return freed memory to the kernel and get it back for each record */
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
	int status = send_read_options(&s, argc, argv);
	if (status < 0)
		status = send_main_loop(&s);
	close_fd(&s.lock);
	buf_free(&s.locked);
	sections_free(&s.sections);
	config_free(&s.c);
	return status;
}
