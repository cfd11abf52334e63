/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rogue_names.c - survive any answer of a name server: a lookup gives addresses or none */
#include "tests/unit/rogue.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include "sinks/lookup.h"
#include "tests/unit/tree.h"

static struct rogue *shared;

/*
 * Make the answer of a name server (RFC 1035, 4): the question again, then a random number of
 * addresses and aliases.
 */
static size_t make_answer(char *p, const char *question, size_t n, uint32_t *seed)
{
	struct bytes b = { 0 };
	uint32_t records = chance(seed) % 40;
	memcpy(b.p, question, n);
	b.n = n;
	b.p[2] = (char)0x81;
	b.p[3] = (char)0x80;
	b.p[6] = 0;
	b.p[7] = (char)records;
	memset(b.p + 8, 0, 4);
	for (uint32_t i = 0; i < records; i++) {
		bool alias = chance(seed) % 8 == 0;
		add_number(&b, 2, 0xc00c);	/* a pointer to the name in the question */
		add_number(&b, 2, alias ? 5 : 1);
		add_number(&b, 2, 1);
		add_number(&b, 4, chance(seed));
		add_number(&b, 2, alias ? 2 : 4);
		add_number(&b, alias ? 2 : 4, alias ? 0xc00c : chance(seed));
	}
	memcpy(p, b.p, b.n);
	return b.n;
}

static void serve_names(int fd)
{
	char question[512], answer[PIECE_MAX];
	struct sockaddr_in from;
	for (;;) {
		socklen_t size = sizeof(from);
		ssize_t got = recvfrom(fd, question, sizeof(question), 0,
				       (struct sockaddr *)&from, &size);
		uint32_t seed = shared->sessions * 2654435761u + 1;
		if (got < 17)
			continue;
		size_t asked = (size_t)got - 4, n;
		size_t from_name = asked;
		n = make_answer(answer, question, (size_t)got, &seed);
		size_t rest = n - from_name;
		for (uint32_t k = chance(&seed) % 4; k-- > 0;)
			mutate(answer + from_name, &rest, sizeof(answer) - from_name, &seed);
		sendto(fd, answer, from_name + rest, 0, (struct sockaddr *)&from, size);
		/* NXDOMAIN ends the lookup if the resolver did not accept the first answer */
		question[2] = (char)0x81;
		question[3] = (char)0x83;
		sendto(fd, question, (size_t)got, 0, (struct sockaddr *)&from, size);
		shared->sessions++;
	}
}

/* Enter a private network with a private resolv.conf. Returns false if that is not permitted. */
static bool own_network(const char *resolv)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 ||
	    mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(resolv, "/etc/resolv.conf", NULL, MS_BIND, NULL) < 0)
		return false;
	int fd CLEANUP(close_fd) = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
}

static void look_up(void)
{
	struct lookup_answer a = { 0 };
	struct lookup l = { 0 };
	char host[64];
	snprintf(host, sizeof(host), "broker%u.test", shared->sessions);
	if (lookup_start(&l, host, "1", &a) != 0)
		return;
	int r = lookup_take(&l, 20000, &a);
	assert_true(r == 0 || r == -EIO);
	assert_true(a.n <= LOOKUP_ADDRESSES_MAX);
	lookup_cancel(&l);
}

TEST(a_lookup_survives_damaged_answers_of_name_servers)
{
	struct tree t CLEANUP(tree_free);
	char resolv[96];
	int port;
	tree_make(&t);
	tree_put(&t, "resolv.conf", STR("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"));
	snprintf(resolv, sizeof(resolv), "%s/resolv.conf", t.path);
	if (geteuid() != 0 || !own_network(resolv)) {
		printf("skipped: not root, or no namespaces\n");
		skip();
	}
	int fd = listen_at_loopback(SOCK_DGRAM, htons(53), &port);
	shared->sessions = 0;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_names(fd);
	}
	close(fd);
	while (shared->sessions < shared->wanted)
		look_up();
	end_peer(pid);
}

int main(void)
{
	shared = rogue_new();
	RUN(cmocka_unit_test(a_lookup_survives_damaged_answers_of_name_servers));
}
