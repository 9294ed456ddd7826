import { tests, type Point } from './point.ts';

const local = (file: string, names?: string) => tests(`test/probe/local/${file}.test.ts`, names);
const unit = (file: string, names?: string) => tests(`test/probe/checks/${file}.test.ts`, names);
const NO_FAILURE = /ℹ fail 0/;

/** What the checks of processes, sockets and files must tell apart. */
export const PROBE_LOCAL: readonly Point[] = [
  {
    point: 'an established connection of that process, over IPv4 and IPv6, and of several ports one',
    command: local('port', 'established connection over|several ports'),
    match: /✔ a process with an established connection over ::1 is healthy/,
  },
  {
    point: 'exact ports; SYN-SENT and CLOSE-WAIT are no connections, and are what the reason names',
    command: local('port', 'begins the same|being made|other end has closed'),
    match: /✔ a connection that is still being made is not one/,
  },
  {
    point: 'who listens, by TCP and UDP, IPv4 and IPv6, or where it listens instead; blanks around a name do not count',
    command: local('port', 'listens|UDP|blanks'),
    match: /✔ a process that listens elsewhere is told by where/,
  },
  {
    point: 'from a sidecar: sockets but not whose they are, with the fix; --any-process judges by sockets alone',
    command: local('unseen', 'from a sidecar'),
    match: /✔ from a sidecar: sockets but nobody who has them, with the fix/,
  },
  {
    point: 'another user’s process, and a /proc that hides processes: said, and never guessed',
    command: local('unseen', 'user|hides'),
    match: /✔ another user's process: whose the sockets are can't be seen, and it is said how/,
  },
  {
    point: 'Unix sockets by path, link and abstract name, processes, patterns, the age of a file',
    command: local('local'),
    match: NO_FAILURE,
  },
  {
    point: 'the tables of /proc with 20,000 damaged rows, noise and endless lines: what is whole is read, nothing else',
    command: tests('test/platform/proc/tables.test.ts', 'whatever stands|noise'),
    match: /✔ whatever stands in the tables/,
  },
  {
    point: 'thousands of sockets: others get their turn meanwhile, and the deadline holds in the midst of a table',
    command: `${local('port', 'many sockets')} && ${tests('test/platform/proc/tables.test.ts', 'ends with the signal')}`,
    match: /✔ reading ends with the signal, in the midst of a table/,
  },
  {
    point: 'a command is killed at the deadline with all that it started, and its last line is the reason',
    command: unit('command'),
    match: /✔ at the deadline the program and what it started are killed/,
  },
  {
    point: 'in step with the ConfigMap, by a real watch: refused, mended, and dead while the ConfigMap moves on',
    command: local('config'),
    match: /✔ the record of a real watch: in step, refused, mended, and not looked at any more/,
  },
  {
    point: 'the schema by the Lease on a real API server, and by the record on a real MariaDB',
    command: `${tests('test/integration/kolla-db-sync.test.ts', 'kolla-probe')} && ${tests('test/integration/kolla-db-sync-lease.test.ts', 'kolla-probe')}`,
    match: /✔ kolla-probe db-sync tells by it whether the schema is ready/,
  },
  {
    point: 'the log shipper: gone with bytes left is unhealthy, the first line after a quiet time is waited for',
    command: local('log-ship'),
    match: /✔ the first line after a quiet time is waited for/,
  },
];
