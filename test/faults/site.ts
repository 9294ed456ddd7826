import { on } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { privateDirectory } from '../../tools/directory.ts';
import { startHelper, type StartHelperOptions } from '../support/helper.ts';
import { start, tailOf, tied, type Running } from '../../tools/process.ts';
import { readTruth, type Truth } from './truth.ts';
import type { WriterOptions } from './writer.ts';

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));

/** Options that differ between runs. All of them have defaults. */
export type Writing = Partial<Omit<WriterOptions, 'truth' | 'log'>> & { readonly to: number };

/** The log volume of a Pod, with its writers and shippers. */
export interface Site extends AsyncDisposable {
  /** The directory for temporary files. */
  readonly directory: string;
  /** The log root directory. */
  readonly root: string;
  readonly state: string;
  /** Starts a writer that has its own log and exits when it is done. */
  write(writing: Writing, name?: string): Promise<Running>;
  /** Starts the shipper. */
  ship(args: readonly string[], options?: ShipOptions): Promise<Shipper>;
  /** Events that each writer has definitely written. */
  truths(): Truth[];
  /** The truth of the last writer that had this name. */
  truthOf(name: string): Truth;
  /** The end of the shippers' log. */
  log(): string;
  /** The messages of the dead letters. */
  deadLetters(): Promise<string[]>;
}

const USUAL_NAME = 'nova-compute';

/** The log file of the writer with this name. */
export function logOf(root: string, name: string = USUAL_NAME): string {
  return join(root, 'nova', `${name}.log`);
}

export interface Shipper extends Running {
  /** Resolves when the shipper follows files or has exited. */
  readonly isUp: Promise<unknown>;
}

export type ShipOptions = Pick<StartHelperOptions, 'env' | 'fromSource'>;

/** Where the shippers run, if not on the file system of the writer. */
export interface ShipperSite extends AsyncDisposable {
  /** Arguments that precede the command line of a shipper. */
  readonly launcher: readonly string[];
  /** The path of their state directory, as the test sees it. */
  readonly state: string;
}

/**
 * Creates a site on a real disk, where a new file gets the inode of a removed one.
 * @param place gets the state directory and substitutes another one for the shippers
 */
export async function openSite(place?: (state: string) => Promise<ShipperSite>): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('faults'));
  const root = join(directory.path, 'logs');
  const ownState = join(root, '.kolla-log-ship');
  const logFile = join(directory.path, 'shipper.txt');
  const truths: { readonly name: string; readonly file: string; readonly first: number }[] = [];
  await mkdir(join(root, 'nova'), { recursive: true });
  // The log exists on first start, because files that were rotated earlier are not covered.
  await writeFile(logOf(root), '');
  const there = place === undefined ? undefined : stack.use(await place(ownState));
  const { launcher = [], state = ownState } = there ?? {};
  const resources = stack.move();
  return {
    directory: directory.path,
    root,
    state,
    async write(writing, name = USUAL_NAME) {
      const log = logOf(root, name);
      const truth = join(directory.path, `truth-${truths.length}`);
      const options: WriterOptions = { ...USUAL, ...writing, log, truth };
      truths.push({ name, file: truth, first: options.from });
      return await start(...tied(process.execPath, [WRITER, JSON.stringify(options)]), { logFile });
    },
    async ship(args, options = {}) {
      const all = ['--root', root, '--timezone', 'UTC', ...args];
      const shipper = await startHelper('kolla-log-ship', all, { ...options, logFile, launcher });
      return { ...shipper, isUp: Promise.race([said(shipper, '"msg":"shipping '), shipper.ended]) };
    },
    truths: () => truths.map(({ file, first }) => readTruth(file, first)),
    truthOf(of) {
      const { file, first } = truths.findLast(({ name }) => name === of)!;
      return readTruth(file, first);
    },
    log: () => tailOf(logFile, 6000),
    deadLetters: async () => messagesIn(await readFile(join(state, 'dead-letter.jsonl'), 'utf8').catch(() => '')),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const USUAL = {
  from: 0,
  perSecond: 10_000,
  atOnce: 200,
  seed: 1,
  workers: 4,
  tracebackEvery: 0,
  days: 1,
  rotateEvery: 2000,
  wholeEvents: false,
};

async function said({ child }: Running, text: string): Promise<void> {
  let all = '';
  for await (const [part] of on(child.stderr!, 'data', { close: ['end'] })) {
    all += String(part);
    if (all.includes(text)) return;
  }
}

function messagesIn(letters: string): string[] {
  return letters
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => messageOf((JSON.parse(line) as { document: Readonly<Record<string, unknown>> }).document));
}

/** The logged text of an indexed document, under Kolla's field names or ECS, which separates the traceback. */
export function messageOf(source: Readonly<Record<string, unknown>>): string {
  const { Payload: payload, message, 'error.stack_trace': below = '' } = source as Readonly<Record<string, string>>;
  return payload ?? `${message}\n${below}`;
}
