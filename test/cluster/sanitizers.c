/* A sanitizer's finding exits with a code that none of our commands uses. */
const char *__asan_default_options(void) { return "detect_leaks=0:exitcode=99"; }

const char *__ubsan_default_options(void) { return "exitcode=99:print_stacktrace=1"; }
