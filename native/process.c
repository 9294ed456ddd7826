/* This process, its children, signals and clocks. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

CALL(sys_id) {
  const int64_t ids[] = {getuid(), geteuid(), getgid(), getegid(), getpid(), getppid()};
  return JS_NewInt64(c, ids[(uint32_t)int_of(c, argv[0]) % (sizeof ids / sizeof *ids)]);
}

CALL(sys_umask) { return result(c, umask((mode_t)int_of(c, argv[0]))); }
CALL(sys_setGroups) {
  size_t length;
  gid_t *groups = (gid_t *)(void *)JS_GetArrayBuffer(c, &length, argv[0]);
  return groups == NULL ? JS_EXCEPTION : result(c, setgroups(length / sizeof *groups, groups));
}

CALL(sys_setGid) { return result(c, setgid((gid_t)double_of(c, argv[0]))); }
CALL(sys_setUid) { return result(c, setuid((uid_t)double_of(c, argv[0]))); }
CALL(sys_kill) { return result(c, kill(int_of(c, argv[0]), int_of(c, argv[1]))); }
CALL(sys_prctl) { return result(c, prctl(int_of(c, argv[0]), (unsigned long)int_of(c, argv[1]))); }

static volatile sig_atomic_t ending;

/* A queued signal ends the process instead: the new program would not get it, but its alarm. */
CALL(sys_execve) {
  if (ending != 0) {
    signal(ending, SIG_DFL);
    raise(ending);
    _exit(128 + ending); /* As PID 1. */
  }
  char *file = bytes_of(c, argv[0]), **words = words_of(c, argv[1]), **env = words_of(c, argv[2]);
  int status = file && words && env ? execve(file, words, env) : -1;
  JSValue done = result(c, status);
  js_free(c, file);
  free_words(c, words);
  free_words(c, env);
  return done;
}

#define DESCRIPTORS_MAX 16
/* Runs in the child: sets its descriptors, then executes the program. execve closes all others. */
static void become(const char *file, char **words, char **env, const int32_t *from, int count,
                   int tell, int death) {
  sigset_t none;
  int moved[DESCRIPTORS_MAX + 1];
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  if (death != 0) prctl(PR_SET_PDEATHSIG, (unsigned long)death);
  /* Moves the descriptors above all targets first: none is overwritten before it is copied. */
  for (int i = 0; i <= count; i++) {
    moved[i] = fcntl(i < count ? from[i] : tell, F_DUPFD_CLOEXEC, count);
    if (moved[i] < 0) _exit(127);
  }
  for (int i = 0; i < count; i++)
    if (dup2(moved[i], i) < 0) _exit(127);
  execve(file, words, env);
  int why = errno;
  if (write(moved[count], &why, sizeof why) < 0) _exit(126);
  _exit(127);
}

/* A child in a new process group; element i of an Int32Array's buffer is our descriptor for its
 * descriptor i; the last argument is its signal when we die. Returns its pid once executed. */
CALL(sys_spawn) {
  size_t length;
  int32_t *from = (int32_t *)(void *)JS_GetArrayBuffer(c, &length, argv[3]);
  int channel[2], why = 0, count = (int)(length / sizeof *from);
  if (from == NULL) return JS_EXCEPTION;
  if (count > DESCRIPTORS_MAX) return JS_NewInt32(c, -EINVAL);
  char *file = bytes_of(c, argv[0]), **words = words_of(c, argv[1]), **env = words_of(c, argv[2]);
  pid_t pid = -1;
  if (file && words && env && pipe2(channel, O_CLOEXEC) == 0) {
    pid = fork();
    if (pid == 0) become(file, words, env, from, count, channel[1], int_of(c, argv[4]));
    int failed = errno;
    close(channel[1]);
    ssize_t told = pid < 0 ? 0 : read(channel[0], &why, sizeof why);
    close(channel[0]);
    if (told > 0) pid = -waitpid(pid, NULL, 0);
    errno = told > 0 ? why : failed;
  }
  JSValue done = result(c, pid);
  js_free(c, file);
  free_words(c, words);
  free_words(c, env);
  return done;
}

/* Pid of an exited child, 0 if there is none; -1 asks for any. Stores the status in a buffer. */
CALL(sys_wait) {
  int *status = bytes_at(c, argv[1], sizeof *status);
  return status ? result(c, waitpid(int_of(c, argv[0]), status, WNOHANG)) : JS_EXCEPTION;
}

CALL(sys_pipe) {
  int *ends = bytes_at(c, argv[0], 2 * sizeof *ends);
  return ends ? result(c, pipe2(ends, O_CLOEXEC)) : JS_EXCEPTION;
}

static int signal_pipe[2] = {-1, -1};

/* Each signal is a byte in a pipe. An alarm, canceled by `fetched`, ends the process if the byte is
 * not read. */
static void queue(int number) {
  int before = errno;
  if (number == SIGALRM) _exit(128 + ending);
  if (number == SIGPIPE) return; /* Writes fail with EPIPE instead. */
  uint8_t byte = (uint8_t)number;
  if (number != SIGCHLD && ending == 0) {
    ending = number;
    alarm(1);
  }
  if (write(signal_pipe[1], &byte, 1) < 0) errno = before;
  errno = before;
}

/* A signal that came after the read keeps the alarm. */
CALL(sys_fetched) {
  struct pollfd queued = {.fd = signal_pipe[0], .events = POLLIN};
  if (poll(&queued, 1, 0) == 0) alarm((unsigned)(ending = 0));
  return JS_UNDEFINED;
}

/* Disposition: 0 default, 1 ignored, 2 queued. Returns the descriptor of queued signals. */
CALL(sys_onSignal) {
  int number = int_of(c, argv[0]), how = int_of(c, argv[1]);
  if (how < 0 || how > 2) return JS_NewInt32(c, -EINVAL);
  if (how == 2 && signal_pipe[0] < 0) {
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0) return result(c, -1);
    struct sigaction alarmed = {.sa_handler = queue};
    sigaction(SIGALRM, &alarmed, NULL);
  }
  void (*const handlers[])(int) = {SIG_DFL, SIG_IGN, queue};
  struct sigaction action = {.sa_handler = handlers[how], .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  struct sigaction before;
  if (sigaction(number, NULL, &before) < 0) return result(c, -1);
  /* Children inherit ignored signals, but not handlers. */
  if (number == SIGPIPE && before.sa_handler == SIG_IGN) return result(c, 0);
  sigaction(number, &action, NULL);
  return result(c, signal_pipe[0] < 0 ? 0 : signal_pipe[0]);
}

/* Polls an array of struct pollfd. */
CALL(sys_poll) {
  size_t length;
  struct pollfd *rows = (struct pollfd *)(void *)JS_GetArrayBuffer(c, &length, argv[0]);
  if (rows == NULL) return JS_EXCEPTION;
  return result(c, poll(rows, length / sizeof *rows, int_of(c, argv[1])));
}

CALL(sys_now) { return JS_NewFloat64(c, now((clockid_t)int_of(c, argv[0]))); }
CALL(sys_isTerminal) { return JS_NewBool(c, isatty(int_of(c, argv[0]))); }
CALL(sys_exit) { _exit(int_of(c, argv[0])); }

const JSCFunctionListEntry process_calls[] = {
    ROW(id, 1),      ROW(umask, 1),    ROW(setGroups, 1), ROW(setGid, 1), ROW(setUid, 1),
    ROW(kill, 2),    ROW(execve, 3),   ROW(spawn, 5),     ROW(wait, 2),   ROW(pipe, 1),
    ROW(fetched, 0), ROW(onSignal, 2), ROW(poll, 2),      ROW(now, 1),    ROW(isTerminal, 1),
    ROW(exit, 1),    ROW(prctl, 2),
};
const int process_calls_count = sizeof process_calls / sizeof *process_calls;
