/*
 * The engine's memory. Blocks have no header and are at most an eighth larger than asked for: each
 * page has blocks of one size, and is released to the system when all of them are free. Larger
 * blocks, and all once the range is used up, are mappings of their own, whose zeros take no memory
 * until they are written to. docs/adr/0045 has the reasons.
 *
 * One thread only: the engine's.
 */
#include "heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)64 << 10)
#define PAGES 4096
/* Sizes of blocks: 512 bytes, then eight for each power of two. */
#define SMALLEST 512
#define LARGEST 32768
#define SIZES 49
/* Pages without blocks in use that stay resident. */
#define WARM 2

struct page {
  struct page *next, *previous;
  /* The first free block that was in use before, as its number + 1; blocks from `fresh` on never
     were. */
  uint32_t free, fresh, used, blocks;
  size_t size;
};

static struct page pages[PAGES];
/* Pages with free blocks, by size of their blocks; and without any in use: resident, released. */
static struct page *partial[SIZES], *warm, *cold;
static uint8_t *range;
static size_t taken, warm_count;
static bool is_reserved;

static void push(struct page **list, struct page *page) {
  page->previous = NULL;
  page->next = *list;
  if (*list != NULL) (*list)->previous = page;
  *list = page;
}

static void unlink_from(struct page **list, struct page *page) {
  if (page->previous != NULL)
    page->previous->next = page->next;
  else
    *list = page->next;
  if (page->next != NULL) page->next->previous = page->previous;
}

/* The number of the smallest size that is enough for at most LARGEST bytes, and that size. */
static unsigned size_number(size_t bytes, size_t *size) {
  if (bytes <= SMALLEST) return *size = SMALLEST, 0;
  unsigned shift = 63 - (unsigned)__builtin_clzll(bytes - 1) - 3;
  size_t eighths = (bytes - 1) >> shift;
  *size = (eighths + 1) << shift;
  return (shift - 6) * 8 + (unsigned)eighths - 7;
}

static uint8_t *start_of(const struct page *page) { return range + (size_t)(page - pages) * PAGE; }

static bool is_ours(const void *block) {
  return (uintptr_t)block - (uintptr_t)range < taken * PAGE;
}

static struct page *page_of(const void *block) {
  return &pages[(size_t)((const uint8_t *)block - range) / PAGE];
}

/* Reserves addresses, not memory. Without them, as under a low RLIMIT_AS, all blocks are mappings.
 */
static void reserve(void) {
  is_reserved = true;
  size_t length = (PAGES + 1) * PAGE;
  void *at = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return;
  range = (uint8_t *)(((uintptr_t)at + PAGE - 1) & ~(PAGE - 1));
  /* A huge page would make two megabytes resident for a few blocks. */
  madvise(at, length, MADV_NOHUGEPAGE);
}

/* A page for blocks of a size; NULL if there is none. */
static struct page *new_page(size_t size) {
  struct page *page = warm != NULL ? warm : cold;
  if (page != NULL) {
    if (page == warm) warm_count--;
    unlink_from(page == warm ? &warm : &cold, page);
  } else {
    if (!is_reserved) reserve();
    if (range == NULL || taken == PAGES) return NULL;
    page = &pages[taken];
    if (mprotect(start_of(page), PAGE, PROT_READ | PROT_WRITE) != 0) return NULL;
    taken++;
  }
  *page = (struct page){.size = size, .blocks = (uint32_t)(PAGE / size)};
  return page;
}

/* A mapping of its own begins with its length. */
#define HEADER 64

static size_t *start_of_mapping(const void *block) {
  return (size_t *)(void *)((uintptr_t)block - HEADER);
}

static void *begun(void *mapping, size_t length) {
  if (mapping == MAP_FAILED) return NULL;
  *(size_t *)mapping = length;
  return (uint8_t *)mapping + HEADER;
}

static void *map(size_t bytes) {
  if (bytes > SIZE_MAX - HEADER) return NULL;
  size_t length = bytes + HEADER;
  return begun(mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
               length);
}

static void *take(size_t bytes) {
  size_t size;
  unsigned number = size_number(bytes, &size);
  struct page *page = partial[number];
  if (page == NULL) {
    if ((page = new_page(size)) == NULL) return map(bytes);
    push(&partial[number], page);
  }
  uint32_t at = page->free;
  uint8_t *block = start_of(page) + (at != 0 ? at - 1 : page->fresh) * size;
  if (at != 0)
    memcpy(&page->free, block, sizeof page->free);
  else
    page->fresh++;
  if (++page->used == page->blocks) unlink_from(&partial[number], page);
  return block;
}

static void release(void *block) {
  struct page *page = page_of(block);
  size_t size;
  unsigned number = size_number(page->size, &size);
  if (page->used == page->blocks) push(&partial[number], page);
  memcpy(block, &page->free, sizeof page->free);
  page->free = (uint32_t)((size_t)((uint8_t *)block - start_of(page)) / size) + 1;
  if (--page->used > 0) return;
  unlink_from(&partial[number], page);
  bool stays = warm_count < WARM || madvise(start_of(page), PAGE, MADV_DONTNEED) != 0;
  if (stays) warm_count++;
  push(stays ? &warm : &cold, page);
}

static void *heap_malloc(void *unused, size_t bytes) {
  (void)unused;
  return bytes > LARGEST ? map(bytes) : take(bytes);
}

static void *heap_calloc(void *unused, size_t count, size_t bytes) {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) return NULL;
  void *block = heap_malloc(unused, all);
  return block == NULL || !is_ours(block) ? block : memset(block, 0, all);
}

static void heap_free(void *unused, void *block) {
  (void)unused;
  if (block == NULL) return;
  if (is_ours(block))
    release(block);
  else
    munmap(start_of_mapping(block), *start_of_mapping(block));
}

static size_t heap_size(const void *block) {
  if (block == NULL) return 0;
  return is_ours(block) ? page_of(block)->size : *start_of_mapping(block) - HEADER;
}

static void *heap_realloc(void *unused, void *block, size_t bytes) {
  if (block == NULL) return heap_malloc(unused, bytes);
  bool was_ours = is_ours(block);
  if (!was_ours && bytes > LARGEST && bytes <= SIZE_MAX - HEADER) {
    size_t *at = start_of_mapping(block), length = bytes + HEADER;
    return begun(mremap(at, *at, length, MREMAP_MAYMOVE), length);
  }
  size_t had = heap_size(block), size;
  if (was_ours && bytes <= LARGEST && (size_number(bytes, &size), size == had)) return block;
  void *other = heap_malloc(unused, bytes);
  if (other == NULL) return NULL;
  memcpy(other, block, had < bytes ? had : bytes);
  heap_free(unused, block);
  return other;
}

const JSMallocFunctions heap_functions = {heap_calloc, heap_malloc, heap_free, heap_realloc,
                                          heap_size};

JSRuntime *heap_runtime(void) {
#ifdef __SANITIZE_ADDRESS__
  /* Its own malloc sees what is used after it was freed. */
  return JS_NewRuntime();
#else
  return JS_NewRuntime2(&heap_functions, NULL);
#endif
}
