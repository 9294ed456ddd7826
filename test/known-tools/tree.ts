/**
 * The real tools of the services that the catalogue knows, in the layout of Kolla's images:
 *
 *   services of charts: the release's tree (../cloud/trees); the others of the newest release: NAME.txt here
 *     (versions and hashes) -> /var/lib/kolla/venv (../cloud/trees/environment.ts)
 *   -> above Debian's tree, with its own mounts: run by the test, with the test's network
 *
 * NAME.in: what a lock has, made by ../cloud/trees/lock.ts. Errors: no root, no PyPI, a file with another hash.
 */
import { chmod, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { debianTree } from '../cloud/trees/debian.ts';
import { compile, install, UNUSED } from '../cloud/trees/environment.ts';
import { releaseTree } from '../cloud/trees/release.ts';

/** Locks here, by the service whose tool is in them; the other services' are in the release's tree. */
const BARBICAN = '2026.2-barbican';
const OTHERS = '2026.2';
const LOCKS: Readonly<Record<string, string>> = {
  aodh: OTHERS,
  barbican: BARBICAN,
  blazar: OTHERS,
  cloudkitty: OTHERS,
  cyborg: OTHERS,
  designate: BARBICAN,
  gnocchi: OTHERS,
  ironic: OTHERS,
  magnum: OTHERS,
  manila: OTHERS,
  masakari: OTHERS,
  mistral: OTHERS,
  octavia: OTHERS,
  skyline: OTHERS,
  tacker: OTHERS,
  trove: OTHERS,
  watcher: OTHERS,
};
/** Services of charts with a tool that reads an oslo.config file, in the release's tree. */
const OF_CHARTS = ['cinder', 'glance', 'heat', 'keystone', 'neutron', 'nova', 'nova-cell', 'placement'];
const NEWEST = '2026.2';
const RELEASES = ['2025.1', '2025.2', '2026.1', NEWEST];
const RECIPE_VERSION = '1';

/** All tools that can be run: those of services with charts of each release, and the others of the newest. */
export function toolsOf(): { service: string; release: string }[] {
  const others = Object.keys(LOCKS).map((service) => ({ service, release: NEWEST }));
  return [...others, ...RELEASES.toReversed().flatMap((release) => OF_CHARTS.map((service) => ({ service, release })))];
}

/** The version of the distribution with a tool. */
export async function versionOfTool(service: string, release: string): Promise<string> {
  const lock = LOCKS[service];
  const file = new URL(lock === undefined ? `../cloud/releases/${release}.txt` : `${lock}.txt`, import.meta.url);
  const project = service.replace(/-cell$/, '');
  const text = await readFile(file, 'utf8');
  const [, version] = new RegExp(`^(?:openstack-|python-)?${project}(?:-apiserver)?==(\\S+)`, 'm').exec(text) ?? [];
  if (version === undefined) throw new Error(`${service} is not in ${file.pathname}`);
  return version;
}

/** Trees in the order of overlayfs, with the tool of a service of a release, in which a program can be started. */
export async function toolTree(service: string, release: string): Promise<string> {
  const lock = LOCKS[service];
  if (lock !== undefined && release !== NEWEST) throw new Error(`no ${service} of ${release} is locked`);
  return `${lock === undefined ? await releaseTree(release) : await lockedTree(lock)}:${await debianTree()}`;
}

/** Tested by building it, which is immediate if it is cached. */
export function canRunTool(service: string, release: string): Capability {
  return async () => {
    try {
      await toolTree(service, release);
      return undefined;
    } catch (error) {
      return `${service}'s tool can't be installed here: ${messageOf(error)}`;
    }
  };
}

async function lockedTree(name: string): Promise<string> {
  const lock = fileURLToPath(new URL(`${name}.txt`, import.meta.url));
  const madeFrom = [RECIPE_VERSION, basename(await debianTree()), await readFile(lock, 'utf8'), ...UNUSED];
  return await cached(`known-tools-${name}`, madeFrom, async (root) => {
    await install(root, lock);
    await compile(root);
    await chmod(root, 0o755);
  });
}
