import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { knownServices, type ConfigOption, type Service, type UpgradeCheck } from '../catalog/index.ts';
import { command, type Context } from '../cli/command.ts';
import type { Option, Values } from '../cli/option.ts';
import { formatDuration } from '../core/duration.ts';
import { DeadlineError, ExitCode, KollaError, messageOf, UnavailableError } from '../core/errors.ts';
import { redactor, type Redact } from '../core/redact.ts';
import { parseMysqlUrl } from '../mysql/index.ts';
import { osloVariable } from '../oslo/variable.ts';
import { start } from '../process/run.ts';
import { findingsIn } from './findings.ts';
import { programFile, requireProgram } from './child/program.ts';
import { configured, wordsOf } from './server/service-config.ts';
import { serviceOf } from './plan/service-of.ts';

/** Time from SIGTERM to SIGKILL: it only reads. */
const GRACE_MS = 5000;
const OPTIONS = [
  {
    flag: 'check-timeout',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_CHECK_TIMEOUT',
    default: '5m',
    help: 'maximum time for the upgrade check',
    details: 'The check is stopped then: some wait without end for a server that does not respond.',
    example: '15m',
  },
] as const satisfies readonly Option[];

/** Runs the upgrade check of a service's own tool, and condenses its table to the findings. */
export const upgradeCheckCommand = command({
  summary: "Runs the service's own upgrade check, in the image of the new release.",
  description:
    'Reads what the check reads, which is logged, and changes nothing. Exits with 0 for success and for warnings, 1 for a ' +
    'failure, 69 if the check could not run, and 75 if it did not finish in time. The findings are also the termination ' +
    'message, so they are in the status of the Pod. A service without an upgrade check passes.',
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: OPTIONS,
  examples: [
    { line: 'kolla-db-sync upgrade-check keystone', does: 'keystone-status upgrade check' },
    { line: 'kolla-db-sync upgrade-check nova', does: 'nova-status upgrade check' },
  ],
  async run({ operands: [name = ''], options }, context) {
    return await checkUpgrade(serviceOf(name, await knownServices(context.podFile)), options, context);
  },
});

async function checkUpgrade(
  service: Service,
  { checkTimeout }: Values<typeof OPTIONS>,
  { signal, log, inherited, lastWord }: Pick<Context, 'signal' | 'log' | 'inherited' | 'lastWord'>,
): Promise<ExitCode> {
  const check = service.migration.upgradeCheck;
  if (check === undefined) {
    log.info(`${service.name} has no upgrade check`);
    return ExitCode.ok;
  }
  const { argv, broken, brokenBecause = 'has a bug in this release, so it says nothing about the upgrade' } = check;
  const from = basename(argv[0]);
  const what = `${from} upgrade check`;
  requireProgram(argv[0], inherited);
  for (const program of check.needs ?? []) {
    if (programFile(program, inherited) !== undefined) continue;
    throw new UnavailableError(`${what} could not run: it needs ${program}; run it in an image that has it`);
  }
  const redact = await redactorOf(service, inherited);
  const isMoot = check.moot !== undefined && !(await isOn(service, check.moot.unless, inherited));
  await using scratch = await scratchFor(check);
  const table: string[] = [];
  let [last, isBroken] = ['', false];
  const onLine = (line: string) => {
    log.info(line, { from });
    if (/^[+|]/.test(line)) table.push(line);
    if (line.trim() !== '') last = line.trim();
    isBroken ||= broken !== undefined && new RegExp(broken).test(line);
  };
  const timeout = AbortSignal.timeout(checkTimeout);
  const { code } = await start(argv[0], argv.slice(1), {
    env: { ...inherited, ...scratch.environment, ...(isMoot ? check.moot?.environment : undefined) },
    signal: AbortSignal.any([signal, timeout]),
    graceMs: GRACE_MS,
    redact: (line) => redact(stripVTControlCharacters(line)),
    onLine,
  }).ended.catch((error: unknown) => {
    throw new UnavailableError(`${what} could not run: ${messageOf(error)}`, { cause: error });
  });
  signal.throwIfAborted();
  if (timeout.aborted) {
    const said = last === '' ? 'it printed nothing' : `its last line: ${last}`;
    throw new DeadlineError(`${what} did not finish within ${formatDuration(checkTimeout)}: stopped; ${said}`);
  }
  const all = findingsIn(table);
  const moot = isMoot ? all.filter((finding) => finding.check === check.moot?.check) : [];
  for (const { text } of moot) log.info(`${what}: ignored, as ${wordsOf(check.moot!.unless)} is off: ${text}`);
  const findings = all.filter((finding) => !moot.includes(finding)).map(({ text }) => text);
  const words = `${what}: ${findings.join('; ')}`;
  if (isBroken) warn(`${what} ${brokenBecause}: ${last}`);
  // Without a table it has not run, whatever its exit code: Python exits with 1 after an exception, 2 for a wrong argument.
  else if (code > FAILURE || (code !== 0 && all.length === 0))
    throw new UnavailableError(`${what} could not run, exit code ${code}: ${last}`);
  else if (findings.length === 0) log.info(`${what}: success; ${lookedAt(check)}`);
  else if (code === FAILURE) throw new KollaError(ExitCode.no, words);
  else warn(words);
  return ExitCode.ok;

  function warn(text: string) {
    log.warn(text);
    lastWord?.(text);
  }
}

/** Exit code of oslo.upgradecheck for a failure. */
const FAILURE = 2;

/** What a success is about. */
function lookedAt({ readsDatabase }: UpgradeCheck): string {
  if (readsDatabase === undefined) return 'what it looked at is not known';
  return readsDatabase ? 'it has read the database' : 'it has looked at the configuration alone, never at the database';
}

/** Whether a boolean option of the service is on. A configuration that can't be read is the tool's to report. */
async function isOn(service: Service, place: ConfigOption, inherited: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    const { value = '' } = await configured(service, [place], { serviceConfig: undefined, inherited }, '');
    return ['true', '1', 'on', 'yes'].includes(value.toLowerCase());
  } catch {
    return false;
  }
}

/** A directory in the place of those that the check writes to, removed afterwards. */
async function scratchFor({ scratch = [] }: UpgradeCheck) {
  const path = scratch.length === 0 ? undefined : await mkdtemp(join(tmpdir(), 'kolla-pod-check-'));
  return {
    environment: Object.fromEntries(scratch.map((place) => [osloVariable(place), path])),
    async [Symbol.asyncDispose]() {
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

/** Hides the databases' URLs, which a traceback may contain. A configuration that can't be read is the tool's to report. */
async function redactorOf(service: Service, inherited: NodeJS.ProcessEnv): Promise<Redact> {
  const secrets = await Promise.all(
    service.databases.map(async ({ url }) => {
      try {
        const { value } = await configured(service, url, { serviceConfig: undefined, inherited }, '');
        return value === undefined ? [] : [value, parseMysqlUrl(value).password];
      } catch {
        return [];
      }
    }),
  );
  return redactor(secrets.flat());
}
