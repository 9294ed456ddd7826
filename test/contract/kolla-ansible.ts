import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must, run } from '../../tools/process.ts';

/** The release of kolla-ansible whose health checks ours replace. */
export const KOLLA_ANSIBLE_VERSION = '22.2.0';
/** Packages that parse and render templates like Ansible. */
const RENDERER = ['jinja2==3.1.6', 'MarkupSafe==3.0.3', 'PyYAML==6.0.3'];
const ANSIBLE = `kolla_ansible-${KOLLA_ANSIBLE_VERSION}.data/data/share/kolla-ansible/ansible`;
const HEALTHCHECKS_SCRIPT = fileURLToPath(new URL('healthchecks.py', import.meta.url));
const CONTAINERS_SCRIPT = fileURLToPath(new URL('containers.py', import.meta.url));

/** A health check that kolla-ansible declares. */
export interface Declared {
  /** The name in the variable that declares the check: the container's name, with two exceptions. */
  readonly name: string;
  readonly test: string;
}

/** The directory of kolla-ansible's roles, each of which has the templates of its services. */
export async function rolesDirectory(): Promise<string> {
  return join(await packages(), ANSIBLE, 'roles');
}

/** All health checks, rendered with kolla-ansible's defaults for Debian's images. */
export async function declaredHealthchecks(): Promise<Declared[]> {
  const rows = (await printedBy(HEALTHCHECKS_SCRIPT)) as [string, string][];
  return rows.map(([name, test]) => ({ name, test }));
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
  const rows = (await printedBy(CONTAINERS_SCRIPT, ...roles)) as [string, string, string][];
  return rows.map(([name, image, command]) => ({ name, image, command }));
}

/** The output of a script in this directory. */
async function printedBy(script: string, ...words: readonly string[]): Promise<unknown> {
  const directory = await packages();
  // -B: writes no compiled files next to the scripts.
  const args = ['-B', script, join(directory, ANSIBLE), ...words];
  return JSON.parse(await must('python3', args, { env: { ...process.env, PYTHONPATH: join(directory, 'python') } }));
}

async function packages(): Promise<string> {
  return await cached('kolla-ansible', [KOLLA_ANSIBLE_VERSION, ...RENDERER], async (directory) => {
    const quiet = ['--no-deps', '--only-binary', ':all:', '--quiet', '--disable-pip-version-check'];
    const wanted = `kolla-ansible==${KOLLA_ANSIBLE_VERSION}`;
    await must('python3', ['-m', 'pip', 'download', ...quiet, '--dest', directory, wanted]);
    const wheel = `kolla_ansible-${KOLLA_ANSIBLE_VERSION}-py3-none-any.whl`;
    await must('python3', ['-m', 'zipfile', '-e', join(directory, wheel), directory]);
    await must('python3', ['-m', 'pip', 'install', ...quiet, '--target', join(directory, 'python'), ...RENDERER]);
  });
}

/** Whether the package is available: in the cache or through pip. */
export const canHaveKollaAnsible: Capability = async () => {
  const pip = await run('python3', ['-m', 'pip', '--version']).catch(() => undefined);
  if (pip?.code !== 0) return 'no pip to fetch the package kolla-ansible with';
  return await packages().then(
    () => undefined,
    (error: unknown) => `the package kolla-ansible can't be fetched: ${String(error).slice(0, 200)}`,
  );
};
