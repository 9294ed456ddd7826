/**
 * The migration of kolla-sidecar and of `kolla-db-sync --stay`. It is kolla-pod's, which ends with it, so that nothing of
 * Node stays:
 *
 *   options, read and checked here -> `kolla-pod kolla-db-sync SERVICE --OPTION=... --report-stages`, supervised (kolla-run);
 *     secrets are in its environment and files, never in its arguments
 *   its stderr is ours: its log -> its stdout: a line for each stage (migrate/report.ts) -> /status.json, the probes
 *   its error is a line too -> thrown here, so that it is logged once, and is the component's problem or the last word
 *   its exit code is ours; the attempt's backoff is the supervisor's, as of any component
 *   abort -> SIGTERM -> --grace and 15 s -> SIGKILL to it and its descendants. Our own end, by SIGKILL too, does the same
 *   its own end by SIGKILL -> its command is killed too -> the attempt has failed
 */
import { optionWords } from '../cli/option-words.ts';
import { UnavailableError } from '../core/errors.ts';
import { DB_SYNC } from '../migrate/options/main.ts';
import { SYNC_OPTIONS } from '../migrate/options/options.ts';
import { reportIn } from '../migrate/report.ts';
import { isRefusal } from '../process/exec/find-program.ts';
import { start } from '../process/run.ts';
import type { Migrate } from '../sidecar/components/db-sync.ts';
import { podBeside, withoutPod } from './pod.ts';
import { process } from './process.ts';

/**
 * @param what needs kolla-pod, for the error
 * @throws UnavailableError without kolla-pod next to kolla-core
 */
export function migrateInPod(what: string): Migrate {
  const found = podBeside();
  if (isRefusal(found)) throw withoutPod(what, found);
  const { file } = found;
  return async ({ operands, options, child }, { signal, inherited, commonWords = [], stopMs }, onStage) => {
    const own = { ...options, reportStages: true };
    const words = [...operands, ...optionWords(SYNC_OPTIONS, own), ...commonWords];
    let failure: Error | undefined;
    const { code, by } = await start(file, [DB_SYNC.name, ...words, ...(child.length === 0 ? [] : ['--', ...child])], {
      env: inherited,
      signal,
      graceMs: stopMs,
      stderr: process.stderr.fd,
      onLine(line) {
        const report = reportIn(line);
        if (report === undefined) return;
        if ('error' in report) failure = report.error;
        else onStage(report.stage);
      },
    }).ended;
    if (failure !== undefined) throw failure;
    signal.throwIfAborted();
    if (by !== undefined) throw new UnavailableError(`kolla-pod, which runs the migration, was ended by ${by}`);
    return code;
  };
}
