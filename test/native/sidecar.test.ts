/** kolla-sidecar: an uncaught error is charged to its component, as on Node; what needs kolla-pod. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { kubeconfigOf } from '../support/kubeconfig.ts';

const missing = await canBuildCore();
const skip = missing ?? false;
const directory = await privateDirectory('core-sidecar');
after(async () => await directory[Symbol.asyncDispose]());
const env = { PATH: process.env['PATH'] };

const FIXTURE = join(import.meta.dirname, 'fixtures/kolla-sidecar.ts');
const ON_NODE = `const { main } = await import(${JSON.stringify(FIXTURE)}); process.exit(await main(process.argv.slice(1)));`;
const broken = join(directory.path, 'broken');
if (missing === undefined) await coreBinary(broken, ['kolla-sidecar'], 'test/native/fixtures');

for (const [engine, command] of [
  ['Node', [process.execPath, '--input-type=module', '-e', ON_NODE]],
  ['kolla-core', [join(broken, 'core-bin/kolla-sidecar')]],
] as [string, [string, ...string[]]][]) {
  const [program, ...words] = command;
  for (const how of ['timer', 'immediate', 'rejection', 'socket', 'child'])
    test(`${engine}: an error in the callback of a component is charged to it alone: ${how}`, { skip }, async () => {
      const { code, stdout, stderr } = await run(program, [...words, how], { env });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^failed, .*the other components continue: our bug, please report it: boom$/m);
      assert.match(stdout, /^config-watch running 1, waits running 0$/m);
      assert.match(stdout, /^config-watch stopped, waits stopped\n$/m);
      assert.equal(stdout.includes('the other one was asked'), how === 'socket');
    });

  test(`${engine}: an error of a stopping component does not end the process`, { skip }, async () => {
    const { code, stdout } = await run(program, [...words, 'stop'], { env });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^config-watch running 0, waits running 0$/m);
    assert.equal(stdout.match(/^after its end: our bug, please report it: while it stops$/gm)?.length, 2, stdout);
    assert.match(stdout, /^config-watch stopped, waits stopped\n$/m);
  });

  test(`${engine}: an error of no component ends the process`, { skip }, async () => {
    const { code, stdout } = await run(program, [...words, 'outside'], { env });
    assert.equal(code, 70, stdout);
    assert.match(stdout, /^ends with boom\n$/m);
  });
}

const whole = join(directory.path, 'whole');
if (missing === undefined) await coreBinary(whole, ['kolla-sidecar']);

const kubeconfig = join(directory.path, 'kubeconfig');
const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'a' } };
writeFileSync(kubeconfig, kubeconfigOf({ server: 'https://127.0.0.1:1' }, user));

for (const [what, sections, says] of [
  [
    'component db-sync',
    { sidecar: { component: ['db-sync'], service: 'nova' } },
    "component 'db-sync' needs kolla-pod: ",
  ],
  [
    'wait with a login by an exec plugin',
    { sidecar: { component: ['waits'] }, init: { wait: ['job/a'], kubeconfig } },
    'component waits: an exec plugin in its kubeconfig needs kolla-pod: wait in kolla-init',
  ],
] as const)
  test(`without kolla-pod the ${what} is refused before anything listens`, { skip }, async () => {
    const file = join(directory.path, 'kolla-pod.yaml');
    // No process can listen there, which would be another error.
    writeFileSync(file, JSON.stringify({ ...sections, sidecar: { ...sections.sidecar, listen: '203.0.113.1:1' } }));
    const { code, stderr } = await run(join(whole, 'core-bin/kolla-sidecar'), ['--config', file], { env });
    assert.equal(code, 69, stderr);
    assert.ok(stderr.includes(says), stderr);
  });

test('URLs of checks, waits and actions may be written in any form', { skip }, async () => {
  const file = join(directory.path, 'kolla-pod.yaml');
  const sections = {
    sidecar: { component: ['probe', 'config-watch', 'waits'], listen: '203.0.113.1:1' },
    checks: { api: { run: 'http HTTP://127.1:1/a/../%41?x' } },
    init: {
      wait: ['http://LOCALHOST:1/%zz'],
      watch: { root: directory.path, 'on-change': ['http:POST http://A:1/|'] },
    },
  };
  writeFileSync(file, JSON.stringify(sections));
  const { stderr } = await run(join(whole, 'core-bin/kolla-sidecar'), ['--config', file], { env });
  // Everything before that is valid.
  assert.match(stderr, /cannot listen on 203\.0\.113\.1:1/);
});
