/* Runs a program and prints its usage with reaped descendants: user and system microseconds, wall
   microseconds, kilobytes of the largest process, exit code. It is small, since its own memory counts before exec. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct timespec from, to;
  struct rusage usage;
  int status;
  if (argc < 2) return 64;
  clock_gettime(CLOCK_MONOTONIC, &from);
  pid_t child = fork();
  if (child == 0) {
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 70;
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%ld %ld %ld %d\n",
         (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec,
         (to.tv_sec - from.tv_sec) * 1000000L + (to.tv_nsec - from.tv_nsec) / 1000, usage.ru_maxrss,
         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
