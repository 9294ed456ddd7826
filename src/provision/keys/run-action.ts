import type { Context } from '../../cli/command.ts';
import { ExitCode } from '../../core/errors.ts';
import { kubeSource, lazyKube } from '../../kube/source.ts';
import type { KeyRepository, Service } from '../../catalog/index.ts';
import { converge } from '../converge/converge.ts';
import type { Effects } from '../converge/effects.ts';
import { readServiceConfig } from '../converge/service-config.ts';
import { directoriesOf, keysPart } from './part.ts';
import { reencryptWith } from './reencrypt.ts';
import { rotateKeys, rulesFor, type GivenRules, type Reencrypt } from './rotate.ts';
import { statusOf } from './status.ts';
import { KeyStore } from './store.ts';

interface ActionOptions extends GivenRules {
  readonly kubeconfig: string | undefined;
  readonly namespace: string | undefined;
  readonly keysFrom: readonly string[];
  readonly serviceConfig: string | undefined;
  readonly timeout: number;
  readonly output: 'table' | 'json';
}

/** Runs `create`, `rotate` or `status` for these repositories, one after the other. */
export async function runAction(
  action: string | undefined,
  service: Service,
  repositories: readonly KeyRepository[],
  options: ActionOptions,
  context: Context,
): Promise<ExitCode> {
  const { signal, log, stdout, terminal, inherited } = context;
  const { timeout: timeoutMs, settle } = options;
  const effects: Effects = { signal, log, timeoutMs, deadline: AbortSignal.timeout(timeoutMs) };
  using kube = lazyKube(() => kubeSource(options.kubeconfig, inherited), options.namespace);
  const stores = repositories.map((each) => new KeyStore(each, kube.get, effects));
  if (action === 'status') {
    const { text, isWhole } = await statusOf(stores, settle, { terminal, output: options.output });
    stdout(text);
    return isWhole ? ExitCode.ok : ExitCode.no;
  }
  if (action === 'create') {
    const made = await converge(keysPart(stores, directoriesOf(options.keysFrom, repositories)), effects);
    log.info(made === 0 ? 'all keys exist' : `keys: ${made === 1 ? '1 Secret' : `${made} Secrets`} made`);
    return ExitCode.ok;
  }
  const config = await readServiceConfig(service, options.serviceConfig, inherited);
  // The tool would quote an invalid line, which may contain a password.
  if (repositories.some(({ reencrypt }) => reencrypt !== undefined)) config.check();
  const configFile = options.serviceConfig ?? service.configFile ?? '';
  for (const store of stores) {
    const { repository } = store;
    const rules = rulesFor(repository, options, config, log);
    const reencrypt: Reencrypt = (ring) => reencryptWith(repository, ring, { ...effects, configFile, env: inherited });
    await rotateKeys(store, rules, repository.reencrypt === undefined ? undefined : reencrypt, effects);
  }
  return ExitCode.ok;
}
