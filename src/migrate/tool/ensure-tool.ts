import { ConfigError, UnavailableError, messageOf } from '../../core/errors.ts';
import type { Claim } from '../fence/fence.ts';
import { repeated } from '../fence/repeated.ts';
import type { Effects, LockedWork } from '../plan/plan.ts';
import { closeRecord, openRecord } from '../record/record.ts';
import { runSteps, type LockedSession, type Ran } from '../steps/run-steps.ts';
import { lineOfSteps } from './line-of-steps.ts';
import type { Reader } from './listing.ts';
import { toDo, type ToDo } from './plan-tool.ts';
import { hasRows, newWork, phaseOf, releaseOf } from './recorded.ts';
import type { RecordedDone, Task } from './task.ts';
import { throwawayKeys } from './throwaway-keys.ts';

/**
 * Runs the pending tasks of the service's own commands, with the lock held. Each is checked again first, since another
 * run may have done it meanwhile; and afterwards, since a tool may exit with 0 without effect.
 * @param plan the plan of the run, with its accounts, environment and timeouts
 * @returns how the last command ended; the first that failed, was interrupted or lost its lock stops the run
 * @throws ConfigError before a command is run, if a value is missing; UnavailableError if a command had no effect
 */
export async function ensureTool(
  tasks: readonly Task[],
  plan: Omit<LockedWork, 'steps'>,
  held: LockedSession,
  claim: Claim,
  effects: Effects,
): Promise<Ran & { readonly changes: number }> {
  const reader: Reader = { session: held.session, childEnv: plan.childEnv, pulse: held.pulse, lost: held.lost };
  let ran: Ran = { outcome: { state: 'ended', code: 0 }, program: '', meaning: undefined, output: '' };
  let changes = 0;
  for (const task of tasks) {
    const own = { ...effects, redact: (text: string) => effects.redact(task.redact(text)) };
    const next = await toDo(task, claim, reader, own);
    if (next === undefined) continue;
    const { action, name, fields, lacks } = next.change;
    const values = fields.map(
      (field) => ` ${field.name} ${field.before === undefined ? '' : `${field.before} -> `}${field.after}`,
    );
    own.log.info(`${action} tool ${name}:${values.join(',')}`, { part: 'tool' });
    if (lacks !== undefined) throw new ConfigError(`cannot run ${lineOfSteps(next.steps)}: ${lacks}`);
    ran = await runTask(task, next, plan, held, claim, own);
    if (ran.outcome.state !== 'ended' || ran.outcome.code !== 0) return { ...ran, changes };
    if ('listed' in task.done && (await toDo(task, claim, reader, own)) !== undefined) {
      throw new UnavailableError(
        `${lineOfSteps(next.steps)} exited with code 0, but the tool does not list the expected result`,
      );
    }
    changes++;
  }
  return { ...ran, changes };
}

async function runTask(
  task: Task,
  { steps }: ToDo,
  plan: Omit<LockedWork, 'steps'>,
  held: LockedSession,
  claim: Claim,
  effects: Effects,
): Promise<Ran> {
  await using keys = task.throwawayKeys.length === 0 ? undefined : await throwawayKeys();
  const directories = Object.fromEntries(task.throwawayKeys.map((name) => [name, keys?.path]));
  const childEnv: LockedWork['childEnv'] = (at, as) => ({
    ...plan.childEnv(at, as),
    ...task.environment,
    ...directories,
  });
  const run = () => runSteps({ ...plan, steps, childEnv }, held, effects);
  return 'once' in task.done ? await recorded(task, task.done, run, { held, claim, effects }) : await run();
}

/** Runs a task under a separate record, in addition to that of the whole run. */
async function recorded(
  task: Task,
  done: RecordedDone,
  run: () => Promise<Ran>,
  { held, claim, effects }: { held: LockedSession; claim: Claim; effects: Effects },
): Promise<Ran> {
  const { session, token } = held;
  const own: Claim = { ...claim, release: releaseOf(done, claim), phase: phaseOf(task), work: newWork(task) };
  if (!(await openRecord(session, own, token))) {
    throw new UnavailableError(
      `another migrator with a later token has started ${task.name} meanwhile: nothing was started here`,
    );
  }
  const ran = await run();
  const { outcome, output } = ran;
  const isEmpty =
    outcome.state === 'ended' &&
    outcome.code === 0 &&
    done.fills !== undefined &&
    !(await hasRows(session, done.fills));
  const isDone = outcome.state === 'ended' && outcome.code === 0 && !isEmpty;
  const state = isDone ? 'done' : outcome.state === 'ended' ? 'failed' : outcome.state;
  const close = () => closeRecord(session, own, { token, state, exitCode: outcome.code, output });
  const write = async () => {
    if (session.lost.aborted) return false;
    // Nothing is lost with the record of a task that has to run again, and a shutdown must not wait for it.
    return await (isDone ? repeated(close) : close()).catch((error: unknown) => {
      effects.log.warn(`cannot record that ${task.name} is ${state}: ${messageOf(error)}`);
      return false;
    });
  };
  if (!(await write()) && isDone)
    throw new UnavailableError(`${task.name} is done, but that could not be recorded: run it again`);
  if (isEmpty) {
    const last = output.trimEnd().split('\n').at(-1) || 'it printed nothing';
    throw new UnavailableError(
      `${lineOfSteps(task.steps)} exited with code 0, but table ${done.fills} is empty; its last line: ${last}`,
    );
  }
  return ran;
}
