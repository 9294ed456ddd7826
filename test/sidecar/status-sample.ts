import { serveRoutes } from '../../src/net/http/router.ts';
import { PAGE } from '../../src/sidecar/page/text.ts';
import { STATUS_SCHEMA, type StatusDocument } from '../../src/sidecar/status/document.ts';
import { Hub } from '../../src/sidecar/status/hub.ts';
import { statusRoutes } from '../../src/sidecar/status/routes.ts';

/** The server of the page, with a document that a test changes. */
export interface Sample extends AsyncDisposable {
  readonly url: string;
  document: StatusDocument;
}

export async function serveSample(document: StatusDocument): Promise<Sample> {
  await using stack = new AsyncDisposableStack();
  const told = { document };
  const { routes, [Symbol.dispose]: end } = statusRoutes(new Hub('sample', () => told.document), () =>
    Promise.resolve(PAGE),
  );
  const { port } = stack.use(
    await serveRoutes(
      { host: '127.0.0.1', port: 0 },
      routes,
      { statusPublic: false, hostNetwork: false },
      new AbortController().signal,
    ),
  );
  stack.defer(end);
  const kept = stack.move();
  return Object.assign(told, {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  });
}

const VERSION = '..2026_11_21_02_14_07.3350122187';

/**
 * A Keystone pod at night: its schema was migrated, its newest configuration is broken, and Elasticsearch was
 * unavailable for a while.
 */
export function keystoneAtNight(now: number): StatusDocument {
  const ago = (seconds: number) => now - seconds * 1000;
  const component = (name: string, since: number) => ({
    name,
    state: 'running' as const,
    since: ago(since),
    holdsStartup: false,
    starts: 1,
    failures: 0,
    problem: null,
    retryAt: null,
  });
  const check = (name: string, subject: string, roles: readonly string[], since: number) => ({
    name,
    subject,
    roles,
    state: 'healthy' as const,
    reason: null,
    since: ago(since),
    answeredAt: ago(2),
    lastMs: 3.1,
    asked: 412,
    failed: 0,
  });
  return {
    schema: STATUS_SCHEMA,
    about: {
      version: '0.1.0',
      pod: 'keystone-5d4f8c7b9-x2x7q',
      namespace: 'openstack',
      node: 'control-1',
      startedAt: ago(4140),
      isStopping: false,
      startup: 'ok',
      liveness: 'ok',
      readiness: 'unhealthy',
    },
    components: [
      component('probe', 4140),
      component('config-watch', 4140),
      { ...component('waits', 4118), state: 'done', holdsStartup: true },
      { ...component('db-sync', 4071), state: 'done', holdsStartup: true },
      {
        ...component('log-ship', 700),
        starts: 3,
        failures: 2,
        problem: 'cannot write the checkpoint: ENOSPC: no space left on device',
      },
    ],
    config: {
      state: 'refused',
      version: '533095fabd52',
      configMap: VERSION,
      applied: 2,
      refused: 1,
      failed: 0,
      lastChange: ago(1800),
      problem: null,
      actions: { done: 2, failed: 0, pending: null, problem: null },
    },
    files: ['keystone.conf', 'logging.conf', 'policy.yaml', 'keystone-uwsgi.ini', 'domains/keystone.heat.conf'].map(
      (name, i) => ({ name: `/etc/keystone/${name}`, since: ago(i < 2 ? 1800 : 4135), configMap: VERSION }),
    ),
    refusals: [
      {
        name: 'a1d0c4f7e920',
        configMap: '..2026_11_21_03_22_51.1184093375',
        at: ago(240),
        reason: "config.json: config_files[2].perm: '06OO' is not an octal mode; write it as '0600'",
      },
    ],
    waits: [
      {
        name: 'mysql://mariadb:3306',
        isMet: true,
        seen: 'says hello: 10.11.6-MariaDB',
        began: ago(4140),
        since: ago(4121),
      },
      { name: 'service/memcached', isMet: true, seen: '3 of 3 endpoints ready', began: ago(4140), since: ago(4139) },
    ],
    migration: {
      service: 'keystone',
      release: '2026.1-r3',
      phase: 'expand',
      phases: ['expand', 'migrate', 'contract'],
      stage: 'ok',
      since: ago(4071),
      stages: [
        { stage: 'waiting for the server', at: ago(4140) },
        { stage: 'waiting for the lock', at: ago(4119) },
        { stage: 'migrating', at: ago(4102) },
        { stage: 'ok', at: ago(4071) },
      ],
    },
    checks: [
      check('api', 'http http://127.0.0.1:5000/v3', ['readiness', 'startup'], 4051),
      check('worker', 'process uwsgi', ['liveness'], 4052),
      {
        ...check('database', 'mysql mariadb:3306', ['readiness'], 38),
        state: 'unhealthy',
        reason: 'mariadb-1: wsrep_local_state is Donor/Desynced, not Synced',
        failed: 4,
      },
      check('cache', 'memcached memcached:11211', ['readiness'], 4050),
    ],
    shipping: {
      to: 'elasticsearch at https://elasticsearch:9200',
      files: 4,
      lagBytes: 0,
      linesPerSecond: 212,
      acknowledged: 884_312,
      already: 1_204,
      rejected: 0,
      retried: 9_411,
      lostBytes: 0,
      held: null,
      heldSince: null,
      sampleMs: 2000,
      lag: Array.from({ length: 150 }, (_, i) =>
        Math.max(0, i < 40 ? 0 : i < 75 ? (i - 40) * 62_000 : (105 - i) * 72_000),
      ),
      rate: Array.from(
        { length: 150 },
        (_, i) => (i > 74 && i < 105 ? 900 : 210) + 40 * Math.sin(i / 2.7) + 25 * Math.sin(i * 1.9),
      ),
    },
  };
}

/** A healthy pod with many files and checks; a few checks may be unhealthy. */
export function manyThings(now: number, files: number, checks: number, unhealthy: number): StatusDocument {
  const base = keystoneAtNight(now);
  return {
    ...base,
    refusals: [],
    config: { ...base.config!, state: 'in-step' },
    files: Array.from({ length: files }, (_, i) => ({ ...base.files[0]!, name: `/etc/keystone/part-${i}.conf` })),
    checks: Array.from({ length: checks }, (_, i) => {
      const row = { ...base.checks[0]!, name: `check-${i}`, subject: `tcp 127.0.0.1:${5000 + i}` };
      return i < checks - unhealthy ? row : { ...row, state: 'unhealthy', reason: 'connect ECONNREFUSED' };
    }),
  };
}
