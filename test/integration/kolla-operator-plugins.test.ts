import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { environment } from '../../src/operator/helm/environment.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunHelm, helmBinary } from '../../tools/helm.ts';
import { must, run } from '../../tools/process.ts';

/** Each type of plugin, and each runtime: a program, or WebAssembly. */
const PLUGINS = {
  trap: 'usage: x\ndescription: x\ncommand: "true"\n',
  'trap-wasm': 'apiVersion: v1\ntype: getter/v1\nruntime: extism/v1\nconfig: { protocols: [trap-wasm] }\n',
  'trap-output':
    'apiVersion: v1\ntype: postrenderer/v1\nruntime: subprocess\nruntimeConfig: { platformCommand: [{ command: cat }] }\n',
};

const skip = (await canRunHelm()) ?? false;

test("kolla-operator's Helm has no plugins and no settings of HELM_*", { skip }, async () => {
  await using place = await privateDirectory('plugins');
  const [own, users] = [join(place.path, 'data/plugins'), join(place.path, 'users')];
  for (const plugins of [own, users]) {
    for (const [name, plugin] of Object.entries(PLUGINS)) {
      await mkdir(join(plugins, name), { recursive: true });
      await writeFile(join(plugins, name, 'plugin.yaml'), `name: ${name}\nversion: 1.0.0\n${plugin}`);
      await writeFile(join(plugins, name, 'plugin.wasm'), Buffer.from('0061736d01000000', 'hex'));
    }
  }
  const file = await helmBinary();
  const settings = { HELM_PLUGINS: users, HELM_NAMESPACE: 'other', HELM_KUBETOKEN: 'x', HELM_DRIVER: 'configmap' };
  const inherited = { PATH: process.env['PATH'], HTTPS_PROXY: 'http://proxy.test', ...settings };
  // The traps work: Helm would load them.
  const listed = await must(file, ['plugin', 'list'], { env: inherited });
  for (const name of Object.keys(PLUGINS)) assert.match(listed, new RegExp(`^${name}\\s`, 'm'));
  const env = environment(place.path, inherited);
  assert.doesNotMatch(await must(file, ['plugin', 'list'], { env }), /trap/);
  // Helm 4 loads those for a chart's address or its output by type, not by `plugin list`.
  for (const [args, refusal] of [
    [['trap-wasm://a/b.tgz'], /scheme "trap-wasm" not supported/],
    [['.', '--post-renderer=trap-output'], /plugin: \{Name:trap-output Type:postrenderer\/v1\} not found/],
  ] as const) {
    const { code, stderr } = await run(file, ['template', 'x', ...args], { env });
    assert.equal(code, 1);
    assert.match(stderr, refusal);
  }
  const shown = await must(file, ['env'], { env });
  assert.match(shown, /^HELM_PLUGINS="\/dev\/null"$/m);
  assert.match(shown, /^HELM_NAMESPACE="default"$/m);
  assert.match(shown, /^HELM_KUBETOKEN=""$/m);
  assert.equal(env['HELM_DRIVER'], 'secret');
  assert.equal(env['HTTPS_PROXY'], 'http://proxy.test');
});
