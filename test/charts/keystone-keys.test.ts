import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { osloOption } from '../../src/oslo/ini.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { configJsonOf, filesOf, mainOf, podOf, podYamlOf, textAt } from './service-charts.ts';
import { rendering, type KubeObject, type Rendered, type Rendering } from './support.ts';

const KEYS = ['fernet-keys', 'credential-keys'];

/** Mount path of each Secret with keys in a Pod's container. */
function keyMountsOf(object: KubeObject, container: string): Record<string, string> {
  const { containers, initContainers } = podOf(object);
  const mounts = [...containers, ...initContainers].find(({ name }) => name === container)?.volumeMounts ?? [];
  const named = mounts as readonly { readonly name?: string; readonly mountPath: string }[];
  return Object.fromEntries(
    named.flatMap(({ name, mountPath }) => (KEYS.includes(name ?? '') ? [[name, mountPath]] : [])),
  );
}

describe("Keystone's keys", { skip: (await canRunHelm()) ?? false }, () => {
  let helm: Rendering;
  let rendered: Rendered;
  let keystone: KubeObject;
  before(async () => {
    helm = await rendering('keystone');
    rendered = await helm.render();
    keystone = rendered.one('Deployment', 'keystone');
  });
  after(() => helm[Symbol.asyncDispose]());

  // The volume of a Secret has mode 1777, about which Keystone warns for each token. test/aio checks the modes on a
  // real node.
  test('are copied from the Secrets into directories of mode 0750, which Keystone reads', () => {
    const { config_files: entries } = configJsonOf(filesOf(rendered, keystone));
    for (const name of KEYS) {
      const entry = entries.find(({ dest }) => dest === `/etc/keystone/${name}`) as object;
      const copied = { source: `/var/lib/kolla/${name}/`, owner: 'keystone', perm: '0640', optional: true };
      assert.deepEqual(entry, { ...copied, dest: `/etc/keystone/${name}` });
    }
    const places = { 'fernet-keys': '/var/lib/kolla/fernet-keys', 'credential-keys': '/var/lib/kolla/credential-keys' };
    assert.deepEqual(keyMountsOf(keystone, 'kolla-init'), places);
    assert.deepEqual(keyMountsOf(keystone, 'kolla-sidecar'), places);
    assert.deepEqual(keyMountsOf(keystone, mainOf(keystone).name), {});
  });

  test('are watched by the sidecar, also with a rolling configuration', () => {
    const { sidecar, init } = podYamlOf(rendered, keystone) as {
      readonly sidecar?: { readonly component: readonly string[] };
      readonly init?: object;
    };
    assert.deepEqual(sidecar?.component, ['probe', 'config-watch']);
    assert.deepEqual(init, { watch: { root: '/kolla' } });
  });

  test('are mounted into no Job, not even the one that creates them', () => {
    assert.equal(rendered.of('Job').filter(({ metadata }) => metadata.name.startsWith('keystone-keys-')).length, 1);
    for (const job of rendered.of('Job'))
      assert.doesNotMatch(JSON.stringify(podOf(job).volumes), /fernet-keys|credential-keys/, job.metadata.name);
  });

  test("max_password_length is bcrypt's limit, beyond which Keystone logs a warning for each password", () => {
    const text = textAt(filesOf(rendered, keystone), '/etc/keystone/keystone.conf') ?? '';
    assert.equal(osloOption(text, 'identity', 'max_password_length'), '72');
  });
});
