/**
 * `node bench/soak/kolla-base.ts`: builds Kolla's base image with kolla-build and our override, and checks it.
 *
 *   Debian by mmdebstrap -> a real engine -> kolla-build from PyPI, without anything that package registries lack
 *     -> kolla/base -> each of Kolla's commands run in it -> the size of our layer, and of removable packages
 *
 * It takes at least four minutes, so the tests only render the Dockerfiles.
 */
import assert from 'node:assert/strict';
import { VERSION } from '../../src/core/version.ts';
import { debianSystem } from '../../test/cluster/debian-system.ts';
import { startDocker } from '../../test/cluster/docker/index.ts';
import { BASE_IMAGE, kollaBuild, SUITE } from '../../test/cluster/kolla-build.ts';
import { podImages } from '../../test/cluster/pod-images.ts';
import { KOLLA_VERSION } from '../../test/contract/kolla-package.ts';
import { privateDirectory } from '../../tools/directory.ts';

const BASE = `kolla/base:${KOLLA_VERSION}`;
/** Packages that could be removed, each by itself, from an image that does not need them. */
const COULD_GO = ['sudo', 'socat', 'python3 python3-pip'];
const NAMES = ['kolla_start', 'kolla_set_configs', 'kolla_copy_cacerts', 'healthcheck_port', 'healthcheck_socket'];

await using directory = await privateDirectory('kolla');
await using docker = await startDocker({ network: 'machine' });
const path = 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
await docker.must(['import', '--change', path, await debianSystem(SUITE), `${BASE_IMAGE}:${SUITE}`]);
for (const { file } of await podImages()) await docker.must(['load', '--input', file]);
const { code, stdout, stderr } = await kollaBuild(
  { directory: directory.path, env: docker.env, registriesOnly: true },
  ['--threads=1', '^base$'],
);
if (code !== 0) throw new Error(`kolla-build ended with ${code}: ${(stdout + stderr).slice(-4000)}`);
console.log(`built ${BASE} with kolla-build ${KOLLA_VERSION} and images/kolla/template-override.j2`);

for (const name of NAMES) {
  const found = (await inBase(`readlink -f "$(command -v ${name})"`)).trim();
  assert.match(found, /^\/opt\/kolla-pod\//, `${name} leads to ${found}`);
}
console.log(`${NAMES.join(', ')} lead to /opt/kolla-pod`);
assert.equal(await inBase('kolla-init --version'), `kolla-init ${VERSION} (kolla-pod)\n`);
const config = `{"command": "echo begun", "config_files": []}`;
const begin = `mkdir -p /var/lib/kolla/config_files; echo '${config}' > /var/lib/kolla/config_files/config.json; kolla_start`;
assert.match(await inBase(begin, ['--env', 'KOLLA_CONFIG_STRATEGY=COPY_ALWAYS']), /^begun$/m);
console.log('kolla_start puts a configuration in place there, and becomes its command');

const all = await sizeOf();
const layers = (
  await docker.must(['history', '--no-trunc', '--human=false', '--format', '{{.Size}} {{.CreatedBy}}', BASE])
)
  .split('\n')
  .filter((line) => line.includes('/opt/kolla-pod'));
const ours = layers.reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
console.log(`base: ${mib(all)}, of it kolla-pod: ${mib(ours)}`);
for (const packages of COULD_GO) console.log(`without ${packages}: ${await freed(packages)} less`);
console.log(`lsof, which is left out: ${await said('apt-get --assume-no install --no-install-recommends lsof', true)}`);

async function inBase(script: string, options: readonly string[] = []): Promise<string> {
  return await docker.must(['run', '--rm', '--network=none', ...options, BASE, 'bash', '-c', script]);
}

async function sizeOf(): Promise<number> {
  return Number(await docker.must(['image', 'inspect', '--format', '{{.Size}}', BASE]));
}

/** Space freed by removing the packages, and those that no other package then needs. */
async function freed(packages: string): Promise<string> {
  return await said(`SUDO_FORCE_REMOVE=yes apt-get --assume-no --autoremove purge ${packages}`, false);
}

/** Space that a step takes or frees according to apt, in a dry run. */
async function said(step: string, needsLists: boolean): Promise<string> {
  const update = needsLists ? 'apt-get -qq update; ' : '';
  const { stdout: text } = await docker.run(['run', '--rm', '--network=host', BASE, 'bash', '-c', `${update}${step}`]);
  const size = /(?:operation, |needed: |Freed space: )(?<size>[\d.,]+ [kM]?B)/.exec(text)?.groups?.['size'];
  assert.ok(size, `apt did not say what '${step}' takes or frees: ${text.slice(-500)}`);
  return size;
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
