import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { databaseName, serveShared, sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { start } from '../../tools/process.ts';
import { until } from '../support/until.ts';

const RUNNER = fileURLToPath(new URL('fixtures/shared-servers.ts', import.meta.url));

async function pidOf(mariadb: SharedMariadb): Promise<number> {
  const [row] = await mariadb.query('SELECT @@pid_file AS file');
  return Number(await readFile(String(row?.['file']), 'utf8'));
}

const gone = (pid: number) =>
  until(`process ${pid} to be gone`, async () => (existsSync(`/proc/${pid}`) ? undefined : true));

describe('servers shared by test files', { skip: (await canRunMariadb()) ?? false }, () => {
  test('all files get the same server, which outlives each of them and ends with the run', async () => {
    let pid: number;
    {
      await using shared = await serveShared();
      const [one, other] = await Promise.all([sharedMariadb(shared.env), sharedMariadb(shared.env)]);
      assert.deepEqual([one.socket, one.rootPassword], [other.socket, other.rootPassword]);
      const [mine, theirs] = [databaseName('keystone'), databaseName('keystone')];
      assert.notEqual(mine, theirs);
      await one.query(`CREATE DATABASE ${mine}`);
      await one[Symbol.asyncDispose]();
      assert.equal((await other.query('SHOW DATABASES LIKE ?', [mine])).length, 1);
      pid = await pidOf(other);
      await other[Symbol.asyncDispose]();
      assert.ok(existsSync(`/proc/${pid}`));
    }
    assert.ok(!existsSync(`/proc/${pid}`));
  });

  test('the first caller after the server has died gets an error, and the next one a new server', async () => {
    await using shared = await serveShared();
    const pid = await pidOf(await sharedMariadb(shared.env));
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    await assert.rejects(
      sharedMariadb(shared.env),
      new RegExp(`the shared mariadb has died since it was last asked for \\(process ${pid}\\)`),
    );
    assert.notEqual(await pidOf(await sharedMariadb(shared.env)), pid);
  });

  test('a killed run leaves no server behind', async () => {
    await using runner = await start(process.execPath, [RUNNER], { keepOutput: true });
    const [line] = (await once(runner.child.stdout!.setEncoding('utf8'), 'data')) as [string];
    const env = JSON.parse(line) as NodeJS.ProcessEnv;
    const pid = await pidOf(await sharedMariadb(env));
    process.kill(runner.pid, 'SIGKILL');
    await gone(pid);
    await assert.rejects(sharedMariadb(env), { code: 'ECONNREFUSED' });
  });

  test('outside a run a file has its own server, which ends with it', async () => {
    const own = await sharedMariadb({});
    const pid = await pidOf(own);
    await own[Symbol.asyncDispose]();
    assert.ok(!existsSync(`/proc/${pid}`));
  });
});
