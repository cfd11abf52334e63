/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_receiver.c - a receiver started by root gives its files to the user that it becomes, and
 * counts the packets that the kernel drops
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "tests/unit/tree.h"
#include "xrootd/input/datagrams.h"
#include "xrootd/receiver.h"

enum { USER = 4711, OTHER = 4712 };

static void need_root(void)
{
	if (geteuid() != 0)
		skip();
}

static void give(const struct tree *t, const char *path, uid_t uid)
{
	assert_int_equal(fchownat(t->fd, path, uid, uid, AT_SYMLINK_NOFOLLOW), 0);
}

static uid_t owner(const struct tree *t, const char *path)
{
	struct stat st;
	assert_int_equal(fstatat(t->fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_uid;
}

/* Run receiver_become() in a child. Returns the user that the child became. */
static int become(const struct receiver_paths *p)
{
	int status, fd[2], uid = -1;
	assert_int_equal(pipe(fd), 0);
	pid_t pid = fork();
	if (pid == 0) {
		receiver_become(p);
		uid = (int)geteuid();
		_exit(write(fd[1], &uid, sizeof(uid)) != sizeof(uid));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(read(fd[0], &uid, sizeof(uid)), sizeof(uid));
	close(fd[0]);
	close(fd[1]);
	return uid;
}

struct place {
	struct tree t;
	char file[128], archive[128];
	struct receiver_paths p;
};

/* Make a folder that belongs to USER, with a file and an archive that belong to root. */
static void place_make(struct place *x)
{
	*x = (struct place){ .p = { .tidies = false } };
	tree_make(&x->t);
	tree_put(&x->t, "lines", STR("x\n"));
	tree_put(&x->t, "archive/1", STR("x\n"));
	assert_int_equal(linkat(x->t.fd, "archive/1", x->t.fd, "archive/current", 0), 0);
	assert_int_equal(fchmod(x->t.fd, 0755), 0);
	assert_int_equal(fchown(x->t.fd, USER, USER), 0);
	snprintf(x->file, sizeof(x->file), "%s/lines", x->t.path);
	snprintf(x->archive, sizeof(x->archive), "%s/archive", x->t.path);
	x->p.output[0] = x->file;
	x->p.handed_over[0] = x->archive;
}

static void place_free(struct place *x)
{
	tree_free(&x->t);
}

TEST(it_becomes_the_owner_of_the_folder_and_gives_its_files_away)
{
	struct place x CLEANUP(place_free);
	need_root();
	place_make(&x);
	assert_int_equal(become(&x.p), USER);
	assert_int_equal(owner(&x.t, "lines"), USER);
	assert_int_equal(owner(&x.t, "archive"), USER);
	assert_int_equal(owner(&x.t, "archive/1"), USER);
}

/*
 * A file with two names may be a hard link, made by another user, to a file of root such as
 * /etc/shadow.
 */
TEST(a_file_with_a_second_name_stays_roots)
{
	struct place x CLEANUP(place_free);
	need_root();
	place_make(&x);
	assert_int_equal(linkat(x.t.fd, "lines", x.t.fd, "second", 0), 0);
	assert_int_equal(linkat(x.t.fd, "archive/1", x.t.fd, "third", 0), 0);
	assert_int_equal(become(&x.p), USER);
	assert_int_equal(owner(&x.t, "lines"), 0);
	assert_int_equal(owner(&x.t, "archive/1"), 0);
}

TEST(neither_a_link_nor_a_file_of_another_user_is_given_away)
{
	struct place x CLEANUP(place_free);
	need_root();
	place_make(&x);
	tree_put(&x.t, "target", STR("x\n"));
	assert_int_equal(unlinkat(x.t.fd, "lines", 0), 0);
	assert_int_equal(symlinkat("target", x.t.fd, "lines"), 0);
	give(&x.t, "archive", OTHER);
	assert_int_equal(become(&x.p), USER);
	assert_int_equal(owner(&x.t, "target"), 0);
	assert_int_equal(owner(&x.t, "lines"), 0);
	assert_int_equal(owner(&x.t, "archive"), OTHER);
	assert_int_equal(owner(&x.t, "archive/1"), 0);
}

TEST(in_a_folder_of_root_it_becomes_a_user_without_privileges)
{
	struct place x CLEANUP(place_free);
	need_root();
	place_make(&x);
	assert_int_equal(fchown(x.t.fd, 0, 0), 0);
	int uid = become(&x.p);
	assert_true(uid != 0 && uid != USER);
	assert_int_equal(owner(&x.t, "lines"), uid);
}

TEST(an_output_that_cannot_be_opened_again_stays_as_it_is)
{
	struct tree t CLEANUP(tree_free);
	char path[128];
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/lines", t.path);
	int fd = receiver_open(path), before = fd;
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "%s/absent/lines", t.path);
	assert_false(receiver_reopen(path, &fd));
	assert_int_equal(fd, before);
	assert_int_equal(write(fd, "a\n", 2), 2);
	assert_int_equal(renameat(t.fd, "lines", t.fd, "old"), 0);
	snprintf(path, sizeof(path), "%s/lines", t.path);
	assert_true(receiver_reopen(path, &fd));
	assert_int_equal(write(fd, "b\n", 2), 2);
	close_fd(&fd);
	fd = receiver_open(path);
	assert_int_equal(write(fd, "c\n", 2), 2);
	close_fd(&fd);
	assert_file(&t, "old", STR("a\n"));
	assert_file(&t, "lines", STR("b\nc\n"));
}

TEST(each_signal_is_told_once)
{
	receiver_heed(SIGHUP);
	receiver_heed(SIGUSR1);
	receiver_heed(SIGTERM);
	assert_false(receiver_take_hangup() || receiver_take_question() || receiver_is_ended());
	raise(SIGHUP);
	assert_true(receiver_take_hangup());
	assert_false(receiver_take_hangup() || receiver_take_question() || receiver_is_ended());
	raise(SIGUSR1);
	assert_true(receiver_take_question());
	assert_false(receiver_take_question() || receiver_take_hangup() || receiver_is_ended());
	raise(SIGTERM);
	assert_true(receiver_is_ended());
	assert_true(receiver_is_ended());
}

/* Send packets to a port that nobody reads, more than fit into its buffer of at least 4 KB. */
static void overflow(struct datagrams *d, size_t i)
{
	static const char packet[1000];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(datagrams_port(d, i)) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (int n = 0; n < 100; n++)
		assert_int_equal(sendto(fd, packet, sizeof(packet), 0, (struct sockaddr *)&to,
					sizeof(to)), sizeof(packet));
	close(fd);
}

/* Read all packets that wait at a port, and return their number. */
static uint64_t receive_all(struct datagrams *d, size_t i)
{
	struct datagram to[DATAGRAMS_AT_ONCE];
	uint64_t sum = 0;
	int n;
	while ((n = datagrams_receive(d, i, to)) > 0)
		sum += (uint64_t)n;
	assert_int_equal(n, 0);
	return sum;
}

TEST(each_packet_that_the_kernel_drops_is_counted_once)
{
	struct datagrams d = { .room = 1, .numeric = true };
	const char *why;
	uint64_t got = 0;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(datagrams_open(&d, "127.0.0.1", "0", &why), 0);
	if (!datagrams_are_counted(&d)) {	/* in qemu-user, and before Linux 4.12 */
		datagrams_close(&d);
		skip();
	}
	assert_int_equal(datagrams_lost(&d), 0);
	for (size_t i = 0; i < 4; i++) {
		overflow(&d, i % 2);
		assert_true(datagrams_waiting(&d) > 0);
		got += receive_all(&d, i % 2);
		assert_true(got < 100 * (i + 1));
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(datagrams_lost(&d), 100 * (i + 1) - got);
	}
	datagrams_close(&d);
}

TEST(the_smallest_buffer_of_all_ports_counts)
{
	struct datagrams d = { .room = 1 << 16, .numeric = true };
	const char *why;
	assert_int_equal(datagrams_room(&d), SIZE_MAX);
	assert_int_equal(datagrams_open(&d, "127.0.0.1", "0", &why), 0);
	size_t large = datagrams_room(&d);
	for (d.room = 1; d.n_ports < 3; d.room = 1 << 16)
		assert_int_equal(datagrams_open(&d, "127.0.0.1", "0", &why), 0);
	assert_true(datagrams_room(&d) < large);
	datagrams_close(&d);
}

int main(void)
{
	RUN(cmocka_unit_test(it_becomes_the_owner_of_the_folder_and_gives_its_files_away),
	    cmocka_unit_test(a_file_with_a_second_name_stays_roots),
	    cmocka_unit_test(neither_a_link_nor_a_file_of_another_user_is_given_away),
	    cmocka_unit_test(in_a_folder_of_root_it_becomes_a_user_without_privileges),
	    cmocka_unit_test(an_output_that_cannot_be_opened_again_stays_as_it_is),
	    cmocka_unit_test(each_packet_that_the_kernel_drops_is_counted_once),
	    cmocka_unit_test(the_smallest_buffer_of_all_ports_counts),
	    cmocka_unit_test(each_signal_is_told_once));
}
