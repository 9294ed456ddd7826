/* Sockets. An address is the bytes of a sockaddr, which TypeScript makes and reads. */
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
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

/* The address of its own end (0) or of the peer's (1) into a Uint8Array; gives its length. */
CALL(sys_address) {
  size_t room;
  void *into = JS_GetUint8Array(c, &room, argv[2]);
  if (into == NULL) return JS_EXCEPTION;
  socklen_t length = (socklen_t)room;
  int status = (int_of(c, argv[1]) ? getpeername : getsockname)(int_of(c, argv[0]), into, &length);
  return result(c, status < 0 ? status : (int64_t)length);
}

/* Takes the address, and connections to it. */
CALL(sys_listen) {
  size_t length;
  const void *address = JS_GetUint8Array(c, &length, argv[1]);
  if (address == NULL) return JS_EXCEPTION;
  int fd = int_of(c, argv[0]), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  int status = bind(fd, address, (socklen_t)length);
  return result(c, status < 0 ? status : listen(fd, int_of(c, argv[2])));
}

CALL(sys_accept) {
  return result(c, accept4(int_of(c, argv[0]), NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

/* Nothing more is sent. */
CALL(sys_shutdown) { return result(c, shutdown(int_of(c, argv[0]), SHUT_WR)); }

/* What has become of a connect: 0, or minus errno. */
CALL(sys_outcome) {
  int error = 0;
  socklen_t length = sizeof error;
  int status = getsockopt(int_of(c, argv[0]), SOL_SOCKET, SO_ERROR, &error, &length);
  return status < 0 ? result(c, status) : JS_NewInt32(c, -error);
}

/* Each address of an interface that is up: its name and a sockaddr, one after the other. */
CALL(sys_interfaces) {
  struct ifaddrs *all;
  if (getifaddrs(&all) < 0) return result(c, -1);
  JSValue array = JS_NewArray(c);
  uint32_t count = 0;
  for (struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
    int family = one->ifa_addr == NULL ? AF_UNSPEC : one->ifa_addr->sa_family;
    if ((family != AF_INET && family != AF_INET6) || !(one->ifa_flags & IFF_RUNNING)) continue;
    size_t length =
        family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    JS_SetPropertyUint32(c, array, count++, JS_NewString(c, one->ifa_name));
    JS_SetPropertyUint32(c, array, count++,
                         JS_NewArrayBufferCopy(c, (const uint8_t *)one->ifa_addr, length));
  }
  freeifaddrs(all);
  return array;
}

const JSCFunctionListEntry socket_calls[] = {
    ROW(socket, 3), ROW(connect, 2), ROW(address, 3),  ROW(listen, 3),
    ROW(accept, 1), ROW(outcome, 1), ROW(shutdown, 1), ROW(interfaces, 0),
};
const int socket_calls_count = sizeof socket_calls / sizeof *socket_calls;
