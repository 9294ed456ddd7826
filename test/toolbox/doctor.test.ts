import assert from 'node:assert/strict';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { examine } from '../../src/toolbox/doctor/examine.ts';
import type { Finding } from '../../src/toolbox/doctor/finding.ts';
import { scriptedApi, status } from '../kube/support.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';

const ACCOUNT = 'var/run/secrets/kubernetes.io/serviceaccount';
const SECRET = 'do-not-show-this';

/** The files of a Pod that lacks nothing. */
async function pod() {
  const directory = await privateDirectory('doctor');
  const files: Record<string, string> = {
    'var/lib/kolla/config_files/config.json': `{"command": "${SECRET}"}`,
    'bin/bash': '',
    'dev/termination-log': '',
    'sys/fs/cgroup/memory.max': 'max\n',
    'etc/resolv.conf': 'nameserver 10.96.0.10\n',
    'tmp/x': '',
    'run/x': '',
    'var/log/kolla/x': '',
    [`${ACCOUNT}/token`]: SECRET,
    [`${ACCOUNT}/ca.crt`]: 'PEM',
    [`${ACCOUNT}/namespace`]: 'openstack\n',
  };
  for (const [name, text] of Object.entries(files)) await put(name, text);
  await chmod(join(directory.path, 'bin/bash'), 0o755);

  async function put(name: string, text: string): Promise<void> {
    await mkdir(join(directory.path, name, '..'), { recursive: true });
    await writeFile(join(directory.path, name), text);
  }

  async function look(env: NodeJS.ProcessEnv = {}): Promise<(what: string) => Finding> {
    const signal = new AbortController().signal;
    const findings = await examine({ root: directory.path, env, uid: 42_425, signal });
    assert.ok(!JSON.stringify(findings).includes(SECRET), 'a secret was shown');
    return (what) => findings.find((finding) => finding.what === what) ?? assert.fail(`nothing about ${what}`);
  }

  return {
    put,
    look,
    remove: (name: string) => rm(join(directory.path, name), { recursive: true }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test('a complete Pod has nothing missing', async () => {
  await using here = await pod();
  const of = await here.look({ POD_NAME: 'k-0', POD_NAMESPACE: 'openstack', NODE_NAME: 'n1' });
  for (const what of ['user', 'config.json', 'bash', 'directory /run', 'termination log', 'memory limit', 'POD_NAME'])
    assert.equal(of(what).state, 'ok', what);
  assert.match(of('service account').detail, /namespace openstack$/);
  assert.equal(of('API server').state, 'note');
});

for (const [what, gone, state] of [
  ['config.json', 'var/lib/kolla/config_files/config.json', 'note'],
  ['bash', 'bin/bash', 'lacks'],
  ['termination log', 'dev/termination-log', 'note'],
  ['directory /var/log/kolla', 'var/log/kolla', 'note'],
  ['service account', `${ACCOUNT}/token`, 'note'],
] as const) {
  test(`reports a missing ${gone}, with the fix`, async () => {
    await using here = await pod();
    await here.remove(gone);
    const finding = (await here.look())(what);
    assert.equal(finding.state, state);
    assert.match(finding.detail, /is missing/);
    assert.ok(finding.fix);
  });
}

test('an invalid config.json is reported without its text', async () => {
  await using here = await pod();
  await here.put('var/lib/kolla/config_files/config.json', `{${SECRET}`);
  assert.equal((await here.look())('config.json').state, 'lacks');
});

test("a memory limit is read in both cgroup versions, and one below a helper's requirement is reported", async () => {
  await using here = await pod();
  await here.put('sys/fs/cgroup/memory.max', String(32 * 2 ** 20));
  assert.match((await here.look())('memory limit').detail, /^32 MiB$/);
  await here.remove('sys/fs/cgroup/memory.max');
  await here.put('sys/fs/cgroup/memory/memory.limit_in_bytes', '9223372036854771712\n');
  assert.equal((await here.look())('memory limit').state, 'ok');
});

test('unset variables are reported with the manifest that sets them', async () => {
  await using here = await pod();
  assert.match((await here.look())('POD_NAME').fix ?? '', /fieldPath: metadata\.name/);
});

test('an API server with any response is reachable; an unresponsive one is reported', async () => {
  await using here = await pod();
  await using api = await scriptedApi(status(401));
  await here.put(`${ACCOUNT}/ca.crt`, api.authority.certificate);
  const env = (port: string) => ({ KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: port });
  assert.equal((await here.look(env(new URL(api.url).port)))('API server').state, 'ok');
  assert.equal(api.requests[0]?.token, undefined);
  const gone = (await here.look(env(String(await freePort()))))('API server');
  assert.deepEqual([gone.state, /ECONNREFUSED/.test(gone.detail)], ['lacks', true]);
});

test('the command accepts a helper, in both forms, and rejects others', async () => {
  for (const word of ['probe', 'kolla-probe']) {
    const { stdout } = await runHelper('kolla-pod', ['doctor', word, '-o', 'json']);
    const findings = JSON.parse(stdout) as Finding[];
    assert.ok(findings.length > 0 && findings.every(({ helpers }) => helpers.includes('kolla-probe')));
  }
  assert.equal((await runHelper('kolla-pod', ['doctor', 'prob'])).code, 64);
});
