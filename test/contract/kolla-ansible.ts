import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must, run } from '../../tools/process.ts';

/** The last versions of kolla-ansible's releases, by the number of the release; release 23 is not published. */
export const KOLLA_ANSIBLE_VERSIONS = {
  18: '18.8.0',
  19: '19.8.0',
  20: '20.6.0',
  21: '21.3.0',
  22: '22.2.0',
} as const;
/** The version whose health checks ours replace. */
export const KOLLA_ANSIBLE_VERSION: Version = KOLLA_ANSIBLE_VERSIONS[22];
export type Version = (typeof KOLLA_ANSIBLE_VERSIONS)[keyof typeof KOLLA_ANSIBLE_VERSIONS];
/** Packages that parse and render templates like Ansible. */
const RENDERER = ['jinja2==3.1.6', 'MarkupSafe==3.0.3', 'PyYAML==6.0.3'];
const HEALTHCHECKS_SCRIPT = fileURLToPath(new URL('healthchecks.py', import.meta.url));
const CONTAINERS_SCRIPT = fileURLToPath(new URL('containers.py', import.meta.url));

/** A health check that kolla-ansible declares. */
export interface Declared {
  /** The name in the variable that declares the check: the container's name, with two exceptions. */
  readonly name: string;
  readonly test: string;
  /** False if kolla-ansible leaves it out unless told otherwise. */
  readonly isEnabled: boolean;
}

/** The directory of kolla-ansible's roles, each of which has the templates of its services. */
export async function rolesDirectory(): Promise<string> {
  return join((await packageOf(KOLLA_ANSIBLE_VERSION)).ansible, 'roles');
}

/** All health checks, rendered with kolla-ansible's defaults for Debian's images. */
export async function declaredHealthchecks(version: Version = KOLLA_ANSIBLE_VERSION): Promise<Declared[]> {
  const rows = (await printedBy(version, HEALTHCHECKS_SCRIPT)) as [string, string, boolean][];
  return rows.map(([name, test, isEnabled]) => ({ name, test, isEnabled }));
}

/** A container that kolla-ansible deploys. */
export interface Deployed {
  /** kolla-ansible's name for it: `nova_super_conductor`. */
  readonly name: string;
  /** The image without registry and tag. */
  readonly image: string;
  /** The command in its config.json. */
  readonly command: string;
}

/** The containers of some roles, with kolla-ansible's defaults, without commands that contain a condition. */
export async function deployedContainers(roles: readonly string[]): Promise<Deployed[]> {
  const rows = (await printedBy(KOLLA_ANSIBLE_VERSION, CONTAINERS_SCRIPT, ...roles)) as [string, string, string][];
  return rows.map(([name, image, command]) => ({ name, image, command }));
}

/** The output of a script in this directory. */
async function printedBy(version: Version, script: string, ...words: readonly string[]): Promise<unknown> {
  const { ansible, python } = await packageOf(version);
  // -B: writes no compiled files next to the scripts.
  const args = ['-B', script, ansible, ...words];
  return JSON.parse(await must('python3', args, { env: { ...process.env, PYTHONPATH: python } }));
}

/** A version's directory `ansible`, and the Python packages that parse and render it. */
async function packageOf(version: Version): Promise<{ readonly ansible: string; readonly python: string }> {
  const directory = await cached('kolla-ansible', [version, ...RENDERER], async (place) => {
    const quiet = ['--no-deps', '--only-binary', ':all:', '--quiet', '--disable-pip-version-check'];
    await must('python3', ['-m', 'pip', 'download', ...quiet, '--dest', place, `kolla-ansible==${version}`]);
    await must('python3', ['-m', 'zipfile', '-e', join(place, `kolla_ansible-${version}-py3-none-any.whl`), place]);
    await must('python3', ['-m', 'pip', 'install', ...quiet, '--target', join(place, 'python'), ...RENDERER]);
  });
  const data = `kolla_ansible-${version}.data/data/share/kolla-ansible`;
  return { ansible: join(directory, data, 'ansible'), python: join(directory, 'python') };
}

/** Whether the package is available: in the cache or through pip. */
export const canHaveKollaAnsible: Capability = async () => {
  const pip = await run('python3', ['-m', 'pip', '--version']).catch(() => undefined);
  if (pip?.code !== 0) return 'no pip to fetch the package kolla-ansible with';
  return await packageOf(KOLLA_ANSIBLE_VERSION).then(
    () => undefined,
    (error: unknown) => `the package kolla-ansible can't be fetched: ${String(error).slice(0, 200)}`,
  );
};
