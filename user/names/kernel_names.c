// SPDX-License-Identifier: GPL-2.0-only
#include "names/kernel_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "bpf/abi.h"

#define READ_SIZE     65536
#define LINE_MAX_SIZE 1024 /* the kernel's names have 512 bytes at most */
#define MODULE_SIZE   64
#define PAGE	      4096
#define PAUSE_MAX_NS  (3600 * NS_PER_SECOND)

enum order { ORDER_GLOBAL, ORDER_LOCAL, ORDER_WEAK, ORDER_NO_CODE };

/* In order of position. A function reaches up to the next symbol, whatever that is. */
struct symbol {
	__u32 position;
	__u32 name; /* where in the strings, as module */
	__u32 module;
	__u8 order; /* enum order: of those at one position the first is shown */
};

struct kernel_names {
	int fd;
	struct buf symbols, strings;
	__u32 last_module; /* of the line before: they stand together */
	__u64 read_ns;
	__u64 least_ns, pause_ns; /* as it was asked for; as it is now */
	bool missed; /* something was asked for that has no name */
};

static __u32 count_of(const struct kernel_names *n)
{
	return n->symbols.size / sizeof(struct symbol);
}

static const struct symbol *symbol_at(const struct kernel_names *n, __u32 i)
{
	return (const struct symbol *)n->symbols.data + i;
}

static int add_string(struct kernel_names *n, const char *s, __u32 *ret)
{
	const size_t size = strlen(s) + 1;

	if (n->strings.size + size > KERNEL_BYTES_MAX)
		return -E2BIG;
	*ret = n->strings.size;
	return buf_add(&n->strings, s, size);
}

static int module_of(struct kernel_names *n, const char *module, __u32 *ret)
{
	int err = 0;

	if (strcmp(n->strings.data + n->last_module, module))
		err = *module ? add_string(n, module, &n->last_module) : 0;
	if (!*module)
		n->last_module = 0;
	*ret = n->last_module;
	return err;
}

/* System calls without arguments have one function for both ABIs, with a name for each. */
static enum order order_of(char type, const char *name)
{
	switch (type) {
	case 'T':
		return strncmp(name, "__ia32_", 7) ? ORDER_GLOBAL : ORDER_WEAK;
	case 't':
		return ORDER_LOCAL;
	case 'W':
	case 'w':
		return ORDER_WEAK;
	default:
		return ORDER_NO_CODE;
	}
}

/* "ffffffff81000000 T name" and, of a module, "\t[module]". What is no such line says nothing. */
static int add_line(struct kernel_names *n, char *line)
{
	char *end, *name, *module;
	__u64 address = strtoull(line, &end, 16);
	struct symbol s = { 0 };
	int err;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3] ||
	    kernel_position(address) == TEXT_KERNEL)
		return 0;
	if (count_of(n) == KERNEL_SYMBOLS_MAX)
		return -E2BIG;
	name = end + 3;
	module = strchr(name, '\t');
	if (module)
		*module++ = '\0';
	if (module && *module == '[' && strlen(module) < MODULE_SIZE)
		module[strcspn(module, "]")] = '\0';
	s.position = kernel_position(address);
	s.order = order_of(end[1], name);
	err = add_string(n, name, &s.name);
	err = err ?: module_of(n, module && *module == '[' ? module + 1 : "", &s.module);
	return err ?: buf_add(&n->symbols, &s, sizeof(s));
}

/* Those of one position in the order in which they are shown; among equals the first of the file. */
static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	if (x->order != y->order)
		return x->order - y->order;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* The whole lines of buffer[0..size). Returns the bytes of the one that is left, or -errno. */
static ssize_t add_lines(struct kernel_names *n, char *buffer, size_t size)
{
	char *line = buffer, *end;
	int err;

	while ((end = memchr(line, '\n', buffer + size - line))) {
		*end = '\0';
		err = add_line(n, line);
		if (err)
			return err;
		line = end + 1;
	}
	size -= line - buffer;
	if (size > LINE_MAX_SIZE)
		return -EBADMSG;
	memmove(buffer, line, size);
	return size;
}

static int read_lines(struct kernel_names *n)
{
	_cleanup_free_ char *buffer = malloc(READ_SIZE + LINE_MAX_SIZE);
	ssize_t left = 0, got;

	if (!buffer)
		return -ENOMEM;
	if (lseek(n->fd, 0, SEEK_SET) < 0)
		return -errno;
	while ((got = read(n->fd, buffer + left, READ_SIZE)) > 0) {
		left = add_lines(n, buffer, left + got);
		if (left < 0)
			return left;
	}
	return got < 0 ? -errno : 0;
}

static int read_all(struct kernel_names *n)
{
	int err;

	buf_clear(&n->symbols);
	buf_clear(&n->strings);
	n->last_module = 0;
	n->missed = false;
	n->read_ns = clock_ns();
	err = buf_add(&n->strings, "", 1);
	err = err ?: read_lines(n);
	if (err)
		buf_clear(&n->symbols);
	if (err || !count_of(n))
		return err ?: -EACCES;
	qsort(n->symbols.data, count_of(n), sizeof(struct symbol), compare);
	return 0;
}

int kernel_names_open(struct kernel_names **ret, const char *path, __u64 pause_ns)
{
	struct kernel_names *n = calloc(1, sizeof(*n));
	int err;

	if (!n)
		return -ENOMEM;
	n->least_ns = n->pause_ns = pause_ns;
	n->fd = open(path, O_RDONLY | O_CLOEXEC);
	err = n->fd < 0 ? -errno : read_all(n);
	if (err) {
		kernel_names_free(n);
		return err;
	}
	*ret = n;
	return 0;
}

void kernel_names_free(struct kernel_names *n)
{
	if (!n)
		return;
	if (n->fd >= 0)
		close(n->fd);
	buf_free(&n->symbols);
	buf_free(&n->strings);
	free(n);
}

/* The number of the first symbol behind this position. */
static __u32 behind(const struct kernel_names *n, __u32 position)
{
	__u32 low = 0, high = count_of(n);

	while (low < high) {
		__u32 middle = low + (high - low) / 2;

		if (symbol_at(n, middle)->position <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Where the symbol before number `next` ends. What is behind the last one of a module is not known to be its
 * own: it is taken to end with its page.
 */
static __u64 end_of(const struct kernel_names *n, __u32 next)
{
	const struct symbol *s = symbol_at(n, next - 1), *after = NULL;
	const __u64 page_end = ((__u64)s->position / PAGE + 1) * PAGE;

	if (next < count_of(n))
		after = symbol_at(n, next);
	if (after && (after->module == s->module || after->position < page_end))
		return after->position;
	return page_end;
}

static bool find(const struct kernel_names *n, __u32 position, struct kernel_name *ret)
{
	const __u32 next = behind(n, position);
	const struct symbol *s;
	__u32 first = next;

	if (!next || position >= end_of(n, next))
		return false;
	while (first && symbol_at(n, first - 1)->position == symbol_at(n, next - 1)->position)
		first--;
	s = symbol_at(n, first);
	if (s->order == ORDER_NO_CODE)
		return false;
	*ret = (struct kernel_name){ n->strings.data + s->name, n->strings.data + s->module };
	return true;
}

/* The file shows everything again: it is of use only if modules have come since. */
static void read_again(struct kernel_names *n)
{
	const __u32 before = count_of(n);

	/* If that fails there are no names until the next time. */
	if (!read_all(n) && count_of(n) != before)
		n->pause_ns = n->least_ns;
	else if (n->pause_ns < PAUSE_MAX_NS)
		n->pause_ns *= 2;
}

bool kernel_names_find(struct kernel_names *n, __u64 position, struct kernel_name *ret)
{
	if (position <= TEXT_KERNEL || position >= TEXT_FILES)
		return false;
	if (n->missed && clock_ns() - n->read_ns >= n->pause_ns)
		read_again(n);
	if (find(n, position, ret))
		return true;
	n->missed = true;
	return false;
}
