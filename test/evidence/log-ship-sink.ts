import { tests, type Point } from './point.ts';

const PASSED = /ℹ pass [1-9]\d*\nℹ fail 0/;

/** From a document to its acknowledgement. */
export const LOG_SHIP_SINK: readonly Point[] = [
  {
    point:
      'per item: 201 and 409 are done, 429 and 5xx are sent again alone, 400 is a dead letter with its reason, 413 halves',
    command: tests(
      'test/logship/send/deliver.test.ts',
      '^of a batch only|^what is in already|^what is refused lies|too large is halved|^one document that is larger',
    ),
    match: /ℹ pass 5\nℹ fail 0/,
  },
  {
    point: '401, 403 and 404, cut connections, replies that break off and a page of another service hold everything',
    command: tests(
      'test/logship/send/deliver.test.ts',
      '^40[134] holds|cuts connections|breaks off|another service|nothing at all is taken',
    ),
    match: /ℹ pass 7\nℹ fail 0/,
  },
  {
    point: 'a closed index, and a letter that no disk takes, wait apart: the others go past them',
    command: tests('test/logship/send/deliver.test.ts', 'closed index wait|no dead-letter file can take'),
    match: /ℹ pass 2\nℹ fail 0/,
  },
  {
    point: 'dead letters have a limit; what is written over is counted and said',
    command: tests('test/logship/send/dead-letter.test.ts'),
    match: PASSED,
  },
  {
    point: 'a server that has too much to do gets one request at a time, of fewer bytes',
    command: tests('test/logship/send/{deliver,outbox}.test.ts', 'become smaller|too much to do gets one request'),
    match: /ℹ pass 2\nℹ fail 0/,
  },
  {
    point:
      'several destinations, each with its own mark: one that is down holds no other up, and their order may change',
    command: tests(
      'test/logship/pipelines.test.ts',
      '^a destination that is down|^in another order|^who prints|named after',
    ),
    match: /ℹ pass 4\nℹ fail 0/,
  },
  {
    point: 'memory: reading stops at a server that stalls, and at the budget; then every line is in once',
    command: tests('test/logship/pipelines.test.ts', 'that stalls: reading stops|fill the budget and no more'),
    match: /ℹ pass 2\nℹ fail 0/,
  },
  {
    point: 'several hosts, passwords and API keys read again on change, CA and client certificate, gzip, proxies',
    command: tests('test/logship/sink/server.test.ts'),
    match: PASSED,
  },
  {
    point: 'credentials reach the server that they are for, and stand in no URL',
    command: tests('test/logship/sink/destinations.test.ts'),
    match: PASSED,
  },
  {
    point: 'stdout: back-pressure, an end within the grace, and no last line twice after a stop',
    command: tests(
      'test/logship/pipelines.test.ts',
      '^stdout that nobody reads|^an unfinished last line|^a failure for good',
    ),
    match: /ℹ pass 3\nℹ fail 0/,
  },
];
