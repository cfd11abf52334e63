/* SPDX-License-Identifier: BSD-3-Clause */
/* listing.c - parse the file listings of web servers and object stores */
#include "formats/listing.h"

#include <errno.h>
#include "formats/json_read.h"
#include "formats/xml.h"

#define NAME_BYTES_MAX 1024		/* largest name of an object, in bytes: the limit of S3 */

/* Report an entry of a folder, if it is a file or a folder. */
static bool listing_take_entry(struct str members, const struct listing_to *to, struct buf *name)
{
	struct str size = json_find(members, STR("size")), type = json_find(members, STR("type"));
	uint64_t bytes;

	name->n = 0;
	if (!json_add_text(name, json_find(members, STR("name"))) || name->n > NAME_BYTES_MAX)
		return false;
	if (str_eq(type, STR("\"directory\"")))
		to->found(to->arg, buf_str(name), LISTING_FOLDER);
	else if (str_eq(type, STR("\"file\"")) && json_as_u64(size, &bytes) &&
		 bytes != LISTING_FOLDER)
		to->found(to->arg, buf_str(name), bytes);
	return true;
}

/* Take the text of an object up to its closing brace. Braces in strings do not count. */
static bool listing_take_object(struct str *list, struct str *members)
{
	bool quoted = false;

	for (size_t i = 0; i < list->n; i++) {
		if (quoted && list->p[i] == '\\')
			i++;
		else if (list->p[i] == '"')
			quoted = !quoted;
		else if (!quoted && list->p[i] == '}') {
			struct str object = { list->p, i + 1 };
			*list = str_skip(*list, i + 1);
			return json_take_object(object, members);
		}
	}
	return false;
}

int listing_take_folder(struct str json, const struct listing_to *to)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	struct str rest = str_trim(json), members;

	if (!str_take_prefix(&rest, STR("[")) || !str_ends(rest, STR("]")))
		return -EBADMSG;
	rest.n--;
	for (bool first = true; rest = str_trim(rest), rest.n; first = false) {
		if (!first && !str_take_prefix(&rest, STR(",")))
			return -EBADMSG;
		if (!listing_take_object(&rest, &members) ||
		    !listing_take_entry(members, to, &name))
			return -EBADMSG;
	}
	return 0;
}

static struct str element(struct str xml, const char *begin, const char *end)
{
	const char *p = xml.n ? memmem(xml.p, xml.n, begin, strlen(begin)) : NULL;
	if (!p)
		return STR("");
	struct str rest = str_skip(xml, (size_t)(p - xml.p) + strlen(begin));
	const char *q = rest.n ? memmem(rest.p, rest.n, end, strlen(end)) : NULL;
	return q ? (struct str){ rest.p, (size_t)(q - rest.p) } : STR("");
}

void listing_put_error(struct buf *b, struct str answer)
{
	struct str code = element(answer, "<Code>", "</Code>"), line = { 0 };
	struct str message = element(answer, "<Message>", "</Message>");
	struct str region = element(answer, "<Region>", "</Region>");

	if (!code.n) {
		str_take_line(&answer, &line);
		line = str_trim(line);
		buf_add(b, line.n && *line.p != '<' ? line : STR(""));
		return;
	}
	buf_addf(b, STR_FMT ": " STR_FMT, STR_ARG(code), STR_ARG(message));
	if (region.n)
		buf_addf(b, " (region " STR_FMT ")", STR_ARG(region));
}

struct listing_page {
	struct xml xml;
	const struct listing_to *to;
	struct buf key, size, *next;
	unsigned depth;
	bool in_root;
};

static void listing_on_start_tag(struct xml *x, const char *name, const char **attribute)
{
	struct listing_page *p = x->arg;

	(void)attribute;
	x->text.n = 0;
	if (p->depth++ == 0)
		p->in_root = strcmp(name, "ListBucketResult") == 0;
	if (!p->in_root)
		xml_give_up(&p->xml, -EBADMSG);
	if (strcmp(name, "Contents") == 0)
		p->key.n = p->size.n = 0;
}

static void end_object(struct listing_page *p)
{
	struct str size = buf_str(&p->size);
	uint64_t bytes;

	if (!p->key.n || p->key.n > NAME_BYTES_MAX || !str_take_u64(&size, &bytes) || size.n ||
	    bytes == LISTING_FOLDER)
		xml_give_up(&p->xml, -EBADMSG);
	else
		p->to->found(p->to->arg, buf_str(&p->key), bytes);
}

static void listing_on_end_tag(struct xml *x, const char *name)
{
	struct listing_page *p = x->arg;
	struct buf *to = p->depth == 3 && strcmp(name, "Key") == 0 ? &p->key :
			 p->depth == 3 && strcmp(name, "Size") == 0 ? &p->size :
			 p->depth == 2 && strcmp(name, "NextContinuationToken") == 0 ?
			 p->next : NULL;

	if (to) {
		to->n = 0;
		buf_add(to, buf_str(&x->text));
	}
	x->text.n = 0;
	if (--p->depth == 1 && strcmp(name, "Contents") == 0)
		end_object(p);
}

int listing_take_page(struct str text, const struct listing_to *to, struct buf *next)
{
	struct listing_page p = { .xml = { .start = listing_on_start_tag,
					  .end = listing_on_end_tag },
			 .to = to, .next = next };

	next->n = 0;
	p.xml.arg = &p;
	int r = xml_read(&p.xml, text);
	buf_free(&p.key);
	buf_free(&p.size);
	return r;
}
