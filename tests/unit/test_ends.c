/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ends.c - read only the header and the newest records of an archive file */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "archive/ends.h"
#include "archive/index.h"
#include "archive/pack.h"
#include "base/files.h"

#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n!vm pgpgin,E\n"
#define TAIL   (128u << 10)

/* A folder, and the paths of archive file 1 in plain and in compressed form. */
struct place {
	char dir[32], plain[48], packed[48];
};

static void make(struct place *p, int groups)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	uint64_t x = 1;
	*p = (struct place){ .dir = "/tmp/test_ends.XXXXXX" };
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->plain, sizeof(p->plain), "%s/1", p->dir);
	snprintf(p->packed, sizeof(p->packed), "%s/1.zst", p->dir);
	buf_add(&text, STR(HEADER));
	for (int i = 0; i < groups; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		buf_addf(&text, "\n%d -\nvm - %llu\n", 1700000000 + i, (unsigned long long)x);
	}
	int fd CLEANUP(close_fd) = open(p->plain, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(files_write(fd, buf_str(&text)), 0);
}

/*
 * Compress the file as `nodometer-tidy --compress` does. Skips the test if that is not supported in
 * this build.
 */
static void compress(const struct place *p)
{
	int fd CLEANUP(close_fd) = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = pack_file(fd, "1");
	if (r == -EOPNOTSUPP) {
		unlink(p->plain);
		rmdir(p->dir);
		skip();
	}
	assert_int_equal(r, 0);
}

static void remove_all(const struct place *p)
{
	unlink(p->plain);
	unlink(p->packed);
	rmdir(p->dir);
}

static void are_the_same_compressed(int groups)
{
	struct buf plain CLEANUP(buf_free) = { 0 }, packed CLEANUP(buf_free) = { 0 };
	struct place p;
	make(&p, groups);
	assert_int_equal(ends_read(p.plain, TAIL, &plain), 0);
	compress(&p);
	assert_int_equal(ends_read(p.packed, TAIL, &packed), 0);
	assert_int_equal(plain.n, packed.n);
	assert_memory_equal(plain.p, packed.p, plain.n);
	assert_true(plain.n <= TAIL + sizeof(HEADER));
	remove_all(&p);
}

TEST(ends_of_a_compressed_file_equal_those_of_the_plain_one)
{
	are_the_same_compressed(1);
	/* the plain file is longer than TAIL, and shorter than one zstd frame (INDEX_LAST) */
	are_the_same_compressed(4000);
	are_the_same_compressed(30000);
}

/* Change the byte before the last zstd frame. It belongs to the checksum of the previous frame. */
static void damage_before_the_last_frame(const struct place *p)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str index;
	uint64_t last;
	char byte;
	int fd CLEANUP(close_fd) = open(p->packed, O_RDWR | O_CLOEXEC);
	assert_int_equal(index_read(p->packed, &b, &index), 0);
	assert_true(index_last_frame(index, &last));
	assert_int_equal(pread(fd, &byte, 1, (off_t)last - 1), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)last - 1), 1);
}

TEST(nothing_between_the_header_and_the_last_frame_is_decompressed)
{
	struct buf plain CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };
	struct place p;
	make(&p, 30000);
	assert_int_equal(ends_read(p.plain, TAIL, &plain), 0);
	compress(&p);
	damage_before_the_last_frame(&p);
	assert_int_equal(ends_read(p.packed, TAIL, &text), 0);
	assert_true(str_eq(buf_str(&plain), buf_str(&text)));
	assert_int_equal(ends_read(p.packed, INDEX_LAST + 1, &text), -EILSEQ);
	remove_all(&p);
}

int main(void)
{
	RUN(cmocka_unit_test(ends_of_a_compressed_file_equal_those_of_the_plain_one),
	    cmocka_unit_test(nothing_between_the_header_and_the_last_frame_is_decompressed));
}
