/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c - what the kernel knows of a file system in user space: files, and their names */
#include "tracers/files/nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

static uint64_t inode_hash(dev_t dev, ino_t ino)
{
	uint64_t key[2] = { dev, ino };
	return map_hash((struct str){ (const char *)key, sizeof(key) });
}

static uint64_t name_hash(const struct node *parent, const char *text)
{
	return map_hash(str_of(text)) ^ ((uint64_t)(uintptr_t)parent * 0x9e3779b97f4a7c15u);
}

void nodes_init(struct nodes *n, const struct stat *root)
{
	pthread_rwlockattr_t attr;
	memset(n, 0, sizeof(*n));
	n->root = (struct node){ .dev = root->st_dev, .ino = root->st_ino, .type = S_IFDIR };
	pthread_mutex_init(&n->lock, NULL);
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&n->paths, &attr);
	pthread_rwlockattr_destroy(&attr);
	inode_hash(0, 0);	/* the key of the process is taken before there are threads */
}

static struct map_slot *inode_slot(struct nodes *n, dev_t dev, ino_t ino)
{
	uint64_t hash = inode_hash(dev, ino);
	for (struct map_slot *at = NULL; (at = map_next(&n->by_inode, hash, at));) {
		const struct node *node = at->value.p;
		if (node->dev == dev && node->ino == ino)
			return at;
	}
	return NULL;
}

static struct map_slot *name_slot(struct nodes *n, const struct node *parent, const char *text)
{
	uint64_t hash = name_hash(parent, text);
	for (struct map_slot *at = NULL; (at = map_next(&n->by_name, hash, at));) {
		const struct node_name *name = at->value.p;
		if (name->parent == parent && strcmp(name->text, text) == 0)
			return at;
	}
	return NULL;
}

/* Another file may get the node's inode from now on. */
static void unlist(struct nodes *n, struct node *node)
{
	if (node->listed)
		map_remove(&n->by_inode, inode_slot(n, node->dev, node->ino));
	node->listed = false;
}

static void name_drop(struct nodes *n, struct node_name *name);

/* Ends with the last that refers to it. */
static void settle(struct nodes *n, struct node *node)
{
	if (node == &n->root || node->lookups || node->children || node->open)
		return;
	while (node->name)
		name_drop(n, node->name);
	unlist(n, node);
	node->before->after = node->after;
	if (node->after)
		node->after->before = node->before;
	free(node);
}

/* The node stays, also if that was its last name. */
static void name_drop(struct nodes *n, struct node_name *name)
{
	struct node_name **at = &name->of->name;
	struct node *parent = name->parent;
	while (*at != name)
		at = &(*at)->next;
	*at = name->next;
	map_remove(&n->by_name, name_slot(n, parent, name->text));
	free(name);
	parent->children--;
	settle(n, parent);
}

static void name_add(struct nodes *n, struct node *node, struct node *parent, const char *text)
{
	size_t size = strlen(text) + 1;
	struct node_name *name = xrealloc(NULL, sizeof(*name) + size);
	*name = (struct node_name){ node, parent, node->name };
	memcpy(name->text, text, size);
	node->name = name;
	parent->children++;
	map_add(&n->by_name, name_hash(parent, text), (union map_value){ .p = name });
}

/* To the front: it is the one that was used last. */
static void name_prefer(struct node_name *name)
{
	struct node_name **at = &name->of->name;
	while (*at != name)
		at = &(*at)->next;
	*at = name->next;
	name->next = name->of->name;
	name->of->name = name;
}

/*
 * A name that is gone. Where it was the last, the inode's number is free for another file as soon
 * as nobody has it open.
 */
static void name_gone(struct nodes *n, struct node_name *name)
{
	struct node *node = name->of;
	name_drop(n, name);
	if (!node->name)
		unlist(n, node);
	settle(n, node);
}

static bool put_before(char *path, size_t *at, const char *text, char between)
{
	size_t len = strlen(text);
	if (*at < len + 1)
		return false;
	path[--*at] = between;
	*at -= len;
	memcpy(path + *at, text, len);
	return true;
}

/* From the end of path on, to its start; then moved to the front. */
static int walk(const struct nodes *n, const struct node *node, const char *name, char *path)
{
	size_t at = PATH_MAX;
	bool fits = !name || put_before(path, &at, name, '\0');
	for (; fits && node != &n->root; node = node->name->parent) {
		if (!node->name)
			return -ENOENT;
		fits = put_before(path, &at, node->name->text, at == PATH_MAX ? '\0' : '/');
	}
	if (!fits)
		return -ENAMETOOLONG;
	if (at == PATH_MAX)
		memcpy(path, ".", 2);
	else
		memmove(path, path + at, PATH_MAX - at);
	return 0;
}

int node_path(struct nodes *n, struct node *node, const char *name, char path[PATH_MAX],
	      bool *follow)
{
	pthread_mutex_lock(&n->lock);
	int r = walk(n, node, name, path);
	*follow = r == -ENOENT && !name && node->open && !node->name;
	if (*follow) {
		snprintf(path, PATH_MAX, "/proc/self/fd/%d", node->open->fd);
		r = 0;
	}
	pthread_mutex_unlock(&n->lock);
	return r;
}

void node_opened_path(struct nodes *n, const struct node *node, char path[PATH_MAX])
{
	pthread_mutex_lock(&n->lock);
	snprintf(path, PATH_MAX, "%s", node->open ? node->open->path : "");
	pthread_mutex_unlock(&n->lock);
}

static struct node *node_new(struct nodes *n, const struct stat *st)
{
	struct node *node = xrealloc(NULL, sizeof(*node));
	*node = (struct node){
		.dev = st->st_dev, .ino = st->st_ino, .type = st->st_mode & S_IFMT, .listed = true,
		.generation = ++n->generations, .before = &n->root, .after = n->root.after,
	};
	if (node->after)
		node->after->before = node;
	n->root.after = node;
	map_add(&n->by_inode, inode_hash(st->st_dev, st->st_ino), (union map_value){ .p = node });
	return node;
}

static struct node *node_of_inode(struct nodes *n, const struct stat *st)
{
	struct map_slot *at = inode_slot(n, st->st_dev, st->st_ino);
	struct node *node = at ? at->value.p : NULL;
	if (node && node->type != (st->st_mode & S_IFMT)) {	/* the inode was given again */
		unlist(n, node);
		node = NULL;
	}
	return node ? node : node_new(n, st);
}

struct node *node_found(struct nodes *n, struct node *parent, const char *name,
			const struct stat *st)
{
	pthread_mutex_lock(&n->lock);
	struct node *node = node_of_inode(n, st);
	struct map_slot *at = name_slot(n, parent, name);
	node->lookups++;
	if (at && ((struct node_name *)at->value.p)->of == node) {
		name_prefer(at->value.p);
	} else {
		if (at)
			name_gone(n, at->value.p);
		name_add(n, node, parent, name);
	}
	pthread_mutex_unlock(&n->lock);
	return node;
}

struct node *node_nameless(struct nodes *n, const struct stat *st)
{
	pthread_mutex_lock(&n->lock);
	struct node *node = node_of_inode(n, st);
	node->lookups++;
	pthread_mutex_unlock(&n->lock);
	return node;
}

void node_forget(struct nodes *n, struct node *node, uint64_t lookups)
{
	pthread_mutex_lock(&n->lock);
	if (node != &n->root) {
		node->lookups -= lookups < node->lookups ? lookups : node->lookups;
		settle(n, node);
	}
	pthread_mutex_unlock(&n->lock);
}

void node_unlinked(struct nodes *n, struct node *parent, const char *name)
{
	pthread_mutex_lock(&n->lock);
	struct map_slot *at = name_slot(n, parent, name);
	if (at)
		name_gone(n, at->value.p);
	pthread_mutex_unlock(&n->lock);
}

/* NULL: nothing is known of the name. */
static struct node *take_name(struct nodes *n, struct node *parent, const char *name)
{
	struct map_slot *at = name_slot(n, parent, name);
	if (!at)
		return NULL;
	struct node *node = ((struct node_name *)at->value.p)->of;
	name_drop(n, at->value.p);
	return node;
}

/* The order matters: a node without a name, children and lookups ends. */
void node_renamed(struct nodes *n, struct node *parent, const char *name, struct node *to_parent,
		  const char *to, bool exchange)
{
	pthread_mutex_lock(&n->lock);
	parent->lookups++;
	to_parent->lookups++;
	struct node *node = take_name(n, parent, name), *other = take_name(n, to_parent, to);
	if (node)
		name_add(n, node, to_parent, to);
	if (other && exchange) {
		name_add(n, other, parent, name);
	} else if (other && !other->name) {
		unlist(n, other);
		settle(n, other);
	}
	parent->lookups--;
	to_parent->lookups--;
	pthread_mutex_unlock(&n->lock);
}

mode_t node_type(struct nodes *n, struct node *parent, const char *name)
{
	pthread_mutex_lock(&n->lock);
	struct map_slot *at = name_slot(n, parent, name);
	mode_t type = at ? ((struct node_name *)at->value.p)->of->type : 0;
	pthread_mutex_unlock(&n->lock);
	return type;
}

void node_opened(struct nodes *n, struct node *node, struct handle *h)
{
	pthread_mutex_lock(&n->lock);
	h->node = node;
	h->next = node->open;
	node->open = h;
	pthread_mutex_unlock(&n->lock);
}

int32_t node_closed(struct nodes *n, struct handle *h)
{
	int32_t unused = 0;
	pthread_mutex_lock(&n->lock);
	struct handle **at = &h->node->open;
	while (*at != h)
		at = &(*at)->next;
	*at = h->next;
	if (!h->node->open) {
		unused = h->node->backing;
		h->node->backing = 0;
		if (!h->node->name)
			unlist(n, h->node);
	}
	settle(n, h->node);
	pthread_mutex_unlock(&n->lock);
	return unused;
}

void nodes_free(struct nodes *n)
{
	for (struct node *node = &n->root, *after; node; node = after) {
		after = node->after;
		for (struct node_name *name = node->name, *next; name; name = next) {
			next = name->next;
			free(name);
		}
		if (node != &n->root)
			free(node);
	}
	map_free(&n->by_name);
	map_free(&n->by_inode);
	pthread_rwlock_destroy(&n->paths);
	pthread_mutex_destroy(&n->lock);
}
