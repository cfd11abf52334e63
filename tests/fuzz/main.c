/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - run a fuzz target once over each file of a folder, if there is no libFuzzer */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	FILE *f = fopen(path, "re");
	struct buf b CLEANUP(buf_free) = { 0 };
	if (!f) {
		perror(path);
		return 1;
	}
	do {
		buf_reserve(&b, 65536);
		b.n += fread(b.p + b.n, 1, 65536, f);
	} while (!feof(f) && !ferror(f));
	int failed = ferror(f) != 0;
	fclose(f);
	LLVMFuzzerTestOneInput((const uint8_t *)b.p, b.n);
	return failed;
}

/* Usage: NAME CORPUS-FOLDER */
int main(int argc, char **argv)
{
	DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
	unsigned n = 0, failed = 0;
	if (!d) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	for (struct dirent *e; (e = readdir(d)); ) {
		struct buf path CLEANUP(buf_free) = { 0 };
		if (e->d_name[0] == '.')
			continue;
		buf_addf(&path, "%s/%s", argv[1], e->d_name);
		buf_add_char(&path, '\0');
		failed += (unsigned)run_file(path.p);
		n++;
	}
	closedir(d);
	printf("%u inputs\n", n);
	return n == 0 || failed;
}
