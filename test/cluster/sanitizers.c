/*
 * A sanitizer's finding exits with a code that none of our commands uses. Two frames of each allocation: recording thirty
 * took a quarter of a run's CPU time. ASAN_OPTIONS=malloc_context_size=30 shows them.
 */
const char *__asan_default_options(void) { return "detect_leaks=0:exitcode=99:malloc_context_size=2"; }

const char *__ubsan_default_options(void) { return "exitcode=99:print_stacktrace=1"; }
