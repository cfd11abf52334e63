/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c - track which files of a FUSE file system the kernel knows, and their names */
#include "filetrace/nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

static uint64_t node_inode_hash(dev_t dev, ino_t ino)
{
	uint64_t key[2] = { dev, ino };
	return map_hash((struct str){ (const char *)key, sizeof(key) });
}

static uint64_t node_name_hash(const struct fs_node *parent, const char *text)
{
	return map_hash(str_of(text)) ^ ((uint64_t)(uintptr_t)parent * 0x9e3779b97f4a7c15u);
}

void nodes_init(struct nodes *n, const struct stat *root)
{
	pthread_rwlockattr_t attr;
	memset(n, 0, sizeof(*n));
	n->root = (struct fs_node){ .dev = root->st_dev, .ino = root->st_ino, .type = S_IFDIR };
	pthread_mutex_init(&n->lock, NULL);
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&n->paths, &attr);
	pthread_rwlockattr_destroy(&attr);
	/* the first hash chooses the hash key: make it while there is one thread */
	node_inode_hash(0, 0);
}

static struct map_slot *nodes_find_inode_slot(struct nodes *n, dev_t dev, ino_t ino)
{
	uint64_t hash = node_inode_hash(dev, ino);
	for (struct map_slot *at = NULL; (at = map_next(&n->by_inode, hash, at));) {
		const struct fs_node *node = at->value.p;
		if (node->dev == dev && node->ino == ino)
			return at;
	}
	return NULL;
}

static struct map_slot *nodes_find_name_slot(struct nodes *n, const struct fs_node *parent,
					     const char *text)
{
	uint64_t hash = node_name_hash(parent, text);
	for (struct map_slot *at = NULL; (at = map_next(&n->by_name, hash, at));) {
		const struct node_name *name = at->value.p;
		if (name->parent == parent && strcmp(name->text, text) == 0)
			return at;
	}
	return NULL;
}

/*
 * Stop finding the node by its inode number, because from now on the number may belong to another
 * file.
 */
static void node_unlist(struct nodes *n, struct fs_node *node)
{
	if (node->listed)
		map_remove(&n->by_inode, nodes_find_inode_slot(n, node->dev, node->ino));
	node->listed = false;
}

static void node_name_drop(struct nodes *n, struct node_name *name);

/* Free the node once nothing refers to it. */
static void node_free_if_unused(struct nodes *n, struct fs_node *node)
{
	if (node == &n->root || node->lookups || node->children || node->open)
		return;
	while (node->name)
		node_name_drop(n, node->name);
	node_unlist(n, node);
	node->before->after = node->after;
	if (node->after)
		node->after->before = node->before;
	free(node);
}

/* Remove a name from its node. The node stays, even without a name. Free the parent if unused. */
static void node_name_drop(struct nodes *n, struct node_name *name)
{
	struct node_name **at = &name->of->name;
	struct fs_node *parent = name->parent;
	while (*at != name)
		at = &(*at)->next;
	*at = name->next;
	map_remove(&n->by_name, nodes_find_name_slot(n, parent, name->text));
	free(name);
	parent->children--;
	node_free_if_unused(n, parent);
}

static void node_name_add(struct nodes *n, struct fs_node *node, struct fs_node *parent,
			  const char *text)
{
	size_t size = strlen(text) + 1;
	struct node_name *name = xrealloc(NULL, sizeof(*name) + size);
	*name = (struct node_name){ node, parent, node->name };
	memcpy(name->text, text, size);
	node->name = name;
	parent->children++;
	map_add(&n->by_name, node_name_hash(parent, text), (union map_value){ .p = name });
}

/* Move the name to the front of its node's list, because it was used last. */
static void node_name_prefer(struct node_name *name)
{
	struct node_name **at = &name->of->name;
	while (*at != name)
		at = &(*at)->next;
	*at = name->next;
	name->next = name->of->name;
	name->of->name = name;
}

/*
 * Handle a name that was removed from the file system. After the last name, stop finding the node
 * by its inode number, which another file may get once nobody has this file open.
 */
static void node_name_gone(struct nodes *n, struct node_name *name)
{
	struct fs_node *node = name->of;
	node_name_drop(n, name);
	if (!node->name)
		node_unlist(n, node);
	node_free_if_unused(n, node);
}

static bool node_prepend_name(char *path, size_t *at, const char *text, char between)
{
	size_t len = strlen(text);
	if (*at < len + 1)
		return false;
	path[--*at] = between;
	*at -= len;
	memcpy(path + *at, text, len);
	return true;
}

/* Build the path from the end of the buffer towards its start, then move it to the front. */
static int node_build_path(const struct nodes *n, const struct fs_node *node, const char *name,
			   char *path)
{
	size_t at = PATH_MAX;
	bool fits = !name || node_prepend_name(path, &at, name, '\0');
	for (; fits && node != &n->root; node = node->name->parent) {
		if (!node->name)
			return -ENOENT;
		fits = node_prepend_name(path, &at, node->name->text, at == PATH_MAX ? '\0' : '/');
	}
	if (!fits)
		return -ENAMETOOLONG;
	if (at == PATH_MAX)
		memcpy(path, ".", 2);
	else
		memmove(path, path + at, PATH_MAX - at);
	return 0;
}

int node_path(struct nodes *n, struct fs_node *node, const char *name, char path[PATH_MAX],
	      bool *follow)
{
	pthread_mutex_lock(&n->lock);
	int r = node_build_path(n, node, name, path);
	*follow = r == -ENOENT && !name && node->open && !node->name;
	if (*follow) {
		snprintf(path, PATH_MAX, "/proc/self/fd/%d", node->open->fd);
		r = 0;
	}
	pthread_mutex_unlock(&n->lock);
	return r;
}

void node_opened_path(struct nodes *n, const struct fs_node *node, char path[PATH_MAX])
{
	pthread_mutex_lock(&n->lock);
	snprintf(path, PATH_MAX, "%s", node->open ? node->open->path : "");
	pthread_mutex_unlock(&n->lock);
}

static struct fs_node *node_new(struct nodes *n, const struct stat *st)
{
	struct fs_node *node = xrealloc(NULL, sizeof(*node));
	*node = (struct fs_node){
		.dev = st->st_dev, .ino = st->st_ino, .type = st->st_mode & S_IFMT, .listed = true,
		.generation = ++n->generations, .before = &n->root, .after = n->root.after,
	};
	if (node->after)
		node->after->before = node;
	n->root.after = node;
	map_add(&n->by_inode, node_inode_hash(st->st_dev, st->st_ino),
		(union map_value){ .p = node });
	return node;
}

static struct fs_node *node_get_by_inode(struct nodes *n, const struct stat *st)
{
	struct map_slot *at = nodes_find_inode_slot(n, st->st_dev, st->st_ino);
	struct fs_node *node = at ? at->value.p : NULL;
	/* the inode's number is used for another file now */
	if (node && node->type != (st->st_mode & S_IFMT)) {
		node_unlist(n, node);
		node = NULL;
	}
	return node ? node : node_new(n, st);
}

struct fs_node *node_found(struct nodes *n, struct fs_node *parent, const char *name,
			   const struct stat *st)
{
	pthread_mutex_lock(&n->lock);
	struct fs_node *node = node_get_by_inode(n, st);
	struct map_slot *at = nodes_find_name_slot(n, parent, name);
	node->lookups++;
	if (at && ((struct node_name *)at->value.p)->of == node) {
		node_name_prefer(at->value.p);
	} else {
		if (at)
			node_name_gone(n, at->value.p);
		node_name_add(n, node, parent, name);
	}
	pthread_mutex_unlock(&n->lock);
	return node;
}

struct fs_node *node_nameless(struct nodes *n, const struct stat *st)
{
	pthread_mutex_lock(&n->lock);
	struct fs_node *node = node_get_by_inode(n, st);
	node->lookups++;
	pthread_mutex_unlock(&n->lock);
	return node;
}

void node_forget(struct nodes *n, struct fs_node *node, uint64_t lookups)
{
	pthread_mutex_lock(&n->lock);
	if (node != &n->root) {
		node->lookups -= lookups < node->lookups ? lookups : node->lookups;
		node_free_if_unused(n, node);
	}
	pthread_mutex_unlock(&n->lock);
}

void node_unlinked(struct nodes *n, struct fs_node *parent, const char *name)
{
	pthread_mutex_lock(&n->lock);
	struct map_slot *at = nodes_find_name_slot(n, parent, name);
	if (at)
		node_name_gone(n, at->value.p);
	pthread_mutex_unlock(&n->lock);
}

/* Detach a name from its node and return the node, or NULL if the name is unknown. */
static struct fs_node *node_detach_name(struct nodes *n, struct fs_node *parent, const char *name)
{
	struct map_slot *at = nodes_find_name_slot(n, parent, name);
	if (!at)
		return NULL;
	struct fs_node *node = ((struct node_name *)at->value.p)->of;
	node_name_drop(n, at->value.p);
	return node;
}

/*
 * During the rename, count an extra lookup of both directories, because a directory without
 * children and lookups is freed.
 */
void node_renamed(struct nodes *n, struct fs_node *parent, const char *name,
		  struct fs_node *to_parent, const char *to, bool exchange)
{
	pthread_mutex_lock(&n->lock);
	parent->lookups++;
	to_parent->lookups++;
	struct fs_node *node = node_detach_name(n, parent, name);
	struct fs_node *other = node_detach_name(n, to_parent, to);
	if (node)
		node_name_add(n, node, to_parent, to);
	if (other && exchange) {
		node_name_add(n, other, parent, name);
	} else if (other && !other->name) {
		node_unlist(n, other);
		node_free_if_unused(n, other);
	}
	parent->lookups--;
	to_parent->lookups--;
	pthread_mutex_unlock(&n->lock);
}

mode_t node_type(struct nodes *n, struct fs_node *parent, const char *name)
{
	pthread_mutex_lock(&n->lock);
	struct map_slot *at = nodes_find_name_slot(n, parent, name);
	mode_t type = at ? ((struct node_name *)at->value.p)->of->type : 0;
	pthread_mutex_unlock(&n->lock);
	return type;
}

void node_opened(struct nodes *n, struct fs_node *node, struct handle *h)
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
			node_unlist(n, h->node);
	}
	node_free_if_unused(n, h->node);
	pthread_mutex_unlock(&n->lock);
	return unused;
}

void nodes_free(struct nodes *n)
{
	for (struct fs_node *node = &n->root, *after; node; node = after) {
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
