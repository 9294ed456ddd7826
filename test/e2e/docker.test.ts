/**
 * docs/start/docker.md from its first block to its last, word for word, as a newcomer types them: in the directory of a
 * release for the first, then in an empty one. On this machine stand-ins take the place of
 *
 *   the public images of Python and MariaDB: test/cluster/docker/public-images.ts, by the same names
 *   the program kind: kind-stand-ins.ts
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeRelease } from '../../build/release/index.ts';
import { firstLacking } from '../../tools/capability.ts';
import { run, type Finished } from '../../tools/process.ts';
import { canRunDocker, startDocker, type Docker } from '../cluster/docker/index.ts';
import { addPublicImages, canBuildPublicImages } from '../cluster/docker/public-images.ts';
import { canBuildCoredns, canRunNode, kubectlBinary, startNode } from '../cluster/kubernetes/index.ts';
import { canBuildImages, podImages } from '../cluster/pod-images.ts';
import { examplesOf } from '../docs/examples.ts';
import { fileLimit } from '../support/file-limit.ts';
import { until } from '../support/until.ts';
import { kindStandIn } from './kind-stand-ins.ts';

fileLimit(20);

const PAGE = await readFile(new URL('../../docs/start/docker.md', import.meta.url), 'utf8');
const NEEDED = [canRunDocker, canRunNode, canBuildCoredns, canBuildImages, canBuildPublicImages];
const skip = await firstLacking(NEEDED);
const examples = examplesOf(PAGE);

/** The name of an image on the page, such as `python:3.13-slim`. */
function imageOf(name: string): string {
  const reference = new RegExp(`\\b${name}:[\\w.-]+`).exec(PAGE)?.[0];
  assert.ok(reference, `the page has no image of ${name}`);
  return reference;
}

describe('docs/start/docker.md on a real engine and a real node', { skip: skip ?? false }, () => {
  const stack = new AsyncDisposableStack();
  let docker: Docker;
  let release: string;
  let reader: string;
  let env: NodeJS.ProcessEnv;
  let startedMs: number;

  before(async () => {
    docker = stack.use(await startDocker());
    const node = stack.use(await startNode({ dns: true }));
    await addPublicImages(docker, imageOf('python'), imageOf('mariadb'));
    release = await writeRelease({
      directory: docker.directory,
      images: (await podImages()).filter(({ kind }) => kind === 'install'),
      compression: 'gzip',
      repository: 'localhost/kolla-pod',
      source: { uri: '', commit: 'c'.repeat(40), time: '2026-01-02T03:04:05Z', lockfile: '0' },
      builder: 'urn:kolla-pod:test',
    });
    const bin = join(docker.directory, 'programs');
    reader = join(docker.directory, 'reader');
    for (const directory of [bin, reader]) await mkdir(directory);
    await script(join(bin, 'kubectl'), `exec '${await kubectlBinary()}' --kubeconfig '${node.kubeconfig}' "$@"`);
    await script(join(bin, 'kind'), `exec '${await kindStandIn(node, docker.directory)}' kind "$@"`);
    env = { ...docker.env, PATH: `${bin}:${docker.env['PATH']}` };
    startedMs = performance.now();
  });
  after(async () => await stack.disposeAsync());

  for (const [index, { script: block, prints }] of examples.entries()) {
    const title = block.split('\n').find((line) => /^(?:docker|kubectl)/.test(line)) ?? block.split('\n')[0];
    test(`block ${index + 1}: ${title?.slice(0, 80)}`, async () => {
      const outputOf = async () => {
        const { code, stdout, stderr } = await typed(block, index === 0 ? release : reader);
        assert.equal(code, 0, stdout + stderr);
        return stdout + stderr;
      };
      if (prints === undefined) return void (await outputOf());
      // A log is read again, as a reader does, until the line is there.
      if (!/^kubectl .* logs /m.test(block)) return assert.match(await outputOf(), prints);
      await until(`${prints}`, async (saw) => {
        const output = await outputOf();
        saw(output);
        return prints.test(output) || undefined;
      });
    });
  }

  test('nothing is left of it, and it took less than the 15 minutes that the page states', async (t) => {
    const minutes = (performance.now() - startedMs) / 60_000;
    t.diagnostic(`docs/start/docker.md, all blocks: ${minutes.toFixed(1)} minutes`);
    assert.match(PAGE, /15 minutes/);
    assert.equal(await docker.must(['ps', '--all', '--quiet']), '');
    assert.equal(await docker.must(['volume', 'ls', '--quiet']), '');
    assert.equal(await docker.must(['network', 'ls', '--quiet', '--filter', 'name=try']), '');
  });

  /** Runs a block in a directory. Like a person's shell it goes on to its end, but the test needs the first failure. */
  async function typed(block: string, cwd: string): Promise<Finished> {
    return await run('bash', ['--norc', '-euo', 'pipefail', '-c', block], { cwd, env });
  }
});

async function script(file: string, text: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}
