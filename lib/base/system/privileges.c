/* SPDX-License-Identifier: BSD-3-Clause */
/* privileges.c - drop capabilities(7), and give up root for the owner of an archive */
#include "base/system/privileges.h"

#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/users.h"

#define NOBODY 65534	/* uid and gid of nobody */

static const struct {
	uint64_t bit;
	const char *name;
} names[] = {
	{ PRIVILEGE_CHOWN,    "cap_chown"           },
	{ PRIVILEGE_OVERRIDE, "cap_dac_override"    },
	{ PRIVILEGE_SEARCH,   "cap_dac_read_search" },
	{ PRIVILEGE_FOWNER,   "cap_fowner"          },
	{ PRIVILEGE_ADMIN,    "cap_sys_admin"       },
	{ PRIVILEGE_PERFMON,  "cap_perfmon"         },
	{ PRIVILEGE_BPF,      "cap_bpf"             },
};

/*
 * The capability sets of a thread as capget(2) returns them: the lower 32 bits of each set, then
 * the upper 32 bits.
 */
struct sets {
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3];
};

static int privileges_read_sets(struct sets *s)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	return syscall(SYS_capget, &head, s->half) < 0 ? -errno : 0;
}

static int privileges_change(uint64_t effective, uint64_t permitted)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct sets s;
	int r = privileges_read_sets(&s);
	if (r < 0)
		return r;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t all = s.half[i].permitted & (uint32_t)(permitted >> 32 * i);
		s.half[i] = (struct __user_cap_data_struct){
			.effective = all & (uint32_t)(effective >> 32 * i), .permitted = all,
		};
	}
	return syscall(SYS_capset, &head, s.half) < 0 ? -errno : 0;
}

/*
 * Limit the bounding set to `kept`. Without CAP_SETPCAP this is impossible, but then the process
 * cannot gain the other capabilities anyway.
 */
static void privileges_bound(uint64_t kept)
{
	for (unsigned i = 0; i < 64; i++)
		if (!(kept & PRIVILEGE(i)) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0)
			return;
}

int privileges_keep(uint64_t kept)
{
	privileges_bound(kept);
	return privileges_change(kept, kept);
}

int privileges_use(uint64_t set)
{
	return privileges_change(set, UINT64_MAX);
}

uint64_t privileges_raise(uint64_t more)
{
	uint64_t own = privileges_left();
	return own && privileges_use(own | more) == 0 ? own : 0;
}

/*
 * Restore an earlier effective set of capabilities, or the empty set. The kernel always allows
 * this, but a seccomp(2) filter may not. If this fails, end the program: it must not parse foreign
 * files with the rights of root.
 */
static void privileges_return_to(uint64_t before)
{
	int r = privileges_use(before);
	if (r < 0)
		error(1, -r, "cannot give up capabilities");
}

void privileges_lower(uint64_t before)
{
	if (before)
		privileges_return_to(before);
}

static bool perfmon_is_enough(void)
{
	struct files here = { .rootfd = AT_FDCWD };
	char buf[32];
	struct str level = files_line(&here, "/proc/sys/kernel/perf_event_paranoid", buf,
				      sizeof(buf));
	uint64_t v;
	return prctl(PR_CAPBSET_READ, 38, 0, 0, 0) >= 0 && !(str_take_u64(&level, &v) && v > 2);
}

uint64_t privileges_here(uint64_t set)
{
	return set & PRIVILEGE_PERFMON && !perfmon_is_enough() ? set | PRIVILEGE_ADMIN : set;
}

uint64_t privileges_left(void)
{
	struct sets s;
	if (privileges_read_sets(&s) < 0)
		return 0;
	return s.half[0].effective | (uint64_t)s.half[1].effective << 32;
}

void privileges_put(struct buf *b, uint64_t all)
{
	size_t start = b->n;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (all & names[i].bit)
			buf_addf(b, "%s%s", b->n > start ? "," : "", names[i].name);
		all &= ~names[i].bit;
	}
	for (int i = 0; i < 64; i++)
		if (all & PRIVILEGE(i))
			buf_addf(b, "%s%d", b->n > start ? "," : "", i);
	if (b->n == start)
		buf_add(b, STR("none"));
}

struct identity privileges_nobody(void)
{
	struct identity who = { NOBODY, NOBODY };
	users_find(STR("nodometer"), &who.uid, &who.gid);
	return who;
}

/* Change user and groups, but not capabilities. Returns 0 or -errno. */
static int privileges_switch(const struct identity *who)
{
	bool done = prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
		    setresgid(who->gid, who->gid, who->gid) == 0 &&
		    setresuid(who->uid, who->uid, who->uid) == 0;
	return done ? 0 : -errno;
}

int privileges_become(const struct identity *who, uint64_t kept)
{
	if (geteuid() != 0)
		return privileges_keep(kept);
	privileges_bound(kept);
	int r = who->uid != 0 ? privileges_switch(who) : 0;
	return r < 0 ? r : privileges_keep(kept);
}

int privileges_of_owner(const char *dir, uint64_t kept)
{
	struct stat st;
	if (geteuid() != 0)
		return 0;
	if (stat(dir, &st) < 0)
		st.st_uid = 0;
	return privileges_become(&(struct identity){ st.st_uid, st.st_gid }, kept);
}

int privileges_of_writer(const char *dir, uint64_t kept)
{
	struct stat st;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	if (stat(dir, &st) < 0 || st.st_uid == 0)
		return privileges_change(kept | PRIVILEGES_OF_OWNER, kept | PRIVILEGES_OF_OWNER);
	int r = privileges_switch(&(struct identity){ st.st_uid, st.st_gid });
	return r < 0 ? r : privileges_change(kept, kept);
}

void privileges_pass_on(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct sets s;
	if (privileges_read_sets(&s) < 0)
		return;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		s.half[i].inheritable = s.half[i].permitted;
	if (syscall(SYS_capset, &head, s.half) < 0)
		return;
	for (unsigned i = 0; i < 64; i++)
		if (s.half[i / 32].permitted & UINT32_C(1) << i % 32)
			prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0);
}

int privileges_leave_root(const char *dir, uint64_t kept)
{
	struct identity who = privileges_nobody();
	struct stat st;
	if (stat(dir, &st) == 0 && st.st_uid != 0)
		who = (struct identity){ st.st_uid, st.st_gid };
	int r = privileges_become(&who, kept);
	int e = r < 0 ? privileges_keep(kept) : 0;
	privileges_rest();
	return r < 0 ? r : e;
}

void privileges_rest(void)
{
	privileges_return_to(0);
}
