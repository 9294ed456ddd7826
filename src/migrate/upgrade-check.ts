import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { knownServices, type Service } from '../catalog/index.ts';
import { command, type Context } from '../cli/command.ts';
import { ExitCode, KollaError, UnavailableError } from '../core/errors.ts';
import { redactor, type Redact } from '../core/redact.ts';
import { parseMysqlUrl } from '../mysql/index.ts';
import { start } from '../process/run.ts';
import { requireProgram } from './steps/program.ts';
import { configured } from './target/service-config.ts';
import { serviceOf } from './target/target.ts';

/** Time from SIGTERM to SIGKILL: it only reads. */
const GRACE_MS = 5000;

/** Runs the upgrade check of a service's own tool, and condenses its table to the findings. */
export const upgradeCheckCommand = command({
  summary: "Runs the service's own upgrade check, in the image of the new release.",
  description:
    'Reads the database as it is and changes nothing. Exits with 0 for success and for warnings, 1 for a failure, and 69 ' +
    'if the check could not run. The findings are also the termination message, so they are in the status of the Pod. A ' +
    'service without an upgrade check passes.',
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: [],
  examples: [
    { line: 'kolla-db-sync upgrade-check keystone', does: 'keystone-status upgrade check' },
    { line: 'kolla-db-sync upgrade-check nova', does: 'nova-status upgrade check' },
  ],
  async run({ operands: [name = ''] }, context) {
    return await checkUpgrade(serviceOf(name, await knownServices(context.podFile)), context);
  },
});

async function checkUpgrade(
  service: Service,
  { signal, log, inherited, lastWord }: Pick<Context, 'signal' | 'log' | 'inherited' | 'lastWord'>,
): Promise<ExitCode> {
  const check = service.migration.upgradeCheck;
  if (check === undefined) {
    log.info(`${service.name} has no upgrade check`);
    return ExitCode.ok;
  }
  const { argv, broken } = check;
  requireProgram(argv[0], inherited);
  const redact = await redactorOf(service, inherited);
  const from = basename(argv[0]);
  const what = `${from} upgrade check`;
  const table: string[] = [];
  let [last, isBroken] = ['', false];
  const onLine = (line: string) => {
    log.info(line, { from });
    if (/^[+|]/.test(line)) table.push(line);
    if (line.trim() !== '') last = line.trim();
    isBroken ||= broken !== undefined && new RegExp(broken).test(line);
  };
  const { code } = await start(argv[0], argv.slice(1), {
    env: inherited,
    signal,
    graceMs: GRACE_MS,
    redact: (line) => redact(stripVTControlCharacters(line)),
    onLine,
  }).ended;
  signal.throwIfAborted();
  const findings = findingsIn(table).join('; ');
  const words = `${what}: ${findings}`;
  if (code === 0) log.info(`${what}: success`);
  else if (code === WARNING && findings !== '') warn(words);
  else if (isBroken) warn(`${what} has a bug in this release, so it says nothing about the upgrade: ${last}`);
  // Python exits with 1 after an exception, and with 2 for a wrong argument: only the table shows that checks ran.
  else if (code === FAILURE && findings !== '') throw new KollaError(ExitCode.no, words);
  else throw new UnavailableError(`${what} could not run, exit code ${code}: ${last}`);
  return ExitCode.ok;

  function warn(text: string) {
    log.warn(text);
    lastWord?.(text);
  }
}

/** Exit codes of oslo.upgradecheck. */
const [WARNING, FAILURE] = [1, 2];

/**
 * The checks that were not successful: `Placement API: Failure: Placement API endpoint not found.` Not of `--json`, which
 * nova-status does not have.
 * @param lines of the table that oslo.upgradecheck prints, a block of three fields for each check
 */
function findingsIn(lines: readonly string[]): string[] {
  const blocks = lines.map((line) => (line.startsWith('+') ? '+' : line.replace(/^\| ?(.*?) *\|$/, '$1'))).join('\n');
  return blocks.split(/^\+$/m).flatMap((block) => {
    const [, check, result, details = ''] = /^Check: (.*)\nResult: (.*)\nDetails: ([^]*)$/m.exec(block.trim()) ?? [];
    if (check === undefined || result === 'Success') return [];
    return [`${check}: ${result}${details === 'None' ? '' : `: ${details.replaceAll(/\s+/g, ' ').trim()}`}`];
  });
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
