import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { command, type Command, type Context, type Input } from '../../cli/command.ts';
import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import { ask } from './ask.ts';
import type { Question } from './verdict.ts';

/**
 * One kind of check: its arguments, and how to run it. `kolla-probe WORD` runs it once, the resident server
 * continuously; both parse its arguments by the same tables.
 */
export interface Check<O extends readonly Option[] = readonly Option[]> extends Pick<
  Command<O>,
  'summary' | 'description' | 'operands' | 'child' | 'options' | 'examples'
> {
  /** The check's command in `kolla-probe`: `tcp`. */
  readonly word: string;
  /**
   * Validates the arguments without running the check.
   * @throws UsageError for invalid arguments
   */
  prepare(input: Input<O>, context: CheckContext): Question | Promise<Question>;
}

/** The checks in the order of help and docs. */
export interface CheckSet {
  readonly checks: readonly Check[];
}

export type CheckContext = Pick<Context, 'log' | 'inherited' | 'podFile'>;

/** Keeps the literal types of a table, so that `prepare` sees each option's type, and hides them from callers. */
export function check<const O extends readonly Option[]>(definition: Check<O>): Check {
  return definition;
}

/** Options that all checks have. */
export const CHECK_OPTIONS = [
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_PROBE_TIMEOUT',
    default: '900ms',
    help: "maximum time; must be less than the probe's timeoutSeconds",
    example: '2s',
  },
  {
    flag: 'role',
    type: 'choice',
    values: ['startup', 'liveness', 'readiness'],
    env: 'KOLLA_PROBE_ROLE',
    help: 'probe type; liveness must not depend on other Pods',
    details: 'If it did, a failure of another Pod would restart this one.',
    example: 'liveness',
  },
  {
    flag: 'allow-remote',
    type: 'boolean',
    env: 'KOLLA_PROBE_ALLOW_REMOTE',
    help: 'allow a liveness probe to depend on other Pods',
    example: 'true',
  },
] as const satisfies readonly Option[];

/** The command `kolla-probe WORD` of a check. */
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
 * Rejects a liveness check that contacts another Pod: restarting this Pod does not help if another one is down.
 * @param otherwise how the user can allow such a check
 * @throws UsageError naming the host
 */
export function requireOwnHosts(
  word: string,
  { subject, hosts }: Pick<Question, 'subject' | 'hosts'>,
  otherwise = 'give --allow-remote',
): void {
  const other = hosts.find((host) => !isOwnHost(host));
  if (other === undefined) return;
  throw new UsageError(
    `${word}: '${subject}' contacts ${other}, which is not this Pod: its failure would restart this Pod ` +
      `and fix nothing. Use it for readiness, or ${otherwise}`,
  );
}

/** Whether this host is the Pod itself: loopback, one of the Pod's addresses, or its name. It sends no DNS query. */
function isOwnHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(bare) === 0) return bare === 'localhost' || bare === hostname().toLowerCase();
  if (bare === '::1' || bare.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address.toLowerCase() === bare));
}
