/* SPDX-License-Identifier: BSD-3-Clause */
/* recording.c - read a MONITOR recording as events: a node, a file name, data of a class */
#include "formats/vms/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/vms/vms_time.h"
#include "schema/record.h"

static void recording_note(struct vms_recording *r, const char *what)
{
	if (r->listener.note)
		r->listener.note(r->listener.arg, r->offset, what);
}

/* Report a record type that is ignored, once for each type. */
static void recording_note_type(struct vms_recording *r, unsigned type, const char *what)
{
	char text[120];
	if (r->said[type])
		return;
	r->said[type] = true;
	snprintf(text, sizeof(text), "record type %u%s%s %s: left out", type,
		 type < VMS_CLASSES ? ", class " : "",
		 type < VMS_CLASSES ? vms_classes[type].name : "", what);
	recording_note(r, text);
}

static bool recording_next_record(struct vms_recording *r)
{
	if (!vms_records_next(&r->from, &r->record, &r->offset, &r->end))
		return false;
	r->records++;
	return true;
}

static unsigned recording_record_type(const struct vms_recording *r)
{
	return (unsigned char)*r->record.p;
}

/*
 * Return true if files of this structure level can be read. The last two digits decide: "MON31050"
 * is V7.3-2, "MON01060" is V8.2 to V8.4 (OpenVMS V8.4 Release Notes, 4.21.3).
 */
static bool recording_level_is_known(const char *end)
{
	return strcmp(end, "50") == 0 || strcmp(end, "60") == 0;
}

int vms_recording_open(struct vms_recording *r, const struct byte_source *src,
		       const struct vms_listener *listener)
{
	*r = (struct vms_recording){ 0 };
	if (listener)
		r->listener = *listener;
	vms_records_init(&r->from, src);
	while (recording_next_record(r)) {
		if (recording_record_type(r) >= VMS_CUSTOMER)
			continue;
		if (vms_take_header(r->record, &r->header) == 0) {
			if (!recording_level_is_known(r->header.ident + 6))
				recording_note(r,
					       "a structure level that does not end in 50 or 60");
			return 0;
		}
		r->end = VMS_END_NOT_VMS;
		break;
	}
	return -EBADMSG;
}

void vms_recording_close(struct vms_recording *r)
{
	for (size_t i = 0; i < VMS_NODES_MAX; i++)
		free(r->node[i]);
	vms_set_free(&r->set);
	vms_records_free(&r->from);
}

static bool recording_take_node(struct vms_recording *r)
{
	struct vms_node n;
	if (vms_take_node(r->record, &n) < 0) {
		recording_note_type(r, VMS_SYSTEM_INFO, "is too short");
		return false;
	}
	free(r->node[n.index]);
	r->node[n.index] = xrealloc(NULL, sizeof(n));
	*r->node[n.index] = n;
	r->index = n.index;
	return true;
}

static bool recording_take_customer(struct vms_recording *r)
{
	for (size_t i = 0; i < VMS_NODES_MAX; i++)
		if (r->node[i] && vms_take_customer(r->record, r->node[i])) {
			r->index = (uint8_t)i;
			return true;
		}
	return false;
}

static bool recording_take_gone(struct vms_recording *r)
{
	if (vms_take_gone(r->record, &r->index) < 0) {
		recording_note_type(r, VMS_NODE_GONE, "has another size");
		return false;
	}
	free(r->node[r->index]);
	r->node[r->index] = NULL;
	return true;
}

/* Handle a control record. Returns true and the event, or false if there is no event. */
static bool recording_take_control(struct vms_recording *r, enum vms_event *event)
{
	unsigned type = recording_record_type(r);
	if (type >= VMS_CUSTOMER) {
		*event = VMS_NODE_IS;
		return recording_take_customer(r);
	}
	switch (type) {
	case VMS_SYSTEM_INFO:
		*event = VMS_NODE_IS;
		return recording_take_node(r);
	case VMS_NODE_GONE:
		*event = VMS_NODE_LEFT;
		return recording_take_gone(r);
	case VMS_FILE_NAME:
		r->rest = str_skip(r->record, 1);
		*event = VMS_FILE_IS;
		return vms_take_file(&r->rest, &r->file);
	}
	recording_note_type(r, type, "is not known");
	return false;
}

static void recording_begin_set(struct vms_recording *r, const struct vms_class_record *c)
{
	vms_set_clear(&r->set, c->type);
	r->set.index = r->index = c->index;
	r->set.stamp = c->stamp;
	r->open = true;
}

/* Return true if the record is of the same class, node and time as the set. */
static bool recording_continues_set(const struct vms_recording *r, const struct vms_class_record *c)
{
	return c->type == r->set.number && c->index == r->set.index && c->stamp == r->set.stamp;
}

static void recording_drop_set(struct vms_recording *r)
{
	recording_note(r, "a record of class PROCESSES is missing: its interval is left out");
	r->open = false;
}

/* Return true if this OpenVMS time is in the range of struct record's .usec. */
static bool recording_has_time(int64_t stamp)
{
	return stamp >= VMS_UNIX_EPOCH && stamp <= vms_time(RECORD_USEC_MAX);
}

/* Add a class record to the set. Returns true if the set needs no further records. */
static bool recording_take_class(struct vms_recording *r)
{
	struct vms_class_record c;
	if (vms_take_class(r->record, r->header.revision, &c) < 0 || !c.class) {
		recording_note_type(r, recording_record_type(r), "is of an unknown class");
		return false;
	}
	if (!recording_has_time(c.stamp)) {
		recording_note_type(r, c.type, "has an impossible time");
		return false;
	}
	if (!c.known)
		recording_note_type(r, c.type, "has a layout that is not known");
	if (r->open && !recording_continues_set(r, &c))
		recording_drop_set(r);
	if (!r->open)
		recording_begin_set(r, &c);
	vms_set_add(&r->set, &c);
	if (r->set.n > VMS_ELEMENTS_MAX) {
		recording_drop_set(r);
		return false;
	}
	r->open = c.flags & VMS_CONTINUES && c.type == VMS_PROCESSES && c.known;
	if (r->open)
		return false;
	const struct vms_node *n = r->node[c.index];
	r->set.absent |= n ? n->absent[c.type] : 0;
	return true;
}

enum vms_event vms_recording_next(struct vms_recording *r)
{
	enum vms_event event;
	if (vms_take_file(&r->rest, &r->file))
		return VMS_FILE_IS;
	while (recording_next_record(r)) {
		if (recording_record_type(r) < VMS_HEADER) {
			if (recording_take_class(r))
				return VMS_CLASS_IS;
		} else if (recording_take_control(r, &event)) {
			return event;
		}
	}
	if (r->open)
		recording_drop_set(r);
	return VMS_RECORDING_ENDS;
}
