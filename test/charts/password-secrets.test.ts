/**
 * Passwords of existing Secrets: Helm never has them, and kolla-init installs the same files, byte for byte, as if
 * Helm had rendered the passwords.
 *   a chart with global.passwords, and with global.passwordSecrets only
 *     -> each Pod's config-files and kolla-pod.yaml, with the user's Secret as the kubelet mounts it
 *     -> kolla-init, a process
 *     -> both trees
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { load } from 'js-yaml';
import { chartNames } from '../../build/charts.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { runHelper } from '../support/helper.ts';
import { podYamlOf, workloadsOf } from './service-charts.ts';
import { PASSWORDS, rendering, sourcesOf, textAt, type KubeObject, type Rendered } from './support.ts';

/** The user's Secret, whose keys differ from the passwords' names. */
const SECRET = 'openstack-passwords';
const keyOf = (name: string) => name.replaceAll('_', '-');
/** Characters that oslo.config and rabbitmq.conf allow, and that URLs, SQL and quotes must escape. */
const PLAIN = String.raw`p\@/%+:;&=?~!*()|é`;
const QUOTED = String.raw`"'$ #$(password:x)`;
const ANY = /^(?:database_password|mariadb_monitor_password|horizon_secret_key|.*_database_password)$/;
const passwords = Object.fromEntries(
  Object.keys(PASSWORDS).map((name) => [name, `${name}${PLAIN}${ANY.test(name) ? QUOTED : ''}`]),
);
const passwordSecrets = Object.fromEntries(
  Object.keys(passwords).map((name) => [name, { secret: SECRET, key: keyOf(name) }]),
);
/** Values without a password: null removes those that `rendering` sets by default. */
const NONE = Object.fromEntries(Object.keys(passwords).map((name) => [name, null]));

const ENV = {
  HOST_IP: '10.0.0.1',
  HOSTNAME: 'pod-0',
  NODE_NAME: 'node-1',
  POD_IP: '10.0.0.2',
  POD_NAME: 'pod-0',
  POD_NAMESPACE: 'openstack',
};

/** All rendered objects as text, including decoded base64. */
function textsOf({ all }: Rendered): string {
  const secrets = all.filter(({ kind }) => kind === 'Secret').flatMap(({ data }) => Object.values(data ?? {}));
  return [JSON.stringify(all), ...secrets.map((text) => Buffer.from(String(text), 'base64').toString())].join('\n');
}

/** The content of each file that a Pod has next to config.json, by its path there. */
function mountedOf(rendered: Rendered, pod: KubeObject): Map<string, string> {
  const names = Object.keys(passwords);
  return new Map(
    Object.entries(sourcesOf(pod)).map(([path, reference]) => {
      const [kind, object, key] = reference.split('/');
      const isOurs = rendered.all.some((one) => one.kind === kind && one.metadata.name === object);
      // Other Secrets of the user, such as the keys of Ceph, are empty here.
      if (object !== SECRET) return [path, isOurs ? textAt(rendered, reference) : ''];
      const name = names.find((one) => keyOf(one) === key);
      return [path, passwords[name ?? ''] ?? assert.fail(`${reference} is no password`)];
    }),
  );
}

/** The files that kolla-init installs. Each owner and group in config.json is an account with the uid of the test's user. */
async function installed(mounted: ReadonlyMap<string, string>, podYaml: object) {
  await using directory = await privateDirectory('passwords', inMemory());
  const [root, config] = [join(directory.path, 'root'), join(directory.path, 'config')];
  const podFile = join(directory.path, 'kolla-pod.yaml');
  for (const [path, content] of mounted) {
    await mkdir(dirname(join(config, path)), { recursive: true });
    await writeFile(join(config, path), content);
  }
  const owners = (mounted.get('config.json') ?? '').match(/(?<="owner": ?")[a-z_:-]+/g) ?? [];
  const accounts = new Set(owners.flatMap((owner) => owner.split(':')));
  const { uid, gid } = userInfo();
  await mkdir(join(root, 'etc'), { recursive: true });
  await writeFile(
    join(root, 'etc/passwd'),
    [...accounts].map((name) => `${name}:x:${uid}:${gid}::/:/bin/sh\n`).join(''),
  );
  await writeFile(join(root, 'etc/group'), [...accounts].map((name) => `${name}:x:${gid}:\n`).join(''));
  await writeFile(podFile, JSON.stringify(podYaml));
  const options = ['--root', root, '--config-dir', config, '--config', podFile];
  const done = await runHelper('kolla-init', options, { env: ENV });
  const said = `${done.stdout}${done.stderr}`.replaceAll(directory.path, '');
  return { code: done.code, said, files: await filesBelow(root) };
}

/** Mode and content by path, except for kolla-init's own state, which contains timestamps of files. */
async function filesBelow(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length);
    if (!entry.isFile() || name.startsWith('/run/kolla/')) continue;
    found[name] = `${((await stat(path)).mode & 0o7777).toString(8)} ${await readFile(path, 'latin1')}`;
  }
  return found;
}

/** The Pods of workloads and of Jobs. */
const podsOf = (rendered: Rendered) => [...workloadsOf(rendered), ...rendered.of('Job')];

describe('passwords of existing Secrets', { skip: (await canRunHelm()) ?? false }, () => {
  for (const name of chartNames()) {
    test(`Helm has none of them: ${name}`, async () => {
      await using chart = await rendering(name);
      const given = await chart.render({ global: { passwords, passwordSecrets } });
      const texts = textsOf(given);
      for (const [password, value] of Object.entries(passwords)) {
        assert.ok(!texts.includes(value), password);
        assert.ok(!texts.includes(JSON.stringify(value).slice(1, -1)), password);
        assert.ok(!texts.includes(`${password}p`), password);
      }
      const alone = await chart.render({ global: { passwords: NONE, passwordSecrets } });
      assert.deepEqual(alone.all, given.all);
    });

    test(`kolla-init installs the files that Helm would have rendered: ${name}`, async () => {
      await using chart = await rendering(name);
      const byHelm = await chart.render({ global: { passwords } });
      const bySecrets = await chart.render({ global: { passwords: NONE, passwordSecrets } });
      const pods = podsOf(bySecrets);
      // Pods are paired by their positions, because a Job's name ends in a hash of its template.
      assert.equal(pods.length, podsOf(byHelm).length);
      let withPasswords = 0;
      for (const [i, pod] of pods.entries()) {
        const other = podsOf(byHelm)[i] ?? assert.fail('as many');
        const wanted = await installed(mountedOf(byHelm, other), podYamlOf(byHelm, other));
        const found = await installed(mountedOf(bySecrets, pod), podYamlOf(bySecrets, pod));
        assert.deepEqual([wanted.code, found.code], [0, 0], wanted.said + found.said);
        assert.deepEqual(found.files, wanted.files, pod.metadata.name);
        const names = Object.keys(sourcesOf(pod)).flatMap((path) => /^\.passwords\/(.*)/.exec(path)?.[1] ?? []);
        // NAMEp is the start of a password in every form.
        for (const one of names)
          assert.ok(
            Object.values(found.files).some((text) => text.includes(`${one}p`)),
            `${one} is in a file`,
          );
        for (const value of Object.values(passwords)) assert.ok(!found.said.includes(value), found.said);
        withPasswords += names.length;
      }
      assert.equal(withPasswords > 0, name !== 'memcached', `${withPasswords} passwords in Pods`);
    });
  }

  test("the page's Secrets are enough for every chart, and it shows how to create one", async () => {
    const page = await readFile(new URL('../../docs/how-to/external-secrets.md', import.meta.url), 'utf8');
    const [values, made] = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => load(text));
    const { global } = values as { global: { passwordSecrets: Record<string, { secret: string }> } };
    const { kind, spec } = made as { kind: string; spec: { target: { name: string } } };
    assert.deepEqual([kind, spec.target.name], ['ExternalSecret', global.passwordSecrets['*']?.secret]);
    for (const name of chartNames()) {
      await using chart = await rendering(name);
      assert.equal(await chart.complaint({ global: { ...global, passwords: NONE } }), undefined);
    }
  });

  test('* is the Secret of each password that has none of its own, with its name as the key', async () => {
    const own = { keystone_admin_password: { secret: 'admin', key: 'password' } };
    const names = Object.keys(passwords).filter((name) => !(name in own));
    const each = Object.fromEntries(names.map((name) => [name, { secret: SECRET, key: name }]));
    await using chart = await rendering('nova');
    const given = async (secrets: object) =>
      (await chart.render({ global: { passwords: NONE, passwordSecrets: { ...own, ...secrets } } })).all;
    assert.deepEqual(await given({ '*': { secret: SECRET } }), await given(each));
  });
});
