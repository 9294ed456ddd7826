import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { command, type Command, type Context, type Input } from '../cli/command.ts';
import { UsageError } from '../core/errors.ts';
import type { Option, Values } from '../cli/option.ts';
import { ask } from './ask.ts';
import type { Question } from './verdict.ts';

/**
 * One kind of check: how it is written, and how it is asked. `kolla-probe WORD` asks it once, the resident server again
 * and again; both read its words by the same tables.
 */
export interface Check<O extends readonly Option[] = readonly Option[]> extends Pick<
  Command<O>,
  'summary' | 'description' | 'operands' | 'child' | 'options' | 'examples'
> {
  /** What `kolla-probe` takes for it: `tcp`. */
  readonly word: string;
  /**
   * Looks the words over, without asking anything yet.
   * @throws UsageError for a question that makes no sense
   */
  prepare(input: Input<O>, context: CheckContext): Question | Promise<Question>;
}

/** The checks of one binary. */
export interface CheckSet {
  /** In the order in which help and docs list them. */
  readonly checks: readonly Check[];
  /** Words of checks that only another binary has. */
  readonly elsewhere: readonly string[];
  /** Why a check, by its words, can't be asked by this binary, and who can; undefined where it can. */
  readonly refusal: (words: readonly string[]) => string | undefined;
}

export type CheckContext = Pick<Context, 'log' | 'inherited' | 'podFile'>;

/** Keeps a table's literal types, so that `prepare` sees each option under its own type, and forgets them outside. */
export function check<const O extends readonly Option[]>(definition: Check<O>): Check {
  return definition;
}

/** Every check has these. */
export const CHECK_OPTIONS = [
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_PROBE_TIMEOUT',
    default: '900ms',
    help: "maximum time, below the kubelet's timeoutSeconds",
    example: '2s',
  },
  {
    flag: 'role',
    type: 'choice',
    values: ['startup', 'liveness', 'readiness'],
    env: 'KOLLA_PROBE_ROLE',
    help: 'probe type; liveness may not depend on other Pods',
    details: 'Otherwise a failure of another Pod would restart this one.',
    example: 'liveness',
  },
  {
    flag: 'allow-remote',
    type: 'boolean',
    env: 'KOLLA_PROBE_ALLOW_REMOTE',
    help: 'permission for a liveness probe to depend on other Pods',
    example: 'true',
  },
] as const satisfies readonly Option[];

/** `kolla-probe WORD`. */
export function commandFor(definition: Check): Command {
  return command({
    ...definition,
    options: [...definition.options, ...CHECK_OPTIONS],
    async run(input, context) {
      const { timeout, role, allowRemote } = input.options as Values<typeof CHECK_OPTIONS>;
      const question = await definition.prepare(input, context);
      if (role === 'liveness' && !allowRemote) requireOwnHosts(definition.word, question);
      return await ask(question, timeout, context);
    },
  });
}

/**
 * A pod that is restarted because another one is down does not bring that one back.
 * @param otherwise how to have it all the same
 * @throws UsageError that names the host
 */
export function requireOwnHosts(
  word: string,
  { subject, hosts }: Pick<Question, 'subject' | 'hosts'>,
  otherwise = 'give --allow-remote',
): void {
  const other = hosts.find((host) => !isOwnHost(host));
  if (other === undefined) return;
  throw new UsageError(
    `${word}: '${subject}' asks ${other}, which is not this pod: its failure would restart us and fix nothing. ` +
      `Use it for readiness, or ${otherwise}`,
  );
}

/** Whether this host is the pod itself: loopback, one of its addresses, or its name. Asks no DNS server. */
function isOwnHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(bare) === 0) return bare === 'localhost' || bare === hostname().toLowerCase();
  if (bare === '::1' || bare.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address.toLowerCase() === bare));
}
