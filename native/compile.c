/*
 * Part of the build: a script or module on stdin -> its bytecode on stdout, with the lines of its
 * source and without the source. native/main.c reads it. `compile script|module NAME`: the name is
 * in stacks, and modules import each other by it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quickjs.h"

/* Stands for what a module imports, which is compiled by itself. */
static JSModuleDef *imported(JSContext *c, const char *name, void *unused) {
  (void)unused;
  return JS_NewCModule(c, name, NULL);
}

int main(int argc, char **argv) {
  size_t length = 0, room = 1 << 20, got;
  char *source = malloc(room + 1);
  while (source != NULL && (got = fread(source + length, 1, room - length, stdin)) > 0) {
    length += got;
    if (length < room) continue;
    char *larger = realloc(source, (room *= 2) + 1);
    if (larger == NULL) free(source);
    source = larger;
  }
  if (source == NULL || argc != 3) return 64;
  source[length] = 0;
  JSRuntime *runtime = JS_NewRuntime();
  JS_SetModuleLoaderFunc(runtime, NULL, imported, NULL);
  JSContext *c = JS_NewContext(runtime);
  int kind = strcmp(argv[1], "module") == 0 ? JS_EVAL_TYPE_MODULE : JS_EVAL_TYPE_GLOBAL;
  JSValue code = JS_Eval(c, source, length, argv[2], kind | JS_EVAL_FLAG_COMPILE_ONLY);
  size_t size = 0;
  uint8_t *bytes =
      JS_IsException(code)
          ? NULL
          : JS_WriteObject(c, &size, code, JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE);
  if (bytes == NULL) {
    JSValue error = JS_GetException(c), stack = JS_GetPropertyStr(c, error, "stack");
    fprintf(stderr, "%s: %s\n%s", argv[2], JS_ToCString(c, error), JS_ToCString(c, stack));
    return 1;
  }
  return fwrite(bytes, 1, size, stdout) == size && fflush(stdout) == 0 ? 0 : 1;
}
