import assert from 'node:assert/strict';
import { chown, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunCompose, installCompose } from '../cluster/docker/compose.ts';
import { canRunDocker, startDocker, type Docker } from '../cluster/docker/index.ts';
import { canBuildInfrastructureImages, infrastructureImage } from '../cluster/infrastructure-image.ts';
import { canBuildKeystoneImage } from '../cluster/keystone-image.ts';
import { VERSION } from '../../src/core/version.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { canBuildImages, podImages, unmodifiedKeystone } from '../cluster/pod-images.ts';
import { firstLacking } from '../../tools/capability.ts';
import { run, type Finished } from '../../tools/process.ts';
import { examplesOf } from '../docs/examples.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(20);

const ROOT = new URL('../..', import.meta.url).pathname;
/** The project's own images; those of services are covered by the other suites. */
const IMAGE = `kolla-pod:${VERSION}`;
const HARDENED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
const EXAMPLE_LIMIT_MS = 10 * 60_000;

/** A probe's own limit of 900 ms is for a kubelet, which asks again: a busy machine takes seconds. */
const PATIENT = 'docker run --env KOLLA_PROBE_TIMEOUT=30s';
/** The page's blocks without build commands, which the test has already run. */
const examples = examplesOf(await readFile(join(ROOT, 'docs/how-to/images.md'), 'utf8')).map((example) => {
  const script = example.script.replaceAll(/^make .*\n/gm, '');
  return { ...example, script: script.includes(' probe ') ? script.replaceAll('docker run', PATIENT) : script };
});
const capabilities = [canRunDocker, canBuildImages, canBuildKeystoneImage, canBuildInfrastructureImages, canRunCompose];
const skip = await firstLacking(capabilities);

describe('on a real engine', { skip }, () => {
  let docker: Docker;
  /** The working directory of the reader: the repository root until a block changes it. */
  let here: string;
  before(async () => {
    docker = await startDocker();
    here = join(docker.directory, 'repository');
    await installCompose(docker);
    await mkdir(join(here, 'dist/images'), { recursive: true });
    await cp(join(ROOT, 'images'), join(here, 'images'), { recursive: true });
    for (const { file } of (await podImages()).filter(({ kind }) => kind !== 'operator')) {
      await symlink(file, join(here, 'dist/images', basename(file)));
      await docker.must(['load', '--input', file]);
    }
    const archive = join(docker.directory, 'image.tar');
    await unmodifiedKeystone(archive, 'your/keystone:1');
    await docker.must(['load', '--input', archive]);
    await infrastructureImage('mariadb', archive, { binary: (await podBinary()).binary, reference: 'my/mariadb:1' });
    await docker.must(['load', '--input', archive]);
  });
  after(async () => await docker?.[Symbol.asyncDispose]());

  test('install runs as uid 65532 with a read-only root, no capabilities and no privilege escalation', async () => {
    const { code, stdout } = await docker.run(['run', '--rm', ...HARDENED, IMAGE, 'doctor', '--output', 'json']);
    assert.ok(code === 0 || code === 1, stdout);
    assert.match(stdout, /65532/);
    assert.equal(
      await docker.must(['run', '--rm', ...HARDENED, IMAGE, '--version']),
      `kolla-pod ${VERSION} (kolla-pod)\n`,
    );
  });

  test('install has all names except Kolla’s scripts on its PATH, and no shell', async () => {
    const entry = (name: string) => ['run', '--rm', '--entrypoint', name, IMAGE];
    assert.equal(await docker.must([...entry('kolla-init'), '--version']), `kolla-init ${VERSION} (kolla-core)\n`);
    assert.equal((await docker.run([...entry('sh'), '-c', 'true'])).code, 127);
  });

  test('scratch has no libc, so it does not start', async () => {
    const { code, stderr } = await docker.run([
      'run',
      '--rm',
      `${IMAGE}-scratch`,
      '/opt/kolla-pod/kolla-pod',
      '--version',
    ]);
    assert.notEqual(code, 0);
    assert.match(stderr, /no such file or directory/);
  });

  test('install fills a volume as the service’s uid, and a second run leaves it unchanged', async () => {
    const volume = join(docker.directory, 'volume');
    await mkdir(volume);
    await chown(volume, 42_425, 42_425);
    const mount = ['--user=42425:42425', ...HARDENED, `--volume=${volume}:/opt/kolla-pod`];
    const install = ['run', '--rm', ...mount, IMAGE, 'install', '/opt/kolla-pod'];
    assert.match((await docker.run(install)).stderr, /"msg":"installed"/);
    assert.match((await docker.run(install)).stderr, /"msg":"up to date"/);
    const service = ['run', '--rm', ...mount, 'your/keystone:1', '/opt/kolla-pod/bin/kolla-init', '--version'];
    assert.equal(await docker.must(service), `kolla-init ${VERSION} (kolla-core)\n`);
  });

  test('reports a volume mounted noexec', async () => {
    const mount = ['--mount', 'type=tmpfs,destination=/shared,tmpfs-mode=1777'];
    const { code, stderr } = await docker.run(['run', '--rm', ...HARDENED, ...mount, IMAGE, 'install', '/shared']);
    assert.equal(code, 69, stderr);
    assert.match(stderr, /mount \/shared without noexec/);
  });

  for (const [index, { script, prints }] of examples.entries()) {
    const title = script.split('\n').find((line) => line.includes('docker ')) ?? script;
    test(`the page's example ${index + 1} works as printed: ${title.slice(0, 70)}`, async () => {
      const { code, stdout, stderr } = await play(script);
      assert.equal(code, 0, stdout + stderr);
      if (prints !== undefined) assert.match(stdout + stderr, prints);
    });
  }

  test('compose removes everything it created', async () => {
    assert.equal(await docker.must(['ps', '--all', '--quiet', '--filter', 'name=example']), '');
    assert.doesNotMatch(await docker.must(['volume', 'ls', '--quiet']), /example|kolla-pod/);
  });

  /** Runs a block in the working directory that the previous block has left. */
  async function play(script: string): Promise<Finished> {
    const file = join(docker.directory, 'here');
    const words = ['-c', `set -euo pipefail\n${script}\npwd > '${file}'`];
    const signal = AbortSignal.timeout(EXAMPLE_LIMIT_MS);
    const finished = await run('bash', words, { cwd: here, env: docker.env, signal });
    if (finished.code === 0) here = (await readFile(file, 'utf8')).trim();
    return finished;
  }
});
