import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { HELPERS, logLines, runHelper, startHelper } from '../../support/helper.ts';
import { run } from '../../../tools/process.ts';

const NAME = 'kubernetes-entrypoint';
/** Go's flags log.Ldate and log.Ltime. */
const TIME = String.raw`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d`;

function lines(said: string): string[] {
  return said
    .trim()
    .split('\n')
    .map((line) => line.replace(new RegExp(TIME), 'TIME'));
}

test('without dependencies and COMMAND warns like the original and exits with code 0', async () => {
  const { code, stdout, stderr } = await runHelper(NAME, [], { env: { DEPENDENCY_SERVICE: '', COMMAND: '' } });
  assert.equal(code, 0, stderr);
  assert.deepEqual(lines(stdout), ['Entrypoint WARNING: TIME COMMAND env is empty']);
  assert.equal(stderr, '');
});

test('logs the expected lines: on stdout, and the final error on stderr', async () => {
  await using directory = await privateDirectory('entry');
  const absent = join(directory.path, 'absent');
  const env = { DEPENDENCY_SOCKET: `${directory.path},${absent}`, KOLLA_INIT_TIMEOUT: '4s' };
  const { code, stdout, stderr } = await runHelper(NAME, [], { env });
  assert.equal(code, 75, stderr);
  assert.deepEqual(lines(stdout), [
    `Entrypoint INFO: TIME Resolving Socket ${directory.path}`,
    `Entrypoint INFO: TIME Resolving Socket ${absent}`,
    `Entrypoint INFO: TIME Dependency Socket ${directory.path} is resolved.`,
    `Entrypoint WARNING: TIME Resolving dependency Socket ${absent} failed: does not exist yet .`,
  ]);
  assert.match(stderr, new RegExp(`^Entrypoint ERROR: ${TIME} not ready after 4s: Socket ${absent} `));
});

test('with --log-format json logs in the format of every helper, on stderr', async () => {
  const env = { DEPENDENCY_SOCKET: '/', KOLLA_POD_LOG_FORMAT: 'json' };
  const { code, stdout, stderr } = await runHelper(NAME, [], { env });
  assert.deepEqual([code, stdout], [0, '']);
  assert.deepEqual(
    logLines(stderr).map(({ msg, helper }) => [helper, msg]),
    ['Resolving Socket /', 'Dependency Socket / is resolved.', 'COMMAND env is empty'].map((msg) => [NAME, msg]),
  );
});

test('waits for a path that appears later, without an API server', async () => {
  await using directory = await privateDirectory('entry');
  const late = join(directory.path, 'late');
  await using running = await startHelper(NAME, [], { env: { DEPENDENCY_SOCKET: late }, keepOutput: true });
  let said = '';
  running.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
    if (said.includes('does not exist yet')) void writeFile(late, '');
  });
  assert.equal(await running.ended, 0);
  assert.match(said, /Dependency Socket \S+ is resolved\./);
});

test('SIGTERM ends the wait with exit code 143', async () => {
  await using running = await startHelper(NAME, [], { env: { DEPENDENCY_SOCKET: '/no/such' }, keepOutput: true });
  const { stdout, stderr } = running.child;
  assert.ok(stdout && stderr);
  stderr.resume();
  await new Promise<void>((resolve) => {
    stdout.on('data', (chunk: Buffer) => String(chunk).includes('does not exist yet') && resolve());
  });
  assert.equal(await running.stop(), 143);
});

test('exits with code 64 for an invalid variable, without rendering a file or running COMMAND', async () => {
  await using directory = await privateDirectory('entry');
  const [rendered, ran] = [join(directory.path, 'a.conf'), join(directory.path, 'ran')];
  const env = { DEPENDENCY_CONFIG: rendered, DEPENDENCY_SERVICE: 'a:b:c', COMMAND: `touch ${ran}` };
  const { code, stderr } = await runHelper(NAME, [], { env });
  assert.equal(code, 64);
  assert.match(stderr, /DEPENDENCY_SERVICE, column 1: 'a:b:c' has more than one ':'/);
  for (const path of [rendered, ran]) await assert.rejects(stat(path), { code: 'ENOENT' });
});

test('in lenient mode continues like the original, with a warning each time', async () => {
  const env = {
    DEPENDENCY_JOBS_JSON: '[{',
    DEPENDENCY_SERVICE: 'a:b:c',
    KOLLA_POD_COMPAT: 'lenient',
    COMMAND: 'echo ran',
  };
  const { code, stdout } = await runHelper(NAME, [], { env });
  assert.equal(code, 0);
  assert.equal(
    lines(stdout).filter((line) => line.includes('KOLLA_POD_COMPAT=lenient: skipped: DEPENDENCY_')).length,
    2,
  );
  assert.match(stdout, /\nran\n$/);
});

test('any other value of KOLLA_POD_COMPAT is not lenient', async () => {
  const { code, stderr } = await runHelper(NAME, [], { env: { KOLLA_POD_COMPAT: 'linient' } });
  assert.equal(code, 64);
  assert.match(stderr, /KOLLA_POD_COMPAT: .*did you mean 'lenient'\?/);
});

test('a misspelt variable, and unused arguments, are logged', async () => {
  const env = { DEPENDENCY_JOB: 'a', DEPENDENCY_PORT_80_TCP: 'tcp://10.0.0.1:80' };
  const { code, stdout } = await runHelper(NAME, ['bash'], { env });
  assert.equal(code, 0);
  assert.deepEqual(lines(stdout), [
    'Entrypoint WARNING: TIME the arguments bash are ignored: set COMMAND to run them',
    'Entrypoint WARNING: TIME DEPENDENCY_JOB is unknown; did you mean DEPENDENCY_JOBS?',
    'Entrypoint WARNING: TIME COMMAND env is empty',
  ]);
});

test('a dependency on the API outside a Pod is an error (exit code 65)', async () => {
  const { code, stderr } = await runHelper(NAME, [], { env: { DEPENDENCY_JOBS: 'a', HOME: '/nonexistent' } });
  assert.equal(code, 65);
  assert.match(stderr, /no cluster is named: .*Give --kubeconfig FILE, or run it in a Pod/);
});

/** Prints the state that a program inherits from the process that has executed it. */
const TELL = `#!/bin/bash
grep -E '^Sig(Ign|Blk)' /proc/self/status
ulimit -Sn
echo $$
for fd in 0 1 2; do grep flags /proc/$$/fdinfo/$fd; done
printf '[%s]' "$0" "$@"
`;

test("COMMAND replaces the process: arguments split at single spaces, with the caller's signals, limits and pid", async () => {
  await using directory = await privateDirectory('entry');
  const tell = join(directory.path, 'tell');
  await writeFile(tell, TELL, { mode: 0o755 });
  const env = { PATH: process.env['PATH'] ?? '', DEPENDENCY_SOCKET: '/', COMMAND: `${tell} two  'three four' ` };
  const told = async (words: string) => {
    const line = `ulimit -Sn 300; cat /dev/null | { echo $BASHPID; exec ${words}; }`;
    const { code, stdout, stderr } = await run('/bin/bash', ['--norc', '-c', line], { env });
    assert.equal(code, 0, stderr);
    const [pid = '', ...rest] = stdout.split('\n').filter((each) => !each.startsWith('Entrypoint '));
    return rest.join('\n').replace(`\n${pid}\n`, '\nPID\n');
  };
  const direct = await told(`${tell} two '' "'three" "four'" ''`);
  assert.match(direct, /\n300\nPID\n/);
  assert.equal(await told(`${process.execPath} ${HELPERS} ${NAME}`), direct);
});

for (const [command, wanted, reason] of [
  ['no-such-program a', 127, 'no-such-program: command not found'],
  [' ls', 127, "'': command not found"],
  ['/etc/passwd', 126, '/etc/passwd: Permission denied'],
] as const)
  test(`with the COMMAND '${command}' exits with code ${wanted}, and the termination log has the reason`, async () => {
    await using directory = await privateDirectory('entry');
    const log = join(directory.path, 'log');
    await writeFile(log, '');
    const env = { COMMAND: command, DEPENDENCY_SOCKET: '/', KOLLA_POD_TERMINATION_LOG: log };
    const { code, stderr } = await runHelper(NAME, [], { env });
    assert.equal(code, wanted);
    assert.match(lines(stderr)[0] ?? '', new RegExp(`^Entrypoint ERROR: TIME Cannot execute command: ${reason}$`));
    assert.equal(await readFile(log, 'utf8'), `${NAME}: Cannot execute command: ${reason}\n`);
  });

const [INTERFACE = '', [{ address: ADDRESS = '' } = {}] = []] = Object.entries(networkInterfaces())[0] ?? [];

/** Runs kubernetes-entrypoint with a template of this text for `DIRECTORY/out/deep/a.conf`. */
async function render(directory: string, template: string | Buffer, env: NodeJS.ProcessEnv = {}) {
  const [target, templates] = [join(directory, 'out/deep/a.conf'), join(directory, 'configmaps')];
  await mkdir(join(templates, 'a.conf'), { recursive: true });
  await writeFile(join(templates, 'a.conf/a.conf'), template);
  const all = { DEPENDENCY_CONFIG: target, KUBERNETES_ENTRYPOINT_CONFIGMAPS_DIR: templates, ...env };
  return { target, ...(await runHelper(NAME, [], { env: all })) };
}

test('a template is rendered with host name and address, its directory is created, and other bytes are kept', async () => {
  await using directory = await privateDirectory('entry');
  const template = Buffer.concat([
    Buffer.from('h={{ .HOSTNAME }}\ni={{.IP}} e={{\t.IP_ERLANG\n}} }} '),
    Buffer.from([0xff, 0xc3, 10]),
  ]);
  const { code, stdout, stderr, target } = await render(directory.path, template, { INTERFACE_NAME: INTERFACE });
  assert.equal(code, 0, stderr);
  assert.match(stdout, new RegExp(`Resolving Config ${target}\n.*Dependency Config ${target} is resolved\\.`));
  const wanted = `h=${hostname()}\ni=${ADDRESS} e=${ADDRESS.replaceAll('.', ',')} }} \u00ff\u00c3\n`;
  assert.equal(await readFile(target, 'latin1'), wanted);
  assert.equal((await stat(target)).mode & 0o777, 0o666 & ~process.umask());
});

test('a template without an address needs no INTERFACE_NAME; one with it reports the variable to set', async () => {
  await using directory = await privateDirectory('entry');
  assert.equal((await render(directory.path, '{{ .HOSTNAME }}')).code, 0);
  const unset = await render(directory.path, '{{ .IP }}');
  assert.equal(unset.code, 64);
  assert.match(unset.stderr, /INTERFACE_NAME is not set/);
  const wrong = await render(directory.path, '{{ .IP }}', { INTERFACE_NAME: 'eth99' });
  assert.equal(wrong.code, 64);
  assert.match(
    wrong.stderr,
    new RegExp(`INTERFACE_NAME: 'eth99' has no address; those that have one are .*${INTERFACE}`),
  );
});

for (const [template, place, action] of [
  ['a\nb {{ range .X }}{{ end }}', 'line 2, column 3', '{{ range .X }}'],
  ['{{- .IP }}', 'line 1, column 1', '{{- .IP }}'],
  ['{{ .POD }}', 'line 1, column 1', '{{ .POD }}'],
  ['x {{ .IP', 'line 1, column 3', '{{ .IP'],
] as const)
  test(`a template with ${action} is rejected with its location, and the existing file stays`, async () => {
    await using directory = await privateDirectory('entry');
    await mkdir(join(directory.path, 'out/deep'), { recursive: true });
    await writeFile(join(directory.path, 'out/deep/a.conf'), 'old');
    const { code, stderr, target } = await render(directory.path, template);
    assert.equal(code, 64);
    assert.ok(stderr.includes(`a.conf/a.conf, ${place}: '${action}' is not rendered here`), stderr);
    assert.equal(await readFile(target, 'utf8'), 'old');
  });

test('an existing file keeps its mode, and a link to a file stays a link', async () => {
  await using directory = await privateDirectory('entry');
  await mkdir(join(directory.path, 'out/deep'), { recursive: true });
  const real = join(directory.path, 'real');
  await writeFile(real, 'old and longer than what comes');
  await chmod(real, 0o640);
  await symlink(real, join(directory.path, 'out/deep/a.conf'));
  const { code, stderr } = await render(directory.path, 'new');
  assert.equal(code, 0, stderr);
  assert.equal(await readFile(real, 'utf8'), 'new');
  assert.equal((await stat(real)).mode & 0o777, 0o640);
});

test('a file for which there is no room keeps its content', async () => {
  await using directory = await privateDirectory('entry');
  const [target, templates] = [join(directory.path, 'a.conf'), join(directory.path, 'configmaps')];
  await mkdir(join(templates, 'a.conf'), { recursive: true });
  await writeFile(join(templates, 'a.conf/a.conf'), 'new '.repeat(1000));
  await writeFile(target, 'old '.repeat(100));
  const env = { DEPENDENCY_CONFIG: target, KUBERNETES_ENTRYPOINT_CONFIGMAPS_DIR: templates };
  // Like a quota, a limit of the file size fails a write after its first part.
  const line = `ulimit -f 1; exec ${process.execPath} ${HELPERS} ${NAME}`;
  const { code, stderr } = await run('/bin/bash', ['--norc', '-c', line], { env });
  assert.deepEqual([code, await readFile(target, 'utf8')], [69, 'old '.repeat(100)], stderr);
});

test('a missing template is reported (exit code 65)', async () => {
  await using directory = await privateDirectory('entry');
  const env = { DEPENDENCY_CONFIG: '/no/b.conf', KUBERNETES_ENTRYPOINT_CONFIGMAPS_DIR: directory.path };
  const { code, stderr } = await runHelper(NAME, [], { env });
  assert.equal(code, 65);
  assert.match(stderr, /cannot read the template of \/no\/b\.conf: no such file or directory/);
});

test('exits as for SIGPIPE if stdout is closed, without reporting a bug', async () => {
  await using running = await startHelper(NAME, [], { env: { DEPENDENCY_SOCKET: '/no/such' }, keepOutput: true });
  const { stdout, stderr } = running.child;
  assert.ok(stdout && stderr);
  const said = text(stderr);
  await once(stdout, 'data');
  stdout.destroy();
  // From here on, no process reads kubernetes-entrypoint's output.
  assert.ok([141, 143].includes(await running.stop()));
  assert.equal(await said, '');
});
