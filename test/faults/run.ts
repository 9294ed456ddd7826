import assert from 'node:assert/strict';
import { headOf, judge, rowOf, type Row } from './row.ts';
import { openSite, type ShipperSite, type ShipOptions, type Shipper, type Site, type Writing } from './site.ts';

/** Where the documents go. It is also the only source of what was received. */
export interface Destination {
  /** Options that make the shipper send to it. */
  readonly args: readonly string[];
  /** The message of each document. */
  messages(): Promise<string[]>;
}

/** The size of a run: small in `make test`, large in `make soak`. */
export interface Size {
  readonly events: number;
  readonly kills: number;
  readonly outageMs: number;
  readonly seed: number;
}

export interface Stage extends Size {
  readonly site: Site;
  /** Stops the shipper that is running and starts the next one. Resolves with the exit code. */
  readonly again: (signal: 'SIGTERM' | 'SIGKILL', how?: Again) => Promise<number>;
  /** Resolves when the running shipper follows its files. */
  readonly up: () => Promise<unknown>;
  /** Resolves when the writer is done. */
  readonly written: () => Promise<void>;
}

export interface Again {
  /** Called while no shipper is running. */
  readonly meanwhile?: () => Promise<void>;
  /** Options of the next shipper, which replace the grace period. */
  readonly args?: readonly string[];
}

export interface Fault<To extends Destination = Destination> {
  readonly name: string;
  /** How lines are written; by default one log with the number of events that the size sets. */
  readonly writing?: (size: Size, to: To) => Partial<Writing>;
  /** Additional options of the shipper. */
  readonly args?: (site: Site) => readonly string[];
  /** Options of the first shipper, which replace the grace period. */
  readonly firstArgs?: readonly string[];
  /** Where the shippers run, if not on the file system of the writer. */
  readonly place?: (state: string) => Promise<ShipperSite>;
  /** How the shippers run, if not as usual. */
  readonly shippers?: ShipOptions;
  /** Called before anything is written. */
  readonly before?: (site: Site, to: To) => Promise<void>;
  /** Called while lines are written and shipped. The fault is over when the returned promise resolves. */
  readonly strike?: (stage: Stage, to: To) => Promise<void>;
}

/** Longer than any test, because the shipper exits only when everything is shipped. */
const PATIENT = ['--grace', '1h'];
/** Longer than a busy machine stops a writer in the middle of an event, which would be shipped in two parts. */
const WHOLE = ['--multiline-timeout', '30s'];

/**
 * Injects a fault and judges the result.
 * @throws AssertionError if the shipper fails; lost and duplicated lines are reported in the row
 */
export async function runFault<To extends Destination>(fault: Fault<To>, to: To, size: Size): Promise<Row> {
  await using site = await openSite(fault.place);
  await fault.before?.(site, to);
  const writing = { to: size.events, seed: size.seed, ...fault.writing?.(size, to) };
  const isSplit = (writing.tracebackEvery ?? 0) > 0 && writing.wholeEvents !== true;
  const args = [...to.args, ...(isSplit ? WHOLE : []), ...(fault.args?.(site) ?? [])];
  await using shippers = new AsyncDisposableStack();
  const ship = async (more: readonly string[]): Promise<Shipper> =>
    shippers.use(await site.ship([...args, ...more], fault.shippers));
  let shipper = await ship(fault.firstArgs ?? PATIENT);
  await shipper.isUp;
  await using writer = await site.write(writing);
  const written = async (): Promise<void> => assert.equal(await writer.ended, 0, site.log());
  const again: Stage['again'] = async (signal, { meanwhile, args: next = PATIENT } = {}) => {
    process.kill(shipper.pid, signal);
    const code = await shipper.ended;
    await meanwhile?.();
    shipper = await ship(next);
    return code;
  };
  await fault.strike?.({ ...size, site, again, up: () => shipper.isUp, written }, to);
  await written();
  // An earlier signal would stop the shipper before it has done anything.
  await shipper.isUp;
  assert.equal(await shipper.stop(), 0, `not everything was shipped at the end:\n${site.log()}`);
  const once = await ship(['--once']);
  assert.equal(await once.ended, 0, site.log());
  return judge(fault.name, site.truths(), await to.messages(), await site.deadLetters());
}

/** Fails if a line is lost, duplicated or torn. */
export function assertOnce(row: Row): void {
  const { lost, doubled, torn, examples } = row;
  const wrong = { lost, doubled, torn };
  assert.deepEqual(wrong, { lost: 0, doubled: 0, torn: 0 }, [headOf(), rowOf(row), ...examples].join('\n'));
}
