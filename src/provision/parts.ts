import type { Context } from '../cli/command.ts';
import { ConfigError, UsageError } from '../core/errors.ts';
import { redactor, type Redact } from '../core/redact.ts';
import type { Service } from '../catalog/index.ts';
import { PARTS, type Part, type PartName, type PartSource } from './converge/change.ts';
import type { Effects } from './converge/effects.ts';
import type { Purpose } from './keystone/index.ts';
import type { BootstrapOptions } from './options/options.ts';
import { readServiceConfig } from './converge/service-config.ts';

/** Parts with open connections. */
export interface OpenParts extends Disposable {
  readonly parts: readonly Part[];
}

/** Input of the requested parts. It is read once and opened for each attempt. */
interface Prepared {
  /** Redacts the secrets of this input. */
  readonly redact: Redact;
  /** These parts in order. Their requests are aborted by the signals of `effects`. */
  readonly open: (names: readonly PartName[], effects: Effects) => OpenParts;
}

/**
 * Reads options and files for these parts, without contacting a server.
 * @throws UsageError, ConfigError for missing or invalid input
 */
export async function prepare(
  service: Service,
  options: BootstrapOptions,
  chosen: readonly PartName[],
  context: Pick<Context, 'log' | 'inherited'>,
  purpose: Purpose,
): Promise<Prepared> {
  const sources = chosen.length === 0 ? [] : await readSources(service, options, chosen, context, purpose);
  return {
    redact: redactor(sources.flatMap(({ secrets }) => secrets)),
    open(names, effects) {
      using stack = new DisposableStack();
      const all = sources.flatMap((source) => source.open(effects, stack));
      const moved = stack.move();
      return { parts: all.filter(({ name }) => names.includes(name)), [Symbol.dispose]: () => moved.dispose() };
    },
  };
}

async function readSources(
  service: Service,
  options: BootstrapOptions,
  chosen: readonly PartName[],
  { log, inherited }: Pick<Context, 'log' | 'inherited'>,
  purpose: Purpose,
): Promise<PartSource[]> {
  const { name, identity, queue, keys } = service;
  if (identity === undefined && queue === undefined && keys === undefined) {
    throw new ConfigError(
      `the requirements of ${name} in Keystone and RabbitMQ are unknown: define identity and queue for ` +
        'it under services in kolla-pod.yaml',
    );
  }
  const config = await readServiceConfig(service, options.serviceConfig, inherited);
  const sources: (PartSource | undefined)[] = [];
  // Loaded lazily: a Job that skips a part does not load it.
  if (queue !== undefined && chosen.includes('queue')) {
    const { findTransport } = await import('./rabbitmq/transport.ts');
    const found = await findTransport(queue, options, config, log);
    if (found !== undefined) {
      const { queueSource } = await import('./rabbitmq/index.ts');
      sources.push(queueSource(name, found.broker, found.transport, found.secrets));
    }
  }
  if (keys !== undefined && chosen.includes('keys')) {
    const { readKeys } = await import('./keys/part.ts');
    sources.push(readKeys(keys, options, inherited, log));
  }
  if (chosen.includes('users') || chosen.includes('endpoints')) {
    const { readKeystone } = await import('./keystone/index.ts');
    sources.push(await readKeystone(service, options, chosen, config, inherited['HOME'], purpose));
  }
  return sources.filter((source) => source !== undefined);
}

/** The requested parts in order. Throws UsageError if none is left. */
export function chosenParts({ only, skip }: Pick<BootstrapOptions, 'only' | 'skip'>): PartName[] {
  const chosen = PARTS.filter((part) => (only.length === 0 || only.includes(part)) && !skip.includes(part));
  if (chosen.length === 0) throw new UsageError('--only and --skip leave nothing to do');
  return chosen;
}
