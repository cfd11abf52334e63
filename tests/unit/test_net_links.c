/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_net_links.c - request the names of interfaces again at a rescan, and for an unknown
 * interface
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/files.h"
#include "collectors/collector.h"

/* Make a TAP interface. Returns its descriptor, or a negative number on failure. */
static int add_interface(const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	str_copy(request.ifr_name, sizeof(request.ifr_name), str_of(name));
	if (fd >= 0 && ioctl(fd, TUNSETIFF, &request) < 0)
		close_fd(&fd);
	return fd;
}

static void set_up(const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_UP };
	int fd CLEANUP(close_fd) = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	str_copy(request.ifr_name, sizeof(request.ifr_name), str_of(name));
	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &request), 0);
}

static void assert_rows(struct source *s, int result, size_t rows)
{
	source_clear(s);
	assert_int_equal(collector_find("net")->collect(s), result);
	assert_int_equal(s->rows.n, rows);
}

TEST(names_are_requested_at_a_rescan_and_for_an_unknown_interface)
{
	const struct collector *c = collector_find("net");
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);

	if (unshare(CLONE_NEWNET) < 0)
		skip();
	assert_int_equal(files_open_root(&root, "/"), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	assert_rows(&s, -ENOENT, 0);
	set_up("lo");
	assert_rows(&s, -ENOENT, 0);	/* "lo" still counts as down, as at the first sample */
	s.rescan = true;
	assert_rows(&s, 0, 1);
	s.rescan = false;

	int fd CLEANUP(close_fd) = add_interface("new0");
	if (fd < 0)
		skip();
	set_up("new0");
	assert_rows(&s, 0, 2);
	assert_true(s.rescan);
}

int main(void)
{
	RUN(cmocka_unit_test(names_are_requested_at_a_rescan_and_for_an_unknown_interface));
}
