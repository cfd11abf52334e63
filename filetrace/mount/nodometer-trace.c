/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-trace.c - record operations on files, through a mount or by system calls */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/privileges.h"
#include "filetrace/mount/passthrough.h"
#include "filetrace/mount/program.h"

enum { SHADOW, MOUNT, OUT, CSV, JSON, RO, EVENTS, PID, JOB, RESULT, OWNER, STAT, SLOW, XROOTD };
static const struct cli_option options[] = {
	[SHADOW] = { "shadow", "DIR",      "directory whose files are traced", '\0' },
	[MOUNT]  = { "mount",  "DIR",      "an empty directory, or the same one", '\0' },
	[OUT]    = { "out",    "FILE",
			"append records to FILE (default: standard output)", 'o' },
	[XROOTD] = { "xrootd", "HOST:PORT",
			"send opens, reads and writes as XRootD monitoring", '\0' },
	[CSV]    = { "csv",    NULL,       "write CSV (default, except for *.json)", '\0' },
	[JSON]   = { "json",   NULL,       "write lines of JSON", '\0' },
	[RO]     = { "ro",     NULL,       "mount read-only", '\0' },
	[EVENTS] = { "events", "NAME,...",
			"only these operations, such as fsync, or \"all\"", '\0' },
	[PID]    = { "pid",    "PID",      "only operations of this process; without a mount, "
					   "also of its descendants", '\0' },
	[JOB]    = { "job",    "ID",       "only operations of the processes of this job", '\0' },
	[RESULT] = { "result", NULL,
			"add the errno of each operation as the last value", '\0' },
	[OWNER]  = { "owner",  NULL,
			"add the user who opened the file to records of close", '\0' },
	[SLOW]   = { "slow",   "TIME",
			"only operations that take TIME or longer: 20ms, 1s", '\0' },
	[STAT]   = { "stat",   "all",
			"record each stat(2): the kernel caches no attributes", '\0' },
};

static const struct cli cli = {
	.command = "trace",
	.operands = "--shadow DIR --mount DIR | --pid PID | --job ID | -- COMMAND | report FILE...",
	.about = "Records operations on files: user, program, operation, time and duration.\n"
		 "Either traces a directory through a mount, or the system calls of a process,\n"
		 "job or command. \"nodometer trace report\" summarizes the records.",
	CLI_OPTIONS(options),
	.until_word = true,
};

struct trace {
	struct fs fs;
	const char *shadow, *mount, *out, *xrootd;
	struct xrootd_sender sender;
	char **command;		/* the command to run, or NULL */
	bool csv, json, read_only;
};

static uint32_t trace_parse_events(const char *arg)
{
	uint32_t set;
	struct str bad = str_of(arg);
	if (operations_parse(str_of(arg), &set, &bad) < 0 || set == 0)
		cli_wrong(&cli, "--events: unknown operation \"" STR_FMT "\"; see "
			  "nodometer-trace(1)", STR_ARG(bad));
	return set;
}

/* Parse a duration such as "20ms". Returns nanoseconds. */
static int64_t trace_parse_duration(const char *arg)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = { { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	struct str s = str_of(arg);
	uint64_t n;
	if (str_take_u64(&s, &n) && n <= 1000000)
		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (str_eq(s, str_of(units[i].unit)))
				return (int64_t)n * units[i].ns;
	cli_wrong(&cli, "--slow %s: write a number and us, ms or s, such as 20ms", arg);
}

static pid_t trace_parse_pid(const char *arg)
{
	struct str s = str_of(arg);
	uint64_t pid;
	if (!str_is_u64(s) || !str_take_u64(&s, &pid) || pid == 0 || pid > INT32_MAX)
		cli_wrong(&cli, "--pid %s: not a process id", arg);
	return (pid_t)pid;
}

static void trace_set_option(struct trace *t, int o, const char *arg)
{
	switch (o) {
	case SHADOW: t->shadow = arg; break;
	case MOUNT:  t->mount = arg; break;
	case OUT:    t->out = arg; break;
	case CSV:    t->csv = true; break;
	case JSON:   t->json = true; break;
	case RO:     t->read_only = true; break;
	case EVENTS: t->fs.recorded = trace_parse_events(arg); break;
	case PID:    t->fs.pid = trace_parse_pid(arg); break;
	case JOB:    t->fs.job = arg; break;
	case RESULT: t->fs.form.with_result = true; break;
	case SLOW:   t->fs.slow = trace_parse_duration(arg); break;
	case OWNER:  t->fs.with_owner = true; break;
	case XROOTD: t->xrootd = arg; break;
	default:
		if (strcmp(arg, "all") != 0)
			cli_wrong(&cli, "--stat %s: use \"all\"", arg);
		t->fs.timeout = 0;
	}
}

static void trace_die(const char *path, int error, const char *advice)
{
	log_error("%s: %s%s", path, strerror(error), advice);
	exit(CLI_FAILED);
}

/* Return the absolute path of a directory, with links resolved. The caller frees the path. */
static char *trace_resolve_directory(const char *path, const char *option)
{
	struct stat st;
	char *real = realpath(path, NULL);
	if (!real || stat(real, &st) < 0)
		trace_die(path, errno, errno == ENOTCONN ? ": its tracer is gone; umount it" : "");
	if (!S_ISDIR(st.st_mode)) {
		log_error("--%s %s: not a directory", option, path);
		exit(CLI_FAILED);
	}
	return real;
}

static bool trace_is_inside(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	return strncmp(path, dir, n) == 0 && (path[n] == '/' || strcmp(dir, "/") == 0);
}

/*
 * Refuse an output file or a mount below the traced directory, because this program would record
 * its own operations.
 */
static void trace_check_places(const struct trace *t)
{
	if (trace_is_inside(t->fs.mount, t->fs.shadow)) {
		log_error("%s is inside %s: mount elsewhere, or over the directory itself",
			  t->fs.mount, t->fs.shadow);
		exit(CLI_FAILED);
	}
	if (strcmp(t->out, "-") == 0)
		return;
	char *dir = xstrdup(str_of(t->out)), *slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	char *real = realpath(slash ? dir : ".", NULL);
	bool inside = real && (trace_is_inside(real, t->fs.shadow) ||
			       strcmp(real, t->fs.shadow) == 0);
	free(real);
	free(dir);
	if (inside) {
		log_error("--out %s is inside the traced directory, so its own writes would be "
			  "traced; use a file elsewhere", t->out);
		exit(CLI_FAILED);
	}
}

static int trace_open_output(const struct trace *t)
{
	if (strcmp(t->out, "-") == 0)
		return STDOUT_FILENO;
	int fd = open(t->out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
	if (fd < 0)
		trace_die(t->out, errno, "");
	return fd;
}

/* Raise the limit of descriptors, because this process also opens each file that a user opens. */
static void trace_raise_descriptor_limit(void)
{
	struct rlimit l;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/*
 * Let the kernel read FS_READ_MAX ahead instead of 128 KiB. Only root may change this setting of
 * the mount in sysfs; without the setting, read requests are smaller. The mount serves no requests
 * yet, so statx() must not cause a request.
 */
static void trace_set_read_ahead(const struct fs *fs, struct fuse_conn_info *conn)
{
	char path[64];
	struct statx st;
	if (statx(AT_FDCWD, fs->mount, AT_STATX_DONT_SYNC, 0, &st) < 0)
		return;
	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb", st.stx_dev_major,
		 st.stx_dev_minor);
	int fd CLEANUP(close_fd) = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && dprintf(fd, "%d", FS_READ_MAX >> 10) > 0)
		conn->max_readahead = FS_READ_MAX;
}

static void trace_on_init(void *arg, struct fuse_conn_info *conn)
{
	const struct fs *fs = arg;
	conn->want |= conn->capable & FUSE_CAP_DONT_MASK;
	/*
	 * with a write-back cache, the kernel would hide which process writes and how many bytes
	 * each write has
	 */
	conn->want &= ~(unsigned int)FUSE_CAP_WRITEBACK_CACHE;
	trace_set_read_ahead(fs, conn);
	log_notice("%s is traced at %s; end with umount, or Ctrl-C", fs->shadow, fs->mount);
}

static void trace_on_write_error(int error)
{
	if (error)
		log_error("cannot write records: %s; retrying every second", strerror(-error));
	else
		log_notice("records are written again");
}

static void trace_on_send_error(int error)
{
	log_warning("datagrams of --xrootd cannot be sent: %s", strerror(-error));
}

static void trace_start_sender(struct trace *t)
{
	const char *why;
	if (!t->xrootd)
		return;
	if (sender_start(&t->sender, t->xrootd, trace_on_send_error, &why) < 0) {
		log_error("--xrootd %s: %s", t->xrootd, why);
		exit(CLI_FAILED);
	}
	t->fs.xrootd = &t->sender;
}

static void trace_end_sender(struct trace *t)
{
	if (!t->fs.xrootd)
		return;
	sender_end(&t->sender);
	log_notice("%llu datagrams to %s, %llu not sent", (unsigned long long)t->sender.sent,
		   t->xrootd, (unsigned long long)t->sender.lost);
}

static struct fuse_session *trace_new_session(struct trace *t)
{
	struct fuse_lowlevel_ops ops = fs_operations;
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	bool bad = fuse_opt_add_arg(&args, "nodometer-trace") ||
		   fuse_opt_add_arg(&args, "-ofsname=nodometer-trace,subtype=nodometer");
	ops.init = trace_on_init;
	if (t->read_only)
		bad = bad || fuse_opt_add_arg(&args, "-oro");
	if (geteuid() == 0)
		bad = bad || fuse_opt_add_arg(&args, "-oallow_other");
	struct fuse_session *s = bad ? NULL : fuse_session_new(&args, &ops, sizeof(ops), &t->fs);
	fuse_opt_free_args(&args);
	return s;
}

/* If reads and writes are not recorded, let the kernel do them on the underlying file. */
static void trace_start_passthrough(struct trace *t, struct fuse_session *s)
{
	if (geteuid() != 0 || t->fs.xrootd ||
	    (t->fs.recorded & (OPERATION(OP_READ) | OPERATION(OP_WRITE))))
		return;
	int r = passthrough_start(s);
	if (r == 0) {
		t->fs.device = fuse_session_fd(s);
		log_notice("reads and writes are not recorded, so the kernel does them directly");
	} else if (r != -EOPNOTSUPP) {
		log_warning("reads and writes are not passed through: %s", strerror(-r));
	}
}

/*
 * Requests are executed with the user id of their caller, by setfsuid(2); root's requests keep
 * root's rights on files. CAP_SYS_ADMIN is raised only to mount and unmount, to register a file
 * with the kernel, or to access an attribute for root. CAP_SYS_PTRACE is raised only to identify a
 * caller. All other capabilities are dropped.
 */
#define SERVICE_CAPABILITIES \
	(PRIVILEGES_OF_FILES | PRIVILEGE_SETGID | PRIVILEGE_SETUID | PRIVILEGE_RESOURCE)
#define RAISED_CAPABILITIES (PRIVILEGE_ADMIN | PRIVILEGE_PTRACE)

/* Drop capabilities. Call this before threads are created, since they inherit the capabilities. */
static void trace_drop_privileges(void)
{
	int r = privileges_keep(SERVICE_CAPABILITIES | RAISED_CAPABILITIES);
	if (r == 0)
		r = privileges_use(SERVICE_CAPABILITIES);
	if (r < 0)
		log_warning("cannot drop capabilities: %s; all of them are kept", strerror(-r));
}

#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 13)
#define REQUEST_TMPFILE 51	/* FUSE_TMPFILE of linux/fuse.h, since Linux 6.1 */

/*
 * Read a request. libfuse has no operation for open(2) with O_TMPFILE. That request has the layout
 * of a create request: change its opcode to FUSE_CREATE.
 */
static ssize_t trace_read_request(int fd, void *to, size_t size, void *fs)
{
	struct fuse_in_header *head = to;
	ssize_t n = read(fd, to, size);
	(void)fs;
	if (n >= (ssize_t)sizeof(*head) && head->opcode == REQUEST_TMPFILE)
		head->opcode = FUSE_CREATE;
	return n;
}

static ssize_t trace_write_reply(int fd, struct iovec *parts, int n, void *fs)
{
	(void)fs;
	return writev(fd, parts, n);
}

static int trace_set_custom_io(struct fuse_session *s)
{
	static const struct fuse_custom_io io = { .read = trace_read_request,
						 .writev = trace_write_reply };
	return fuse_session_custom_io(s, &io, fuse_session_fd(s));
}
#else
static int trace_set_custom_io(struct fuse_session *s)
{
	(void)s;
	return 0;
}
#endif

static int trace_mount(struct fuse_session *s, const char *where)
{
	uint64_t saved = privileges_raise(PRIVILEGE_ADMIN);
	int r = fuse_session_mount(s, where);
	privileges_lower(saved);
	return r ? r : trace_set_custom_io(s);
}

static void trace_unmount(struct fuse_session *s)
{
	uint64_t saved = privileges_raise(PRIVILEGE_ADMIN);
	fuse_session_unmount(s);
	privileges_lower(saved);
}

/* Serve requests until the directory is unmounted or a signal arrives. */
static int trace_serve(struct trace *t)
{
	struct fuse_session *s = trace_new_session(t);
	struct fuse_loop_config loop = { .clone_fd = 0, .max_idle_threads = 10 };
	if (!s || fuse_set_signal_handlers(s) != 0)
		return CLI_FAILED;
	if (trace_mount(s, t->fs.mount) != 0) {
		log_error("cannot mount %s: is it an empty directory, does /dev/fuse exist and, "
			  "unless you are root, is fusermount3 (package fuse3) installed?",
			  t->fs.mount);
		fuse_session_destroy(s);
		return CLI_FAILED;
	}
	if (geteuid() != 0)
		log_notice("the kernel refuses other users: only root can trace them");
	trace_start_passthrough(t, s);
	int r = fuse_session_loop_mt(s, &loop);
	trace_unmount(s);
	fuse_remove_signal_handlers(s);
	fuse_session_destroy(s);
	return r < 0 ? CLI_FAILED : CLI_OK;
}

static int trace_run_mount(struct trace *t)
{
	struct stat root;
	int status = CLI_FAILED, fd = trace_open_output(t);
	trace_raise_descriptor_limit();
	trace_drop_privileges();
	const struct trace_recorder_form *form = t->fs.recorded ? &t->fs.form : NULL;
	int r = trace_recorder_start(&t->fs.to, fd, form, trace_on_write_error);
	if (r < 0)
		trace_die("thread", -r, "");
	if (chdir(t->fs.shadow) < 0 || stat(".", &root) < 0)
		trace_die(t->fs.shadow, errno, "");
	nodes_init(&t->fs.nodes, &root);
	trace_start_sender(t);
	status = trace_serve(t);
	trace_end_sender(t);
	nodes_free(&t->fs.nodes);
	uint64_t lost = trace_recorder_end(&t->fs.to);
	log_notice("%llu records", (unsigned long long)t->fs.to.lines);
	if (lost) {
		log_error("%llu records were lost: %s", (unsigned long long)lost,
			  strerror(-t->fs.to.error));
		status = CLI_FAILED;
	}
	return status;
}

static bool trace_uses_mount(const struct trace *t)
{
	return t->shadow || t->mount;
}

static void trace_check_usage_without_mount(const struct trace *t)
{
	if ((t->command != NULL) + (t->fs.pid != 0) + (t->fs.job != NULL) != 1)
		cli_wrong(&cli, "missing --shadow DIR and --mount DIR, or one of --pid PID, "
			  "--job ID and -- COMMAND");
	if (t->read_only || t->fs.with_owner || t->xrootd || t->fs.timeout == 0)
		cli_wrong(&cli, "--ro, --owner, --stat and --xrootd need --shadow and --mount");
}

static void trace_check_usage(struct trace *t)
{
	if (!trace_uses_mount(t))
		trace_check_usage_without_mount(t);
	else if (!t->shadow || !t->mount)
		cli_wrong(&cli, "--shadow DIR and --mount DIR need each other");
	else if (t->command)
		cli_wrong(&cli, "a COMMAND cannot be used with --shadow and --mount; start it in "
			  "the mount");
	if (t->csv && t->json)
		cli_wrong(&cli, "--csv cannot be used with --json");
	if (!t->out && t->xrootd)
		t->fs.recorded = 0;
	if (!t->out)
		t->out = "-";
	bool json = t->json || (!t->csv && str_ends(str_of(t->out), STR(".json")));
	t->fs.form.put = json ? event_put_json : event_put_csv;
}

#ifdef HAVE_BPF
static int trace_run_calls(const struct trace *t)
{
	const struct calls_request request = {
		.command = t->command, .pid = t->fs.pid, .job = t->fs.job,
		.recorded = t->fs.recorded, .slow = t->fs.slow, .form = t->fs.form,
		.fd = trace_open_output(t), .failed = trace_on_write_error,
	};
	return trace_calls(&request);
}
#else
static int trace_run_calls(const struct trace *t)
{
	(void)t;
	log_error("system calls cannot be traced: built without libbpf, clang or bpftool");
	return CLI_FAILED;
}
#endif

int main(int argc, char **argv)
{
	struct trace t = { .fs = { .timeout = 1, .recorded = OPERATIONS_OF_SEED } };
	const char *arg;
	int o;

	log_open("nodometer trace", LOG_LEVEL_INFO);
	if (argc > 1 && strcmp(argv[1], "report") == 0)
		return trace_report_main(argc - 1, argv + 1);
	while ((o = cli_next(&cli, argc, argv, &arg)) != CLI_END)
		trace_set_option(&t, o, arg);
	t.command = optind < argc ? argv + optind : NULL;
	trace_check_usage(&t);
	if (!trace_uses_mount(&t))
		return trace_run_calls(&t);
	char *shadow = trace_resolve_directory(t.shadow, "shadow");
	char *mount = trace_resolve_directory(t.mount, "mount");
	t.fs.shadow = shadow;
	t.fs.mount = mount;
	trace_check_places(&t);
	int status = trace_run_mount(&t);
	free(shadow);
	free(mount);
	return status;
}
