/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-answer.c - answer the user at a socket with the records of the user's jobs */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "answer/reply.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/frame.h"
#include "base/system/privileges.h"
#include "base/system/users.h"
#include "recorder/options.h"

#define SECOND_NS  1000000000LL
#define REQUEST_NS (5 * SECOND_NS)	/* timeout for the request */
/* timeout for the whole answer, in seconds; SIGALRM kills this process a second after it */
#define ANSWER_S   60

static const struct cli cli = {
	.program = "nodometer-answer", .operands = "", .common = CLI_ALL,
	.about = "Answers the user at the other end of standard input, a socket, with the records\n"
		 "of the user's own runs.  nodometer-answer.socket starts it.",
	.page = "nodometer-answer(8)",
};

/*
 * Read the key "groups" in [answer]: members of these groups may see all runs. May wait for a name
 * service, at most until the timeout of this process.
 */
static void answer_add_groups(const char *list, struct members *m)
{
	struct str rest = str_of(list), item;
	char name[CONFIG_TEXT_MAX];
	while (str_take_item(&rest, &item)) {
		str_copy(name, sizeof(name), item);
		const struct group *gr = getgrnam(name);
		if (gr)
			members_add_group(m, gr->gr_gid);
		else
			log_warning("[answer] groups: unknown group %s", name);
	}
}

/* Identify the user at the other end of the socket. Only the kernel is trusted for this. */
static int answer_find_asker(const struct config *c, struct asker *ret, struct buf *name)
{
	struct members see_all = { .groups = 0 };
	struct ucred peer;
	socklen_t size = sizeof(peer);
	if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return -errno;
	if (peer.uid == (uid_t)-1)
		return -ENOTCONN;
	const struct passwd *pw = getpwuid(peer.uid);
	if (pw)
		buf_add(name, str_of(pw->pw_name));
	answer_add_groups(c->answer_groups, &see_all);
	*ret = (struct asker){ peer.uid, buf_str(name), peer.uid == 0 ||
			       members_has_peer(&see_all, &peer, STDIN_FILENO) };
	return 0;
}

/*
 * Drop privileges and all access except reading the archive. If run by root, first become the
 * archive's owner.
 */
static int answer_confine(const char *dir)
{
	const struct confine_path paths[] = { { dir, CONFINE_READ } };
	struct confined c;
	int r = privileges_of_owner(dir, 0);
	if (r == 0)
		r = privileges_keep(0);
	if (r < 0) {
		log_error("privileges: %s", strerror(-r));
		return r;
	}
	confine(paths, ARRAY_SIZE(paths), 0, &c);
	if (c.why[0])
		log_notice("not confined by %s", c.why);
	return 0;
}

static int answer_receive_request(struct buf *b, struct answer_request *ret)
{
	char kind;
	int r = frame_receive(STDIN_FILENO, &kind, b, ANSWER_REQUEST_MAX,
			      monotonic_ns() + REQUEST_NS);
	if (r < 0)
		return r;
	r = kind == ANSWER_REQUEST ? answer_take_request(buf_str(b), ret) : -EBADMSG;
	/* other requests are for nodometer-fetch */
	return r == 0 && ret->what != ANSWER_RECORDS ? -EBADMSG : r;
}

static void answer_refuse(const struct config *c, int e, int64_t deadline_ns)
{
	struct str why = e == -ETIMEDOUT ? STR("no request arrived within 5 s: try again") :
			 e == -EBADMSG || e == -EMSGSIZE ? STR("invalid request") :
			 str_of(strerror(-e));
	if (reply_refuse(STDIN_FILENO, c->dir, why, deadline_ns) < 0)
		log_debug("the client disconnected before it got its answer");
}

static int answer_run(const struct config *c)
{
	struct buf name CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };
	int64_t deadline_ns = monotonic_ns() + ANSWER_S * SECOND_NS;
	struct answer_request q;
	struct asker asker;

	alarm(ANSWER_S + 1);
	int r = answer_find_asker(c, &asker, &name);
	if (r < 0) {
		log_error("standard input: %s; only nodometer-answer.socket can start this program",
			  strerror(-r));
		return r;
	}
	r = answer_confine(c->dir);
	if (r == 0)
		r = answer_receive_request(&text, &q);
	if (r < 0)
		answer_refuse(c, r, deadline_ns);
	if (r == 0)
		r = reply_send(STDIN_FILENO, c->dir, &asker, &q, deadline_ns);
	if (r < 0)
		log_info("user %u: %s", (unsigned)asker.uid, strerror(-r));
	return 0;	/* a user who leaves or sends no request is no failure of this program */
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct config c;
	const char *arg;

	log_open("nodometer-answer", LOG_LEVEL_INFO);
	int id = options_next(&o, &cli, argc, argv, &arg);
	if (id != CLI_END)
		return id == CLI_SHOWN ? CLI_OK : CLI_WRONG;
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		return CLI_WRONG;
	if (options_configure(&o, &c) < 0)
		return CLI_WRONG;
	int r = answer_run(&c);
	config_free(&c);
	return r < 0 ? CLI_FAILED : CLI_OK;
}
