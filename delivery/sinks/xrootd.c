/* SPDX-License-Identifier: BSD-3-Clause */
/* xrootd.c - send records as XRootD summary packets, by UDP */
#include "sinks/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/system/mounts.h"
#include "figures/packet.h"
#include "formats/xrootd/xml_summary.h"
#include "sinks/udp.h"

#define FS_MAX        256
/*
 * bytes to send before a pause: few, because receivers have a small default buffer
 * (net.core.rmem_default)
 */
#define BURST_BYTES    (64u << 10)
#define BURST_PAUSE_NS 2000000
/* how long the first packet waits for lookups; with --once, 10 times as long */
#define LOOKUP_WAIT_MS 1000
/* --once: packets have the pid of init, because the counters belong to the node */
#define ONCE_PID       1
/*
 * number of figures that this sink adds itself, because no record has them: link.num and link.tot
 */
#define TCP_FIGURES    2

struct xrootd {
	char destination[KEY_TEXT_MAX], site[KEY_TEXT_MAX];
	int64_t packet_size;
	const struct sink_node *node;
	struct udp udp;
	struct xml_summary_pack pack;
	struct mounts mounts;
	struct xml_summary_fs fs[FS_MAX];
	size_t n_fs;
	size_t burst;		/* bytes sent since the last pause */
};

#define AT(field) offsetof(struct xrootd, field)
static const struct key keys[] = {
	{ "destination", KEY_TEXT,   AT(destination),
	  .help = "destinations: HOST:PORT ..." },
	{ "site",        KEY_TEXT,   AT(site),
	  .help = "name of the site in the packets" },
	{ "packet-size", KEY_NUMBER, AT(packet_size), key_sizes, SUMMARY_BYTES_MIN,
	  SUMMARY_BYTES_MAX, .usual = "8190", .help = "largest packet in bytes" },
};

static int xrootd_check(void *state, struct buf *why)
{
	struct xrootd *x = state;
	struct udp udp;
	struct str bad;
	if (!x->destination[0]) {
		buf_addf(why, "destination is not set: there is nothing to do");
		return -EINVAL;
	}
	int r = udp_init(&udp, str_of(x->destination), NULL, &bad);
	if (r < 0)
		buf_addf(why, "destination: expected HOST:PORT, or [ADDRESS]:PORT for IPv6, at "
			 "most %d of them, not \"" STR_FMT "\"",
			 UDP_DESTINATIONS_MAX, STR_ARG(bad));
	udp_free(&udp);
	return r;
}

static void xrootd_send_packet(void *arg, struct str packet)
{
	struct xrootd *x = arg;
	udp_send(&x->udp, packet);
	x->burst += packet.n;
	if (x->burst < BURST_BYTES)
		return;
	x->burst = 0;
	nanosleep(&(struct timespec){ .tv_nsec = BURST_PAUSE_NS }, NULL);
}

static int xrootd_open(void *state, const struct sink_node *node, struct buf *why)
{
	struct xrootd *x = state;
	struct str bad;
	(void)why;
	x->node = node;
	x->pack.limit = (size_t)x->packet_size;
	x->pack.send = xrootd_send_packet;
	x->pack.arg = x;
	int r = udp_init(&x->udp, str_of(x->destination), node->listener, &bad);
	x->udp.first_wait_ms = node->runs_once ? 10 * LOOKUP_WAIT_MS : LOOKUP_WAIT_MS;
	return r;
}

/* Add the file system of mount m if it is on this node's disks and its device is not in `seen`. */
static void xrootd_add_fs(struct xrootd *x, const struct mount *m, dev_t *seen)
{
	struct statvfs v;
	struct stat st;
	char path[4096];
	if (x->n_fs == FS_MAX || !str_starts(m->device, STR("/dev/")) ||
	    str_starts(m->type, STR("fuse")) || !mount_path(path, sizeof(path), m->dir) ||
	    stat(path, &st) < 0 || !S_ISDIR(st.st_mode) || statvfs(path, &v) < 0)
		return;
	for (size_t i = 0; i < x->n_fs; i++)
		if (seen[i] == st.st_dev)
			return;
	seen[x->n_fs] = st.st_dev;
	x->fs[x->n_fs++] = (struct xml_summary_fs){
		.dir = m->dir, .inodes = v.f_files, .free_inodes = v.f_ffree,
		.total = (uint64_t)v.f_blocks * v.f_frsize / 1024,
		.free = (uint64_t)v.f_bavail * v.f_frsize / 1024,
	};
}

/* List all file systems. A captured tree has no file systems to query. */
static void xrootd_list_fs(struct xrootd *x)
{
	dev_t seen[FS_MAX];
	struct str list;
	struct mount m;
	x->n_fs = 0;
	if (x->node->root->in_root ||
	    mounts_changed(&x->mounts, x->node->root, &list) < 0)
		return;
	list = buf_str(&x->mounts.text);
	while (mount_take(&list, &m))
		xrootd_add_fs(x, &m, seen);
}

static struct str xrootd_read_proc(const struct xrootd *x, const char *path, struct buf *text)
{
	struct str all;
	int fd CLEANUP(close_fd) = files_open(x->node->root, path, O_RDONLY);
	return fd >= 0 && files_read_fd(fd, FILE_TO_END, text, &all) == 0 ? all : STR("");
}

/* Get the word of `numbers` that is at the same position as the word `name` in `names`. */
static bool xrootd_find_number(struct str names, struct str numbers, struct str name, uint64_t *v)
{
	struct str word, number;
	while (str_take_word(&names, &word) && str_take_word(&numbers, &number))
		if (str_eq(word, name))
			return str_take_u64(&number, v);
	return false;
}

/*
 * Get the number of TCP connections, now and since boot, from the two lines "Tcp:" of
 * /proc/net/snmp: the first line has names, the second numbers (net/ipv4/proc.c). Returns the
 * number of values, 0 if the file has none.
 */
static size_t xrootd_get_connections(const struct xrootd *x, struct xml_summary_value *ret)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str all = xrootd_read_proc(x, "proc/net/snmp", &text), line, names = STR("");
	uint64_t now, active, passive;
	while (str_take_line(&all, &line)) {
		if (!str_starts(line, STR("Tcp: ")))
			continue;
		if (!names.n) {
			names = line;
			continue;
		}
		if (!xrootd_find_number(names, line, STR("CurrEstab"), &now) ||
		    !xrootd_find_number(names, line, STR("ActiveOpens"), &active) ||
		    !xrootd_find_number(names, line, STR("PassiveOpens"), &passive))
			return 0;
		ret[0] = (struct xml_summary_value){ "link.num", now };
		ret[1] = (struct xml_summary_value){ "link.tot", active + passive };
		return TCP_FIGURES;
	}
	return 0;
}

static size_t xrootd_get_figures(const struct xrootd *x, const struct record *r,
				 struct xml_summary_value *ret)
{
	struct packet_figure figure[PACKET_FIGURES_MAX];
	size_t n = packet_figures(r, figure), before = xrootd_get_connections(x, ret);

	for (size_t i = 0; i < n; i++)
		ret[before + i] = (struct xml_summary_value){ figure[i].name, figure[i].value };
	return before + n;
}

/*
 * Get the sender's start time to put into packets. With --once this is the time of boot, or the
 * time of the record if the time of boot is unknown or later: collectors subtract only packets of
 * the same process, and a sender that is started for each packet would look like a new one.
 */
static int64_t xrootd_get_start(const struct xrootd *x, int64_t record)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str all, line;
	uint64_t boot;
	if (!x->node->runs_once)
		return x->node->started;
	all = xrootd_read_proc(x, "proc/stat", &text);
	while (str_take_line(&all, &line))
		if (str_take_prefix(&line, STR("btime ")) && str_take_u64(&line, &boot))
			return (int64_t)boot < record ? (int64_t)boot : record;
	return record;
}

static bool xrootd_type_is_wanted(void *arg, struct str type)
{
	const struct xrootd *x = arg;
	return sink_wants(x->node, type);
}

/* Send a record. A packet that a host does not get is lost; udp_send() logs the failure. */
static int xrootd_put(void *state, const struct record *g, struct buf *why)
{
	struct xrootd *x = state;
	struct rusage used = { .ru_utime.tv_sec = 0 };
	int64_t now = realtime_us();
	struct xml_summary_sender who = {
		.host = str_of(x->node->host), .site = str_of(x->site),
		.started = xrootd_get_start(x, g->usec / 1000000), .read = g->usec / 1000000,
		.now = now,
		.elapsed_ms = now > g->usec ? (now - g->usec) / 1000 : 0,
		.pid = x->node->runs_once ? ONCE_PID : getpid(),
	};
	(void)why;
	getrusage(RUSAGE_SELF, &used);
	xrootd_list_fs(x);
	struct xml_summary_value value[PACKET_FIGURES_MAX + TCP_FIGURES];
	struct xml_summary_extra extra = {
		.user_us = timeval_us(used.ru_utime), .system_us = timeval_us(used.ru_stime),
		.fs = x->fs, .n_fs = x->n_fs, .value = value,
		.n_values = xrootd_get_figures(x, g, value),
	};
	x->burst = 0;
	xml_summary_put_record(&x->pack, g, &who, &extra, xrootd_type_is_wanted, x);
	return 0;
}

static int xrootd_flush(void *state, struct buf *why)
{
	const struct xrootd *x = state;
	const struct udp_destination *bad = udp_failing(&x->udp);
	if (!bad)
		return 0;
	buf_addf(why, "%s:%s: %s", bad->host, bad->port, bad->error);
	return -EIO;
}

static void xrootd_close(void *state)
{
	struct xrootd *x = state;
	udp_free(&x->udp);
	xml_summary_free(&x->pack);
	mounts_free(&x->mounts);
}

static int xrootd_probe(void *state, const struct sink_node *node, struct buf *said)
{
	struct xrootd *x = state;
	int r = xrootd_open(state, node, said);
	if (r == 0)
		r = udp_find(&x->udp, LOOKUP_WAIT_MS, said);
	xrootd_close(state);
	return r;
}

const struct sink xrootd_sink = {
	.name = "xrootd",
	.about = "send XRootD summary packets by UDP, as xrd.report does",
	.size = sizeof(struct xrootd),
	.newest_only = true,
	.check = xrootd_check, .open = xrootd_open, .put = xrootd_put,
	.flush = xrootd_flush, .probe = xrootd_probe, .close = xrootd_close,
	SINK_KEYS(keys),
};
