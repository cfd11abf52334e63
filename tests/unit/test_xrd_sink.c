/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_xrd_sink.c - let [sink xrootd] send packets of a node with counters that can be subtracted
 */
#include "tests/unit/sink_user.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "base/files.h"
#include "tests/unit/tree.h"

#define RECORD_S 1700000000	/* time of the record that user_put() sends */

static int open_port(char *where, size_t size)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct timeval wait = { .tv_sec = 60 };
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)), 0);
	snprintf(where, size, "127.0.0.1:%d", ntohs(a.sin_port));
	return fd;
}

/* Replace statvfs(3): each file system has these sizes. */
int statvfs(const char *path, struct statvfs *v)
{
	(void)path;
	*v = (struct statvfs){ .f_frsize = 4096, .f_bsize = 8192, .f_blocks = 1000,
			       .f_bfree = 500, .f_bavail = 400, .f_files = 90, .f_ffree = 80 };
	return 0;
}

/*
 * Send the record with a new sender, and receive the packet. is_node: the folder is the root of
 * this node, whose file systems are listed.
 */
static void send_from(const struct tree *t, bool is_node, bool once, char *packet, size_t size)
{
	char where[32];
	int fd CLEANUP(close_fd) = open_port(where, sizeof(where));
	const char *const keys[] = { "destination", where, NULL };
	struct files root;
	struct user u;
	assert_int_equal(files_open_root(&root, t->path), 0);
	root.in_root &= !is_node;
	user_make(&u, "xrootd", keys);
	user_open(&u, NULL);
	u.node.root = &root;
	u.node.runs_once = once;
	u.node.started = RECORD_S + 5;
	assert_int_equal(user_put(&u), 0);
	assert_int_equal(user_flush(&u), 0);
	ssize_t n = recv(fd, packet, size - 1, 0);
	assert_true(n > 0);
	packet[n] = '\0';
	user_end(&u);
	files_free(&root);
}

static void send_packet(const struct tree *t, bool once, char *packet, size_t size)
{
	send_from(t, false, once, packet, size);
}

static void assert_packet(const char *packet, const char *text, bool there)
{
	if (!strstr(packet, text) == there)
		fail_msg("%s is%s in %s", text, there ? " not" : "", packet);
}

#define SNMP(now, active, passive) \
	"Ip: Forwarding DefaultTTL\nIp: 1 64\n" \
	"Tcp: RtoAlgorithm MaxConn ActiveOpens PassiveOpens CurrEstab\n" \
	"Tcp: 1 -1 " active " " passive " " now "\nUdp: InDatagrams\nUdp: 3\n"

TEST(senders_of_one_packet_each_are_one_process_since_boot)
{
	struct tree t CLEANUP(tree_free);
	char first[8192], second[8192];
	tree_make(&t);
	tree_put(&t, "proc/stat", STR("cpu  1 2 3\nintr 5\nbtime 1699990000\nprocesses 9\n"));
	tree_put(&t, "proc/net/snmp", STR(SNMP("3", "100", "20")));
	send_packet(&t, true, first, sizeof(first));
	tree_put(&t, "proc/net/snmp", STR(SNMP("2", "104", "21")));
	send_packet(&t, true, second, sizeof(second));
	assert_packet(first, " tod=\"1700000000\" ", true);
	assert_packet(first, " tos=\"1699990000\" ", true);
	assert_packet(second, " tos=\"1699990000\" ", true);
	assert_packet(first, " pid=\"1\" ", true);
	assert_packet(second, " pid=\"1\" ", true);
	assert_packet(first, "<stats id=\"link\"><num>3</num><tot>120</tot></stats>", true);
	assert_packet(second, "<stats id=\"link\"><num>2</num><tot>125</tot></stats>", true);
}

TEST(a_sender_that_stays_gives_its_own_start)
{
	struct tree t CLEANUP(tree_free);
	char packet[8192], pid[32];
	tree_make(&t);
	tree_put(&t, "proc/stat", STR("btime 1699990000\n"));
	send_packet(&t, false, packet, sizeof(packet));
	snprintf(pid, sizeof(pid), " pid=\"%d\" ", (int)getpid());
	assert_packet(packet, pid, true);
	assert_packet(packet, " tos=\"1700000005\" ", true);
	/* the block "link" is left out, because the file with its values is missing */
	assert_packet(packet, "<stats id=\"link\">", false);
}

TEST(the_start_is_never_after_the_record)
{
	struct tree t CLEANUP(tree_free);
	char packet[8192];
	tree_make(&t);
	send_packet(&t, true, packet, sizeof(packet));
	assert_packet(packet, " tos=\"1700000000\" ", true);
	tree_put(&t, "proc/stat", STR("btime 1700000009\n"));
	tree_put(&t, "proc/net/snmp", STR("Tcp: ActiveOpens CurrEstab\nTcp: 5 x\n"));
	send_packet(&t, true, packet, sizeof(packet));
	assert_packet(packet, " tos=\"1700000000\" ", true);
	assert_packet(packet, "<stats id=\"link\">", false);
}

/* The sizes are in KB, and the free space is the space for users. */
TEST(file_systems_of_the_node_have_their_sizes)
{
	struct tree t CLEANUP(tree_free);
	char packet[8192];
	tree_make(&t);
	tree_put(&t, "proc/mounts", STR("/dev/sda1 / ext4 rw 0 0\n/dev/sda1 / ext4 rw 0 0\n"
					"tmpfs / tmpfs rw 0 0\n/dev/fuse / fuse.x rw 0 0\n"));
	send_from(&t, true, false, packet, sizeof(packet));
	assert_packet(packet, "<paths>1<stats id=\"0\">", true);
	assert_packet(packet, "<tot>4000</tot><free>1600</free><ino>90</ino><ifr>80</ifr>", true);
}

int main(void)
{
	RUN(cmocka_unit_test(file_systems_of_the_node_have_their_sizes),
	    cmocka_unit_test(senders_of_one_packet_each_are_one_process_since_boot),
	    cmocka_unit_test(a_sender_that_stays_gives_its_own_start),
	    cmocka_unit_test(the_start_is_never_after_the_record));
}
