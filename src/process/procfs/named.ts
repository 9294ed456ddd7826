import { readdirSync } from 'node:fs';
import { cutName, isNamed, type ProcessInfo } from './processes.ts';
import { othersTurn, readHead } from './read.ts';

export type NamedProcess = Pick<ProcessInfo, 'pid' | 'name' | 'words'>;

export interface ProcessQuery {
  /** A name as isNamed() takes it, or with `isPattern` a regular expression over the whole command line. */
  readonly name: string;
  readonly isPattern?: boolean;
}

/** So much of a command line is looked at. */
const WORDS_BYTES = 4096;
const PROCESSES_A_TURN = 200;
/** Who asks is never who is asked about, though its command line has the name; nor is a shell that was told to ask. */
const ASKS = /(?:^|[\s/])(?:kolla-probe|kolla-pod|healthcheck_[a-z]+)(?:\s|$)/;

/**
 * The processes that are meant, of those that this PID namespace shows to us, by pid. Cheap: two small reads a process.
 * @param among only these
 * @throws SyntaxError for a pattern that is none; the system's error where there is no /proc; the signal's reason
 */
export async function findProcesses(
  { name, isPattern = false }: ProcessQuery,
  { proc, signal }: { readonly proc: string; readonly signal: AbortSignal },
  among: readonly number[] = pidsIn(proc),
): Promise<NamedProcess[]> {
  const pattern = isPattern ? new RegExp(name) : undefined;
  const isPossible = isPattern ? () => true : possible(name);
  const found: NamedProcess[] = [];
  let looked = 0;
  for (const pid of among) {
    if (++looked % PROCESSES_A_TURN === 0) await othersTurn(signal);
    const one = pid === process.pid ? undefined : processAt(proc, pid, isPossible);
    if (one === undefined || one.words.slice(0, 3).some((word) => ASKS.test(word))) continue;
    if (pattern === undefined ? isNamed(one, name) : pattern.test(one.words.join(' '))) found.push(one);
  }
  return found;
}

/** Every process that this PID namespace shows to us. */
export function pidsIn(proc: string): number[] {
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toSorted((a, b) => a - b);
}

type IsPossible = (words: string, name: string) => boolean;

/** What isNamed() would refuse of nearly all processes, by a look at the text. */
function possible(wanted: string): IsPossible {
  const cut = cutName(wanted);
  return (words, name) => name === cut || words.includes(wanted);
}

/** Undefined for zombies and the kernel's own, which have no words, and for what ended, is hidden, or can't be meant. */
function processAt(proc: string, pid: number, isPossible: IsPossible): NamedProcess | undefined {
  try {
    const text = readHead(`${proc}/${pid}/cmdline`, WORDS_BYTES);
    if (text === '') return undefined;
    const name = readHead(`${proc}/${pid}/comm`, 64).replace(/\n$/, '');
    if (!isPossible(text, name)) return undefined;
    return { pid, name, words: text.replace(/\0$/, '').split('\0') };
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
