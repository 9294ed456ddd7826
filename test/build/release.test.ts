/**
 * A release of this machine's architecture, published to a real registry by its own publish.sh, and used from there by
 * Helm and by podman's library; the commands are those of docs/how-to/releases.md.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { appendFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { writeRelease } from '../../build/release/index.ts';
import { readSigner } from '../../build/release/key.ts';
import { VERSION } from '../../src/core/version.ts';
import { firstLacking } from '../../tools/capability.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { canRunHelm, helm } from '../../tools/helm.ts';
import { must, run, type Finished } from '../../tools/process.ts';
import { canBuildImages, podImages } from '../cluster/pod-images.ts';
import { canRunRegistry, skopeoFor, startRegistry, type Registry } from '../cluster/registry.ts';
import { canJudgeSignatures, copyByPolicy } from '../cluster/signature-policy.ts';
import { commandOf, EXAMPLE, printedBy } from '../cluster/release-page.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';
const skip = await firstLacking([canBuildImages, canRunRegistry, canRunHelm]);
const skipPolicy = skip ?? (await canJudgeSignatures());

describe('a release', { skip: skip ?? false }, () => {
  let directory: Directory;
  let registry: Registry;
  /** The release, and its public key, which the site obtains separately. */
  let place: string;
  let key: string;
  let skopeo: string;
  let target: string;

  before(async () => {
    directory = await privateDirectory('release');
    registry = await startRegistry();
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const secret = join(directory.path, 'secret.pem');
    key = join(directory.path, 'cosign.pub');
    await writeFile(secret, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(key, publicKey.export({ type: 'spki', format: 'pem' }));
    place = await writeRelease({
      directory: directory.path,
      images: await podImages(),
      compression: 'gzip',
      repository: 'localhost/kolla-pod',
      source: { uri: '', commit: 'c'.repeat(40), time: '2026-01-02T03:04:05Z', lockfile: '0' },
      builder: 'urn:kolla-pod:test',
      signer: await readSigner(secret, ''),
    });
    skopeo = await skopeoFor(directory.path, [registry.address]);
    target = `${registry.address}/team/kolla-pod`;
    const { code, stdout, stderr } = await publish(place, [target]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, printedBy('./publish.sh'));
  });
  after(async () => {
    await registry?.[Symbol.asyncDispose]();
    await directory?.[Symbol.asyncDispose]();
  });

  const publish = async (release: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> =>
    await run(join(release, 'publish.sh'), args, {
      env: { PATH: process.env['PATH'], SKOPEO: skopeo, KEY: key, ...env },
    });
  const tagsIn = async (repository: string, at = registry.address): Promise<string[]> => {
    const response = await fetch(`http://${at}/v2/${repository}/tags/list`);
    const { tags = [] } = (await response.json()) as { tags?: string[] };
    return tags;
  };
  const digestOf = async (repository: string, tag: string): Promise<string> => {
    const headers = { accept: `${INDEX}, application/vnd.oci.image.manifest.v1+json` };
    const response = await fetch(`http://${registry.address}/v2/${repository}/manifests/${tag}`, {
      method: 'HEAD',
      headers,
    });
    return response.headers.get('docker-content-digest') ?? '';
  };
  const policy = (identity: object) => ({
    default: [{ type: 'reject' }],
    transports: { docker: { [target]: [{ type: 'sigstoreSigned', keyPath: key, signedIdentity: identity }] } },
  });
  const identity = { type: 'exactRepository', dockerRepository: 'localhost/kolla-pod' };

  test("the page's commands verify the release's checksums", async () => {
    const script = commandOf('openssl base64').replaceAll('/etc/kolla-pod/cosign.pub', key);
    assert.match(await must('bash', ['-euo', 'pipefail', '-c', script], { cwd: place }), printedBy('openssl base64'));
    await rm(join(place, 'sums.der'));
  });

  test('the registry has every image and chart with the digests of the release', async () => {
    const { manifests } = JSON.parse(await readFile(join(place, 'oci/kolla-pod/index.json'), 'utf8')) as {
      manifests: { digest: string; annotations: Record<string, string> }[];
    };
    const tags = new Map(manifests.map(({ digest, annotations }) => [Object.values(annotations).at(-1)!, digest]));
    assert.deepEqual((await tagsIn('team/kolla-pod')).toSorted(), [...tags.keys()].toSorted());
    for (const [tag, digest] of tags) assert.equal(await digestOf('team/kolla-pod', tag), digest);
    for (const name of chartNames()) assert.ok((await tagsIn(`team/kolla-pod/charts/${name}`)).includes(VERSION), name);
  });

  test('Helm renders the same chart from the registry, from the index over http, and from the archive', async () => {
    const values = join(directory.path, 'values.yml');
    await writeFile(values, 'global: { kollaPod: { image: { reference: x/y:1 } } }\n');
    const options = ['--namespace=openstack', `--values=${values}`];
    const template = async (...chart: string[]) => {
      const { code, stdout, stderr } = await helm(directory.path, ['template', 'memcached', ...chart, ...options]);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const archive = await template(join(place, `charts/memcached-${VERSION}.tgz`));
    assert.match(archive, /kind: StatefulSet/);
    const chart = `oci://${target}/charts/memcached`;
    assert.equal(await template(chart, `--version=${VERSION}`, '--plain-http'), archive);
    await using server = await serveFiles(join(place, 'charts'));
    assert.equal(await template('memcached', `--version=${VERSION}`, `--repo=${server.url}`), archive);
  });

  test('a second publication changes nothing', async () => {
    const former = await digestOf('team/kolla-pod', VERSION);
    const { code, stderr } = await publish(place, [target]);
    assert.equal(code, 0, stderr);
    assert.equal(await digestOf('team/kolla-pod', VERSION), former);
  });

  test('a damaged release, or one that another key signed, is not published', async () => {
    const damaged = join(directory.path, 'damaged');
    await cp(place, damaged, { recursive: true });
    await appendFile(join(damaged, 'globals.yml'), '# changed\n');
    const refused = await publish(damaged, [`${registry.address}/damaged/kolla-pod`]);
    assert.equal(refused.code, 65);
    assert.match(refused.stderr, /globals\.yml[^]*the release is damaged: nothing was published/);
    const other = join(directory.path, 'other.pub');
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    await writeFile(other, publicKey.export({ type: 'spki', format: 'pem' }));
    const foreign = await publish(place, [`${registry.address}/damaged/kolla-pod`], { KEY: other });
    assert.equal(foreign.code, 65);
    assert.match(foreign.stderr, /SHA256SUMS is not signed by .*other\.pub: nothing was published/);
    assert.deepEqual(await tagsIn('damaged/kolla-pod'), []);
    await rm(damaged, { recursive: true });
  });

  test('publish.sh exits with code 64 without a repository, and with 69 without skopeo or a registry', async () => {
    for (const args of [[], [registry.address], ['--all', target], [`${target}/`]])
      assert.equal((await publish(place, args)).code, 64, args.join(' '));
    const without = await publish(place, [target], { SKOPEO: join(directory.path, 'no-skopeo') });
    assert.equal(without.code, 69);
    assert.match(without.stderr, /skopeo is missing/);
    const gone = await publish(place, ['127.0.0.1:1/team/kolla-pod']);
    assert.equal(gone.code, 69);
    assert.match(gone.stderr, /connection refused[^]*was not published/);
  });

  describe('under a policy that requires its signatures', { skip: skipPolicy ?? false }, () => {
    const copy = async (reference: string, over: object = identity): Promise<Finished> => {
      await using own = await privateDirectory('policy');
      return await copyByPolicy(policy(over), reference, own.path);
    };

    test('the images and charts are accepted by podman’s library, with the policy of the page', async () => {
      const shown = JSON.parse(
        commandOf('"sigstoreSigned"').replaceAll(EXAMPLE, target).replaceAll('/etc/kolla-pod/cosign.pub', key),
      ) as object;
      assert.deepEqual(shown, policy(identity));
      for (const tag of [VERSION, `${VERSION}-core`, `${VERSION}-operator`, `${VERSION}-scratch`]) {
        const { code, stderr } = await copy(`${target}:${tag}`);
        assert.equal(code, 0, stderr);
      }
      const chart = { type: 'exactRepository', dockerRepository: 'localhost/kolla-pod/charts/keystone' };
      const { code, stderr } = await copy(`${target}/charts/keystone:${VERSION}`, chart);
      assert.equal(code, 0, stderr);
    });

    test('an image that replaced a tag is refused, with no signature and with that of another image', async () => {
      const fake = `${registry.address}/team/kolla-pod:${VERSION}-core`;
      const digest = await digestOf('team/kolla-pod', `${VERSION}-core`);
      const layer = join(directory.path, 'fake');
      await mkdir(layer);
      await cp(join(place, 'oci/kolla-pod'), join(layer, 'oci'), { recursive: true });
      await must(skopeo, ['copy', '--quiet', `oci:${layer}/oci:${digest.replace(':', '-')}.sig`, `docker://${fake}`]);
      const unsigned = await copy(fake);
      assert.equal(unsigned.code, 1);
      assert.match(unsigned.stderr, /A signature was required, but no signature exists/);
      const replaced = await digestOf('team/kolla-pod', `${VERSION}-core`);
      assert.notEqual(replaced, digest);
      const signature = `docker://${target}:${replaced.replace(':', '-')}.sig`;
      await must(skopeo, ['copy', '--quiet', `oci:${layer}/oci:${digest.replace(':', '-')}.sig`, signature]);
      const foreign = await copy(fake);
      assert.equal(foreign.code, 1);
      assert.match(foreign.stderr, /[Dd]igest/);
    });

    test('a signature for another repository name is refused', async () => {
      const { code, stderr } = await copy(`${target}:${VERSION}`, {
        ...identity,
        dockerRepository: 'localhost/other',
      });
      assert.equal(code, 1);
      assert.match(stderr, /is not accepted/);
    });
  });
});

/** A plain web server over a directory. */
async function serveFiles(directory: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const file = createReadStream(join(directory, basename(request.url ?? '')));
    file.on('error', () => response.writeHead(404).end());
    file.pipe(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() };
}
