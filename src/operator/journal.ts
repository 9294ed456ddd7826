import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { KINDS, type Kind } from './api/objects.ts';

/** An object during which so many processes died is tried last. */
const DEATHS = 2;

/** An object in whose turn processes died. */
export interface Suspect {
  readonly kind: Kind;
  readonly name: string;
  readonly deaths: number;
}

/**
 * The turns that are taken, as files (`1 turn`: the second time, after a death): what is in a turn at the start was so when a
 * former process died, whether by the kernel for its memory or by the kubelet. A directory of the Pod outlives its containers,
 * and costs no request per turn.
 */
export class Journal {
  readonly #directory: string;
  readonly #log: Log;
  readonly #deaths = new Map<string, number>();

  /** @param directory is created; a turn in it counts as a death */
  constructor(directory: string, log: Log) {
    this.#directory = directory;
    this.#log = log;
    this.#try(() => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      for (const file of readdirSync(directory)) {
        const [, deaths = 0, turn] = /^(\d+)( turn)?$/.exec(readFileSync(join(directory, file), 'latin1')) ?? [];
        const died = Number(deaths) + (turn === undefined ? 0 : 1);
        this.#deaths.set(file, died);
        writeFileSync(join(directory, file), `${died}`);
      }
    });
  }

  /** The objects that are tried last. */
  suspects(): Suspect[] {
    return [...this.#deaths]
      .filter(([, deaths]) => deaths >= DEATHS)
      .flatMap(([file, deaths]) => {
        const [kind = '', ...rest] = file.split('.');
        return Object.hasOwn(KINDS, kind) ? [{ kind: kind as Kind, name: rest.join('.'), deaths }] : [];
      });
  }

  isSuspect(kind: Kind, name: string): boolean {
    return (this.#deaths.get(fileOf(kind, name)) ?? 0) >= DEATHS;
  }

  begin(kind: Kind, name: string): void {
    const file = fileOf(kind, name);
    this.#try(() => writeFileSync(join(this.#directory, file), `${this.#deaths.get(file) ?? 0} turn`));
  }

  /**
   * However the turn has ended: an error is no death.
   * @param goesOn another turn follows at once, such as Helm after an unlock: former deaths may be of that one
   */
  end(kind: Kind, name: string, goesOn: boolean = false): void {
    const file = fileOf(kind, name);
    if (!goesOn) this.#deaths.delete(file);
    const deaths = this.#deaths.get(file);
    const path = join(this.#directory, file);
    this.#try(() => (deaths === undefined ? rmSync(path, { force: true }) : writeFileSync(path, `${deaths}`)));
  }

  /** A full or read-only directory is no reason to stop: it only takes this protection. */
  #try(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#log.warn(`turns are not recorded: ${messageOf(error)}`);
    }
  }
}

function fileOf(kind: Kind, name: string): string {
  return `${kind}.${name}`;
}
