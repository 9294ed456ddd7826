import { EVERY, type Capability } from '../row.ts';
import { PROBE_KOLLA } from './probe-kolla.ts';

export const probe: Capability = {
  name: 'probe',
  title: 'Health that explains itself',
  rows: [
    {
      point: 'an established connection of that process, over IPv4 and IPv6, to one of several ports',
      file: 'test/probe/local/port.test.ts',
      test: [
        /a process with an established connection over .+ is healthy, with its peer/,
        'one of several ports is enough',
      ],
    },
    {
      point: 'exact ports; SYN-SENT and CLOSE-WAIT do not count as connections, and are named in the reason',
      file: 'test/probe/local/port.test.ts',
      test: [
        'a port with the same prefix is another port',
        'a connection that is still being opened does not count',
        'a connection closed by the peer does not count',
      ],
    },
    {
      point:
        'listening processes, by TCP and UDP, IPv4 and IPv6, or their actual addresses; spaces around a name do not count',
      file: 'test/probe/local/port.test.ts',
      test: [
        'spaces around a name are ignored, as kolla-ansible passes them',
        /a process that listens on .+ counts/,
        'a process that listens elsewhere is reported with its addresses',
        'a bound UDP socket listens, and is distinguished from TCP',
        'a connected UDP socket does not count as listening',
      ],
    },
    {
      point: 'from a sidecar: sockets without their processes, with the fix; --any-process checks sockets alone',
      file: 'test/probe/local/unseen.test.ts',
      test: [
        'a sidecar reports sockets without a visible owner, with the fix',
        'a sidecar reports a port without any connection in the Pod as unhealthy',
        'a sidecar finds a listening port, but not processes of other containers',
      ],
    },
    {
      point: 'another user’s process, and a /proc that hides processes: reported, and never guessed',
      file: 'test/probe/local/unseen.test.ts',
      test: [
        "another user's process is reported with the fix: the owner of its sockets is not visible",
        "another user's process is certainly unhealthy if no socket to the port exists",
        'if /proc hides processes, the owners of sockets are not guessed',
      ],
    },
    {
      point: 'Unix sockets by path, link and abstract name, processes, patterns, the age of a file',
      file: 'test/probe/local/local.test.ts',
      test: EVERY,
    },
    {
      point: 'the tables of /proc with 20,000 damaged rows, noise and endless lines: only valid rows are read',
      file: 'test/process/procfs/tables.test.ts',
      test: [
        'valid rows are read from any table content, and nothing else',
        'tables of noise contain no socket, and an endless line is abandoned',
      ],
    },
    {
      point: 'thousands of sockets: the event loop is not blocked',
      file: 'test/probe/local/port.test.ts',
      test: 'many sockets delay neither the result nor other work',
    },
    {
      point: 'the deadline applies while reading a table',
      file: 'test/process/procfs/tables.test.ts',
      test: 'an abort stops reading, even in the middle of a table',
    },
    {
      point: 'a command is killed at the deadline with its descendants, and its last line is the reason',
      file: 'test/probe/checks/command.test.ts',
      test: ['at the deadline the program and its children are killed', EVERY],
    },
    {
      point: 'up to date with the ConfigMap, by a real watch: rejected, fixed, and stopped while the ConfigMap changes',
      file: 'test/probe/local/config.test.ts',
      test: ['reads the record of a real watch: up to date, rejected, fixed, and stale', EVERY],
    },
    {
      point: 'the schema by the Lease on a real API server',
      file: 'test/integration/kolla-db-sync-lease.test.ts',
      test: 'lets kolla-probe db-sync report whether the schema is ready',
    },
    {
      point: 'the schema by the record on a real MariaDB',
      file: 'test/integration/kolla-db-sync.test.ts',
      test: 'kolla-probe db-sync reports from the record whether the schema is ready',
    },
    {
      point: 'the log shipper: stopped with unread bytes is unhealthy; the first line after a pause is waited for',
      file: 'test/probe/local/log-ship.test.ts',
      test: ['the first line after a quiet time gets time for its acknowledgement', EVERY],
    },
    {
      point: 'real RabbitMQ: a login up to the virtual host, without a warning in the broker’s log',
      file: 'test/integration/kolla-probe-rabbitmq.test.ts',
      test: [
        'a login reaches the virtual host, and the broker logs no warning',
        'with TLS too, a login, no login and the certificate check leave no warning',
      ],
    },
    {
      point:
        'real RabbitMQ: without a login it logs nothing; a frozen one is unhealthy although it accepts connections',
      file: 'test/integration/kolla-probe-rabbitmq.test.ts',
      test: [
        'without a login the broker accepts the connection, and logs nothing',
        'a frozen broker accepts connections and is still unhealthy',
      ],
    },
    {
      point:
        'real RabbitMQ: an alarm is unhealthy by name; so is a stopped app, which rabbitmq-diagnostics ping does not detect',
      file: 'test/integration/kolla-probe-rabbitmq.test.ts',
      test: [
        'a memory alarm is reported by name until it clears; AMQP alone does not detect it',
        'a stopped app is unhealthy, which rabbitmq-diagnostics ping does not notice',
      ],
    },
    {
      point: 'real RabbitMQ: a declared queue is deleted again; a denied one, and a rejected login, are reported',
      file: 'test/integration/kolla-probe-rabbitmq.test.ts',
      test: [
        'a declared queue is deleted again, and the broker logs no warning',
        'an account that may not configure queues is reported by --declare, and one that may not log in is accepted on request',
      ],
    },
    {
      point:
        'a real cluster of RabbitMQ 4.3 without a quorum, by two killed nodes and by a cut link: only --declare fails, and recovers',
      file: 'test/integration/rabbitmq-quorum.test.ts',
      test: EVERY,
    },
    {
      point:
        'real Galera in each state, queried by an account with USAGE alone: synced, desynced, rejecting, frozen, stopped',
      file: 'test/integration/kolla-probe-galera.test.ts',
      test: EVERY,
    },
    {
      point: 'real Galera without quorum: unhealthy, while SELECT 1 passes',
      file: 'test/integration/kolla-probe-galera.test.ts',
      test: 'a node without quorum is unhealthy, although it accepts logins and SELECT 1',
    },
    {
      point: 'real MariaDB: login with and without TLS, each rejection, nothing in its log',
      file: 'test/integration/kolla-probe-mariadb.test.ts',
      test: EVERY,
    },
    {
      point: 'real memcached, Redis (loading, lost primary, passwords) and etcd’s gRPC health, each frozen too',
      file: 'test/integration/kolla-probe-caches.test.ts',
      test: EVERY,
    },
    {
      point: 'TLS: a certificate’s remaining validity, its chain and its name, by a handshake or in a file',
      file: 'test/probe/checks/tls.test.ts',
      test: EVERY,
    },
    {
      point: 'at the deadline the reason names the pending step',
      file: 'test/probe/checks/amqp.test.ts',
      test: 'at the deadline the reason names the pending step',
    },
    {
      point: 'run repeatedly, no check leaves anything open',
      file: 'test/probe/checks/again.test.ts',
      test: /, run repeatedly against a frozen server, leaves nothing open$/,
    },
    {
      point: 'a TCP check loads neither TLS nor HTTP, MySQL, YAML or any protocol',
      file: 'test/probe/checks/loaded.test.ts',
      test: ['a check loads only what it uses: tcp nothing, redis its protocol', EVERY],
    },
    {
      point: 'an alarm, a donor or a frozen broker has no liveness probe: one that checks another pod is rejected',
      file: 'test/probe/checks/mysql.test.ts',
      test: "a liveness check of another Pod's Galera node is rejected",
    },
    ...PROBE_KOLLA,
  ],
};
