import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { runHelper } from '../../support/helper.ts';
import type { Finished } from '../../../tools/process.ts';

/** An object that was printed. */
export interface Printed {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

interface Source {
  readonly name: string;
  readonly items?: readonly { readonly key: string; readonly path: string; readonly mode?: number }[];
}

export interface Mounts {
  readonly volumes: readonly [
    {
      readonly name: string;
      readonly projected: { readonly sources: readonly { readonly configMap?: Source; readonly secret?: Source }[] };
    },
  ];
  readonly volumeMounts: readonly object[];
}

/** A directory in kolla-ansible's layout: config.json copies every other file, unless `entries` is given. */
export async function writeService(
  directory: string,
  files: Readonly<Record<string, string | Buffer>>,
  entries?: readonly object[],
): Promise<void> {
  const own = Object.keys(files).map((path) => takes(path));
  const document = JSON.stringify({ command: 'keystone', config_files: entries ?? own });
  for (const [path, content] of Object.entries({ 'config.json': document, ...files })) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
}

export function takes(path: string, perm = '0600'): object {
  return { source: `/var/lib/kolla/config_files/${path}`, dest: `/etc/keystone/${path}`, owner: 'keystone', perm };
}

export function configmaps(...args: readonly string[]): Promise<Finished> {
  return runHelper('kolla-pod', ['configmaps', ...args]);
}

/** The output after parsing; the command must succeed. */
export async function printed(...args: readonly string[]): Promise<Printed[]> {
  return loadAll(await said(...args)) as Printed[];
}

export async function mounts(...args: readonly string[]): Promise<Mounts> {
  return load(await said(...args, '--mounts')) as Mounts;
}

async function said(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await configmaps(...args);
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`);
  return stdout;
}

/** The content under a key, in either encoding. */
export function contentOf({ kind, data, binaryData }: Printed, key: string): Buffer | undefined {
  const encoded = binaryData?.[key] ?? (kind === 'Secret' ? data?.[key] : undefined);
  if (encoded !== undefined) return Buffer.from(encoded, 'base64');
  const text = data?.[key];
  return text === undefined ? undefined : Buffer.from(text);
}

/** The volume's files as the kubelet projects them: a source without items projects all its keys. */
export function projected({ volumes: [volume] }: Mounts, objects: readonly Printed[]): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const { configMap, secret } of volume.projected.sources) {
    const [kind, source] = configMap === undefined ? ['Secret', secret!] : ['ConfigMap', configMap];
    const object = objects.find((each) => each.kind === kind && each.metadata.name === source.name);
    if (object === undefined) throw new Error(`the volume names ${kind} ${source.name}, which is not printed`);
    const keys = Object.keys({ ...object.data, ...object.binaryData }).map((key) => ({ key, path: key }));
    for (const { key, path } of source.items ?? keys) {
      const content = contentOf(object, key);
      if (content === undefined || files.has(path)) throw new Error(`${path}: ${content ? 'twice' : 'no such key'}`);
      files.set(path, content);
    }
  }
  return files;
}
