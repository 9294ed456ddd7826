import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from '../support/cache.ts';
import type { Capability } from '../support/capability.ts';
import { must, run } from '../support/process.ts';

/** The release of kolla-ansible whose health checks ours stand for. */
export const KOLLA_ANSIBLE_VERSION = '22.2.0';
/** What reads and renders them as Ansible does. */
const RENDERER = ['jinja2==3.1.6', 'MarkupSafe==3.0.3', 'PyYAML==6.0.3'];
const SCRIPT = fileURLToPath(new URL('healthchecks.py', import.meta.url));

/** A health check that kolla-ansible declares. */
export interface Declared {
  /** What its variable is named by: the container's name, but for two. */
  readonly name: string;
  readonly test: string;
}

/** All of them, rendered with kolla-ansible's defaults for Debian's images. */
export async function declaredHealthchecks(): Promise<Declared[]> {
  const folder = await packages();
  const data = `kolla_ansible-${KOLLA_ANSIBLE_VERSION}.data/data/share/kolla-ansible/ansible`;
  const env = { ...process.env, PYTHONPATH: join(folder, 'python') };
  const rows = JSON.parse(await must('python3', [SCRIPT, join(folder, data)], { env })) as [string, string][];
  return rows.map(([name, test]) => ({ name, test }));
}

async function packages(): Promise<string> {
  return await cached('kolla-ansible', [KOLLA_ANSIBLE_VERSION, ...RENDERER], async (folder) => {
    const quiet = ['--no-deps', '--only-binary', ':all:', '--quiet', '--disable-pip-version-check'];
    const wanted = `kolla-ansible==${KOLLA_ANSIBLE_VERSION}`;
    await must('python3', ['-m', 'pip', 'download', ...quiet, '--dest', folder, wanted]);
    const wheel = `kolla_ansible-${KOLLA_ANSIBLE_VERSION}-py3-none-any.whl`;
    await must('python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder]);
    await must('python3', ['-m', 'pip', 'install', ...quiet, '--target', join(folder, 'python'), ...RENDERER]);
  });
}

/** Whether the package can be had: it is in the cache, or pip finds it. */
export const canHaveKollaAnsible: Capability = async () => {
  const pip = await run('python3', ['-m', 'pip', '--version']).catch(() => undefined);
  if (pip?.code !== 0) return 'no pip to fetch the package kolla-ansible with';
  return await packages().then(
    () => undefined,
    (error: unknown) => `the package kolla-ansible can't be fetched: ${String(error).slice(0, 200)}`,
  );
};
