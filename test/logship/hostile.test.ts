/** A compromised service writes to the log volume. Only logs of the volume may be shipped or written. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { access, appendFile, mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises';

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { freePort } from '../../tools/port.ts';
import { runHelper, startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const SECRET = 'token-of-the-sidecar';

/** A volume with one log, and a file with a secret outside of it. */
async function volume() {
  const directory = await privateDirectory('hostile');
  const [root, outside] = [join(directory.path, 'logs'), join(directory.path, 'outside')];
  await mkdir(join(root, 'nova'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'token.log'), `${SECRET}\n`);
  await writeFile(join(root, 'nova/api.log'), 'a line\n');
  const at = (path: string) => join(root, path);
  return { root, outside, at, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

const args = (root: string) => ['--root', root, '--once', '--timezone', 'UTC'];
const env = { PASSWORD: SECRET };

/** Everything that a run logs and ships. */
async function shipped(
  root: string,
  ...more: string[]
): Promise<{ code: number | null; all: string; lines: string[] }> {
  const { code, stdout, stderr } = await runHelper('kolla-log-ship', [...args(root), ...more], { env });
  const lines = stdout
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { Payload: string }).Payload]));
  return { code, all: stdout + stderr, lines };
}

for (const [what, put] of [
  ['a file outside the log root', (v) => symlink(join(v.outside, 'token.log'), v.at('nova/x.log'))],
  ['a file outside by a relative path', (v) => symlink('../../outside/token.log', v.at('nova/x.log'))],
  [
    'a file outside through another link',
    async (v) => {
      await symlink(join(v.outside, 'token.log'), v.at('nova/y'));
      await symlink('y', v.at('nova/x.log'));
    },
  ],
  ["the shipper's environment", (v) => symlink('/proc/self/environ', v.at('nova/x.log'))],
  [
    "the shipper's environment through its root",
    (v) => symlink('/proc/self/root/proc/self/environ', v.at('nova/x.log')),
  ],
  ['a device', (v) => symlink('/dev/zero', v.at('nova/x.log'))],
] as const satisfies readonly (readonly [string, (v: Awaited<ReturnType<typeof volume>>) => Promise<void>])[])
  test(`a link to ${what} is reported and not shipped`, async () => {
    await using v = await volume();
    await put(v);
    const { code, all, lines } = await shipped(v.root);
    // With --once a log that is not shipped is a failure; what is no regular file is no log.
    assert.equal(code, /cannot read/.test(all) ? 69 : 0, all);
    assert.deepEqual(lines, ['a line']);
    assert.doesNotMatch(all, new RegExp(SECRET));
    assert.match(
      all,
      /cannot read \S+\.log: it (?:leads to \S+, outside of|is not a regular file)|x\.log is not a file: it is not followed/,
    );
    assert.doesNotMatch(await readFile(v.at('.kolla-log-ship/checkpoint.json'), 'utf8'), /token|outside/);
  });

test('a link to a directory is not followed', async () => {
  await using v = await volume();
  await symlink(v.outside, v.at('x'));
  const { all, lines } = await shipped(v.root);
  assert.deepEqual(lines, ['a line'], all);
  const named = await runHelper('kolla-log-ship', [...args(v.root), v.at('x/*.log')], { env });
  assert.match(named.stderr, /cannot read \S+\/x\/token\.log: it leads to \S+outside\/token\.log, outside of/);
  assert.doesNotMatch(named.stdout, new RegExp(SECRET));
});

test("a link to the shipper's own state is reported and not shipped", async () => {
  await using v = await volume();
  assert.equal((await shipped(v.root)).code, 0);
  await symlink('../.kolla-log-ship/checkpoint.json', v.at('nova/x.log'));
  const { all, lines } = await shipped(v.root);
  assert.deepEqual(lines, [], all);
  assert.match(all, /cannot read \S+x\.log: it leads to \S+checkpoint\.json, which is our own state/);
});

test("a link that later replaces an operand's directory is not followed", async () => {
  await using v = await volume();
  const app = join(v.outside, '../app');
  await mkdir(join(app, 'logs'), { recursive: true });
  await writeFile(join(app, 'logs/a.log'), 'of the app\n');
  const words = ['--root', v.root, '--timezone', 'UTC', join(app, 'logs/*.log')];
  await using running = await startHelper('kolla-log-ship', words, { keepOutput: true, env });
  let [out, said] = ['', ''];
  running.child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the first line', () => (out.includes('of the app') ? true : undefined));
  await rename(join(app, 'logs'), join(app, 'away'));
  await symlink(v.outside, join(app, 'logs'));
  await until('the word', () => (/cannot read \S+token\.log: it leads to/.test(said) ? true : undefined));
  await running.stop();
  assert.doesNotMatch(out + said, new RegExp(SECRET));
});

test('a link to a log of the volume is followed, and a root may be a link', async () => {
  await using v = await volume();
  await writeFile(v.at('nova/kept'), 'of a link\n');
  await symlink('kept', v.at('nova/x.log'));
  await symlink(v.root, join(v.outside, 'root'));
  const { lines, all } = await shipped(join(v.outside, 'root'));
  assert.deepEqual(lines.toSorted(), ['a line', 'of a link'], all);
});

test('a FIFO does not block shipping', async () => {
  await using v = await volume();
  await must('mkfifo', [v.at('nova/x.log')]);
  const { lines, all } = await shipped(v.root);
  assert.deepEqual(lines, ['a line'], all);
});

test('does not keep state behind a link', async () => {
  await using v = await volume();
  await symlink(v.outside, v.at('.kolla-log-ship'));
  const { code, all } = await shipped(v.root);
  assert.equal(code, 65, all);
  assert.match(all, /cannot keep state in \S+\/\.kolla-log-ship\b.*give --state a directory/);
  assert.deepEqual(await readdir(v.outside), ['token.log']);
});

test('a missing root is reported with the fix', async () => {
  await using v = await volume();
  const { code, all } = await shipped(v.at('none'));
  assert.equal(code, 65, all);
  assert.match(
    all,
    /"\S+\/none does not exist: mount the log volume; expected .+, named by --root or KOLLA_LOG_SHIP_ROOT"/,
  );
});

test('links in place of a checkpoint and dead letters are not followed', async () => {
  await using v = await volume();
  await mkdir(v.at('.kolla-log-ship'), { mode: 0o777 });
  const target = join(v.outside, 'token.log');
  for (const name of ['checkpoint.json', 'checkpoint.json.spare-1', 'dead-letter.jsonl'])
    await symlink(target, v.at(`.kolla-log-ship/${name}`));
  const { lines, all } = await shipped(v.root);
  assert.deepEqual(lines, ['a line'], all);
  assert.equal(await readFile(target, 'utf8'), `${SECRET}\n`);
});

for (const [what, put] of [
  [
    'file',
    (v) => mkdir(v.at('haproxy')).then(() => symlink(join(v.outside, 'token.log'), v.at('haproxy/haproxy.log'))),
  ],
  ['directory', (v) => symlink(v.outside, v.at('haproxy'))],
] as const satisfies readonly (readonly [string, (v: Awaited<ReturnType<typeof volume>>) => Promise<void>])[])
  test(`syslog is not written through a link in place of the ${what}`, async (t) => {
    await using v = await volume();
    await put(v);
    const port = await freePort();
    const words = ['--root', v.root, '--timezone', 'UTC', '--syslog', `udp://127.0.0.1:${port}`];
    await using running = await startHelper('kolla-log-ship', words, { keepOutput: true });
    let said = '';
    running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until('the port', () => (said.includes('shipping ') ? true : undefined));
    const socket = createSocket('udp4');
    t.after(() => socket.close());
    socket.send('<134>1 2026-11-20T08:15:42Z host haproxy 1 - - written', port, '127.0.0.1');
    await until('the word', () =>
      /syslog lines are lost, because \S+haproxy\.log cannot be written/.test(said) ? true : undefined,
    );
    assert.equal(await readFile(join(v.outside, 'token.log'), 'utf8'), `${SECRET}\n`);
    await assert.rejects(access(join(v.outside, 'haproxy.log')));
  });

test('10,000 swaps during reading: each line of the volume is indexed once, and nothing else', async (t) => {
  await using v = await volume();
  await using running = await startHelper('kolla-log-ship', ['--root', v.root, '--timezone', 'UTC'], {
    keepOutput: true,
    env,
  });
  const lines: string[] = [];
  let said = '';
  createInterface({ input: running.child.stdout! }).on('line', (line) =>
    lines.push((JSON.parse(line) as { Payload: string }).Payload),
  );
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the first line', () => (lines.length > 0 ? true : undefined));
  const swapper = spawn(
    process.execPath,
    [fileURLToPath(new URL('fixtures/swapper.ts', import.meta.url)), v.root, v.outside, '10000'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const wanted = ['a line'];
  const swapped = once(swapper, 'close');
  const over = new AbortController();
  void swapped.then(() => over.abort());
  for (let n = 0; !over.signal.aborted; n++) {
    wanted.push(`line ${n}`);
    await appendFile(v.at('nova/api.log'), `line ${n}\n`);
    await until(`line ${n}`, () => (lines.includes(`line ${n}`) || over.signal.aborted ? true : undefined));
  }
  const [code] = (await swapped) as [number];
  assert.equal(code, 0);
  await until('the last line', () => (lines.includes(wanted.at(-1)!) ? true : undefined));
  await running.stop();
  t.diagnostic(`${wanted.length} lines`);
  assert.deepEqual(lines.filter((line) => !line.startsWith('of the swapper')).toSorted(), wanted.toSorted());
  assert.doesNotMatch(lines.join() + said, new RegExp(SECRET));
});
