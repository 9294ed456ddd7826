import assert from 'node:assert/strict';
import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper, startHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { listenHttp } from '../support/server.ts';
import { allCreated } from '../support/bulk-reply.ts';

/** The logs of one service in their own root. */
async function logs(...lines: string[]) {
  const directory = await privateDirectory('ship');
  const file = join(directory.path, 'keystone/keystone.log');
  await mkdir(join(directory.path, 'keystone'));
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  return { root: directory.path, file, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

const ship = (...args: string[]) => runHelper('kolla-log-ship', args);
const printed = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('without a URL documents are printed; a second run prints only what is new', async () => {
  await using l = await logs('2026-11-20 08:15:42.123 7 INFO keystone [-] up', 'and more');
  const first = await ship('--once', '--root', l.root, '--timezone', 'UTC', '--hostname', 'c1');
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(printed(first.stdout), [
    {
      '@timestamp': '2026-11-20T08:15:42.123Z',
      Timestamp: '2026-11-20 08:15:42.123',
      Pid: '7',
      log_level: 'INFO',
      python_module: 'keystone',
      Payload: '[-] up\nand more',
      Hostname: 'c1',
      Logger: 'openstack.keystone',
      programname: 'keystone',
    },
  ]);
  await appendFile(l.file, '2026-11-20 08:15:43.000 7 INFO keystone new\n');
  const second = await ship('--once', '--root', l.root, '--timezone', 'UTC', '--hostname', 'c1');
  assert.deepEqual(
    printed(second.stdout).map(({ Payload }) => Payload),
    ['new'],
  );
});

test('each schema, labels and a format by glob show in the documents', async () => {
  await using l = await logs('2026-11-20 08:15:42.123 7 INFO keystone [-] up');
  const own = join(l.root, 'own');
  await mkdir(own);
  await writeFile(join(own, 'app.log'), '2026-11-20 08:15:42.123 9 INFO app [-] up\n');
  await writeFile(join(l.root, 'labels'), 'app="own"\n');
  const about = [
    '--label',
    'a=b',
    '--labels-file',
    join(l.root, 'labels'),
    '--container',
    'c',
    '--format',
    'own/*=oslo',
  ];
  const args = (schema: string) => ['--once', '--root', l.root, '--timezone', 'UTC', '--schema', schema, ...about];
  const kolla = await ship(...args('kolla'), '--state', join(l.root, 'one'));
  const [, app] = printed(kolla.stdout);
  assert.deepEqual([app?.['Pid'], app?.['kubernetes']], ['9', { container_name: 'c', labels: { app: 'own', a: 'b' } }]);
  const ecs = await ship(...args('ecs'), '--state', join(l.root, 'two'));
  const [first] = printed(ecs.stdout);
  assert.deepEqual([first?.['process.pid'], first?.['kubernetes.labels.a']], [7, 'b']);
  const raw = await ship(...args('raw'), '--state', join(l.root, 'three'));
  assert.deepEqual(printed(raw.stdout)[1], {
    '@timestamp': '2026-11-20T08:15:42.123Z',
    message: '2026-11-20 08:15:42.123 9 INFO app [-] up',
    'log.file.path': join(own, 'app.log'),
  });
});

test('the final log line has the counts', async () => {
  await using l = await logs('one', 'two');
  const { stderr } = await ship('--once', '--root', l.root);
  const end = logLines(stderr).find(({ msg }) => msg === 'stopped');
  assert.deepEqual([end?.['lines'], end?.['acknowledged'], end?.['leftBytes']], [2, 2, 0]);
});

test('credentials are read from a file and sent only to the server', async () => {
  await using l = await logs('one');
  await writeFile(join(l.root, 'password'), 'hunter2\n');
  const seen: (string | undefined)[] = [];
  await using server = await listenHttp((request, response) => {
    seen.push(request.headers.authorization);
    void text(request).then((body) => response.end(allCreated(body)));
  });
  const url = `http://127.0.0.1:${server.port}`;
  const { code, stderr } = await ship(
    '--once',
    '--root',
    l.root,
    '--url',
    url,
    '--user',
    'u',
    '--password-file',
    join(l.root, 'password'),
  );
  assert.equal(code, 0, stderr);
  assert.deepEqual(seen, [`Basic ${Buffer.from('u:hunter2').toString('base64')}`]);
  assert.doesNotMatch(stderr, /hunter2/);
});

test('paths and globs are relative to the current directory', async () => {
  await using l = await logs('2026-11-20 08:15:42.123 7 INFO keystone [-] up');
  for (const [state, path] of Object.entries({ file: 'keystone/keystone.log', glob: './*/*.log' })) {
    const args = ['--once', '--root', '.', '--state', state, path];
    const { code, stdout, stderr } = await runHelper('kolla-log-ship', args, { cwd: l.root });
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      printed(stdout).map(({ Logger }) => Logger),
      ['openstack.keystone'],
    );
  }
});

test('skips files excluded by name or by path below the root', async () => {
  await using l = await logs('one');
  for (const name of ['keystone-access.log', 'keystone-old.log'])
    await writeFile(join(l.root, 'keystone', name), `${name}\n`);
  const options = ['--exclude', '*-access.log', '--exclude', 'keystone/*-old.log'];
  const { stdout, stderr } = await ship('--once', '--root', l.root, ...options);
  assert.equal(printed(stdout).length, 1, stderr);
});

test('--from end skips existing content on first start only', async () => {
  await using l = await logs('old');
  await ship('--once', '--root', l.root, '--from', 'end');
  await appendFile(l.file, 'new\n');
  const { stdout } = await ship('--once', '--root', l.root, '--from', 'end');
  assert.deepEqual(
    printed(stdout).map(({ Payload }) => Payload),
    ['new'],
  );
});

for (const [what, args, message] of [
  ['a server without a URL', ['--to', 'opensearch'], /--to opensearch needs --url/],
  ['an invalid URL', ['--url', 'es:9200x/'], /--url is not/],
  ['credentials in the URL', ['--url', 'http://a:hunter2@es'], /--password-file/],
  ['a user without a password', ['--url', 'http://es', '--user', 'u'], /--user needs --password-file/],
  ['an unknown format', ['--format', '*.log=oslow'], /--format: 'oslow' is not one of oslo/],
  ['a label without its value', ['--label', 'a'], /--label 'a': write it as/],
  ['an unknown time zone', ['--timezone', 'Mars/Olympus'], /--timezone: 'Mars\/Olympus'/],
  ['an invalid index prefix', ['--index-prefix', 'Flog'], /--index-prefix 'Flog'/],
] as const) {
  test(`${what} is a usage error`, async () => {
    const { code, stderr } = await ship(...args, '--root', '/nowhere');
    assert.equal(code, 64);
    assert.match(logLines(stderr)[0]?.msg ?? '', message);
    assert.doesNotMatch(stderr, /hunter2/);
  });
}

test('a missing log root is a configuration error with the fix', async () => {
  const { code, stderr } = await ship('--once', '--root', '/nowhere');
  assert.equal(code, 65);
  const hint = 'expected log directory with one subdirectory per service, named by --root or KOLLA_LOG_SHIP_ROOT';
  assert.equal(logLines(stderr)[0]?.msg, `/nowhere does not exist: mount the log volume; ${hint}`);
});

test('a missing file is a configuration error with --once, and ships nothing; a glob that matches nothing is not', async () => {
  await using l = await logs('one');
  const typo = join(l.root, 'keystone/keystoen.log');
  const first = await ship('--once', '--root', l.root, l.file, typo);
  assert.deepEqual([first.code, first.stdout], [65, '']);
  assert.match(logLines(first.stderr).at(-1)?.msg ?? '', /keystoen\.log cannot be found/);
  const glob = await ship('--once', '--root', l.root, join(l.root, 'nova/*.log'));
  assert.equal(glob.code, 0, glob.stderr);
  assert.match(glob.stderr, /no file matches .*nova\/\*\.log/);
  // Rotated since the last run, and not created again yet.
  assert.equal((await ship('--once', '--root', l.root, l.file)).code, 0);
  await appendFile(l.file, 'two\n');
  await rename(l.file, `${l.file}.1`);
  const rotated = await ship('--once', '--root', l.root, l.file);
  assert.deepEqual([rotated.code, printed(rotated.stdout).length], [0, 1], rotated.stderr);
});

test('a missing file is warned about, even if another one exists', async () => {
  await using l = await logs('one');
  const typo = join(l.root, 'keystone/keystoen.log');
  const { code, stderr } = await stopped(['--root', l.root, l.file, typo], 'shipping');
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    logLines(stderr).flatMap(({ level, msg }) => (level === 'warn' ? [msg] : [])),
    [`no file matches ${typo} yet`],
  );
});

test('with the server down on shutdown exits with code 143 after the grace period, and the next start ships the rest', async () => {
  await using l = await logs('one', 'two');
  const port = await freePort();
  const args = ['--root', l.root, '--url', `http://127.0.0.1:${port}`, '--grace', '300ms'];
  const { code, stderr } = await stopped(args, 'does not accept writes');
  assert.equal(code, 143, stderr);
  assert.match(stderr, /8 bytes are not acknowledged/);
  const after = await ship('--once', '--root', l.root);
  assert.equal(printed(after.stdout).length, 2);
});

test('exits with code 0 after SIGTERM if everything is acknowledged, and ships lines written just before', async () => {
  await using l = await logs('one');
  const received: string[] = [];
  await using server = await listenHttp((request, response) => {
    void takeAll(request, response, received);
  });
  const args = ['--root', l.root, '--url', `http://127.0.0.1:${server.port}`];
  const { code, stderr } = await stopped(args, 'shipping', () => appendFile(l.file, 'last\nunfinished'));
  assert.equal(code, 0, stderr);
  assert.match(received.join(''), /"Payload":"one"[^]*"Payload":"last"[^]*"Payload":"unfinished"/);
});

async function takeAll(request: IncomingMessage, response: ServerResponse, received: string[]): Promise<void> {
  const body = await text(request);
  received.push(body);
  response.end(allCreated(body));
}

/** Starts the shipper; once it has logged `said`, calls `before` and sends SIGTERM. */
async function stopped(args: readonly string[], said: string, before = () => Promise.resolve()) {
  await using shipper = await startHelper('kolla-log-ship', args, { keepOutput: true });
  const { stderr, stdout } = shipper.child;
  stdout?.resume();
  let heard = '';
  for await (const chunk of stderr!.setEncoding('utf8') as AsyncIterable<string>) {
    const isNew = !heard.includes(said);
    heard += chunk;
    if (!isNew || !heard.includes(said)) continue;
    await before();
    shipper.child.kill('SIGTERM');
  }
  return { code: await shipper.ended, stderr: heard };
}

for (const { limits, isEnough } of [
  { limits: '64:4096', isEnough: true },
  { limits: '64:64', isEnough: false },
])
  test(`with limits of open files of ${limits}, ${isEnough ? 'all are' : 'not all are'} open at once`, async () => {
    await using l = await logs();
    for (let nth = 0; nth < 100; nth++)
      await writeFile(join(l.root, 'keystone', `keystone-${nth}.log`), '2026-11-20 08:15:42.123 7 INFO keystone up\n');
    const launcher = ['prlimit', `--nofile=${limits}`];
    const args = ['--once', '--root', l.root];
    await using shipper = await startHelper('kolla-log-ship', args, { launcher, keepOutput: true });
    const { stdout, stderr } = shipper.child;
    const [documents, said] = await Promise.all([text(stdout!), text(stderr!)]);
    assert.equal(await shipper.ended, 0, said);
    assert.equal(printed(documents).length, 100);
    assert.equal(/read in turns/.test(said), !isEnough, said);
  });
