/* SPDX-License-Identifier: BSD-3-Clause */
/* call_kinds.c - the x86-64 system calls that operate on files, by number */
#include "filetrace/calls/call_kinds.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "filetrace/event.h"

/*
 * The system calls by number (arch/x86/entry/syscalls/syscall_64.tbl). Members such as .fd = 1
 * state which argument of the call is the descriptor, counted from 1.
 */
static const struct call_name names[CALLS] = {
	[  0] = { "read",            { 1, OP_READ,        .fd = 1, .requested = 3 } },
	[  1] = { "write",           { 1, OP_WRITE,       .fd = 1, .requested = 3 } },
	[  2] = { "open",            { 1, OP_OPEN,
		.path = 1, .flags = 2, .mode = 3, .opens = 1 } },
	[  3] = { "close",           { 1, OP_CLOSE,       .fd = 1, .early = 1 } },
	[  4] = { "stat",            { 1, OP_STAT,        .path = 1, .status = 2, .mode_at = 24 } },
	[  5] = { "fstat",           { 1, OP_STAT,        .fd = 1 } },
	[  6] = { "lstat",           { 1, OP_STAT,        .path = 1, .status = 2, .mode_at = 24 } },
	[  8] = { "lseek",           { 1, OP_LSEEK,       .fd = 1 } },
	[ 17] = { "pread64",
		         { 1, OP_READ,        .fd = 1, .requested = 3, .position = 4 } },
	[ 18] = { "pwrite64",
		        { 1, OP_WRITE,       .fd = 1, .requested = 3, .position = 4 } },
	[ 19] = { "readv",           { 1, OP_READ,        .fd = 1, .parts = 2 } },
	[ 20] = { "writev",          { 1, OP_WRITE,       .fd = 1, .parts = 2 } },
	[ 21] = { "access",          { 1, OP_ACCESS,      .path = 1, .flags = 2 } },
	[ 40] = { "sendfile",        { 1, OP_COPY,
		.fd = 2, .to_fd = 1, .position_at = 3, .requested = 4 } },
	[ 74] = { "fsync",           { 1, OP_FSYNC,       .fd = 1 } },
	[ 75] = { "fdatasync",       { 1, OP_FSYNC,       .fd = 1 } },
	[ 76] = { "truncate",        { 1, OP_SETATTR,     .path = 1 } },
	[ 77] = { "ftruncate",       { 1, OP_SETATTR,     .fd = 1 } },
	[ 78] = { "getdents",        { 1, OP_READDIR,     .fd = 1 } },
	[ 80] = { "chdir",           { 1, OP_ACCESS,      .path = 1, .early = 1 }, X_OK },
	[ 81] = { "fchdir",          { 1, OP_ACCESS,      .fd = 1 }, X_OK },
	[ 82] = { "rename",          { 1, OP_RENAME,      .path = 1, .to_path = 2 } },
	[ 83] = { "mkdir",           { 1, OP_MKDIR,       .path = 1, .mode = 2 } },
	[ 84] = { "rmdir",           { 1, OP_UNLINK,      .path = 1 }, AT_REMOVEDIR },
	[ 85] = { "creat",           { 1, OP_OPEN,
		.path = 1, .mode = 2, .opens = 1 }, O_CREAT | O_WRONLY | O_TRUNC },
	[ 86] = { "link",            { 1, OP_LINK,        .path = 1, .to_path = 2 } },
	[ 87] = { "unlink",          { 1, OP_UNLINK,      .path = 1 } },
	[ 88] = { "symlink",         { 1, OP_SYMLINK,     .path = 2, .text = 1 } },
	[ 89] = { "readlink",        { 1, OP_READLINK,    .path = 1 } },
	[ 90] = { "chmod",           { 1, OP_SETATTR,     .path = 1 } },
	[ 91] = { "fchmod",          { 1, OP_SETATTR,     .fd = 1 } },
	[ 92] = { "chown",           { 1, OP_SETATTR,     .path = 1 } },
	[ 93] = { "fchown",          { 1, OP_SETATTR,     .fd = 1 } },
	[ 94] = { "lchown",          { 1, OP_SETATTR,     .path = 1 } },
	[132] = { "utime",           { 1, OP_SETATTR,     .path = 1 } },
	[133] = { "mknod",           { 1, OP_MKNOD,       .path = 1, .mode = 2 } },
	[137] = { "statfs",          { 1, OP_STATFS,      .path = 1 } },
	[138] = { "fstatfs",         { 1, OP_STATFS,      .fd = 1 } },
	[188] = { "setxattr",        { 1, OP_SETXATTR,    .path = 1, .text = 2 } },
	[189] = { "lsetxattr",       { 1, OP_SETXATTR,    .path = 1, .text = 2 } },
	[190] = { "fsetxattr",       { 1, OP_SETXATTR,    .fd = 1, .text = 2 } },
	[191] = { "getxattr",        { 1, OP_GETXATTR,    .path = 1, .text = 2 } },
	[192] = { "lgetxattr",       { 1, OP_GETXATTR,    .path = 1, .text = 2 } },
	[193] = { "fgetxattr",       { 1, OP_GETXATTR,    .fd = 1, .text = 2 } },
	[194] = { "listxattr",       { 1, OP_LISTXATTR,   .path = 1, .size = 3 } },
	[195] = { "llistxattr",      { 1, OP_LISTXATTR,   .path = 1, .size = 3 } },
	[196] = { "flistxattr",      { 1, OP_LISTXATTR,   .fd = 1, .size = 3 } },
	[197] = { "removexattr",     { 1, OP_REMOVEXATTR, .path = 1, .text = 2 } },
	[198] = { "lremovexattr",    { 1, OP_REMOVEXATTR, .path = 1, .text = 2 } },
	[199] = { "fremovexattr",    { 1, OP_REMOVEXATTR, .fd = 1, .text = 2 } },
	[217] = { "getdents64",      { 1, OP_READDIR,     .fd = 1 } },
	[235] = { "utimes",          { 1, OP_SETATTR,     .path = 1 } },
	[257] = { "openat",          { 1, OP_OPEN,
		.dir = 1, .path = 2, .flags = 3, .mode = 4, .opens = 1 } },
	[258] = { "mkdirat",         { 1, OP_MKDIR,       .dir = 1, .path = 2, .mode = 3 } },
	[259] = { "mknodat",         { 1, OP_MKNOD,       .dir = 1, .path = 2, .mode = 3 } },
	[260] = { "fchownat",        { 1, OP_SETATTR,     .dir = 1, .path = 2 } },
	[261] = { "futimesat",       { 1, OP_SETATTR,     .dir = 1, .path = 2 } },
	[262] = { "newfstatat",      { 1, OP_STAT,
		.dir = 1, .path = 2, .status = 3, .mode_at = 24 } },
	[263] = { "unlinkat",        { 1, OP_UNLINK,      .dir = 1, .path = 2, .flags = 3 } },
	[264] = { "renameat",        { 1, OP_RENAME,
		.dir = 1, .path = 2, .to_dir = 3, .to_path = 4 } },
	[265] = { "linkat",          { 1, OP_LINK,
		.dir = 1, .path = 2, .to_dir = 3, .to_path = 4 } },
	[266] = { "symlinkat",       { 1, OP_SYMLINK,     .dir = 2, .path = 3, .text = 1 } },
	[267] = { "readlinkat",      { 1, OP_READLINK,    .dir = 1, .path = 2 } },
	[268] = { "fchmodat",        { 1, OP_SETATTR,     .dir = 1, .path = 2 } },
	[269] = { "faccessat",       { 1, OP_ACCESS,      .dir = 1, .path = 2, .flags = 3 } },
	[280] = { "utimensat",       { 1, OP_SETATTR,     .dir = 1, .path = 2 } },
	[285] = { "fallocate",
		       { 1, OP_FALLOCATE,   .fd = 1, .position = 3, .requested = 4 } },
	[295] = { "preadv",          { 1, OP_READ,        .fd = 1, .parts = 2, .position = 4 } },
	[296] = { "pwritev",         { 1, OP_WRITE,       .fd = 1, .parts = 2, .position = 4 } },
	[316] = { "renameat2",       { 1, OP_RENAME,
		.dir = 1, .path = 2, .to_dir = 3, .to_path = 4 } },
	[326] = { "copy_file_range", { 1, OP_COPY,
		.fd = 1, .position_at = 2, .to_fd = 3, .requested = 5 } },
	[327] = { "preadv2",         { 1, OP_READ,        .fd = 1, .parts = 2, .position = 4 } },
	[328] = { "pwritev2",        { 1, OP_WRITE,       .fd = 1, .parts = 2, .position = 4 } },
	[332] = { "statx",           { 1, OP_STAT,
		.dir = 1, .path = 2, .status = 5, .mode_at = 28 } },
	[437] = { "openat2",         { 1, OP_OPEN,
		.dir = 1, .path = 2, .how = 3, .opens = 1 } },
	[439] = { "faccessat2",      { 1, OP_ACCESS,      .dir = 1, .path = 2, .flags = 3 } },
	[452] = { "fchmodat2",       { 1, OP_SETATTR,     .dir = 1, .path = 2 } },
};

const struct call_name *call_name(unsigned number)
{
	return number < CALLS && names[number].name ? &names[number] : NULL;
}

void call_kinds(struct call_kind kinds[CALLS], uint32_t recorded)
{
	memset(kinds, 0, CALLS * sizeof(*kinds));
	if (recorded & OPERATION(OP_CREAT))
		/* trace each open, because only its result shows whether it created the file */
		recorded |= OPERATION(OP_OPEN);
	for (size_t i = 0; i < CALLS; i++)
		if (names[i].name && recorded & OPERATION(names[i].kind.op))
			kinds[i] = names[i].kind;
}
