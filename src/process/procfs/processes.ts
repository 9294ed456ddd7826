import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { unlessGone } from './read.ts';

/** One process, as this user sees it in this PID namespace. */
export interface ProcessInfo {
  readonly pid: number;
  /** 0 if the parent is in another namespace. */
  readonly parent: number;
  /** The kernel's name for the process, at most 15 bytes. */
  readonly name: string;
  readonly words: readonly string[];
  readonly uid: number;
  /** Masks of handled and ignored signals, by signal number. */
  readonly caught: bigint;
  readonly ignored: bigint;
}

/** All visible processes except zombies and kernel threads. Processes that exit meanwhile are skipped. */
export function listProcesses(): ProcessInfo[] {
  return pidsIn('/proc')
    .map(readProcess)
    .filter((one) => one !== undefined);
}

/** All processes that are visible in this PID namespace. */
export function pidsIn(proc: string): number[] {
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toSorted((a, b) => a - b);
}

function readProcess(pid: number): ProcessInfo | undefined {
  return unlessGone(() => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
    const words = command.split('\0').filter((_, i, all) => i < all.length - 1);
    if (field('State') === 'Z' || words.length === 0) return undefined;
    const mask = (name: string) => BigInt(`0x${field(name) || '0'}`);
    return {
      pid,
      parent: Number(field('PPid')),
      name: /^Name:\t(.*)$/m.exec(status)?.[1] ?? '',
      words,
      uid: Number(field('Uid')),
      caught: mask('SigCgt'),
      ignored: mask('SigIgn'),
    };
  });
}

/**
 * Programs whose script is the first argument that is not an option. Other programs don't count: `tail glance-api`
 * is not glance-api.
 */
const INTERPRETER = /^(?:(?:platform-)?python|pypy|perl|ruby|node|bash|dash|sh|ksh|zsh|lua|php)[\d.]*$/;
/**
 * Options that are followed by code and not by a script file: `sh -c 'tail -f /var/log/glance-api'` is not glance-api.
 */
const TEXT_FOLLOWS = /^-[A-Za-z]*c$/;
const NAME_BYTES = 15;

/**
 * Whether a process has that name: the kernel's, the program file's, the script's of an interpreter (`python3 -s
 * /usr/bin/glance-api` is glance-api), or one in its own title, possibly in brackets (`neutron-server: rpc worker
 * (/usr/bin/python3 /usr/bin/neutron-rpc-server)` is neutron-server and neutron-rpc-server).
 */
export function isNamed({ name, words }: Pick<ProcessInfo, 'name' | 'words'>, wanted: string): boolean {
  const names = namesIn(words);
  if (names.includes(wanted)) return true;
  const cut = cutName(wanted);
  if (cut === wanted) return name === wanted;
  // The kernel's name is truncated: it belongs to another program if its arguments start the same and continue
  // differently.
  return name === cut && !names.some((one) => one.startsWith(cut));
}

/** One name for messages: that of the script or program, as isNamed() accepts it. */
export function shownName(words: readonly string[]): string {
  return namesIn(words).at(-1) ?? '';
}

/** The name, truncated as the kernel truncates a process's name. */
export function cutName(name: string): string {
  const bytes = Buffer.from(name);
  return bytes.length <= NAME_BYTES ? name : bytes.subarray(0, NAME_BYTES).toString();
}

function namesIn(words: readonly string[]): string[] {
  const [first = '', ...others] = words;
  const script = INTERPRETER.test(basename(first)) ? scriptIn(others) : undefined;
  const names = [first, ...(script === undefined ? [] : [script])].map((word) => basename(word));
  const [title] = /^\S+(?= )/.exec(first) ?? [];
  if (title === undefined) return names;
  const bracket = /[)\]]$/.test(first) ? first.search(/[([]/) : -1;
  const inBrackets = bracket === -1 ? [] : namesIn(first.slice(bracket + 1, -1).split(' '));
  return [...names, basename(title.replace(/:$/, '')), ...inBrackets];
}

function scriptIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => !word.startsWith('-'));
  return words.slice(0, Math.max(0, at)).some((word) => TEXT_FOLLOWS.test(word)) ? undefined : words[at];
}

export function inMask(mask: bigint, signal: NodeJS.Signals): boolean {
  return ((mask >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

/** This process, its ancestors (except PID 1), and its descendants. */
export function lineOf(all: readonly ProcessInfo[], self: number): Set<number> {
  const byPid = new Map(all.map((one) => [one.pid, one]));
  const line = new Set([self]);
  for (let size = 0; size !== line.size;) {
    size = line.size;
    for (const { pid, parent } of all) if (line.has(parent)) line.add(pid);
  }
  for (let up = byPid.get(self)?.parent ?? 0; up > 1 && !line.has(up); up = byPid.get(up)?.parent ?? 0) line.add(up);
  return line;
}

/** Whether the process is one of our helpers and therefore not a service. */
export function isOurs({ words }: Pick<ProcessInfo, 'words'>): boolean {
  return /(?:^|\/)kolla-(?:pod|run|init|probe|log-ship|db-sync|sidecar|bootstrap)$/.test(words[0] ?? '');
}
