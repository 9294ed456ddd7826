import { join } from 'node:path';
import { messageOf } from '../../../src/core/errors.ts';
import { start, tailOf, tied, type Running } from '../../../tools/process.ts';
import { until } from '../../support/until.ts';

/** A program and its arguments, as `start()` and `must()` take them. */
export type Command = readonly [string, readonly string[]];
/** Moves a command elsewhere, for example into namespaces. */
export type Placement = (command: string, args: readonly string[]) => Command;

/** Where the programs of a cluster run, with their inputs. */
export interface Site {
  /** Directory of their state and, in `log/`, their output. */
  readonly directory: string;
  readonly kube: string;
  readonly env: NodeJS.ProcessEnv;
  readonly place: Placement;
}

/** One of the cluster's programs. */
export interface Component {
  readonly name: string;
  readonly running: Running;
  readonly logFile: string;
}

/**
 * Starts a program at its site, killed when this process exits. Its log is `log/NAME.log`; the directory must exist.
 */
export async function startComponent(
  site: Site,
  name: string,
  command: string,
  args: readonly string[],
): Promise<Component> {
  const logFile = join(site.directory, 'log', `${name}.log`);
  const running = await start(...tied(...site.place(command, args)), { env: site.env, logFile });
  return { name, running, logFile };
}

/** Starts one of the multi-call binary's programs. */
export function startKube(site: Site, name: string, flags: Readonly<Record<string, string>>): Promise<Component> {
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  return startComponent(site, name, site.kube, [name, ...args]);
}

/**
 * Polls until there is a result. If the component exits, the error has the end of its log.
 * @param what for the error: `the node to be Ready`
 */
export async function whenUp<T>(component: Component, what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const { child } = component.running;
  try {
    return await until(`${component.name}: ${what}`, async () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`exited with ${child.exitCode ?? child.signalCode} while waiting for ${what}`);
      return await ask();
    });
  } catch (error) {
    const log = tailOf(component.logFile);
    throw new Error(`${component.name}: ${messageOf(error)}. The end of its log:\n${log}`, { cause: error });
  }
}
