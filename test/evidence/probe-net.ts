import { helper, tests, type Point } from './point.ts';

const on = (file: string, names?: string) => tests(`test/integration/kolla-probe-${file}.test.ts`, names);
const unit = (file: string, names?: string) => tests(`test/probe/checks/${file}.test.ts`, names);
const NO_FAILURE = /ℹ fail 0/;

/** What the checks that ask over the network must see, and leave alone. */
export const PROBE_NET: readonly Point[] = [
  {
    point: 'real RabbitMQ: a login as far as the virtual host, of which the broker logs no warning',
    command: on('rabbitmq', 'no warning'),
    match: /✔ a login goes through to the virtual host, and the broker logs no warning of it/,
  },
  {
    point: 'real RabbitMQ: without a login it logs nothing; a frozen one is unhealthy although it accepts connections',
    command: on('rabbitmq', 'without a login|frozen'),
    match: /✔ a frozen broker takes connections and is unhealthy all the same/,
  },
  {
    point:
      'real RabbitMQ: an alarm is unhealthy by name; a stopped app is, of which rabbitmq-diagnostics ping sees nothing',
    command: on('rabbitmq', 'alarm|stopped app'),
    match: /✔ a stopped app is unhealthy, of which rabbitmq-diagnostics ping sees nothing/,
  },
  {
    point: 'real Galera in each state, asked by an account with USAGE alone: synced, desynced, refusing, frozen, gone',
    command: on('galera'),
    match: NO_FAILURE,
  },
  {
    point: 'real Galera without quorum: unhealthy, while SELECT 1 passes',
    command: on('galera', 'quorum'),
    match: /✔ without quorum a node is unhealthy, although it takes logins and SELECT 1/,
  },
  {
    point: 'real MariaDB: login in the clear and with TLS, each refusal, nothing in its log',
    command: on('mariadb'),
    match: NO_FAILURE,
  },
  {
    point: 'real memcached, Redis (loading, lost primary, passwords) and etcd’s gRPC health, each frozen too',
    command: on('caches'),
    match: NO_FAILURE,
  },
  {
    point: 'TLS: how long a certificate lasts, its chain and its name, by a handshake or in a file',
    command: unit('tls'),
    match: NO_FAILURE,
  },
  {
    point: 'at the deadline the reason says which step did not come; asked again and again, nothing stays open',
    command: unit('{amqp,again}', 'deadline|again'),
    match: NO_FAILURE,
  },
  {
    point: 'a TCP check loads neither TLS nor HTTP, MySQL, YAML or any protocol',
    command: unit('loaded'),
    match: /✔ a check loads only what it asks with/,
  },
  {
    point: 'an alarm, a donor or a frozen broker has no liveness probe: another pod is refused there',
    command: helper('kolla-probe galera db.example:3306 --user monitor --role liveness'),
    exit: 64,
    match: /asks db\.example, which is not this pod/,
  },
];
