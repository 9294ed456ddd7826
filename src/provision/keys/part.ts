import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../core/defined.ts';
import { ConfigError, UsageError, reasonOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { suggestion } from '../../core/nearest.ts';
import { givenKubeSource, lazyKube } from '../../kube/source.ts';
import type { KeyRepository } from '../../catalog/index.ts';
import type { Part, PartSource, Planned } from '../converge/change.ts';
import type { BootstrapOptions } from '../options/options.ts';
import { isKey, newRing, type Ring } from './ring.ts';
import { KEY_NUMBER, ringText } from './secret.ts';
import { KeyStore } from './store.ts';

/** The option for existing keys, as named in messages. */
const KEYS_FROM = '--keys-from';

/**
 * The part `keys` of a service with keys. Without an API server to store them (outside Kubernetes, or without a
 * ServiceAccount token) it logs this and returns undefined.
 * @throws UsageError for --keys-from without a repository; ConfigError if keys were requested, and there is no API
 * server
 */
export function readKeys(
  repositories: readonly KeyRepository[],
  { kubeconfig, namespace, keysFrom, only }: Pick<BootstrapOptions, 'kubeconfig' | 'namespace' | 'keysFrom' | 'only'>,
  inherited: NodeJS.ProcessEnv,
  log: Log,
): PartSource | undefined {
  const directories = directoriesOf(keysFrom, repositories);
  const source = givenKubeSource(kubeconfig, inherited);
  if (source === undefined) {
    const why = 'no --kubeconfig, and no ServiceAccount is mounted';
    if (only.includes('keys') || directories.size > 0) throw new ConfigError(`keys are kept in Secrets: ${why}`);
    log.info(`keys: ${why}: they are not changed`);
    return undefined;
  }
  return {
    secrets: [],
    open(effects, stack) {
      const kube = stack.use(lazyKube(() => source, namespace));
      const stores = repositories.map((each) => new KeyStore(each, kube.get, effects));
      return [keysPart(stores, directories)];
    },
  };
}

/**
 * The part `keys`: a Secret with keys for each repository without one. Existing keys are never changed or removed: data
 * encrypted with them would be lost.
 * @param directories existing keys to import instead of new ones, by repository name
 */
export function keysPart(stores: readonly KeyStore[], directories: ReadonlyMap<string, string>): Part {
  return {
    name: 'keys',
    async plan() {
      const planned: Planned[] = [];
      for (const store of stores) planned.push(...(await planStore(store, directories.get(store.repository.name))));
      return planned;
    },
    planRemoval: () => Promise.resolve([]),
  };
}

async function planStore(store: KeyStore, directory: string | undefined): Promise<Planned[]> {
  const found = await store.read();
  if (found !== undefined && found.ring.keys.size > 0) return [];
  const ring = directory === undefined ? newRing(Date.now()) : await ringOfDirectory(directory, KEYS_FROM, Date.now());
  const [name = ''] = (await store.place()).split(' ').slice(1);
  return [
    {
      action: found === undefined ? 'create' : 'update',
      kind: 'secret',
      name,
      fields: [
        {
          name: 'keys',
          ...defined({ before: found === undefined ? undefined : 'none' }),
          after: `${ringText(ring)}${directory === undefined ? '' : ` of ${directory}`}`,
        },
      ],
      apply: () => store.write(found, ring),
    },
  ];
}

/**
 * `--keys-from`: directories by repository name.
 * @throws UsageError for an unknown repository
 */
export function directoriesOf(words: readonly string[], repositories: readonly KeyRepository[]): Map<string, string> {
  const names = repositories.map(({ name }) => name);
  const directories = new Map<string, string>();
  for (const word of words) {
    const [, name = '', directory = ''] = /^([^=/]+)=(.+)$/.exec(word) ?? [];
    if (directory === '')
      throw new UsageError(`--keys-from ${word}: write NAME=DIRECTORY, such as fernet=/etc/keystone/fernet-keys`);
    if (!names.includes(name)) throw new UsageError(`--keys-from ${word}: no keys '${name}'${suggestion(name, names)}`);
    if (directories.has(name)) throw new UsageError(`--keys-from: ${name} is given twice: leave one out`);
    directories.set(name, directory);
  }
  return directories;
}

/**
 * The keys of a directory, as written by keystone-manage or mounted from a Secret.
 * @param option name of the option that gave the directory, for messages
 * @throws ConfigError if the directory is unreadable or has no keys, or a file is invalid; the message never contains
 * the file's text
 */
export async function ringOfDirectory(directory: string, option: string, now: number): Promise<Ring> {
  try {
    const keys = new Map<number, string>();
    for (const name of (await readdir(directory)).filter((each) => KEY_NUMBER.test(each))) {
      const path = join(directory, name);
      if (!(await stat(path)).isFile()) continue;
      const text = await readFile(path, 'latin1');
      // Empty files are ignored, as by the services.
      if (text.trim() === '') continue;
      if (!isKey(text)) throw new ConfigError(`${path}, given by ${option}, is not a Fernet key`);
      keys.set(Number(name), text);
    }
    if (keys.size === 0) throw new ConfigError(`${directory}, given by ${option}, contains no keys`);
    return { keys, promoted: new Map(), changedAt: now };
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`cannot read ${directory}, given by ${option}: ${reasonOf(cause)}`, { cause });
  }
}
