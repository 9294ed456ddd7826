import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { formatDuration } from '../../core/duration.ts';
import { KollaError, messageOf, UnavailableError } from '../../core/errors.ts';
import type { Step } from '../../catalog/index.ts';
import { standingsOf, type Standing } from '../schema/standing.ts';
import { AfterwardsLines } from './afterwards.ts';
import { startGuarded } from '../child/guarded-child.ts';
import { explainFailure, isPartiallyApplied } from './half-applied.ts';
import { LastLine } from './last-line.ts';
import { LastLines } from './last-lines.ts';
import { stopMsOf, type Effects, type LockedWork } from '../plan/plan.ts';
import type { Pulse } from '../child/pulse.ts';
import { readChangedTables, serverTime, startProgress } from '../progress/index.ts';
import type { Reached } from '../server/reach.ts';
import { supervise, type Outcome } from '../child/supervise.ts';

/**
 * Maximum number of runs of a step. One that exits with "call again" has done part of its work, and no service has a
 * thousand parts.
 */
const MOST_CALLS = 1000;

/** The result of a plan's steps, which is that of the last step that ran. */
export interface Ran {
  readonly outcome: Outcome;
  readonly program: string;
  /** What the tool means by its exit code, if known. */
  readonly meaning: string | undefined;
  /** It fails again until the schema is repaired. */
  readonly needsRepair?: boolean;
  /** The program's last lines, with secrets hidden. */
  readonly output: string;
  /** The line with which its output ends; '' if it has printed nothing. */
  readonly lastLine?: string;
  /** Why the program was not started. */
  readonly error?: KollaError;
}

/** The session that holds lock and fence, and the signal that is aborted when they are lost. */
export interface LockedSession {
  readonly session: Reached;
  readonly lockName: string;
  readonly token: number;
  readonly lost: AbortSignal;
  readonly pulse?: Pulse;
}

/** Runs the steps in order, each as often as its tool requests, while the lock is held. Stops at the first failure. */
export async function runSteps(plan: LockedWork, held: LockedSession, effects: Effects): Promise<Ran> {
  const [output, lastLine] = [new LastLines(), new LastLine()];
  const ran = (outcome: Outcome, step: Step | undefined, meaning?: string): Ran => {
    const needsRepair = outcome.state === 'ended' && outcome.code !== 0 && isPartiallyApplied(output);
    return {
      outcome,
      program: basename(step?.argv[0] ?? ''),
      meaning,
      needsRepair,
      output: String(output),
      lastLine: String(lastLine),
    };
  };
  for (const step of plan.steps) {
    const afterwards = new AfterwardsLines(step.afterwards);
    for (let call = 1; ; call++) {
      if (effects.signal.aborted) return ran({ state: 'interrupted', code: 0 }, step);
      if (held.lost.aborted) return ran({ state: 'lost', code: 0, why: messageOf(held.lost.reason) }, step);
      let outcome: Outcome;
      try {
        outcome = await runOnce(step, plan, held, effects, [output, lastLine, afterwards]);
      } catch (error) {
        // The step was not started. Without a result, the next migrator would take this one for interrupted.
        if (!(error instanceof KollaError)) throw error;
        // A signal to our group may have ended the command's guard before it ignored signals.
        if (effects.signal.aborted) return ran({ state: 'interrupted', code: 0 }, step);
        output.add(error.message);
        return { ...ran({ state: 'ended', code: error.exitCode }, step, error.message), error };
      }
      if (outcome.state !== 'ended') return ran(outcome, step);
      if (outcome.code === 0) {
        output.forgetError();
        if (afterwards.failures > 0) warn(notAfterwards(step, outcome.code, `${afterwards.failures} failed`));
        break;
      }
      if (step.again?.includes(outcome.code) !== true) {
        const signal = AbortSignal.any([effects.signal, held.lost]);
        const standings = await schemaAfter(plan, held, { ...effects, signal });
        if (afterwards.hasBegun && standings.length > 0 && standings.every(({ is }) => is === 'head')) {
          warn(notAfterwards(step, outcome.code, String(lastLine)));
          output.forgetError();
          break;
        }
        const why =
          step.codes?.[outcome.code] ?? (await explainFailure(output, held.session, plan, { ...effects, signal }));
        return ran(outcome, step, meaningAt(standings, why));
      }
      if (call === MOST_CALLS) return ran(outcome, step, `work is left after ${MOST_CALLS} calls`);
      effects.log.info(`${basename(step.argv[0])} reports more work: running it again`);
      output.forgetError();
    }
  }
  const last = plan.steps.at(-1);
  const standings = await schemaAfter(plan, held, {
    ...effects,
    signal: AbortSignal.any([effects.signal, held.lost]),
  });
  for (const { is, text } of standings) {
    if (is === 'head') effects.log.info(`schema: ${text}`);
    else warn(`${is === 'unproven' ? 'the version of the schema is not proven' : 'schema'}: ${text}`);
  }
  const behind = standings.filter(({ is }) => is === 'behind');
  if (behind.length === 0) return ran({ state: 'ended', code: 0 }, last);
  const error = new UnavailableError(
    `${basename(last?.argv[0] ?? '')} exited with code 0, but ${behind.map(({ text }) => text).join('; ')}: ` +
      'does its configuration have the URL of this database?',
  );
  return { ...ran({ state: 'ended', code: error.exitCode }, last, error.message), error };

  /** Logged, and kept in the record. */
  function warn(text: string) {
    effects.log.warn(text);
    output.add(text);
  }
}

/** The standing of the schema, read from the database; none for what is not the tool's migration. */
async function schemaAfter(plan: LockedWork, held: LockedSession, { signal, log }: Pick<Effects, 'signal' | 'log'>) {
  const { versions, steps } = plan;
  if (versions === undefined) return [];
  const env = plan.childEnv(held.session.at);
  const programs = steps.map(({ argv }) => argv[0]);
  return await standingsOf({ ...plan, versions }, programs, held.session, { env, signal, log });
}

/** What a failure means, with what the database shows of the schema. */
function meaningAt(standings: readonly Standing[], why: string | undefined): string | undefined {
  const seen = standings.filter(({ is }) => is !== 'unproven').map(({ text }) => text);
  const all = [...(why === undefined ? [] : [why]), ...(seen.length === 0 ? [] : [`schema: ${seen.join('; ')}`])];
  return all.length === 0 ? undefined : all.join('; ');
}

function notAfterwards({ argv, afterwards }: Step, code: number, why: string): string {
  const { what = '', later = '' } = afterwards ?? {};
  return `${basename(argv[0])} exited with code ${code}; the schema is complete, but not ${what}: ${why}; ${later}`;
}

async function runOnce(
  { argv, directory }: Step,
  plan: LockedWork,
  { session, lost, pulse }: LockedSession,
  { signal, log, redact, live, progressMs }: Effects,
  outputs: readonly { add(line: string): void }[],
): Promise<Outcome> {
  const began = performance.now();
  log.info(`running ${redact(argv.join(' '))}`);
  const from = basename(argv[0]);
  let last: string | undefined;
  const onLine = (line: string) => {
    if (line.trim() !== '') last = line;
    for (const output of outputs) output.add(line);
    log.info(line, { from });
  };
  // Before the command can change anything.
  const since = await serverTime(session);
  const child = await startGuarded(argv, {
    env: plan.childEnv(session.at),
    descriptor: session.descriptor,
    directory,
    onLine,
    redact: (line) => redact(stripVTControlCharacters(line)),
    pulse,
  });
  await using _ = startProgress({
    what: from,
    lastLine: () => last,
    changed: async (stop) =>
      since === undefined ? undefined : await readChangedTables(plan.target, session.at, since, { signal: stop, log }),
    log,
    live,
    everyMs: progressMs,
  });
  const outcome = await supervise(child, { lost, signal, log, graceMs: plan.graceMs, stopMs: stopMsOf(plan) });
  log.info(`${from} exited with code ${outcome.code} after ${formatDuration(performance.now() - began)}`);
  return outcome;
}
