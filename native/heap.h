/* The engine's memory. */
#ifndef HEAP_H
#define HEAP_H

#include "quickjs.h"

extern const JSMallocFunctions heap_functions;

/* An engine with this memory. Names that sudo may raise have malloc's instead: their C is short
   enough for a complete review. */
JSRuntime *heap_runtime(void);

#endif
