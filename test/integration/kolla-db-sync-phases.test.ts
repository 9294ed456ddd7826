/**
 * Phases, checks and records on a real MariaDB. The services' tools are stubs that record their invocations and exit
 * with the codes known from the real ones; Keystone's own runs in kolla-db-sync-keystone.test.ts.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { databaseName, sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { SERVICES, serviceNamed, type Service } from '../../src/catalog/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper, startHelper } from '../support/helper.ts';
import type { Finished } from '../../tools/process.ts';
import { until } from '../support/until.ts';

/** Exits with the first line of `answers/COMMAND LINE`, which it removes; with 0 if there is none. */
const STUB = `#!/bin/bash
line="\${0##*/}\${*:+ $*}"
file="$HOME/answers/\${line//\\//_}"
answer=0
[[ -s $file ]] && answer=$(head -n 1 "$file") && sed -i 1d "$file"
# Last: who sees the call may kill us, and the next of us must not find the same answer.
echo "$line" >> "$HOME/calls"
[[ $answer == 0 ]] && exit
echo "$OS_DATABASE__CONNECTION says $answer"
[[ $answer == hang ]] && exec sleep 1000
[[ $answer == 1050 ]] && echo "(1050, \\"Table 'role' already exists\\")" && exit 1
exit "$answer"
`;

interface Site {
  /** Prefix of the names of its databases. */
  readonly name: string;
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly args: readonly string[];
  /** The exit codes of the tool, call by call; 0 for further calls. */
  readonly answer: (line: string, ...codes: readonly (number | 'hang')[]) => Promise<void>;
  readonly calls: () => Promise<string[]>;
  readonly sync: (...args: readonly string[]) => Promise<Finished>;
  readonly records: () => Promise<Record<string, unknown>[]>;
}

describe('the phases of a migration', { skip: (await canRunMariadb()) ?? false, concurrency: 3 }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  /** A service with its configuration, and with stubs for its tools. */
  async function site(service: Service, stack: AsyncDisposableStack): Promise<Site> {
    const name = databaseName('phases');
    const directory = stack.use(await privateDirectory('phases')).path;
    const url = (i: number) => `mysql+pymysql://${name}:hidden-password@${mariadb.host}:${mariadb.port}/${name}_${i}`;
    const config = join(directory, service.configFile?.endsWith('.yaml') ? 'own.yaml' : 'own.conf');
    const places = service.databases.map((database, i) => ({ ...database.url[0], url: url(i) }));
    await writeFile(
      config,
      places
        .map((at) =>
          config.endsWith('.yaml')
            ? `${at.section}: { ${at.key}: '${at.url}' }`
            : `[${at.section}]\n${at.key} = ${at.url}`,
        )
        .join('\n'),
    );
    await mkdir(join(directory, 'answers'));
    await mkdir(join(directory, 'bin'));
    const steps = Object.values(service.migration.phases).flat();
    for (const { argv } of [...steps, ...(service.migration.check ? [service.migration.check] : [])]) {
      const file = join(directory, 'bin', argv[0]);
      if (argv[0].startsWith('/') || argv[0] === 'test') continue;
      await writeFile(file, STUB);
      await chmod(file, 0o755);
    }
    const given = (service.databases[0]?.url.length ?? 0) === 0;
    const env: NodeJS.ProcessEnv = {
      PATH: `${join(directory, 'bin')}:${process.env['PATH']}`,
      HOME: directory,
      KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword,
      ...(given ? { KOLLA_DB_SYNC_CONNECTION: url(0) } : {}),
    };
    const args = [service.name, ...(given ? [] : ['--service-config', config])];
    return {
      name,
      directory,
      env,
      args,
      answer: (line, ...codes) =>
        writeFile(join(directory, 'answers', line.replaceAll('/', '_')), `${codes.join('\n')}\n`),
      calls: async () =>
        (await readFile(join(directory, 'calls'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
      sync: (...more) => runHelper('kolla-db-sync', [...args, '--admin-user', 'root', ...more], { env }),
      async records() {
        const { stdout, stderr } = await runHelper('kolla-db-sync', ['status', ...args, '-o', 'json'], { env });
        assert.notEqual(stdout, '', stderr);
        return (JSON.parse(stdout) as { records: Record<string, unknown>[] }).records;
      },
    };
  }

  function known(name: string): Service {
    const service = serviceNamed(name);
    assert.ok(service);
    return service;
  }

  for (const service of SERVICES) {
    // Kolla's image has these in its own directories, which do not exist on this machine.
    const isElsewhere = service.migration.phases.all.some(
      ({ argv, directory }) => directory !== undefined || argv[0].startsWith('/'),
    );
    test(`${service.name}: ${isElsewhere ? 'rejected outside its image' : 'each step runs once, in order'}`, async () => {
      await using stack = new AsyncDisposableStack();
      const { sync, calls, records } = await site(service, stack);
      const { code, stderr } = await sync('--release', 'r1');
      if (isElsewhere) {
        assert.equal(code, 69, stderr);
        assert.match(stderr, /no (?:directory|program) \/var\/lib\/kolla\/venv.*own image/);
        return;
      }
      assert.equal(code, 0, stderr);
      assert.deepEqual(
        await calls(),
        service.migration.phases.all.map(({ argv }) => argv.join(' ')),
      );
      const [{ phase, release, state, exitCode } = {}] = await records();
      assert.deepEqual(
        { phase, release, state, exitCode },
        { phase: 'all', release: 'r1', state: 'done', exitCode: 0 },
      );
    });
  }

  test("a service's other databases are created with the first, for its own account", async () => {
    await using stack = new AsyncDisposableStack();
    const nova = await site(known('nova'), stack);
    assert.equal((await nova.sync()).code, 0);
    const made = await mariadb.query('SHOW DATABASES LIKE ?', [`${nova.name}\\_%`]);
    assert.deepEqual(made.flatMap((row) => Object.values(row).map(String)).toSorted(), [
      `${nova.name}_0`,
      `${nova.name}_1`,
    ]);
    // The service's own account sees both databases, and the tool gets their URLs.
    const { stderr } = await nova.sync('--', 'sh', '-c', 'env | grep -c "^OS_\\(API_\\)\\?DATABASE__CONNECTION="');
    assert.match(stderr, /"msg":"2"/);
  });

  test('online runs all batches itself, so its error is not repeated', async () => {
    await using stack = new AsyncDisposableStack();
    const nova = await site(known('nova'), stack);
    const line = 'nova-manage db online_data_migrations';
    await nova.answer(line, 1, 0);
    assert.equal((await nova.sync('--phase', 'online')).code, 1);
    assert.deepEqual(await nova.calls(), [line]);
  });

  for (const [answer, means] of [
    [2, /exited with code 2: some data could not be migrated/],
    [127, /exited with code 127: unknown argument/],
  ] as const) {
    test(`exits with ${answer} like the online step, and logs its meaning`, async () => {
      await using stack = new AsyncDisposableStack();
      const cinder = await site(known('cinder'), stack);
      await cinder.answer('cinder-manage db online_data_migrations', answer);
      const { code, stderr } = await cinder.sync('--phase', 'online');
      assert.equal(code, answer);
      assert.match(stderr, means);
    });
  }

  test('a failing step is the last one, and is recorded with its last lines, secrets hidden', async () => {
    await using stack = new AsyncDisposableStack();
    const octavia = await site(known('octavia'), stack);
    await octavia.answer('octavia-db-manage upgrade head', 9);
    const { code, stderr } = await octavia.sync('--release', '2026.1');
    assert.equal(code, 9);
    assert.match(stderr, /the migration failed: octavia-db-manage exited with code 9/);
    assert.deepEqual(await octavia.calls(), ['octavia-db-manage upgrade head']);
    const [{ state, exitCode, output } = {}] = await octavia.records();
    assert.deepEqual({ state, exitCode }, { state: 'failed', exitCode: 9 });
    assert.match(String(output), /^\*\*\* says 9$/);
    const { stdout } = await runHelper('kolla-db-sync', ['status', ...octavia.args], { env: octavia.env });
    assert.match(stdout, /^octavia +2026\.1 +all +failed +9 +1 /m);
    assert.match(stdout, /last lines of octavia, all, token 1:\n {2}\*\*\* says 9/);
    assert.doesNotMatch(stdout + stderr, /hidden-password/);
  });

  test("existing objects are reported with the recorded phases, and the tool's next phase", async () => {
    await using stack = new AsyncDisposableStack();
    const { sync, answer } = await site(known('keystone'), stack);
    assert.equal((await sync('--phase', 'expand', '--release', '2026.1')).code, 0);
    await answer('keystone-manage db_sync --migrate', 1050);
    await answer('keystone-manage db_sync --check', 4);
    const { code, stderr } = await sync('--phase', 'migrate', '--release', '2026.1');
    assert.equal(code, 65);
    const last = logLines(stderr).at(-1)?.msg ?? '';
    assert.match(last, /error 1050 of the server: Table 'role' already exists\. The schema is partially applied/);
    assert.match(last, /Recorded as done last: expand of release 2026\.1, [-\d]+ [:\d]+ UTC, token 1\. /);
    assert.match(
      last,
      /keystone-manage db_sync --check reports contract as the next phase \(exit code 4\)\. Nothing was undone/,
    );
  });

  test('each phase of each release has its record', async () => {
    await using stack = new AsyncDisposableStack();
    const glance = await site(known('glance'), stack);
    for (const phase of ['expand', 'migrate']) await glance.sync('--phase', phase, '--release', 'r1');
    await glance.sync('--phase', 'expand', '--release', 'r2');
    const told = (await glance.records()).map(({ release, phase, state, token }) =>
      [release, phase, state, token].join(' '),
    );
    assert.deepEqual(told, ['r2 expand done 3', 'r1 migrate done 2', 'r1 expand done 1']);
  });

  test('work recorded as done and confirmed by the check is not repeated, and takes no lock', async () => {
    await using stack = new AsyncDisposableStack();
    const glance = await site(known('glance'), stack);
    assert.equal((await glance.sync('--phase', 'expand')).code, 0);
    // Expanded, but not yet migrated.
    await glance.answer('glance-manage db check', 4);
    const { code, stderr } = await glance.sync('--phase', 'expand');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /nothing to do: token 1 has done it, and glance-manage db check \(exit code 4\) agrees/);
    assert.deepEqual(await glance.calls(), ['glance-manage db expand', 'glance-manage db check']);
  });

  for (const [what, code] of [
    ['says that the phase is pending', 3],
    ['cannot tell', 1],
    ['exits with an unknown code', 77],
  ] as const) {
    test(`a check that ${what} does not block the migration`, async () => {
      await using stack = new AsyncDisposableStack();
      const glance = await site(known('glance'), stack);
      await glance.sync('--phase', 'expand');
      await glance.answer('glance-manage db check', code);
      assert.equal((await glance.sync('--phase', 'expand')).code, 0);
      assert.equal((await glance.calls()).filter((line) => line === 'glance-manage db expand').length, 2);
    });
  }

  test('another release runs and is recorded, though the schema is the same', async () => {
    await using stack = new AsyncDisposableStack();
    const glance = await site(known('glance'), stack);
    await glance.sync('--release', 'r1');
    await glance.sync('--release', 'r2');
    assert.equal((await glance.calls()).filter((line) => line === 'glance-manage db_sync').length, 2);
  });

  test('an older release does not migrate a schema that a newer one has contracted, in a Job or as a sidecar', async () => {
    await using stack = new AsyncDisposableStack();
    const keystone = await site(known('keystone'), stack);
    for (const phase of ['expand', 'migrate']) await keystone.sync('--phase', phase, '--release', '2025.2');
    for (const phase of ['expand', 'migrate', 'contract'])
      await keystone.sync('--phase', phase, '--release', '2026.1-ubuntu-noble');
    const ran = await keystone.calls();
    const reason = /contract of 2026\.1-ubuntu-noble has begun, and 2025\.2 does not run on its schema/;
    for (const phase of ['all', 'expand', 'migrate', 'contract']) {
      const { code, stderr } = await keystone.sync('--phase', phase, '--release', '2025.2');
      assert.equal(code, 69, phase);
      assert.match(stderr, reason, phase);
    }
    const { code, stderr } = await keystone.sync('--stay', '--listen', '127.0.0.1:0', '--release', '2025.2');
    assert.equal(code, 69);
    assert.match(stderr, reason);
    assert.deepEqual(await keystone.calls(), ran);
    assert.equal((await keystone.sync('--phase', 'expand', '--release', '2026.2')).code, 0);
  });

  test('failed work runs again, whatever the check says', async () => {
    await using stack = new AsyncDisposableStack();
    const glance = await site(known('glance'), stack);
    await glance.sync();
    await glance.answer('glance-manage db_load_metadefs', 5);
    await glance.answer('glance-manage db check', 3);
    assert.equal((await glance.sync()).code, 5);
    assert.equal((await glance.sync()).code, 0);
    assert.equal((await glance.calls()).filter((line) => line === 'glance-manage db_load_metadefs').length, 3);
  });

  test('a killed run is shown as crashed once another run has the lock', async () => {
    await using stack = new AsyncDisposableStack();
    const aodh = await site(known('aodh'), stack);
    await aodh.answer('aodh-dbsync', 'hang');
    await using first = await startHelper('kolla-db-sync', [...aodh.args, '--admin-user', 'root', '--release', 'r1'], {
      env: aodh.env,
    });
    await until('the tool', async () => ((await aodh.calls()).length > 0 ? true : undefined));
    process.kill(first.pid, 'SIGKILL');
    assert.equal((await aodh.sync('--release', 'r2')).code, 0);
    const told = (await aodh.records()).map(({ release, state }) => `${String(release)} ${String(state)}`);
    assert.deepEqual(told, ['r2 done', 'r1 crashed']);
  });

  test('migrates a service as defined in kolla-pod.yaml', async () => {
    await using stack = new AsyncDisposableStack();
    const own: Service = {
      name: 'murano',
      summary: 'own',
      configFile: '/etc/murano/murano.conf',
      databases: [{ name: 'murano', url: [{ section: 'database', key: 'connection' }] }],
      migration: {
        phases: {
          all: [{ argv: ['murano-db-manage', 'upgrade'] }],
          online: [{ argv: ['murano-db-manage', 'move'], again: [4] }],
        },
      },
    };
    const murano = await site(own, stack);
    const file = join(murano.directory, 'kolla-pod.yaml');
    const { name, ...rest } = own;
    // The file is JSON, which is also YAML.
    await writeFile(file, JSON.stringify({ services: { [name]: rest } }));
    await murano.answer('murano-db-manage move', 4, 4, 0, 2);
    const { code, stderr } = await murano.sync('--config', file, '--phase', 'online');
    assert.equal(code, 0, stderr);
    const line = 'murano-db-manage move';
    assert.deepEqual(await murano.calls(), [line, line, line]);
    assert.ok(logLines(stderr).some(({ msg }) => msg.includes('more work')));
  });
});
