/* Sockets. An address is the bytes of a sockaddr, built and parsed in TypeScript. */
#include <sys/socket.h>

#include "host.h"

CALL(sys_socket) {
  int type = int_of(c, argv[1]) | SOCK_NONBLOCK | SOCK_CLOEXEC;
  return result(c, socket(int_of(c, argv[0]), type, int_of(c, argv[2])));
}

CALL(sys_connect) {
  size_t length;
  const void *address = JS_GetUint8Array(c, &length, argv[1]);
  if (address == NULL) return JS_EXCEPTION;
  return result(c, connect(int_of(c, argv[0]), address, (socklen_t)length));
}

CALL(sys_address) {
  size_t room;
  void *into = JS_GetUint8Array(c, &room, argv[2]);
  if (into == NULL) return JS_EXCEPTION;
  socklen_t length = (socklen_t)room;
  int status = (int_of(c, argv[1]) ? getpeername : getsockname)(int_of(c, argv[0]), into, &length);
  return result(c, status < 0 ? status : (int64_t)length);
}

CALL(sys_listen) {
  size_t length;
  const void *address = JS_GetUint8Array(c, &length, argv[1]);
  if (address == NULL) return JS_EXCEPTION;
  int fd = int_of(c, argv[0]), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  int status = bind(fd, address, (socklen_t)length);
  return result(c, status < 0 ? status : listen(fd, int_of(c, argv[2])));
}

/* For datagrams. */
CALL(sys_bind) {
  size_t length;
  const void *address = JS_GetUint8Array(c, &length, argv[1]);
  if (address == NULL) return JS_EXCEPTION;
  return result(c, bind(int_of(c, argv[0]), address, (socklen_t)length));
}

CALL(sys_accept) {
  return result(c, accept4(int_of(c, argv[0]), NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

CALL(sys_shutdown) { return result(c, shutdown(int_of(c, argv[0]), SHUT_WR)); }

CALL(sys_option) {
  int value = int_of(c, argv[3]);
  return result(c, setsockopt(int_of(c, argv[0]), int_of(c, argv[1]), int_of(c, argv[2]), &value,
                              sizeof value));
}

CALL(sys_outcome) {
  int error = 0;
  socklen_t length = sizeof error;
  int status = getsockopt(int_of(c, argv[0]), SOL_SOCKET, SO_ERROR, &error, &length);
  return status < 0 ? result(c, status) : JS_NewInt32(c, -error);
}

const JSCFunctionListEntry socket_calls[] = {
    ROW(socket, 3),  ROW(connect, 2),  ROW(address, 3), ROW(listen, 3), ROW(accept, 1),
    ROW(outcome, 1), ROW(shutdown, 1), ROW(option, 4),  ROW(bind, 2),
};
const int socket_calls_count = sizeof socket_calls / sizeof *socket_calls;
