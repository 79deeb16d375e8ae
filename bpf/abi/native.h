/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native.h - what the sampler knows of machine code: where files are mapped in a process, and where the
 * functions of a file begin. User space writes it, no program does.
 *
 * Every file with code that is mapped has an interval of one line of addresses, the text space. A position in
 * it is the interval's begin plus an offset in the file. So a position is a function's name in every process,
 * as long as a node has it (user/names/natives.h), and 41 bits of a node's key hold one.
 */
#ifndef PYPERF_BPF_ABI_NATIVE_H
#define PYPERF_BPF_ABI_NATIVE_H

#include "bpf/abi/types.h"

#define TEXT_BITS 41

/* Positions below TEXT_FILES are no code of a file. */
#define TEXT_SYSCALLS	   4096 /* plus the number of a system call */
#define TEXT_SYSCALLS_MAX  1024
#define TEXT_VDSO	   0x10000 /* the kernel's page of code in each process */
#define TEXT_JIT	   0x20000 /* code in memory of no file */
#define TEXT_KERNEL	   0x80000000ULL /* up to TEXT_FILES: functions of the kernel */
#define TEXT_FILES	   (1ULL << 32)
#define TEXT_JITS	   (1ULL << 40) /* code in memory of no file, with a file of names: a process's own */

/*
 * The kernel and its modules lie in 2 GiB that begin with `base`: on x86-64 the last ones of all addresses,
 * on arm64 where user space finds them (user/names/kernel_names.h). TEXT_KERNEL itself: somewhere in the
 * kernel.
 */
#define KERNEL_SPAN (TEXT_FILES - TEXT_KERNEL)
#define KERNEL_LAST (0ULL - KERNEL_SPAN) /* the base, where nothing else is known */

static inline __u64 kernel_position(__u64 base, __u64 pc)
{
	return pc - base < KERNEL_SPAN ? TEXT_KERNEL + (pc - base) : TEXT_KERNEL;
}

#define TEXT_JIT_STEP 16 /* of an interrupted place in such code; a power of 2 */

/* How the native part of a sample ended. As a position, one that is a marker is a frame "[text]". */
enum native_end {
#define NATIVE(name, ...) NATIVE_##name,
#include "bpf/natives.def"
#undef NATIVE
	NATIVE_ENDS
};

/* What --native asks for. */
enum native_mode { NATIVE_MODE_OFF, NATIVE_MODE_LEAF, NATIVE_MODE_TOP, NATIVE_MODE_FULL };

/* What --kernel asks for: nothing; the system call; the kernel's functions, too. */
enum kernel_mode { KERNEL_MODE_OFF, KERNEL_MODE_SYSCALL, KERNEL_MODE_FULL };

/*
 * The table `texts` consists of blocks. A block is a space, a mapping, a text, or words: which, the number
 * that leads to it says. Block 0 is never used, so 0 means none.
 */
#define TEXT_WORDS 16

/* A process's mappings with code, which follow this block in order of address. */
struct text_space {
	__u32 count;
	__u32 exec_pages; /* of those that are not writable, as the kernel counts them (mm->exec_vm) */
};

struct text_mapping {
	__u64 start, end; /* addresses of the process */
	__u64 position;	  /* of start, in the text space; an enum native_end: why it has none there */
	__u32 text;	  /* block of its file's struct text; TEXT_NOT_LOADED, TEXT_NONE */
	__u32 writable;	  /* as the memory of many a JIT compiler */
};

#define TEXT_NOT_LOADED 0
#define TEXT_NONE	1 /* nothing is known of its functions: the whole mapping is one */

#define LOOP_PARTS 3

struct text_part {
	__u32 begin, size;
};

/*
 * A file's functions. Behind this block are, in words: for each region (below) the block of its rows, or
 * TEXT_NOT_LOADED, or TEXT_NONE; for each page the number of the function that covers its first byte, and one
 * more, the number of the last; then the functions' offsets in the file, ascending.
 */
struct text {
	__u64 base;  /* position of the file's first byte */
	__u32 first; /* page of the file, 4 KiB each, with which the words begin */
	__u32 pages;
	__u32 count;   /* functions */
	__u32 regions; /* 0 = no callers are wanted */
	/* Of the function that runs Python code, if that has a name here: offsets in the file. */
	struct text_part loop[LOOP_PARTS];
};

/*
 * Rows say how to go from a function to its caller. They are made of a file's .eh_frame, for one
 * region of the file at a time, when a stack is met there.
 *
 * A region is these words: for each of its pages the number of the page's first row, and one more, the number
 * of rows; then the rows. A row is the offset in its page at which it begins to hold, and a rule. It holds up
 * to the next one. Each page has a row for its first byte.
 */
#define REGION_SHIFT 20 /* a region is 1 MiB of a file */
#define REGION_PAGES (1U << (REGION_SHIFT - 12))
#define REGION_INDEX (REGION_PAGES + 1) /* words before the rows */
#define REGION_ROWS  (1U << 18)		/* at most */

#define RULE_BITS 20

/* Whose rules are followed: those for arm64, or those for x86-64. A test may say which. */
#ifndef NATIVE_ARM64
#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#define NATIVE_ARM64 1
#else
#define NATIVE_ARM64 0
#endif
#endif

static inline __u32 row_make(__u32 offset_in_page, __u32 rule)
{
	return offset_in_page << RULE_BITS | rule;
}

static inline __u32 row_offset(__u32 row)
{
	return row >> RULE_BITS;
}

static inline __u32 row_rule(__u32 row)
{
	return row & ((1U << RULE_BITS) - 1);
}

/*
 * A rule says where the canonical frame address (CFA) is: where the stack pointer was before the call. The
 * return address is the word below it. In bits, from the top: kind 2, argument 13, slot 5. With RULE_REGISTER
 * and RULE_SPECIAL the argument is 4 bits for which one, and 9 for the rest.
 *
 * On arm64 a call leaves the return address in x30, and a function that calls others keeps x29 and x30 in two
 * words of its stack. The slot says where, and for rbp stands x29. See below for what else differs.
 */
enum rule_kind {
	RULE_SP,       /* the stack pointer plus argument words */
	RULE_BP,       /* rbp plus argument words */
	RULE_REGISTER, /* another register, of this DWARF number, plus argument words: for the leaf only */
	RULE_SPECIAL,  /* enum rule_special */
};

enum rule_special {
	RULE_UNKNOWN,  /* nothing is known, or it cannot be said here */
	RULE_ROOT,     /* there is no caller */
	RULE_SIGNAL,   /* the kernel called it: a struct ucontext is at the stack pointer */
	RULE_PLT,      /* sp + 8, and 8 more from byte `argument` of each 16 on */
	RULE_DEREF,    /* the word that is argument words below rbp */
	RULE_DEREF_SP, /* 8 more than the word that is rule_signed() words above the stack pointer */
	RULE_SP_FAR,   /* the stack pointer plus RULE_WORDS_MAX + 1 + argument words: a buffer of 64 KiB */
	RULE_LINK,     /* arm64: the stack pointer plus 2 * argument words; only x30 was kept, at the slot */
	RULE_SPECIALS
};

#define RULE_SLOT_BITS	 5
#define RULE_WORDS_MAX	 ((1U << 13) - 1) /* argument of SP and BP */
#define RULE_SMALL_MAX	 ((1U << 9) - 1)  /* of REGISTER and SPECIAL */
/* The slot of the caller's rbp: a number of words below the CFA, or one of these. */
#define RULE_SLOT_SAME	 0
#define RULE_SLOT_MAX	 29
#define RULE_SLOT_AT_BP	 30 /* the word at rbp */
#define RULE_SLOT_LOST	 31 /* not known */

/*
 * arm64. The slot is a number of words from x29's up to the CFA, x30 is in the word behind. Or it is
 * RULE_SLOT_SAME: both are in their registers, which is of use for the leaf only; or the two words are at x29
 * (AT_BP), or at the stack pointer (AT_SP). In place of RULE_REGISTER there is RULE_PAIR: the CFA is the
 * stack pointer plus 10 bits of 16 bytes each, and the two words are at the stack pointer plus 8 bits of 16.
 */
#define RULE_SLOT_AT_SP	  1
#define RULE_PAIR	  RULE_REGISTER
#define RULE_PAIR_CFA_MAX 1023
#define RULE_PAIR_AT_MAX  255

static inline __u32 rule_make_pair(__u32 cfa, __u32 at)
{
	return (__u32)RULE_PAIR << 18 | cfa << 8 | at;
}

static inline __u32 rule_pair_cfa(__u32 rule)
{
	return rule >> 8 & RULE_PAIR_CFA_MAX;
}

static inline __u32 rule_pair_at(__u32 rule)
{
	return rule & RULE_PAIR_AT_MAX;
}

static inline __u32 rule_make(enum rule_kind kind, __u32 argument, __u32 slot)
{
	return (__u32)kind << 18 | argument << RULE_SLOT_BITS | slot;
}

/* which: a DWARF number of a register, or an enum rule_special. */
static inline __u32 rule_make_small(enum rule_kind kind, __u32 which, __u32 argument, __u32 slot)
{
	return rule_make(kind, which << 9 | argument, slot);
}

/* An argument of 9 bits, of which the top one is a sign. */
static inline __s64 rule_signed(__u32 argument)
{
	return (__s64)((argument & RULE_SMALL_MAX) ^ 0x100) - 0x100;
}

static inline __u32 rule_kind(__u32 rule)
{
	return rule >> 18;
}

static inline __u32 rule_slot(__u32 rule)
{
	return rule & ((1U << RULE_SLOT_BITS) - 1);
}

static inline __u32 rule_argument(__u32 rule)
{
	return rule >> RULE_SLOT_BITS & RULE_WORDS_MAX;
}

/* Of REGISTER and SPECIAL: which it is, and the rest of the argument. */
static inline __u32 rule_which(__u32 rule)
{
	return rule_argument(rule) >> 9;
}

static inline __u32 rule_small(__u32 rule)
{
	return rule_argument(rule) & RULE_SMALL_MAX;
}

static inline int rule_is(__u32 rule, enum rule_special special)
{
	return rule_kind(rule) == RULE_SPECIAL && rule_which(rule) == (__u32)special;
}

/* The rule for code of which nothing is known. */
static inline __u32 rule_unknown(void)
{
	return rule_make_small(RULE_SPECIAL, RULE_UNKNOWN, 0, 0);
}

/* Offsets in a struct ucontext (x86-64, asm/sigcontext.h): registers that a signal's handler gives back. */
#define CONTEXT_REGISTERS 40
#define CONTEXT_BP	  (CONTEXT_REGISTERS + 10 * 8)
#define CONTEXT_SP	  (CONTEXT_REGISTERS + 15 * 8)
#define CONTEXT_PC	  (CONTEXT_REGISTERS + 16 * 8)

/* The same on arm64, where a struct siginfo is at the stack pointer and the ucontext behind it. */
#define ARM64_CONTEXT_REGISTERS (128 + 176 + 8)
#define ARM64_CONTEXT_BP	(ARM64_CONTEXT_REGISTERS + 29 * 8)
#define ARM64_CONTEXT_LINK	(ARM64_CONTEXT_REGISTERS + 30 * 8)
#define ARM64_CONTEXT_SP	(ARM64_CONTEXT_REGISTERS + 31 * 8)
#define ARM64_CONTEXT_PC	(ARM64_CONTEXT_REGISTERS + 32 * 8)

union text_block {
	struct text_space space;
	struct text_mapping mapping;
	struct text text;
	__u32 word[TEXT_WORDS];
};

/*
 * struct process.space: the block of its struct text_space, and the edition of the texts in which that is
 * valid. When the table is full user space begins a new edition, and all blocks are free.
 */
#define SPACE_BLOCK_BITS 24
#define SPACE_BLOCK_MAX	 ((1U << SPACE_BLOCK_BITS) - 1)

static inline __u32 space_number(__u32 edition, __u32 block)
{
	return edition << SPACE_BLOCK_BITS | block;
}

#endif
