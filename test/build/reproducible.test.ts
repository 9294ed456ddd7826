import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { HERE } from '../../build/base.ts';
import { KINDS } from '../../build/images/contents.ts';
import { buildImages } from '../../build/images/index.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { canBuildImages, podImages } from '../cluster/pod-images.ts';
import { cacheRoot } from '../../tools/cache.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must, run } from '../../tools/process.ts';

const BUILD = new URL('../../build/binary.ts', import.meta.url).pathname;
const ARCH = HERE.arch === 'x64' ? 'amd64' : 'arm64';

test('two concurrent rebuilds in other directories with other homes yield the same binary, and leave nothing else', async () => {
  await using directory = await privateDirectory('reproducible');
  const home = join(directory.path, 'home');
  await mkdir(home);
  const build = async (name: string, env: NodeJS.ProcessEnv) => {
    const out = join(directory.path, name);
    await must(process.execPath, [BUILD, '--quiet', '--out', out], {
      // The compiler and the engine of kolla-core are not downloaded again.
      env: { PATH: process.env['PATH'], KOLLA_POD_CACHE: cacheRoot(), ...env },
    });
    return out;
  };
  const outs = await Promise.all([
    build('second', { HOME: home }),
    build('third/deeper', { HOME: '/nonexistent', TZ: 'Asia/Tokyo' }),
  ]);
  const { directory: place } = await podBinary();
  for (const out of outs) {
    for (const name of ['kolla-pod', 'kolla-core']) {
      // Says where they differ: the offset is in one asset.
      const { code, stdout, stderr } = await run('cmp', [join(out, name), join(place, name)]);
      assert.equal(code, 0, `${stdout}${stderr}`);
    }
    assert.deepEqual(await readdir(out), ['bin', 'kolla-core', 'kolla-pod', 'rootless-bin']);
  }
  assert.deepEqual(await readdir(home), []);
});

test(
  'a second build of the images in another directory yields the same files with the same ids',
  {
    skip: await canBuildImages(),
  },
  async () => {
    const images = await podImages();
    await using directory = await privateDirectory('images');
    const again = await buildImages({
      directory: directory.path,
      target: HERE,
      repository: 'kolla-pod',
      say: () => {},
    });
    assert.deepEqual(
      again.map(({ id }) => id),
      images.map(({ id }) => id),
    );
    for (const kind of KINDS) {
      const [one, other] = [images, again].map((each) => each.find((image) => image.kind === kind)?.file ?? '');
      assert.equal(await sha256(other ?? ''), await sha256(one ?? ''));
    }
    const sums = await must('sha256sum', ['--check', `SHA256SUMS.${ARCH}`], { cwd: directory.path });
    assert.equal(sums.match(/: OK$/gm)?.length, 2 * KINDS.length + 1);
  },
);

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
