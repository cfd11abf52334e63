/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_xrdflat.c - XRootD's summary packets: both readers of XML agree, keys are clean */
#include <errno.h>
#include <stdlib.h>
#include "base/buf.h"
#include "formats/xrdflat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Keys and values are words; keys of the body are never empty. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct buf plain, xml;
	struct str packet = { (const char *)data, size };
	struct xrd_sink to = { .put = put, .site = true };
	size_t n = 0;

	plain.n = xml.n = 0;
	to.arg = &plain;
	int p = xrd_read_plain(packet, &to);
	to.arg = &xml;
	int x = xrd_read_xml(packet, &to);
	must(p == 0 || p == -EAGAIN);
	must(x == 0 || x == -EBADMSG || x == -E2BIG || x == -EOPNOTSUPP);
	if (p == 0 && x == 0)
		must(str_eq(buf_str(&plain), buf_str(&xml)));
	int c = xrd_read_compat(packet, &(struct xrd_sink){ .put = count, .arg = &n });
	must(c == 0 || c == -EBADMSG);
	must(n <= XRD_COMPAT_BYTES);
	return 0;
}
