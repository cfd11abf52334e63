/* SPDX-License-Identifier: BSD-3-Clause */
/* shoveler.c - read and write the JSON messages of OSG's shoveler, which forwards datagrams */
#include "formats/xrootd/shoveler.h"

#include <errno.h>
#include "base/json.h"
#include "base/system/host_port.h"
#include "formats/json_read.h"
#include "formats/xrootd/packet.h"

/* Return the number that a base64 character stands for (RFC 4648, section 4), or -1. */
static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decode the text in b in place. */
static bool shoveler_decode_base64(struct buf *b)
{
	uint32_t bits = 0;
	size_t n = 0, left = 0;
	while (b->n && b->p[b->n - 1] == '=')
		b->n--;
	for (size_t i = 0; i < b->n; i++) {
		int v = base64_value(b->p[i]);
		if (v < 0)
			return false;
		bits = bits << 6 | (uint32_t)v;
		left += 6;
		if (left >= 8) {
			left -= 8;
			b->p[n++] = (char)(bits >> left);
		}
	}
	b->n = n;
	return true;
}

/* Parse "192.0.2.1", "2001:db8::1" or "[2001:db8::1]". */
static bool shoveler_take_address(struct str text, struct in6_addr *ret)
{
	char name[INET6_ADDRSTRLEN + 2];
	if (str_take_prefix(&text, STR("[")) && str_ends(text, STR("]")))
		text.n--;
	return str_copy(name, sizeof(name), text) && host_address(name, ret);
}

static bool shoveler_is_name(struct str s)
{
	bool has_letter = false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!is_letter && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_')
			return false;
		has_letter |= is_letter;
	}
	return has_letter;
}

/*
 * Make up an address for a hostname, without asking a name server: the discard-only prefix 100::/64
 * (RFC 6666), then a hash of the name. No real sender has an address with this prefix.
 */
static bool shoveler_take_name(struct str text, struct shoveled *ret)
{
	uint64_t hash = str_hash(text);
	if (!shoveler_is_name(text) || !str_copy(ret->name, sizeof(ret->name), text))
		return false;
	memset(&ret->address, 0, sizeof(ret->address));
	ret->address.s6_addr[0] = 1;
	for (size_t i = 0; i < 8; i++)
		ret->address.s6_addr[8 + i] = (uint8_t)(hash >> (56 - 8 * i));
	return true;
}

bool shoveler_take_host(struct str text, struct shoveled *ret)
{
	ret->name[0] = '\0';
	return shoveler_take_address(text, &ret->address) || shoveler_take_name(text, ret);
}

static bool shoveler_take_remote(struct str text, struct shoveled *ret)
{
	const char *colon = text.n ? memrchr(text.p, ':', text.n) : NULL;
	struct str address = text, port;
	uint64_t v;
	if (!colon)
		return false;
	address.n = (size_t)(colon - text.p);
	port = str_skip(text, address.n + 1);
	if (!str_is_u64(port) || !str_take_u64(&port, &v) || v > UINT16_MAX)
		return false;
	ret->port = (uint16_t)v;
	return shoveler_take_host(address, ret);
}

int shoveler_read(struct str line, struct shoveled *from, struct buf *b)
{
	struct str members, time;
	b->n = 0;
	if (!json_take_object(line, &members) ||
	    !json_add_text(b,
			   json_find(members, STR("remote"))) || !shoveler_take_remote(buf_str(b),
										       from))
		return -EBADMSG;
	b->n = 0;
	if (!json_add_text(b, json_find(members, STR("data"))) || !shoveler_decode_base64(b))
		return -EBADMSG;
	time = json_find(members, STR("time"));
	if (!str_take_time(&time, &from->usec))
		from->usec = 0;
	return 0;
}

/* Append bytes in base64 (RFC 4648, section 4). */
static void shoveler_add_base64(struct buf *b, struct str bytes)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789+/";
	for (; bytes.n; bytes = str_skip(bytes, bytes.n < 3 ? bytes.n : 3)) {
		unsigned char in[3] = { 0 };
		memcpy(in, bytes.p, bytes.n < 3 ? bytes.n : 3);
		uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
		char four[4];
		for (size_t i = 0; i < 4; i++)
			four[i] = i <= bytes.n ? letters[bits >> (18 - 6 * i) & 63] : '=';
		buf_add(b, (struct str){ four, 4 });
	}
}

void shoveler_put(struct buf *b, const struct shoveled *from, struct str datagram)
{
	char ip[INET6_ADDRSTRLEN];
	struct buf data CLEANUP(buf_free) = { 0 };
	packet_address_text(&from->address, ip);
	shoveler_add_base64(&data, datagram);
	json_open(b, NULL, '{');
	json_strf(b, "remote", !*from->name && strchr(ip, ':') ? "[%s]:%u" : "%s:%u",
		  *from->name ? from->name : ip, from->port);
	json_str(b, "version", STR("nodometer " PACKAGE_VERSION));
	json_str(b, "data", buf_str(&data));
	json_seconds(b, "time", from->usec);
	buf_add(b, STR("}\n"));
}
