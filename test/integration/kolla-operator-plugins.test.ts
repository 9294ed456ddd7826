import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { environment } from '../../src/operator/helm/environment.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunHelm, helmBinary } from '../../tools/helm.ts';
import { must } from '../../tools/process.ts';

const skip = (await canRunHelm()) ?? false;

test("kolla-operator's Helm has no plugins and no settings of HELM_*", { skip }, async () => {
  await using place = await privateDirectory('plugins');
  const [own, users] = [join(place.path, 'data/plugins'), join(place.path, 'users')];
  for (const plugins of [own, users]) {
    await mkdir(join(plugins, 'trap'), { recursive: true });
    const plugin = 'name: trap\nversion: 1.0.0\nusage: x\ndescription: x\ncommand: "true"\n';
    await writeFile(join(plugins, 'trap/plugin.yaml'), plugin);
  }
  const file = await helmBinary();
  const settings = { HELM_PLUGINS: users, HELM_NAMESPACE: 'other', HELM_KUBETOKEN: 'x', HELM_DRIVER: 'configmap' };
  const inherited = { PATH: process.env['PATH'], HTTPS_PROXY: 'http://proxy.test', ...settings };
  // The trap works: Helm would load it.
  assert.match(await must(file, ['plugin', 'list'], { env: inherited }), /trap/);
  const env = environment(place.path, inherited);
  assert.doesNotMatch(await must(file, ['plugin', 'list'], { env }), /trap/);
  const shown = await must(file, ['env'], { env });
  assert.match(shown, /^HELM_PLUGINS="\/dev\/null"$/m);
  assert.match(shown, /^HELM_NAMESPACE="default"$/m);
  assert.match(shown, /^HELM_KUBETOKEN=""$/m);
  assert.equal(env['HELM_DRIVER'], 'secret');
  assert.equal(env['HTTPS_PROXY'], 'http://proxy.test');
});
