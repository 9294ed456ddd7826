/**
 * kolla-db-sync as a native sidecar without a kubelet: its responses to probes, its exit, and the progress that it
 * reports.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readChangedTables, serverTime } from '../../src/migrate/progress/index.ts';
import type { Effects, Plan } from '../../src/migrate/plan/plan.ts';
import { reach } from '../../src/migrate/server/reach.ts';
import { runSteps } from '../../src/migrate/steps/run-steps.ts';
import { descendantsOf } from '../../src/process/procfs/descendants.ts';
import { parseMysqlUrl } from '../../src/mysql/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { logLines } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { until } from '../support/until.ts';
import { beginHelper, gateFile, migration, siteOn, type Begun, type Site } from './kolla-db-sync-support.ts';

const STAY = ['--stay', '--listen', '127.0.0.1:0'];

/** The response to a probe of the kubelet: `503 migrating`. */
async function asked(begun: Begun, path: string): Promise<string> {
  await begun.saying(/are answered on [^ ]+:\d+/);
  const [, at] = /are answered on ([^ "]+:\d+)/.exec(begun.said()) ?? [];
  const response = await fetch(`http://${at}${path}`);
  return `${response.status} ${(await response.text()).trim()}`;
}

const answering = (begun: Begun, path: string, wanted: string) =>
  until(`${path} to answer ${wanted}`, async () => ((await asked(begun, path)) === wanted ? true : undefined));

describe('kolla-db-sync --stay', { skip: (await canRunMariadb()) ?? false, concurrency: 3 }, () => {
  let mariadb: SharedMariadb;
  before(async () => (mariadb = await sharedMariadb()));
  after(() => mariadb[Symbol.asyncDispose]());

  test('delays the service until the schema is ready, and stays until SIGTERM', async () => {
    const site = siteOn(mariadb);
    await using others = await gateFile();
    await using gate = await gateFile();
    await using first = await site.begin(migration(others.path));
    await first.saying(/started/);
    await using begun = await site.begin([...STAY, '--release', 'r2', ...migration(gate.path)]);
    await answering(begun, '/startupz', '503 waiting for the lock');
    assert.equal(await asked(begun, '/livez'), '200 ok');
    await others.open();
    await answering(begun, '/readyz', '503 migrating');
    assert.equal(await asked(begun, '/startupz'), '503 migrating');
    await gate.open();
    await answering(begun, '/startupz', '200 ok');
    assert.equal(await asked(begun, '/readyz'), '200 ok');
    assert.equal((await site.fence())?.['state'], 'done');
    assert.deepEqual(descendantsOf(begun.running.pid), [], 'kolla-pod has ended');
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test('serves probes before there is a server', async () => {
    const url = `mysql+pymysql://keystone:secret@127.0.0.1:${await freePort()}/keystone`;
    await using begun = await beginHelper(['keystone', ...STAY, ...migration(0)], { KOLLA_DB_SYNC_CONNECTION: url });
    assert.equal(await asked(begun, '/startupz'), '503 waiting for the server');
    assert.equal(await asked(begun, '/livez'), '200 ok');
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test("exits with the command's code when the migration fails, for the kubelet to restart it", async () => {
    const site = siteOn(mariadb);
    await using begun = await site.begin([...STAY, ...migration(0, 42)]);
    assert.equal(await begun.code, 42);
  });

  test('in the contract phase delays nothing, neither during the migration nor after a failure', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    await using begun = await site.begin([...STAY, '--phase', 'contract', ...migration(gate.path, 3)]);
    await answering(begun, '/readyz', '200 migrating');
    assert.equal(await asked(begun, '/startupz'), '200 migrating');
    await gate.open();
    await answering(begun, '/readyz', '200 failed');
    assert.equal(await asked(begun, '/startupz'), '200 failed');
    assert.match(begun.said(), /the migration failed: .* exited with code 3/);
    assert.equal((await site.fence())?.['state'], 'failed');
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test('keeps running in the contract phase if the schema is partially applied', async () => {
    const site = siteOn(mariadb);
    const script = `echo "(pymysql.err.OperationalError) (1050, \\"Table 'role' already exists\\")"; exit 1`;
    await using begun = await site.begin([...STAY, '--phase', 'contract', '--', 'sh', '-c', script]);
    await answering(begun, '/readyz', '200 failed');
    assert.match(begun.said(), /error 1050 of the server: .*partially applied/);
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test('keeps running in the contract phase even if the database server never responds', async () => {
    const url = `mysql+pymysql://keystone:secret@127.0.0.1:${await freePort()}/keystone`;
    // Long enough for one attempt on a busy machine.
    const args = ['keystone', ...STAY, '--phase', 'contract', '--timeout', '20s', ...migration(0)];
    await using begun = await beginHelper(args, { KOLLA_DB_SYNC_CONNECTION: url });
    await answering(begun, '/readyz', '200 failed');
    await begun.saying(/"level":"error".*last seen: .*ECONNREFUSED/);
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test('exits on an invalid command line in every phase', async () => {
    await using begun = await beginHelper(['keystoen', ...STAY, '--phase', 'contract', ...migration(0)], {});
    assert.equal(await begun.code, 64);
  });

  test('a long step reports its progress', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    await mariadb.query(`DROP TABLE ${site.database}.journal`);
    await using gate = await gateFile();
    const { log, said } = recordedLog('info');
    const running = runOf(site, migration(gate.path).slice(1), { log, progressMs: 50 });
    const line = /node has been running for [^;]*; last line: started; tables altered: journal"/;
    await until('a whole line', () => Promise.resolve(line.test(said()) || undefined));
    await gate.open();
    assert.equal(await running, 0);
  });

  test('distinguishes altered tables from written ones, and ignores earlier changes', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    const target = targetOf(site);
    const { log } = recordedLog();
    const run = (sql: string) => mariadb.query(`USE ${site.database}; ${sql}`);
    await run('CREATE TABLE old (id INT); CREATE TABLE altered (id INT); CREATE TABLE filled (id INT)');
    // The server's timestamps have whole seconds, like its clock.
    const now = async () => (await serverTime({ rows: (sql) => mariadb.query(sql) })) ?? NaN;
    const made = await now();
    await until('two seconds of the server', async () => (await now()) > made + 1 || undefined);
    // The clock of its files may be some milliseconds late.
    const since = made + 1;
    await run('CREATE TABLE made (id INT); ALTER TABLE altered ADD COLUMN x INT; INSERT INTO filled VALUES (1)');
    const { signal } = new AbortController();
    assert.deepEqual(await readChangedTables(target, target, since, { signal, log }), {
      altered: ['altered', 'made'],
      written: ['filled'],
    });
  });

  test('a server that denies the query is no failure', async () => {
    const { log, said } = recordedLog();
    const target = { ...targetOf(siteOn(mariadb)), password: 'wrong' };
    const { signal } = new AbortController();
    assert.equal(await readChangedTables(target, target, 0, { signal, log }), undefined);
    assert.match(logLines(said())[0]?.msg ?? '', /cannot read which tables have changed: .*1045/);
  });
});

function targetOf({ env }: Site) {
  return parseMysqlUrl(env['KOLLA_DB_SYNC_CONNECTION'] ?? '');
}

/** Longer than any test. */
const DAY_MS = 86_400_000;

/** Runs one step as sync() does, without the lock. */
async function runOf(site: Site, [program = '', ...words]: string[], more: Pick<Effects, 'log' | 'progressMs'>) {
  const { signal } = new AbortController();
  const target = targetOf(site);
  const galeraDonor = 'ok';
  await using session = await reach(target, { timeoutMs: DAY_MS, signal, log: more.log, galeraDonor });
  const plan = {
    target,
    steps: [{ argv: [program, ...words] as [string, ...string[]] }],
    childEnv: () => ({ ...process.env, OS_DATABASE__CONNECTION: site.env['KOLLA_DB_SYNC_CONNECTION'] }),
    leaseMs: 60_000,
    lossMs: 40_000,
    graceMs: 0,
  } as Partial<Plan> as Plan;
  const held = { session, lockName: '', token: 1, lost: new AbortController().signal };
  const { outcome } = await runSteps(plan, held, { signal, redact: (text) => text, ...more });
  return outcome.code;
}
