import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { START_SCRIPT } from '../start/script.ts';

/** Where a command was asked for. */
export interface Asker {
  /** The script's path; `kolla_start` itself, or `bash -c` for words that lie in no file. */
  readonly script: string;
  /** From 1; more than one where the same words stand several times, none where they were not found. */
  readonly lines: readonly number[];
  /** The line as it stands there, variables unexpanded; not of `bash -c`, whose words may hold a password. */
  readonly text?: string;
}

/** What is looked at. */
export interface AskerDeps {
  /** The words of our parent. */
  readonly parent: readonly string[];
  readonly path: string;
  /** A file's text; undefined for what can't be read. */
  readonly read: (path: string) => string | undefined;
}

/** So deep do Kolla's scripts source each other: kolla_extend_start, kolla_NAME_extend_start. */
const DEPTH_MAX = 4;
/** A sourced file is a script; what is larger is not read. */
const SCRIPT_MAX_BYTES = 1 << 20;
const SHELL = /(?:^|\/)(?:ba|da|k|z)?sh$/;

/**
 * Finds the line of a shell script that called us with these words. Our parent is the shell; its words name the script or
 * hold its text, and what that sources is read as well, because a sourced script is in no process's words. Undefined where
 * the parent is no shell.
 */
export function findAsker(words: readonly string[], { parent, path, read }: AskerDeps): Asker | undefined {
  const start = scriptOf(parent, read);
  if (start === undefined) return undefined;
  const found = bestOf(scriptsFrom(start, path, read), words);
  return found ?? { script: start.name, lines: [] };
}

/** Of this process. */
export function askerDeps(path: string): AskerDeps {
  let parent: string[] = [];
  try {
    parent = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    // No /proc, or a parent that is gone: then nobody can be named.
  }
  return { parent, path, read: readScript };
}

interface Script {
  readonly name: string;
  readonly text: string;
  readonly isFile: boolean;
}

function scriptOf([shell = '', ...words]: readonly string[], read: AskerDeps['read']): Script | undefined {
  if (!SHELL.test(shell)) return undefined;
  const first = words.findIndex((word) => !word.startsWith('-'));
  const word = words[first];
  if (word === undefined) return undefined;
  const isText = words.slice(0, first).some((option) => /^-[a-z]*c/.test(option));
  if (isText) return { name: word === START_SCRIPT ? 'kolla_start' : `${shell} -c`, text: word, isFile: false };
  const text = read(word);
  return text === undefined ? undefined : { name: word, text, isFile: true };
}

/** The script and what it sources, in the order in which they run. */
function scriptsFrom(start: Script, path: string, read: AskerDeps['read'], depth = 0): Script[] {
  if (depth >= DEPTH_MAX) return [start];
  const sourced = [...start.text.matchAll(/^\s*(?:\.|source)\s+["']?([^\s"'$;]+)/gm)].flatMap(([, name = '']) => {
    for (const file of name.includes('/') ? [name] : path.split(':').map((folder) => join(folder || '.', name))) {
      const text = read(file);
      if (text !== undefined) return scriptsFrom({ name: file, text, isFile: true }, path, read, depth + 1);
    }
    return [];
  });
  return [start, ...sourced];
}

/** The lines that have most of the words, in the script that has the best; variables have other words in their place. */
function bestOf(scripts: readonly Script[], words: readonly string[]): Asker | undefined {
  let best: { readonly score: number; readonly asker: Asker } | undefined;
  for (const { name, text, isFile } of scripts) {
    const lines = text.split('\n');
    const scores = lines.map((line) => scoreOf(line, words));
    const score = Math.max(...scores);
    if (score <= (best?.score ?? 0)) continue;
    const numbers = scores.flatMap((each, i) => (each === score ? [i + 1] : []));
    const asker = isFile ? { lines: numbers, text: lines[numbers[0]! - 1]!.trim() } : { lines: [] };
    best = { score, asker: { script: name, ...asker } };
  }
  return best?.asker;
}

/** How many of the words stand in a line that calls sudo; 0 where the first, which is the command, is not among them. */
function scoreOf(line: string, [command = '', ...rest]: readonly string[]): number {
  const code = line.replace(/^\s*#.*/, '');
  if (!/(?:^|[\s;&|(`])sudo\s/.test(code) || !code.includes(command)) return 0;
  return 1 + rest.filter((word) => code.includes(word)).length;
}

function readScript(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    const text = readFileSync(path, 'utf8');
    return text.length > SCRIPT_MAX_BYTES ? undefined : text;
  } catch {
    return undefined;
  }
}
