/** kolla-db-sync as a native sidecar, without a kubelet: what its probes answer, when it ends, and how far it says that it has come; and as `docker run`. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readChangedTables } from '../../src/dbsync/progress/index.ts';
import type { Effects, Plan } from '../../src/dbsync/plan.ts';
import { reach } from '../../src/dbsync/target/reach.ts';
import { runSteps } from '../../src/dbsync/steps/run-steps.ts';
import { parseMysqlUrl } from '../../src/platform/mysql/index.ts';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { privateFolder } from '../../tools/folder.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { until } from '../support/until.ts';
import { documentedRun } from './docker-words.ts';
import { beginHelper, gateFile, migration, siteOn, type Begun, type Site } from './kolla-db-sync-support.ts';
import { EVENT_LIMIT_MS } from '../support/limits.ts';

const STAY = ['--stay', '--listen', '127.0.0.1:0'];

/** What a probe of the kubelet's would get: `503 migrating`. */
async function asked(begun: Begun, path: string): Promise<string> {
  await begun.saying(/are answered on [^ ]+:\d+/);
  const [, at] = /are answered on ([^ "]+:\d+)/.exec(begun.said()) ?? [];
  const response = await fetch(`http://${at}${path}`);
  return `${response.status} ${(await response.text()).trim()}`;
}

const answering = (begun: Begun, path: string, wanted: string) =>
  until(`${path} to answer ${wanted}`, async () => ((await asked(begun, path)) === wanted ? true : undefined));

describe('kolla-db-sync --stay', { skip: (await canRunMariadb()) ?? false, concurrency: 3 }, () => {
  let mariadb: Mariadb;
  before(async () => (mariadb = await startMariadb()));
  after(() => mariadb[Symbol.asyncDispose]());

  test('holds the service back until the schema is right, and stays until SIGTERM', async () => {
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
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test('answers before there is a server', async () => {
    const url = `mysql+pymysql://keystone:secret@127.0.0.1:${await freePort()}/keystone`;
    await using begun = await beginHelper(['keystone', ...STAY, ...migration(0)], { KOLLA_DB_SYNC_CONNECTION: url });
    assert.equal(await asked(begun, '/startupz'), '503 waiting for the server');
    assert.equal(await asked(begun, '/livez'), '200 ok');
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test("ends with the command's code when the migration fails, for the kubelet to start it again", async () => {
    const site = siteOn(mariadb);
    await using begun = await site.begin([...STAY, ...migration(0, 42)]);
    assert.equal(await begun.code, 42);
  });

  test('after a rollout it holds nobody back, neither while it migrates nor when that has failed', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    await using begun = await site.begin([...STAY, '--phase', 'contract', ...migration(gate.path, 3)]);
    await answering(begun, '/readyz', '200 migrating');
    assert.equal(await asked(begun, '/startupz'), '200 migrating');
    await gate.open();
    await answering(begun, '/readyz', '200 failed');
    assert.equal(await asked(begun, '/startupz'), '200 failed');
    assert.match(begun.said(), /the migration failed: .* ended with 3/);
    assert.equal((await site.fence())?.['state'], 'failed');
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test('after a rollout a server that is gone for good does not end it either', async () => {
    const url = `mysql+pymysql://keystone:secret@127.0.0.1:${await freePort()}/keystone`;
    const args = ['keystone', ...STAY, '--phase', 'contract', '--timeout', '1s', ...migration(0)];
    await using begun = await beginHelper(args, { KOLLA_DB_SYNC_CONNECTION: url });
    await answering(begun, '/readyz', '200 failed');
    await begun.saying(/"level":"error".*last seen: .*ECONNREFUSED/);
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
  });

  test('a mistake in the command line ends it in every phase', async () => {
    await using begun = await beginHelper(['keystoen', ...STAY, '--phase', 'contract', ...migration(0)], {});
    assert.equal(await begun.code, 64);
  });

  test('a step that takes long says how far it has come', async () => {
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

  test('tells tables that were altered from those that were only written, and of those before nothing', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    const target = targetOf(site);
    const { log } = recordedLog();
    const run = (sql: string) => mariadb.query(`USE ${site.database}; ${sql}`);
    await run('CREATE TABLE old (id INT); CREATE TABLE altered (id INT); CREATE TABLE filled (id INT)');
    // The server's notes are in whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await run('CREATE TABLE made (id INT); ALTER TABLE altered ADD COLUMN x INT; INSERT INTO filled VALUES (1)');
    const { signal } = new AbortController();
    assert.deepEqual(await readChangedTables(target, target, 1000, { signal, log }), {
      altered: ['altered', 'made'],
      written: ['filled'],
    });
  });

  test('a server that does not let it look is no failure', async () => {
    const { log, said } = recordedLog();
    const target = { ...targetOf(siteOn(mariadb)), password: 'wrong' };
    const { signal } = new AbortController();
    assert.equal(await readChangedTables(target, target, 1000, { signal, log }), undefined);
    assert.match(logLines(said())[0]?.msg ?? '', /cannot tell which tables have changed: .*1045/);
  });

  test("the documentation's docker run migrates, and finds nothing to do when it is run again", async () => {
    const { env, volumes, command } = await documentedRun('kolla-db-sync', 'KOLLA_DB_SYNC_ADMIN_USER');
    assert.equal(command[0], 'kolla-db-sync');
    assert.deepEqual([...volumes.keys()], ['/etc/keystone', '/run/secrets']);
    await using folder = await privateFolder('docker-run');
    // What the engine would mount, and what the image has; the name of a network leads to its servers, as here a port does.
    const at = (path: string) => join(folder.path, path);
    await Promise.all(['etc', 'secrets', 'bin'].map((name) => mkdir(at(name))));
    const url = `mysql+pymysql://keystone:secret@${mariadb.host}:${mariadb.port}/keystone?charset=utf8`;
    await writeFile(at('etc/keystone.conf'), `[database]\nconnection = ${url}\n`);
    await writeFile(at('secrets/mariadb-root'), `${mariadb.rootPassword}\n`);
    const tool = migration(0)
      .slice(1)
      .map((word) => `'${word}'`)
      .join(' ');
    const script = `#!/bin/sh\ncase "$*" in *--check*) exit 0 ;; esac\nexec ${tool}\n`;
    await writeFile(at('bin/keystone-manage'), script, { mode: 0o755 });
    const inside = {
      PATH: `${at('bin')}:${process.env['PATH']}`,
      KOLLA_DB_SYNC_SERVICE_CONFIG: at('etc/keystone.conf'),
      ...Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, value.replace('/run/secrets', at('secrets'))]),
      ),
    };
    const again = () => runHelper('kolla-db-sync', command.slice(1), { env: inside });
    const first = await again();
    assert.equal(first.code, 0, first.stderr);
    const [row] = await mariadb.query('SELECT state, `release` FROM keystone.kolla_pod_record');
    assert.deepEqual({ ...row }, { state: 'done', release: command.at(-1) });
    const second = await again();
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, /nothing to do: token \d+ has done it/);
  });
});

function targetOf({ env }: Site) {
  return parseMysqlUrl(env['KOLLA_DB_SYNC_CONNECTION'] ?? '');
}

/** One step as sync() runs it, without the lock. */
async function runOf(site: Site, [program = '', ...words]: string[], more: Pick<Effects, 'log' | 'progressMs'>) {
  const { signal } = new AbortController();
  const target = targetOf(site);
  const galeraDonor = 'ok';
  await using session = await reach(target, { timeoutMs: EVENT_LIMIT_MS, signal, log: more.log, galeraDonor });
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
