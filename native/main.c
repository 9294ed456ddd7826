/*
 * kolla-core's C part: runs a command's bytecode in QuickJS.
 *
 *   argv[0] -> the command's linked-in module, and those that it imports -> they use `sys`: the
 * calls of this directory, argv, environment, assets -> `sys.turn` -> pending jobs, turn, ...
 * until sys.exit
 *
 * It loads no file and reads no variable. What can fail: a command without bytecode (64); an
 * uncaught exception or rejection, memory or stack at their limits (70, or the code set by
 * sys.failsWith).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap.h"
#include "host.h"

#define MEMORY_MAX (256u << 20)
/* Reference counting frees most objects; cycles are rare, and finding them scans the heap. */
#define CYCLES_FROM ((size_t)16 << 20)
#define STACK_MAX (1u << 20)

static int escaped_code = 70;
static const char *called, *said = "our bug, please report it";
static double deadline;

static int interrupted(JSRuntime *runtime UNUSED, void *unused UNUSED) {
  return deadline > 0 && now(CLOCK_MONOTONIC) > deadline;
}

/* Sets the milliseconds until running code is interrupted with an exception; 0: never. */
CALL(sys_deadline) {
  double length = double_of(c, argv[0]);
  deadline = length > 0 ? now(CLOCK_MONOTONIC) + length : 0;
  return JS_UNDEFINED;
}

CALL(sys_failsWith) {
  escaped_code = int_of(c, argv[0]);
  said = JS_ToCString(c, argv[1]);
  return JS_UNDEFINED;
}

static const struct asset *asset_of(const char *name) {
  for (const struct asset *one = assets; one->name != NULL; one++)
    if (strcmp(one->name, name) == 0) return one;
  return NULL;
}

static const struct command *command_of(const char *name) {
  for (const struct command *one = commands; one->name != NULL; one++)
    if (strcmp(one->name, name) == 0) return one;
  return NULL;
}

static JSValue read_asset(JSContext *c, const char *name) {
  const struct asset *asset = asset_of(name);
  if (asset == NULL) return JS_ThrowReferenceError(c, "no asset %s", name);
  return JS_ReadObject(c, asset->bytes, asset->length, JS_READ_OBJ_BYTECODE);
}

/* A module by its name. */
static JSModuleDef *load(JSContext *c, const char *name, void *unused UNUSED) {
  JSValue module = read_asset(c, name);
  /* The context keeps it. */
  return JS_IsException(module) ? NULL : JS_VALUE_GET_PTR(module);
}

/* Runs a module, and those that it imports. */
static JSValue run(JSContext *c, const char *name) {
  JSValue module = read_asset(c, name);
  if (JS_IsException(module) || JS_ResolveModule(c, module) < 0) return JS_EXCEPTION;
  JSValue done = JS_EvalFunction(c, module);
  if (JS_IsException(done) || JS_PromiseState(c, done) != JS_PROMISE_REJECTED) return done;
  return JS_Throw(c, JS_PromiseResult(c, done));
}

/* Calls a script's function with `sys`. */
CALL(sys_asset) {
  const char *name = JS_ToCString(c, argv[0]);
  JSValue code = name == NULL ? JS_EXCEPTION : read_asset(c, name);
  JS_FreeCString(c, name);
  if (JS_IsException(code)) return code;
  JSValue function = JS_EvalFunction(c, code);
  if (JS_IsException(function)) return function;
  JSValue value = JS_Call(c, function, JS_UNDEFINED, 1, &self);
  JS_FreeValue(c, function);
  return value;
}

/* Clears the environment: the C library itself reads variables, such as TZ, which names a file. */
CALL(sys_forget) { return result(c, clearenv()); }

CALL(sys_cyclesFrom) {
  JS_SetGCThreshold(JS_GetRuntime(c), (size_t)double_of(c, argv[0]));
  return JS_UNDEFINED;
}

static const JSCFunctionListEntry main_calls[] = {
    ROW(deadline, 1), ROW(failsWith, 2), ROW(asset, 1), ROW(forget, 0), ROW(cyclesFrom, 1),
};

static JSValue strings(JSContext *c, char **words) {
  JSValue array = JS_NewArray(c);
  for (uint32_t i = 0; words[i] != NULL; i++)
    JS_SetPropertyUint32(c, array, i,
                         JS_NewArrayBufferCopy(c, (uint8_t *)words[i], strlen(words[i])));
  return array;
}

static JSValue sys_object(JSContext *c, char **argv, bool has_network) {
  JSValue sys = JS_NewObject(c);
  JS_SetPropertyFunctionList(c, sys, file_calls, file_calls_count);
  JS_SetPropertyFunctionList(c, sys, process_calls, process_calls_count);
  JS_SetPropertyFunctionList(c, sys, text_calls, text_calls_count);
  JS_SetPropertyFunctionList(c, sys, main_calls, sizeof main_calls / sizeof *main_calls);
  if (has_network) add_network_calls(c, sys);
  JS_SetPropertyStr(c, sys, "argv", strings(c, argv));
  JS_SetPropertyStr(c, sys, "environ", strings(c, environ));
  return sys;
}

/* An uncaught exception or a limit: prints message and location, then exits. */
static void escape(JSContext *c) {
  JSValue error = JS_GetException(c);
  JS_SetMemoryLimit(JS_GetRuntime(c), (size_t)-1);
  deadline = 0;
  const char *message = JS_ToCString(c, error);
  const char *place = JS_ToCString(c, JS_GetPropertyStr(c, error, "stack"));
  fprintf(stderr, "%s: %s: %s\n%s", called, said ? said : "?", message ? message : "?",
          place ? place : "");
  _exit(escaped_code);
}

static int unhandled;
static JSValue rejection;

/* Called for a promise without a handler; again once it gets one. */
static void rejected(JSContext *c, JSValueConst promise UNUSED, JSValueConst reason, bool handled,
                     void *unused UNUSED) {
  if (!handled) unhandled++;
  /* 0: it was passed on before. */
  else if (unhandled > 0)
    unhandled--;
  JS_FreeValue(c, rejection);
  rejection = JS_DupValue(c, reason);
}

/* Whether more jobs may be pending: those of a rejection that was passed on. */
static bool run_jobs(JSContext *c, JSValueConst sys) {
  JSContext *of;
  for (int status; (status = JS_ExecutePendingJob(JS_GetRuntime(c), &of)) != 0;)
    if (status < 0) escape(of);
  if (unhandled == 0) return false;
  unhandled = 0;
  JSValue take = JS_GetPropertyStr(c, sys, "rejected");
  JSValue taken = JS_IsUndefined(take) ? JS_Throw(c, JS_DupValue(c, rejection))
                                       : JS_Call(c, take, JS_UNDEFINED, 1, &rejection);
  JS_FreeValue(c, take);
  if (JS_IsException(taken)) escape(c);
  JS_FreeValue(c, taken);
  return true;
}

int main(int argc, char **argv) {
  if (argc < 1) return 64;
  /* Later opens must not reuse the numbers of stdin, stdout and stderr. */
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return 70;
  const char *slash = strrchr(argv[0], '/');
  called = slash == NULL ? argv[0] : slash + 1;
  const struct command *command = command_of(called);
  if (command == NULL) return 64;
  JSRuntime *runtime = command->has_network ? heap_runtime() : JS_NewRuntime();
  JSContext *c = runtime == NULL ? NULL : JS_NewContext(runtime);
  if (c == NULL) return 70;
  JS_SetMemoryLimit(runtime, MEMORY_MAX);
  JS_SetMaxStackSize(runtime, STACK_MAX);
  JS_SetGCThreshold(runtime, CYCLES_FROM);
  JS_SetInterruptHandler(runtime, interrupted, NULL);
  JS_SetHostPromiseRejectionTracker(runtime, rejected, NULL);
  JS_SetModuleLoaderFunc(runtime, NULL, load, NULL);
  JSValue sys = sys_object(c, argv, command->has_network);
  JSValue global = JS_GetGlobalObject(c);
  JS_SetPropertyStr(c, global, "sys", JS_DupValue(c, sys));
  if (JS_IsException(run(c, command->module))) escape(c);
  JSValue turn = JS_GetPropertyStr(c, sys, "turn");
  for (;;) {
    while (run_jobs(c, sys));
    JSValue value = JS_Call(c, turn, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(value)) escape(c);
    JS_FreeValue(c, value);
  }
}
