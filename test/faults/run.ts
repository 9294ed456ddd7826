import assert from 'node:assert/strict';
import { headOf, judge, rowOf, type Row } from './row.ts';
import { openSite, type Place, type ShipOptions, type Shipper, type Site, type Writing } from './site.ts';

/** Where documents go. It is asked for what it holds, and no other source. */
export interface Destination {
  /** Options of the shipper that lead there. */
  readonly args: readonly string[];
  /** The message of each document that it holds. */
  messages(): Promise<string[]>;
}

/** How much of everything: small in `make test`, large in `make soak`. */
export interface Size {
  readonly events: number;
  readonly kills: number;
  readonly outageMs: number;
  readonly seed: number;
}

export interface Stage extends Size {
  readonly site: Site;
  /** Ends the shipper that runs, and starts the next. Resolves with its exit code. */
  readonly again: (signal: 'SIGTERM' | 'SIGKILL', how?: Again) => Promise<number>;
  /** Resolves when the shipper that runs follows files. */
  readonly up: () => Promise<unknown>;
  /** Resolves when the writer has written all. */
  readonly written: () => Promise<void>;
}

export interface Again {
  /** While none runs. */
  readonly meanwhile?: () => Promise<void>;
  /** Options of the next one instead of its grace. */
  readonly args?: readonly string[];
}

export interface Fault<To extends Destination = Destination> {
  readonly name: string;
  /** How it is written; unless told otherwise as many events as the size has, in one log. */
  readonly writing?: (size: Size, to: To) => Partial<Writing>;
  /** More options of the shipper. */
  readonly args?: (site: Site) => readonly string[];
  /** Options of the first shipper instead of its grace. */
  readonly firstArgs?: readonly string[];
  /** Where the shippers run, if not beside the writer. */
  readonly place?: (state: string) => Promise<Place>;
  /** Of the shippers. */
  readonly env?: NodeJS.ProcessEnv;
  /** Happens before anything is written. */
  readonly before?: (site: Site, to: To) => Promise<void>;
  /** Happens while lines are written and shipped. The fault is over when it resolves. */
  readonly strike?: (stage: Stage, to: To) => Promise<void>;
}

/** More than any test takes: everything is in when it has ended. */
const PATIENT = ['--grace', '1h'];

/**
 * Lets a fault strike and judges what became of the lines.
 * @throws AssertionError when the shipper does not end well; what is lost or doubled is in the row
 */
export async function runFault<To extends Destination>(fault: Fault<To>, to: To, size: Size): Promise<Row> {
  await using site = await openSite(fault.place);
  await fault.before?.(site, to);
  const args = [...to.args, ...(fault.args?.(site) ?? [])];
  const options: ShipOptions = { env: fault.env ?? {} };
  await using shippers = new AsyncDisposableStack();
  const ship = async (more: readonly string[]): Promise<Shipper> =>
    shippers.use(await site.ship([...args, ...more], options));
  let shipper = await ship(fault.firstArgs ?? PATIENT);
  await shipper.isUp;
  await using writer = await site.write({ to: size.events, seed: size.seed, ...fault.writing?.(size, to) });
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
  // A signal before that ends it with nothing done.
  await shipper.isUp;
  assert.equal(await shipper.stop(), 0, `not all was in at the end:\n${site.log()}`);
  const once = await ship(['--once']);
  assert.equal(await once.ended, 0, site.log());
  return judge(fault.name, site.truths(), await to.messages(), await site.deadLetters());
}

/** Fails with what is wrong, where a line is lost, doubled or torn. */
export function assertOnce(row: Row): void {
  const { lost, doubled, torn, examples } = row;
  const wrong = { lost, doubled, torn };
  assert.deepEqual(wrong, { lost: 0, doubled: 0, torn: 0 }, [headOf(), rowOf(row), ...examples].join('\n'));
}
