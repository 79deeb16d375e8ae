// SPDX-License-Identifier: GPL-2.0-only
#include "remote/task_list.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"

#define ATTEMPTS     8 /* to read a list that does not change meanwhile */
#define ADDRESS_LOW  4096

/* struct llist_node, Include/internal/pycore_llist.h */
struct list_node {
	__u64 next, previous;
};

int task_list_new(struct task_list *list, size_t most)
{
	*list = (struct task_list){ .most = most, .slot_count = 2 };
	while (list->slot_count < 2 * most)
		list->slot_count *= 2;
	list->found = calloc(most, sizeof(*list->found));
	list->slots = calloc(list->slot_count, sizeof(*list->slots));
	return list->found && list->slots ? 0 : -ENOMEM;
}

void task_list_free(struct task_list *list)
{
	free(list->found);
	free(list->slots);
	*list = (struct task_list){ 0 };
}

/* The slot that the task has, or would have. */
static size_t slot_of(const struct task_list *list, __u64 address)
{
	size_t i = hash_bytes(&address, sizeof(address)) & (list->slot_count - 1);

	while (list->slots[i] && list->found[list->slots[i] - 1].address != address)
		i = (i + 1) & (list->slot_count - 1);
	return i;
}

int task_list_find(const struct task_list *list, __u64 address)
{
	return (int)list->slots[slot_of(list, address)] - 1;
}

int task_list_add(struct task_list *list, __u64 address)
{
	const size_t i = slot_of(list, address);

	if (list->slots[i])
		return (int)list->slots[i] - 1;
	if (list->count == list->most) {
		list->more = true;
		return -E2BIG;
	}
	list->found[list->count].address = address;
	list->slots[i] = (__u32)++list->count;
	return (int)list->count - 1;
}

/*
 * Goes along the list once. 0 when it has come back to the head; -EAGAIN when a node does not lead back to
 * the one before it: it has left the list, or it never was a node. So no chain of nodes can be a circle.
 */
static int read_list_once(struct task_list *list, struct task_reader *r, __u64 head, pid_t tid)
{
	__u64 before = head;
	struct list_node node;
	int err = task_reader_read(r, head, &node, sizeof(node));

	if (err)
		return err;
	if (!node.next) /* not made yet */
		return 0;
	while (node.next != head) {
		const __u64 at = node.next;
		int number;

		if (at < ADDRESS_LOW || at & 7)
			return -EAGAIN;
		err = task_reader_read(r, at, &node, sizeof(node));
		if (err)
			return err == -EFAULT ? -EAGAIN : err;
		if (node.previous != before)
			return -EAGAIN;
		number = task_list_add(list, at - r->at.task_node);
		if (number < 0)
			return number;
		list->found[number].listed = true;
		list->found[number].tid = tid;
		before = at;
	}
	return 0;
}

int task_list_read(struct task_list *list, struct task_reader *r, __u64 head, pid_t tid)
{
	int err = -EAGAIN;

	for (int i = 0; i < ATTEMPTS && err == -EAGAIN; i++)
		err = read_list_once(list, r, head, tid);
	if (err == -EAGAIN || err == -E2BIG || err == -EFAULT) {
		list->more = true;
		return 0;
	}
	return err;
}
