import { cutName, isNamed, pidsIn, type ProcessInfo } from './processes.ts';
import { othersTurn, readHead, unlessGone } from './read.ts';

export type NamedProcess = Pick<ProcessInfo, 'pid' | 'name' | 'words'>;

export interface ProcessQuery {
  /** A name for isNamed() or, with `isPattern`, a regular expression that is matched against the whole command line. */
  readonly name: string;
  readonly isPattern?: boolean;
}

/** Maximum length of a command line that is examined. */
const WORDS_BYTES = 4096;
const PROCESSES_A_TURN = 200;
/** Command lines of probes, and of shells that run them: they contain the name, but are never counted. */
const ASKS = /(?:^|[\s/])(?:kolla-probe|kolla-pod|healthcheck_[a-z]+)(?:\s|$)/;

/**
 * The matching processes that are visible in this PID namespace, by pid. It takes two small reads per process.
 * @param among examines only these pids
 * @throws SyntaxError for an invalid pattern; the system's error without /proc; the signal's reason
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

type IsPossible = (words: string, name: string) => boolean;

/** A fast pre-filter for isNamed(), on the unparsed command line. */
function possible(wanted: string): IsPossible {
  const cut = cutName(wanted);
  return (words, name) => name === cut || words.includes(wanted);
}

/** The words of a process's command line; none if it has exited or is a kernel thread. */
export function commandOf(proc: string, pid: number): readonly string[] {
  return processAt(proc, pid, () => true)?.words ?? [];
}

/**
 * Undefined for zombies and kernel threads, which have no command line, and for processes that exited, are hidden, or
 * cannot match.
 */
function processAt(proc: string, pid: number, isPossible: IsPossible): NamedProcess | undefined {
  return unlessGone(() => {
    const text = readHead(`${proc}/${pid}/cmdline`, WORDS_BYTES);
    if (text === '') return undefined;
    const name = readHead(`${proc}/${pid}/comm`, 64).replace(/\n$/, '');
    if (!isPossible(text, name)) return undefined;
    return { pid, name, words: text.replace(/\0$/, '').split('\0') };
  });
}
