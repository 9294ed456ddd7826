/** The commands of docs/how-to/advanced.md for an external Ceph, run as they stand. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../../src/core/defined.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import type { Ceph, CephOptions } from '../../cluster/ceph.ts';
import { kubectlBinary } from '../../cluster/kubernetes/index.ts';
import { writeScript } from '../../cluster/site.ts';
import { cephLayer } from '../trees/ceph.ts';
import { debianTree } from '../trees/debian.ts';
import { runInTree } from '../trees/in-tree.ts';
import { blocksUnder } from '../../docs/page.ts';

/** The content of Secrets by name and key. */
export type Secrets = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Runs them on a host with Ceph's clients and the administrator's key. kubectl is the real one, but it prints its objects instead
 * of sending them.
 * @param place as of startCeph()
 * @returns the Secrets that it would have created
 */
export async function runPage(ceph: Ceph, place?: CephOptions['place']): Promise<Secrets> {
  await using directory = await privateDirectory('ceph-page');
  const [etc, bin, out] = ['etc', 'bin', 'out'].map((name) => join(directory.path, name)) as [string, string, string];
  for (const made of [etc, bin, out]) await mkdir(made);
  await writeFile(join(etc, 'ceph.conf'), ceph.confFile);
  await writeFile(join(etc, 'ceph.client.admin.keyring'), ceph.adminKeyring, { mode: 0o600 });
  await writeScript(bin, 'kubectl', '/opt/kubectl --dry-run=client --output=json >>/out/secrets.json');
  const script = (await blocksUnder('how-to/advanced', 'External Ceph', 'sh')).join('');
  const { code, stdout, stderr } = await runInTree(
    `${await cephLayer()}:${await debianTree()}`,
    ['bash', '-euo', 'pipefail', '-c', script],
    {
      binds: [
        { from: etc, to: '/etc/ceph' },
        { from: join(bin, 'kubectl'), to: '/usr/local/bin/kubectl' },
        { from: await kubectlBinary(), to: '/opt/kubectl' },
        { from: out, to: '/out' },
      ],
      ...defined({ place }),
    },
  );
  if (code !== 0) throw new Error(`the commands of advanced.md ended with ${code}: ${stdout}${stderr}`);
  const objects = (await readFile(join(out, 'secrets.json'), 'utf8')).split(/(?<=^\})\n/m).filter(Boolean);
  return new Map(
    objects.map((text) => {
      const { metadata, data } = JSON.parse(text) as { metadata: { name: string }; data: Record<string, string> };
      const entries = Object.entries(data).map(
        ([key, value]) => [key, Buffer.from(value, 'base64').toString()] as const,
      );
      return [metadata.name, new Map(entries)];
    }),
  );
}
