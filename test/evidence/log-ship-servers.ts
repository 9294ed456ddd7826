import { tests, type Point } from './point.ts';

const each = (names: string) => tests('test/integration/kolla-log-ship-servers.test.ts', names);
const secure = (names: string) => tests('test/integration/kolla-log-ship-secure.test.ts', names);
const setup = (names: string) => tests('test/logship/setup/*.test.ts', names);

const PASSED = /ℹ fail 0/;
/** Once on each of three servers. */
const ON_EACH = /ℹ pass 3\n(.*\n)*.*ℹ skipped 0/;

/** Each server that is shipped to, and what it is set up with. */
export const LOG_SHIP_SERVERS: readonly Point[] = [
  {
    point:
      'Elasticsearch 9, OpenSearch 3 and 2: SIGKILL in full flow, 2,000 lines and a traceback in, each once; 409 counts as in',
    command: each('killed in full flow'),
    match: ON_EACH,
  },
  {
    point: 'the same three: a mapping conflict (400) is a dead letter with its reason',
    command: each('dead letter'),
    match: ON_EACH,
  },
  {
    point: 'the same three: a closed index and the block of a full disk hold, then all is in',
    command: each('closed index'),
    match: ON_EACH,
  },
  {
    point: 'data streams: once on OpenSearch 3 and 2',
    command: each('data stream'),
    match: /ℹ pass 2\n/,
  },
  {
    point: 'TLS and a password file, wrong then right; API keys, with and without the right; write queue of 1',
    command: secure('.'),
    match: PASSED,
  },
  {
    point: 'setup: index template made once on each server, found right again, and what retention lacks is named',
    command: each('a template is made once'),
    match: ON_EACH,
  },
  {
    point: 'setup: policies (ILM, ISM) and their updates; foreign templates left alone; refusals and deadlines',
    command: setup('.'),
    match: PASSED,
  },
  {
    point:
      'saved objects for Kibana and OpenSearch Dashboards: references resolve, JSON in JSON is JSON, fields are mapped',
    command: tests('test/logship/setup/saved-objects.test.ts', '.'),
    match: PASSED,
  },
];
