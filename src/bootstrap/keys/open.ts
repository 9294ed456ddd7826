import { ConfigError } from '../../core/errors.ts';
import { givenKubeSource, lazyKube } from '../../kube/source.ts';
import type { KeyRepository } from '../../catalog/keys.ts';
import type { Part } from '../change.ts';
import type { Effects } from '../effects.ts';
import { foldersOf } from './folders.ts';
import { keysPart } from './part.ts';
import { KeyStore } from './store.ts';

export interface KeysOptions {
  readonly kubeconfig: string | undefined;
  readonly namespace: string | undefined;
  readonly keysFrom: readonly string[];
  /** The parts that were asked for by name. */
  readonly only: readonly string[];
}

/** The part, and its connections. */
export interface OpenKeys extends Disposable {
  readonly part: Part;
}

/**
 * The part `keys` of a service that has some. Undefined, which is said, where there is no API server to keep them: a
 * container that no Kubernetes runs, or without a ServiceAccount's token.
 * @throws UsageError for --keys-from that is for no keys; ConfigError where keys were asked for, and there is no API server
 */
export function openKeys(
  repositories: readonly KeyRepository[],
  { kubeconfig, namespace, keysFrom, only }: KeysOptions,
  inherited: NodeJS.ProcessEnv,
  effects: Effects,
): OpenKeys | undefined {
  const folders = foldersOf(keysFrom, repositories);
  const source = givenKubeSource(kubeconfig, inherited);
  if (source === undefined) {
    const why = 'no --kubeconfig, and no ServiceAccount is mounted';
    if (only.includes('keys') || folders.size > 0) throw new ConfigError(`keys are kept in Secrets: ${why}`);
    effects.log.info(`keys: ${why}: they are left alone`);
    return undefined;
  }
  const kube = lazyKube(() => source, namespace);
  const stores = repositories.map((each) => new KeyStore(each, kube.get, effects));
  return { part: keysPart(stores, folders), [Symbol.dispose]: () => kube[Symbol.dispose]() };
}
