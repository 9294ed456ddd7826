import { camelCase, grouped, type Option, type Values } from '../cli/option.ts';
import { BOOTSTRAP_OPTIONS } from '../provision/index.ts';
import { MIGRATION_OPTIONS, TOOL_OPTIONS } from '../migrate/index.ts';

const WAIT_OPTIONS = [
  {
    flag: 'wait',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_WAIT',
    repeat: true,
    help: 'dependency to wait for, as in kolla-init --help',
    example: 'service/keystone',
  },
  {
    flag: 'on-failed-job',
    type: 'choice',
    values: ['fail', 'wait'],
    env: 'KOLLA_BOOTSTRAP_ON_FAILED_JOB',
    default: 'fail',
    help: 'reaction to a failed Job: fail, or wait for another',
    details: 'fail ends the wait with exit code 69.',
    example: 'wait',
  },
] as const satisfies readonly Option[];

/** Options of a run, and of its plan. */
export const JOB_OPTIONS = [
  ...grouped('Waiting', WAIT_OPTIONS, ['wait']),
  ...BOOTSTRAP_OPTIONS,
  ...MIGRATION_OPTIONS,
  ...grouped('Service', TOOL_OPTIONS, []),
] as const satisfies readonly Option[];

export type JobOptions = Values<typeof JOB_OPTIONS>;

/** Variables with our secrets, which no child process needs. */
export const SECRET_VARIABLES: readonly string[] = (JOB_OPTIONS as readonly Option[])
  .filter(({ secret }) => secret === true)
  .map(({ env }) => env);

/** Values of options by the name of their variable, for the service's own commands. */
export function variablesOf(options: JobOptions): Record<string, string> {
  const values = options as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    (JOB_OPTIONS as readonly Option[]).flatMap(({ env, flag }) => {
      const value = values[camelCase(flag)];
      // The first of several values, such as regions, because a command takes only one.
      const one: unknown = Array.isArray(value) ? value[0] : value;
      return typeof one === 'string' ? [[env, one]] : [];
    }),
  );
}
