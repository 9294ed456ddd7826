import { ahead, as, bad, either, eol, json, maybe, not, toEnd, within, type Item } from '../tables/items.ts';
import { elsewhere, TIMES, timeIn } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

/** A capture of its own for a value that may be null. */
const unlessNull = (name: string, prefix?: string): Item =>
  maybe(within(`_${name}`, not('null', eol()), ...(prefix === undefined ? [] : [maybe(prefix)]), as(name, toEnd())));
/** The time in the first of these captures that has one. */
const timeOf = (...from: string[]): Item => either(...from.map((one): readonly Item[] => [timeIn(one)]), []);

/** oslo.log with `use_json`: the context is an object in it. */
const oslo: readonly Item[] = [
  ahead('{"message": '),
  json({
    message: '_message',
    asctime: 'Timestamp',
    created: '_created',
    levelname: 'log_level',
    name: 'python_module',
    process: 'Pid',
    hostname: 'Hostname',
    traceback: '_traceback',
    context: '_context',
  }),
  timeOf('_created', 'Timestamp'),
  unlessNull('traceback'),
  maybe(
    within(
      '_context',
      json({
        global_request_id: '_global_request_id',
        request_id: '_request_id',
        user: '_user_id',
        user_id: '_user_id',
        tenant: '_tenant_id',
        project_id: '_tenant_id',
        domain: '_domain_id',
        domain_id: '_domain_id',
        system_scope: '_system_scope',
        user_domain: '_user_domain',
        project_domain: '_project_domain',
      }),
    ),
  ),
  unlessNull('global_request_id', 'req-'),
  unlessNull('request_id', 'req-'),
  unlessNull('user_id'),
  unlessNull('tenant_id'),
  unlessNull('domain_id'),
  unlessNull('system_scope'),
  unlessNull('user_domain'),
  unlessNull('project_domain'),
];

/** Any other program, such as etcd, or ProxySQL's log of queries. */
const others: readonly Item[] = [
  as(
    '_line',
    json({
      ...TIMES,
      starttime: '_starttime',
      level: 'log_level',
      severity: 'log_level',
      msg: 'msg',
      logger: 'module',
      caller: 'caller',
      error: 'error',
      stacktrace: 'traceback',
      username: 'user',
      query: 'query',
      duration_us: 'duration_us',
    }),
  ),
  timeOf(...Object.values(TIMES), '_starttime'),
];

const text = { kind: 'json' } as const;

/**
 * One JSON object a line. With oslo.log's `use_json` the payload is the message, and request ids lose `req-`. Otherwise the payload is the
 * whole line, and fields are added to it. Its files are named by `--format`.
 *
 *     {"message": "text", "asctime": "2026-11-20 08:15:42,123", "name": "nova.api", "levelname": "INFO", "process": 7, ...}
 *     {"level":"info","ts":"2026-11-20T08:15:42.123456Z","caller":"etcdmain/etcd.go:64","msg":"text"}
 */
export const jsonLines: FormatKind = {
  files: [],
  table: {
    name: 'json',
    otherwise: 'alone',
    fields: {
      _message: { name: 'Payload', kind: 'json' },
      _line: { name: 'Payload' },
      traceback: { kind: 'json', ecs: 'error.stack_trace' },
      log_level: text,
      python_module: text,
      module: text,
      msg: text,
      caller: text,
      error: { kind: 'json', ecs: 'error.message' },
      user: text,
      query: text,
      duration_us: { kind: 'number' },
    },
    line: [either(oslo, others, [elsewhere, bad()])],
  },
};
