/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim.c - LD_PRELOAD for torture.py: count the calls in calls.inc and make one fail
 *
 * For crash.py the shim records every change to a file. The driver and all processes share struct
 * control, mapped at the start, so a confined process needs no system call to read it. A call is
 * identified by its program and return address. Each function takes and returns eight 64-bit
 * arguments, whatever the real types are.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(long) == 8, "arguments are passed as 64 bits");

enum { PLACES = 4096, RECORD = 8 << 20, SHORT = -1, KILL = -2 };
enum shown { MINUS, NOTHING, NEGATIVE, ERROR };
enum sized { NONE, ARG3, MSG, DONE };

struct control {
	uint64_t place;			/* the call that fails, as program and offset */
	uint32_t nth;			/* fail the nth time that the call is made; 0: never */
	int32_t what;			/* errno to fail with, or SHORT or KILL */
	uint32_t hits, fired;
	/* watched process, and its blocks of memory allocated minus freed */
	int32_t watched, blocks;
	struct {
		uint64_t place;
		uint32_t call, n;
	} seen[PLACES];
};

typedef long function(long, long, long, long, long, long, long, long);

enum call {
#define CALL(name, shown, sized, errors) OF_##name,
#include "tests/torture/calls.inc"
#undef CALL
};

extern void __libc_free(void *p);
extern function __libc_malloc, __libc_calloc, __libc_realloc;

/*
 * An entry of the file that $TORTURE_RECORD names: a change, followed by one or two paths, or by
 * data
 */
struct change {
	uint32_t size, call;	/* size: in bytes, including the paths or data that follow */
	uint64_t inode;
	int64_t at, n;
};

struct record {
	uint64_t used;
	char text[RECORD - sizeof(uint64_t)];
};

static struct control *control;
static struct record *record;
static uintptr_t base, text, text_end;
static uint64_t program;
static pid_t self;

static int find_text(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			text = base + info->dlpi_phdr[i].p_vaddr;
			text_end = text + info->dlpi_phdr[i].p_memsz;
		}
	return 1;	/* stop: the first object is the program, the others are libraries */
}

static void *share(const char *variable, size_t size)
{
	const char *path = getenv(variable);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static void know_self(void)
{
	self = getpid();
}

__attribute__((constructor)) static void begin(void)
{
	uint32_t hash = 0;
	for (const char *c = program_invocation_short_name; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	program = (uint64_t)(hash & 0xffff) << 48;
	dl_iterate_phdr(find_text, NULL);
	know_self();
	pthread_atfork(NULL, NULL, know_self);
	record = share("TORTURE_RECORD", sizeof(*record));
	control = share("TORTURE", sizeof(*control));
}

static void add(enum call call, int fd, int64_t at, int64_t n, const char *data, size_t size)
{
	struct stat st = { 0 };
	if (fd >= 0)
		fstat(fd, &st);
	struct change c = { (uint32_t)(sizeof(c) + size), call, st.st_ino, at, n };
	uint64_t to = __atomic_fetch_add(&record->used, c.size, __ATOMIC_SEQ_CST);
	if (to + c.size > sizeof(record->text))
		abort();
	memcpy(record->text + to, &c, sizeof(c));
	memcpy(record->text + to + sizeof(c), data, size);
}

/*
 * Write the path of `name`, which may be relative to dirfd, and a NUL. Returns the length of both.
 */
static size_t put_path(char *to, int dirfd, const char *name)
{
	char link[64];
	ssize_t n = 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
	if (name[0] != '/' && dirfd != AT_FDCWD)
		n = readlink(link, to, PATH_MAX - 1);
	return (size_t)(n + snprintf(to + n, PATH_MAX, "%s%s", n > 0 ? "/" : "", name) + 1);
}

/* Calls that change names: index of each argument, or -1 if the call has no such argument */
static const struct naming {
	enum call call;
	int dir, name, to_dir, to, flags;
} namings[] = {
	{ OF_open,     -1, 0, -1, -1,  1 },
	{ OF_openat,    0, 1, -1, -1,  2 },
	{ OF_mkdir,    -1, 0, -1, -1, -1 },
	{ OF_mkdirat,   0, 1, -1, -1, -1 },
	{ OF_unlink,   -1, 0, -1, -1, -1 },
	{ OF_unlinkat,  0, 1, -1, -1, -1 },
	{ OF_rmdir,    -1, 0, -1, -1, -1 },
	{ OF_rename,   -1, 0, -1,  1, -1 },
	{ OF_renameat,  0, 1,  2,  3, -1 },
	{ OF_linkat,    0, 1,  2,  3, -1 },
};

static void note_names(const struct naming *n, int r, const long *arg)
{
	static char text[4 * PATH_MAX];
	long flags = n->flags < 0 ? 0 : arg[n->flags];
	if (n->flags >= 0 && !(flags & (O_CREAT | O_TRUNC)))
		return;
	size_t size = put_path(text, n->dir < 0 ? AT_FDCWD : (int)arg[n->dir],
			       (const char *)arg[n->name]);
	if (n->to >= 0)
		size += put_path(text + size, n->to_dir < 0 ? AT_FDCWD : (int)arg[n->to_dir],
				 (const char *)arg[n->to]);
	add(n->call, n->flags < 0 ? -1 : r, flags & O_TRUNC, 0, text, size);
}

static void note(enum call call, long r, const long *arg)
{
	int fd = (int)arg[0], saved = errno;
	if (call == OF_write)
		add(call, fd, lseek(fd, 0, SEEK_CUR) - r, r, (const char *)arg[1], (size_t)r);
	else if (call == OF_pwrite)
		add(call, fd, arg[3], r, (const char *)arg[1], (size_t)r);
	else if (call == OF_ftruncate || call == OF_fsync || call == OF_fdatasync)
		add(call, fd, call == OF_ftruncate ? arg[1] : 0, 0, "", 0);
	for (size_t i = 0; i < sizeof(namings) / sizeof(*namings); i++)
		if (namings[i].call == call)
			note_names(&namings[i], (int)r, arg);
	errno = saved;
}

static void count(uint64_t place, enum call call)
{
	for (uint64_t i = place % 4093, n = 0; n < PLACES; i = (i + 1) % PLACES, n++) {
		uint64_t free = 0;
		if (__atomic_load_n(&control->seen[i].place, __ATOMIC_RELAXED) != place &&
		    !__atomic_compare_exchange_n(&control->seen[i].place, &free, place, 0,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
		    free != place)
			continue;
		control->seen[i].call = call;
		__atomic_add_fetch(&control->seen[i].n, 1, __ATOMIC_SEQ_CST);
		return;
	}
}

/* Return how the call from this address fails: errno, SHORT or KILL; or 0 to make the call. */
static int goes_wrong(enum call call, uintptr_t from)
{
	if (!control || from < text || from >= text_end)
		return 0;
	uint64_t place = program | (from - base);
	if (!control->place)
		count(place, call);
	if (control->place != place || !control->nth ||
	    __atomic_add_fetch(&control->hits, 1, __ATOMIC_SEQ_CST) != control->nth)
		return 0;
	control->fired = 1;
	return control->what;
}

static void count_blocks(int n)
{
	if (n && control && control->watched == self)
		__atomic_add_fetch(&control->blocks, n, __ATOMIC_SEQ_CST);
}

/*
 * Return the change in the number of allocated blocks: 1, 0, or -1 for realloc(p, 0), which frees
 * p.
 */
static int blocks_of(enum call call, long r, long a, long b)
{
	return call == OF_malloc || call == OF_calloc ? r != 0 :
	       call != OF_realloc ? 0 : a == 0 ? r != 0 : -(r == 0 && b == 0);
}

void free(void *p)
{
	count_blocks(-(p != NULL));
	__libc_free(p);
}

static long half(enum sized sized, function *real, long a, long b, long c, long d)
{
	if (sized == ARG3)
		return real(a, b, c > 1 ? c / 2 : c, d, 0, 0, 0, 0);
	struct msghdr m = *(struct msghdr *)b;
	struct iovec part = *m.msg_iov;
	part.iov_len = part.iov_len > 1 ? part.iov_len / 2 : part.iov_len;
	m.msg_iov = &part;
	m.msg_iovlen = 1;
	return real(a, (long)&m, c, 0, 0, 0, 0, 0);
}

static long failed(enum shown shown, int error)
{
	if (shown == NEGATIVE || shown == ERROR)
		return shown == NEGATIVE ? -error : error;
	errno = error;
	return shown == NOTHING ? 0 : -1;
}

/* The allocators come from the C library directly, because dlsym(3) allocates memory itself. */
static function *find(enum call call, const char *name)
{
	return call == OF_malloc ? __libc_malloc : call == OF_calloc ? __libc_calloc :
	       call == OF_realloc ? __libc_realloc : (function *)dlsym(RTLD_NEXT, name);
}

static long kill_self(void)
{
	raise(SIGKILL);
	__builtin_trap();
}

#define CALL(name, shown, sized, errors)                                                        \
	long shim_##name(long, long, long, long, long, long, long, long) __asm__(#name);        \
	long shim_##name(long a, long b, long c, long d, long e, long f, long g, long h)        \
	{                                                                                       \
		static function *real;                                                          \
		int what = goes_wrong(OF_##name, (uintptr_t)__builtin_return_address(0));       \
		if (!real)                                                                      \
			real = find(OF_##name, #name);                                          \
		if (what == 0) {                                                                \
			long r = real(a, b, c, d, e, f, g, h);                                  \
			count_blocks(blocks_of(OF_##name, r, a, b));                            \
			if (record && (int)r >= 0)                                              \
				note(OF_##name, r, (long[]){ a, b, c, d });                     \
			return r;                                                               \
		}                                                                               \
		return what == SHORT ? half(sized, real, a, b, c, d) :                          \
		       what == KILL ? kill_self() :                                             \
		       sized == DONE ? (real(a, b, c, d, e, f, g, h), failed(shown, what)) :    \
		       failed(shown, what);                                                     \
	}
#include "tests/torture/calls.inc"
