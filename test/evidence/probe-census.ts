import { tests, type Point } from './point.ts';

/** Every health check that kolla-ansible declares. */
export const PROBE_CENSUS: readonly Point[] = [
  {
    point: 'the health checks that kolla-ansible declares are all known, and none has changed',
    command: tests('test/contract/kolla-ansible.test.ts'),
    match: /✔ every health check that kolla-ansible declares is known, and none has changed/,
  },
  {
    point:
      'the census: each of 111 containers well and not well, by Kolla’s own words and by our checks, with the reason; real Apache, MariaDB, memcached, RabbitMQ',
    command: 'node_modules/.bin/node bench/census/census.ts',
    match: /111 rows, 111 as they should be/,
  },
  {
    point: 'a lost broker or database restarts nobody: liveness fails only where a restart would mend it',
    command: tests('test/integration/kolla-probe-census.test.ts', 'restarted only where'),
    match: /ℹ fail 0/,
  },
  {
    point: 'which probe for which service, as a table',
    command: tests('test/build/docs.test.ts', 'kolla-probe'),
    match: /✔ docs\/kolla-probe.md is what the tables say/,
  },
];
