/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_xrdflat.c - all readers of XML give the same result for XRootD's summary packets, and keys
 * have no harmful bytes
 */
#include <errno.h>
#include <stdlib.h>
#include "base/buf.h"
#include "formats/xrootd/xrdflat.h"
#include "formats/xrootd/xrdflat_shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Check that the key and the value are words, and store them. Keys of the body are never empty. */
static void put(void *arg, struct str key, struct str value)
{
	struct buf *b = arg;
	must(key.n > 0 && key.n <= XRD_KEY_MAX && value.n > 0);
	for (size_t i = 0; i < key.n; i++)
		must((unsigned char)key.p[i] > ' ' && key.p[i] != '=' && key.p[i] != '&');
	for (size_t i = 0; i < value.n; i++)
		must((unsigned char)value.p[i] > ' ' && value.p[i] != 0x7f);
	buf_add(b, key);
	buf_add_char(b, ' ');
	buf_add(b, value);
	buf_add_char(b, '\n');
}

static void count(void *arg, struct str key, struct str value)
{
	must(key.n <= XRD_KEY_MAX);
	*(size_t *)arg += value.n;
}

/* Check that the result does not depend on the packets that `shapes` remembers. */
static void check_remembered(struct str packet, struct xrd_shapes *shapes)
{
	static struct buf fresh, again;
	const struct xrd_lines lines = { &again, ' ', '\n' };
	struct xrd_values to = { .put = put, .arg = &fresh, .host = { "h", 1 } };
	fresh.n = again.n = 0;
	int r = xrd_read_plain(packet, &to, NULL);
	to.arg = &again;
	to.lines = &lines;
	must(xrd_read_plain(packet, &to, shapes) == r);
	must(r < 0 || str_eq(buf_str(&fresh), buf_str(&again)));
}

/*
 * Read the packet twice, then a copy with other digits. If the input has two packets with a NUL
 * between them, then read the first and the second.
 */
static void check_shapes(struct str packet)
{
	struct xrd_shapes *shapes = xrd_shapes_new();
	struct buf other CLEANUP(buf_free) = { 0 };
	struct str first;
	check_remembered(packet, shapes);
	check_remembered(packet, shapes);
	buf_add(&other, packet);
	for (size_t i = 0; i < other.n; i++)
		if (other.p[i] >= '0' && other.p[i] <= '9')
			other.p[i] = (char)(105 - other.p[i]);
	check_remembered(buf_str(&other), shapes);
	if (str_take_until(&packet, '\0', &first)) {
		check_remembered(first, shapes);
		check_remembered(packet, shapes);
	}
	xrd_shapes_free(shapes);
}

/* Check that keys and values from JSON have no harmful bytes either. */
static void check_json(struct str packet)
{
	static struct buf b;
	struct xrd_values to = { .put = put, .arg = &b, .site = true };
	b.n = 0;
	int r = xrd_read_json(packet, &to);
	must(r == 0 || r == -EBADMSG || r == -E2BIG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct buf plain, xml;
	struct str packet = { (const char *)data, size };
	struct xrd_values to = { .put = put, .site = true };
	size_t n = 0;

	plain.n = xml.n = 0;
	to.arg = &plain;
	int p = xrd_read_plain(packet, &to, NULL);
	to.arg = &xml;
	int x = xrd_read_xml(packet, &to);
	must(p == 0 || p == -EAGAIN);
	must(x == 0 || x == -EBADMSG || x == -E2BIG || x == -EOPNOTSUPP);
	if (p == 0 && x == 0)
		must(str_eq(buf_str(&plain), buf_str(&xml)));
	int c = xrd_read_compat(packet, &(struct xrd_values){ .put = count, .arg = &n });
	must(c == 0 || c == -EBADMSG);
	must(n <= XRD_COMPAT_BYTES);
	check_json(packet);
	check_shapes(packet);
	return 0;
}
