import { tests, type Point } from './point.ts';

const contract = (file: string, names?: string) => tests(`test/contract/healthcheck${file}.test.ts`, names);
const unit = (file: string, names?: string) => tests(`test/probe/kolla/${file}.test.ts`, names);
const NO_FAILURE = /ℹ fail 0/;

/** What must hold of Kolla's healthcheck names. */
export const PROBE_SHIMS: readonly Point[] = [
  {
    point:
      'Kolla’s own scripts, our binary and our shim on the same processes, sockets and files: the same exit code and stdout',
    command: contract('', 'the same as Kolla.s'),
    match: NO_FAILURE,
  },
  {
    point:
      'what differs on purpose, asserted on both sides: exact ports, ESTABLISHED only, whole names, blanks, missing words',
    command: contract('', 'other than Kolla.s'),
    match: NO_FAILURE,
  },
  {
    point: 'healthcheck_curl and the real curl: options, variables, write-out, curl’s number for every failure',
    command: contract('-curl'),
    match: NO_FAILURE,
  },
  {
    point: 'healthcheck_mariadb and healthcheck_rabbitmq beside Kolla’s, at a real Galera node and a real RabbitMQ',
    command: contract('-servers'),
    match: NO_FAILURE,
  },
  {
    point: 'process names as kolla-ansible passes them, trailing blanks and workers’ titles; a reason on every failure',
    command: unit('local'),
    match: NO_FAILURE,
  },
  {
    point: 'a shim that is answered starts no process',
    command: unit('shim', 'starts no process'),
    match: /✔ a shim starts no process/,
  },
  {
    point:
      'no file, a refused connection, another pod’s token, 501, a server that is silent or strange: the binary answers',
    command: unit('shim', 'binary answer'),
    match: NO_FAILURE,
  },
  {
    point: 'whatever bytes are in words and variables, they arrive as they were given',
    command: unit('shim', 'whatever bytes'),
    match: /✔ whatever bytes are in words and variables/,
  },
  {
    point: 'the shim and the real `kolla-probe serve`: answered, stopped, killed, ended',
    command: unit('resident'),
    match: /✔ while it runs it answers; stopped, killed, or ended it leaves the question to the binary/,
  },
  {
    point:
      'only loopback with the token is answered, one question at a time for the same words, and only what the asker would see',
    command: unit('door'),
    match: NO_FAILURE,
  },
];
