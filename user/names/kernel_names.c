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
#include "base/job.h"
#include "bpf/abi.h"

#define READ_SIZE     65536
#define LINE_MAX_SIZE 1024 /* the kernel's names have 512 bytes at most */
#define MODULE_SIZE   64
#define PAGE	      4096
#define PAUSE_MAX_NS  (3600 * NS_PER_SECOND)

enum order { ORDER_GLOBAL, ORDER_LOCAL, ORDER_WEAK, ORDER_NO_CODE };

/* In order of position. A function reaches up to the next symbol, whatever that is. */
struct kernel_symbol {
	__u32 position;
	__u32 name; /* where in the strings, as module */
	__u32 module;
	__u8 order; /* enum order: of those at one position the first is shown */
};

/* A symbol, as the file has it. */
struct kernel_table {
	int fd;
	struct buf symbols, strings;
	__u64 base;	   /* kernel_names_base() */
	__u32 last_module; /* of the line before: they stand together */
};

struct kernel_names {
	struct kernel_table *table;
	struct job *again; /* reads another table, NULL = none does */
	__u64 read_ns;
	__u64 least_ns, pause_ns; /* as it was asked for; as it is now */
	bool missed;		  /* something was asked for that has no name */
};

static __u32 count_of(const struct kernel_table *n)
{
	return n->symbols.size / sizeof(struct kernel_symbol);
}

static const struct kernel_symbol *symbol_at(const struct kernel_table *n, __u32 i)
{
	return (const struct kernel_symbol *)n->symbols.data + i;
}

static int add_string(struct kernel_table *n, const char *s, __u32 *ret)
{
	const size_t size = strlen(s) + 1;

	if (n->strings.size + size > KERNEL_BYTES_MAX)
		return -E2BIG;
	*ret = n->strings.size;
	return buf_add(&n->strings, s, size);
}

static int module_of(struct kernel_table *n, const char *module, __u32 *ret)
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

/* "$x" and "$d" in modules of arm64: here code begins, here data. */
static bool is_mark(const char *name)
{
	return *name == '$';
}

/* The kernel's text begins with one of these names. What stands before it in the file lies below it. */
static void set_base(struct kernel_table *n, __u64 address, const char *name)
{
	if (address && address < KERNEL_LAST && n->base == KERNEL_LAST &&
	    (!strcmp(name, "_text") || !strcmp(name, "_stext")))
		n->base = address - KERNEL_SPAN / 2;
}

/* "ffffffff81000000 T name" and, of a module, "\t[module]". What is no such line says nothing. */
static int add_line(struct kernel_table *n, char *line)
{
	char *end, *name, *module;
	__u64 address = strtoull(line, &end, 16);
	struct kernel_symbol s = { 0 };
	int err;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return 0;
	name = end + 3;
	set_base(n, address, name);
	if (kernel_position(n->base, address) == TEXT_KERNEL || is_mark(name))
		return 0;
	if (count_of(n) == KERNEL_SYMBOLS_MAX)
		return -E2BIG;
	module = strchr(name, '\t');
	if (module)
		*module++ = '\0';
	if (module && *module == '[' && strlen(module) < MODULE_SIZE)
		module[strcspn(module, "]")] = '\0';
	s.position = kernel_position(n->base, address);
	s.order = order_of(end[1], name);
	err = add_string(n, name, &s.name);
	err = err ?: module_of(n, module && *module == '[' ? module + 1 : "", &s.module);
	return err ?: buf_add(&n->symbols, &s, sizeof(s));
}

/* Symbols of one position in the order in which they are shown; among equals the first of the file. */
static int compare(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	if (x->order != y->order)
		return x->order - y->order;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* The whole lines of buffer[0..size). Returns the bytes of the one that is left, or -errno. */
static ssize_t add_lines(struct kernel_table *n, char *buffer, size_t size)
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

static int read_lines(struct kernel_table *n, const bool *stop)
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
		if (__atomic_load_n(stop, __ATOMIC_RELAXED))
			return -ECANCELED;
	}
	return got < 0 ? -errno : 0;
}

/* On failure it is empty. */
static int table_read(void *table, const bool *stop)
{
	struct kernel_table *n = table;
	int err = buf_add(&n->strings, "", 1);

	err = err ?: read_lines(n, stop);
	if (err)
		buf_clear(&n->symbols);
	if (err || !count_of(n))
		return err ?: -EACCES;
	qsort(n->symbols.data, count_of(n), sizeof(struct kernel_symbol), compare);
	return 0;
}

static void table_free(void *table)
{
	struct kernel_table *n = table;

	if (!n)
		return;
	if (n->fd >= 0)
		close(n->fd);
	buf_free(&n->symbols);
	buf_free(&n->strings);
	free(n);
}

/* Takes the descriptor over. */
static struct kernel_table *table_new(int fd)
{
	struct kernel_table *n = fd >= 0 ? calloc(1, sizeof(*n)) : NULL;

	if (n)
		*n = (struct kernel_table){ .fd = fd, .base = KERNEL_LAST };
	else if (fd >= 0)
		close(fd);
	return n;
}

int kernel_names_open(struct kernel_names **ret, const char *path, __u64 pause_ns)
{
	struct kernel_names *n = calloc(1, sizeof(*n));
	const bool stop = false;
	int fd, err;

	if (!n)
		return -ENOMEM;
	n->least_ns = n->pause_ns = pause_ns;
	n->read_ns = clock_ns();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	n->table = table_new(fd);
	if (!err)
		err = n->table ? table_read(n->table, &stop) : -ENOMEM;
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
	job_abandon(n->again);
	table_free(n->table);
	free(n);
}

__u64 kernel_names_base(const struct kernel_names *n)
{
	return n->table->base;
}

/* The number of the first symbol behind this position. */
static __u32 behind(const struct kernel_table *n, __u32 position)
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
 * The end of the symbol before number `next`. Nothing says where the last symbol of a module ends: it is
 * taken to end with its page.
 */
static __u64 end_of(const struct kernel_table *n, __u32 next)
{
	const struct kernel_symbol *s = symbol_at(n, next - 1), *after = NULL;
	const __u64 page_end = ((__u64)s->position / PAGE + 1) * PAGE;

	if (next < count_of(n))
		after = symbol_at(n, next);
	if (after && (after->module == s->module || after->position < page_end))
		return after->position;
	return page_end;
}

static bool find_symbol(const struct kernel_table *n, __u32 position, struct kernel_name *ret)
{
	const __u32 next = behind(n, position);
	const struct kernel_symbol *s;
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

/*
 * The file shows everything again, and to read it takes too long for the event loop. The thread has a
 * descriptor of its own, which shows what the first one was allowed to see.
 */
static void begin_again(struct kernel_names *n)
{
	static const struct job_kind reads = { .run = table_read, .free = table_free };
	struct kernel_table *table = table_new(fcntl(n->table->fd, F_DUPFD_CLOEXEC, 0));

	n->missed = false;
	n->read_ns = clock_ns();
	if (table && job_start(&n->again, &reads, table, -1))
		table_free(table);
}

/*
 * To read the file again is of use only if modules have come since. If it failed there are no names until the
 * next time.
 */
static void end_again(struct kernel_names *n)
{
	const __u32 before = count_of(n->table);
	const struct kernel_table old = *n->table;
	int err = job_wait(n->again);

	*n->table = *(struct kernel_table *)job_context(n->again);
	*(struct kernel_table *)job_context(n->again) = old;
	job_free(TAKE_PTR(n->again));
	if (!err && count_of(n->table) != before)
		n->pause_ns = n->least_ns;
	else if (n->pause_ns < PAUSE_MAX_NS)
		n->pause_ns *= 2;
}

bool kernel_names_find(struct kernel_names *n, __u64 position, struct kernel_name *ret)
{
	if (position <= TEXT_KERNEL || position >= TEXT_FILES)
		return false;
	if (n->again && job_is_done(n->again))
		end_again(n);
	if (n->missed && !n->again && clock_ns() - n->read_ns >= n->pause_ns)
		begin_again(n);
	if (find_symbol(n->table, position, ret))
		return true;
	n->missed = true;
	return false;
}
