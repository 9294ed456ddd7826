import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { VERSION } from '../../src/core/version.ts';
import {
  BASE_IMAGE,
  canRunKollaBuild,
  kollaBuild,
  kollaTemplates,
  OVERRIDE,
  SUITE,
  type KollaBuildOptions,
} from '../cluster/kolla-build.ts';
import { LATEST_KOLLA_VERSION } from '../contract/kolla-package.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(20);

const IMAGES = ['^keystone$', '^mariadb-server$', '^rabbitmq$'];
const DIRECTORIES = { base: 'base', keystone: 'keystone/keystone', mariadb: 'mariadb-server', rabbitmq: 'rabbitmq' };
const skip = await canRunKollaBuild();

test('by default the override copies from the image of this version', async () => {
  assert.match(await readFile(OVERRIDE, 'utf8'), new RegExp(`default\\('kolla-pod:${VERSION}-scratch', true\\)`));
  const examples = ['copied', 'image-volume'].map((name) => `k8s/examples/install/${name}.yaml`);
  for (const file of ['docs/how-to/images.md', 'images/Containerfile', ...examples]) {
    const named = (await readFile(file, 'utf8')).matchAll(/\bkolla-pod:(?<tag>\d[\w.]*)/g);
    assert.deepEqual([...new Set([...named].map(({ groups }) => groups?.['tag']))], [VERSION], file);
  }
});

describe('kolla-build with our override', { skip }, () => {
  /** The Dockerfile of each image, with the defaults and for rootless images with another base. */
  let plain: Record<keyof typeof DIRECTORIES, string>;
  let rootless: Record<keyof typeof DIRECTORIES, string>;
  before(async () => {
    plain = await rendered({});
    rootless = await rendered({ KOLLA_POD_ROOTLESS: '1', KOLLA_POD_IMAGE: 'registry.example/kolla-pod:9' });
  });

  test('base gets the binary after Kolla’s own files, so Kolla’s names link to it', () => {
    const { base } = plain;
    assert.match(base, new RegExp(`^FROM ${BASE_IMAGE}:${SUITE}$`, 'm'));
    const copied = base.indexOf(`COPY --from=kolla-pod:${VERSION}-scratch /opt/kolla-pod /opt/kolla-pod\n`);
    const kollas = ['COPY set_configs.py /usr/local/bin/kolla_set_configs', 'COPY start.sh /usr/local/bin/kolla_start'];
    for (const line of [...kollas, 'chmod 2775 /var/log/kolla'])
      assert.ok(base.includes(line) && base.indexOf(line) < copied, `${line} stands behind ours`);
    const links = /^RUN ln -sf \/opt\/kolla-pod\/bin\/\* \/usr\/local\/bin\/$/m;
    assert.match(base.slice(copied), links);
    assert.match(base.slice(copied), /^CMD \["kolla_start"\]$/m);
  });

  test('no image overwrites our health checks with Kolla’s own', () => {
    for (const text of Object.values(plain)) assert.doesNotMatch(text, /healthcheck_(curl|mariadb|rabbitmq)/);
  });

  test('only base copies the binary, which is one layer of all images', () => {
    for (const [name, text] of Object.entries(plain)) assert.equal(text.includes('kolla-pod:'), name === 'base', name);
  });

  test('lsof is not installed, and sudo is unless images are rootless', () => {
    const packagesOf = (text: string) =>
      /apt-get -y install --no-install-recommends (?<list>.*dumb-init.*?) &&/.exec(text);
    const [some = [], fewer] = [plain, rootless].map(
      ({ base }) => packagesOf(base)?.groups?.['list']?.split(' ') ?? [],
    );
    assert.ok(some.includes('sudo') && some.includes('socat') && some.includes('python3') && !some.includes('lsof'));
    assert.deepEqual(
      fewer,
      some.filter((name) => name !== 'sudo'),
    );
  });

  test('in rootless images sudo is ours, and the image to copy from is configurable', () => {
    assert.match(rootless.base, /^COPY --from=registry\.example\/kolla-pod:9 \/opt\/kolla-pod \/opt\/kolla-pod$/m);
    assert.match(rootless.base, / \/opt\/kolla-pod\/bin\/\* \/opt\/kolla-pod\/rootless-bin\/\* \/usr\/local\/bin\/$/m);
    assert.doesNotMatch(plain.base, /rootless-bin/);
  });

  for (const base of ['debian', 'rocky'])
    test(`the same on ${base} with Kolla ${LATEST_KOLLA_VERSION}`, async () => {
      const text = (await rendered({ KOLLA_POD_ROOTLESS: '1' }, { base, version: LATEST_KOLLA_VERSION }, ['base']))
        .base;
      assert.ok(text.includes(`COPY --from=kolla-pod:${VERSION}-scratch /opt/kolla-pod /opt/kolla-pod\n`));
      const packages = / install (.*dumb-init.*?) (?:&&|\\)/.exec(text)?.[1]?.split(' ') ?? [];
      assert.deepEqual(
        [packages.includes('lsof'), packages.includes('sudo'), packages.includes('socat')],
        [false, false, true],
      );
      assert.equal(text.includes('healthcheck_curl'), false);
    });

  test('a Kolla without the template block for the binary is rejected', async () => {
    await using directory = await privateDirectory('kolla');
    const change = async (templates: string) => {
      const file = join(templates, 'base/Dockerfile.j2');
      const text = await readFile(file, 'utf8');
      assert.ok(text.includes('block base_footer'));
      await writeFile(file, text.replace('block base_footer', 'block base_end'));
    };
    const options = { directory: directory.path, env: { PATH: process.env['PATH'] }, change };
    const { code, stdout, stderr } = await kollaBuild(options, ['--template-only', '^base$']);
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /base\/Dockerfile\.j2 has no block base_footer/);
  });
});

async function rendered(
  variables: NodeJS.ProcessEnv,
  options: Pick<KollaBuildOptions, 'base' | 'version'> = {},
  names: readonly string[] = Object.keys(DIRECTORIES),
): Promise<Record<keyof typeof DIRECTORIES, string>> {
  await using directory = await privateDirectory('kolla');
  const env = { PATH: process.env['PATH'], ...variables };
  const work = await kollaTemplates({ directory: directory.path, env, ...options }, IMAGES);
  const wanted = Object.entries(DIRECTORIES).filter(([name]) => names.includes(name));
  const texts = wanted.map(
    async ([name, path]) => [name, await readFile(join(work, path, 'Dockerfile'), 'utf8')] as const,
  );
  return Object.fromEntries(await Promise.all(texts)) as Record<keyof typeof DIRECTORIES, string>;
}
