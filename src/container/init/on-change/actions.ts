import { constants } from 'node:os';
import { UsageError } from '../../../core/errors.ts';
import { suggestion } from '../../../core/nearest.ts';

/** An action to perform after a change was installed. `label` is its name in logs, without possible secrets. */
export type Action = SignalAction | ExecAction | HttpAction | { readonly kind: 'exit'; readonly label: string };

export interface SignalAction {
  readonly kind: 'signal';
  readonly label: string;
  readonly signal: NodeJS.Signals;
  /**
   * If undefined, the signal goes to PID 1, or to the only other process tree of a Pod with a shared process namespace.
   */
  readonly process: string | undefined;
}

export interface ExecAction {
  readonly kind: 'exec';
  readonly label: string;
  readonly words: readonly [string, ...string[]];
}

export interface HttpAction {
  readonly kind: 'http';
  readonly label: string;
  readonly method: string;
  readonly url: URL;
}

const KINDS = ['signal', 'exec', 'http', 'exit'] as const;
/** Signals that make services reload or exit. Messages suggest only these. */
const RELOAD_SIGNALS = ['HUP', 'TERM', 'USR1'] as const;
const METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'];

/**
 * Parses actions of `--on-change`: `signal:HUP[:process]`, `exec:command words`, `http:POST url`, `exit`. Throws
 * UsageError with the correct form, and without the value of a kind that may contain a secret.
 */
export function parseActions(texts: readonly string[]): Action[] {
  const actions = texts.map((text) => parseAction(text.trim()));
  const exit = actions.findIndex(({ kind }) => kind === 'exit');
  if (exit !== -1 && exit < actions.length - 1)
    throw new UsageError(`--on-change: exit ends kolla-init, so ${actions[exit + 1]?.label} would never run`);
  return actions;
}

function parseAction(text: string): Action {
  const [, kind = text, rest] = /^([^:\s]*)(?::([^]*))?$/.exec(text) ?? [];
  switch (kind) {
    case 'signal':
      return signalAction(rest ?? '');
    case 'exec':
      return execAction(rest ?? '');
    case 'http':
      return httpAction(rest ?? '');
    case 'exit':
      if (rest === undefined) return { kind: 'exit', label: 'exit' };
      throw new UsageError('--on-change: exit takes no argument: it exits with 0');
    default: {
      const [word = ''] = kind.split(/\s/);
      throw new UsageError(`--on-change: no action '${word}'${suggestion(word, KINDS)}`);
    }
  }
}

function signalAction(rest: string): SignalAction {
  const [, word = '', name] = /^([^:]*)(?::([^]*))?$/.exec(rest) ?? [];
  const signal = `SIG${word.replace(/^SIG/, '')}`;
  if (!Object.hasOwn(constants.signals, signal)) {
    const like = word === '' ? '; write signal:HUP or signal:HUP:keystone' : suggestion(word, RELOAD_SIGNALS);
    throw new UsageError(`--on-change: no signal '${word}'${like}`);
  }
  if (name === '') throw new UsageError(`--on-change: signal:${word}: has no process name after the colon`);
  const short = signal.slice(3);
  const label = name === undefined ? `signal:${short}` : `signal:${short}:${name}`;
  return { kind: 'signal', label, signal: signal as NodeJS.Signals, process: name };
}

function execAction(rest: string): ExecAction {
  const [program, ...words] = wordsOf(rest);
  if (program === undefined)
    throw new UsageError('--on-change: exec: has no command; write exec:/usr/sbin/nginx -s reload');
  return { kind: 'exec', label: `exec:${program}`, words: [program, ...words] };
}

/** Operators of a shell, which would have no effect here. */
const OPERATORS = new Set(['|', '||', '&', '&&', ';', '<', '>', '>>', '2>', '2>&1']);

/** Splits at spaces. Text within '' or "" is kept, and nothing is expanded. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  // Adjacent quoted and plain pieces form one word, as in --name='a b'.
  for (const [piece] of text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+|['"]/g)) {
    if (piece === "'" || piece === '"') throw new UsageError(`--on-change: exec: a ${piece} is not terminated`);
    if (OPERATORS.has(piece))
      throw new UsageError(`--on-change: exec: no shell reads '${piece}'; write exec:sh -c '...' to have one`);
    words.push(
      piece.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
    );
  }
  return words;
}

function httpAction(rest: string): HttpAction {
  const [, method = '', text = ''] = /^(\S*)\s+(\S+)$/.exec(rest) ?? [];
  if (!METHODS.includes(method))
    throw new UsageError(
      `--on-change: http: needs a method and a URL, as in http:POST http://127.0.0.1:8080/reload; methods are ${METHODS.join(', ')}`,
    );
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--on-change: http:${method} needs an http:// or https:// URL with a host`);
  // The URL without user, password and query, any of which may contain a secret.
  const label = `http:${method} ${url.origin}${url.pathname}${url.search === '' ? '' : '?...'}`;
  return { kind: 'http', label, method, url };
}
