import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { formatDuration } from '../../core/duration.ts';
import { ChildError, UnavailableError } from '../../core/errors.ts';
import type { Address } from '../../net/dial/address.ts';
import type { Step } from '../../catalog/index.ts';
import type { Effects } from '../plan/plan.ts';
import { endOrStop, startGuarded } from '../child/guarded-child.ts';
import { LastLines } from '../steps/last-lines.ts';
import type { Pulse } from '../child/pulse.ts';
import { EXPIRED } from '../child/supervise.ts';
import type { Reached } from '../server/reach.ts';
import { isSamePlace } from './shown-url.ts';
import type { ListedDone, Task, Words } from './task.ts';

/** What is needed to read a listing. */
export interface Reader {
  readonly session: Reached;
  readonly childEnv: (at: Address) => NodeJS.ProcessEnv;
  /** The pulse of the lock, if it is held. */
  readonly pulse?: Pulse | undefined;
  /** Aborted when the lock is lost. */
  readonly lost?: AbortSignal | undefined;
}

/** Timeout. The tool reads one table; most of its time is spent on starting Python. */
const LISTING_MS = 120_000;

/**
 * The line of the tool's listing that describes the task's object, as the values of its named groups; undefined if
 * there is none.
 * @throws ChildError with the tool's exit code; UnavailableError if several lines match, on timeout, or without the lock
 */
export async function findListed(
  task: Task,
  { listed, wanted }: ListedDone,
  reader: Reader,
  effects: Effects,
): Promise<Words | undefined> {
  const lines = await readLines(listed.argv, task, reader, effects);
  const pattern = new RegExp(listed.line);
  const things = lines.map((line) => pattern.exec(line)?.groups);
  const ours = things.filter((thing) => thing !== undefined).filter((thing) => isOurs(thing, listed, wanted));
  if (ours.length <= 1) return ours[0];
  const names = ours.map((thing) =>
    Object.keys(listed.is)
      .map((group) => `${group} '${thing[group]}'`)
      .join(', '),
  );
  throw new UnavailableError(
    `${task.name}: ${ours.length} candidates match (${names.join('; ')}), delete all but one: ` +
      `see ${listed.argv.join(' ')}`,
  );
}

function isOurs(thing: Words, { is, not = {}, sameUrl }: ListedDone['listed'], wanted: Words): boolean {
  const has = ([group, value]: [string, string]) => thing[group] === value;
  if (Object.entries(not).some(has)) return false;
  if (Object.entries(is).every(has)) return true;
  const [there, here] = sameUrl === undefined ? [] : [thing[sameUrl], wanted[sameUrl]];
  return there !== undefined && here !== undefined && isSamePlace(there, here);
}

/** Why the tool failed, without its listing: the database server's error, or its last line. */
function reasonIn(lines: readonly string[]): string {
  const said = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('|'));
  const all = new LastLines();
  for (const line of said) all.add(line);
  return all.serverError?.text ?? said.at(-1) ?? 'it printed nothing';
}

async function readLines(
  argv: Step['argv'],
  { environment, redact }: Task,
  { session, childEnv, pulse, lost }: Reader,
  effects: Effects,
): Promise<string[]> {
  const lines: string[] = [];
  const child = await startGuarded(argv, {
    env: { ...childEnv(session.at), ...environment },
    descriptor: session.descriptor,
    onLine: (line) => lines.push(stripVTControlCharacters(line)),
    pulse,
  });
  const timeout = AbortSignal.timeout(LISTING_MS);
  const stop = AbortSignal.any([effects.signal, timeout, ...(lost === undefined ? [] : [lost])]);
  const code = await endOrStop(child, stop);
  effects.signal.throwIfAborted();
  lost?.throwIfAborted();
  if (child.hasExpired()) throw new UnavailableError(`${basename(argv[0])}: ${EXPIRED}`);
  if (timeout.aborted) {
    throw new UnavailableError(`${argv.join(' ')} did not exit within ${formatDuration(LISTING_MS)}`);
  }
  if (code === 0) return lines;
  const why = effects.redact(redact(reasonIn(lines)));
  throw new ChildError(code, `${basename(argv[0])} exited with code ${code} listing existing objects: ${why}`);
}
