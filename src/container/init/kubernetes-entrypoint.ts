/**
 * kubernetes-entrypoint: an init container that waits as its environment specifies, or a wrapper around a service.
 *
 *   DEPENDENCY_* -> dependencies and files to render, all parsed before anything is done -> files rendered
 *   (DEPENDENCY_CONFIG) -> kolla-init's waits -> COMMAND by execve; without one, exit
 *
 * Exit codes: 64 for an invalid variable (kubernetes-entrypoint continued, see
 * docs/how-to/migration-kubernetes-entrypoint.md), 65 a template or credentials, 69 a failed Job, 75 the deadline, 77
 * permission denied, 126 and 127 as in a shell for a COMMAND that cannot be run, 143 SIGTERM; else COMMAND's own code.
 * Uses the API server only if a dependency needs it.
 */
import { command, type Command, type Context, type Helper } from '../../cli/command.ts';
import type { Values } from '../../cli/option.ts';
import { ExitCode, KollaError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { translate } from '../../wait/compat/index.ts';
import { reportAsEntrypoint } from '../../wait/tell.ts';
import { becomeProgram, findProgram, isRefusal, withCallersLimits } from '../../process/exec/index.ts';
import { ENTRYPOINT_OPTIONS, VARIABLE_PREFIX } from './entrypoint-options.ts';
import { ownValues, renderTemplate } from './render-template.ts';
import { checkTimeout, waitFor } from './waits.ts';
import type { Level, LineFormat } from '../../core/log.ts';
import { isoTime, localTime } from '../../core/local-time.ts';

const WORDS = { debug: 'DEBUG', info: 'INFO', warn: 'WARNING', error: 'ERROR' } as const satisfies Record<
  Level,
  string
>;

/** kubernetes-entrypoint's log format, without the source location. */
const entrypointLine: LineFormat = (level, message, { stack }, now) => {
  const time = isoTime(localTime(now)).slice(0, 19).replace('T', ' ').replaceAll('-', '/');
  const more = typeof stack === 'string' ? `\n${stack}` : '';
  return `Entrypoint ${WORDS[level]}: ${time} ${message}${more}\n`;
};

/** Streams that kubernetes-entrypoint writes to. */
function streamOf(level: Level): 'stdout' | 'stderr' {
  return level === 'error' ? 'stderr' : 'stdout';
}

type Options = Values<typeof ENTRYPOINT_OPTIONS>;

/**
 * @param begins called with the options before anything else. Throws if this binary does not support a wait
 */
export function entrypointOf(begins: (options: Options) => void = () => {}): Helper {
  return {
    name: 'kubernetes-entrypoint',
    summary: 'Waits for the dependencies in DEPENDENCY_*, then executes COMMAND (drop-in for kubernetes-entrypoint).',
    main: mainWith(begins),
    commands: {},
    lines: { format: entrypointLine, to: streamOf },
  };
}

export const kubernetesEntrypoint: Helper = entrypointOf();

function mainWith(begins: (options: Options) => void): Command {
  return command({
    summary: 'Waits for the dependencies in DEPENDENCY_*, then executes COMMAND (drop-in for kubernetes-entrypoint).',
    description:
      'All variables of kubernetes-entrypoint keep their meaning, but dependencies are watched instead ' +
      'of polled, and an invalid variable is an error. Log messages and output streams are those of ' +
      'kubernetes-entrypoint unless --log-format is set. ' +
      'docs/how-to/migration-kubernetes-entrypoint.md lists every difference.',
    operands: [
      { name: 'WORD', help: 'ignored, as in kubernetes-entrypoint; set COMMAND instead', optional: true, many: true },
    ],
    options: ENTRYPOINT_OPTIONS,
    examples: [
      {
        line: 'kubernetes-entrypoint',
        does: 'in an init container, with DEPENDENCY_SERVICE and others in its env',
      },
      {
        line: "kubernetes-entrypoint --dependency-socket /run/openvswitch/db.sock --command 'ovs-vsctl show'",
        does: 'manually, without an API server: wait for the socket, then execute ovs-vsctl',
      },
    ],
    async run({ operands, options }, context) {
      const { signal, log, inherited } = context;
      const { namespace, podName, configmapsDir, interfaceName, command: text } = options;
      checkTimeout(options.timeout);
      begins(options);
      const warn = (message: string) => log.warn(message);
      if (operands.length > 0) warn(`the arguments ${operands.join(' ')} are ignored: set COMMAND to run them`);
      for (const name of Object.keys(inherited)) sayWhenUnknown(name, warn);
      const { dependencies, configs } = translate(
        {
          service: options.dependencyService,
          jobs: options.dependencyJobs,
          jobsJson: options.dependencyJobsJson,
          daemonset: options.dependencyDaemonset,
          container: options.dependencyContainer,
          podJson: options.dependencyPodJson,
          socket: options.dependencySocket,
          customResource: options.dependencyCustomResource,
          config: options.dependencyConfig,
          podName,
          namespace,
        },
        { isLenient: options.compat === 'lenient', warn },
      );
      const values = ownValues(interfaceName);
      for (const path of configs) {
        log.info(`Resolving Config ${path}`);
        renderTemplate(path, configmapsDir, values);
        log.info(`Dependency Config ${path} is resolved.`);
      }
      const settings = {
        ...options,
        timeoutMs: options.timeout,
        trust: { insecure: false },
        fallsBackToEndpoints: true,
      };
      if (dependencies.length > 0)
        await waitFor(dependencies, settings, { signal, log, inherited }, reportAsEntrypoint);
      if (text === undefined) {
        warn('COMMAND env is empty');
        return ExitCode.ok;
      }
      return await becomeCommand(text, context);
    },
  });
}

/** Executes the command. Single spaces separate its arguments, so two spaces enclose an empty argument. */
async function becomeCommand(text: string, { inherited, signal }: Context): Promise<never> {
  const [name = '', ...rest] = text.split(' ');
  const program = findProgram(name, inherited['PATH'] ?? '');
  if (isRefusal(program)) throw new KollaError(program.code, `Cannot execute command: ${program.reason}`);
  const [file, words] = withCallersLimits(program, [name, ...rest]);
  return await becomeProgram(file, words, inherited, signal);
}

const KNOWN = ENTRYPOINT_OPTIONS.map(({ env }) => env).filter((env) => env.startsWith(VARIABLE_PREFIX));

/**
 * Warns about a misspelt variable, which would otherwise be ignored silently. Other variables belong to other programs.
 */
function sayWhenUnknown(name: string, warn: (message: string) => void): void {
  if (!name.startsWith(VARIABLE_PREFIX) || KNOWN.some((known) => known === name)) return;
  const suffixes = KNOWN.map((known) => known.slice(VARIABLE_PREFIX.length));
  const near = nearest(name.slice(VARIABLE_PREFIX.length), suffixes);
  if (near !== undefined) warn(`${name} is unknown; did you mean ${VARIABLE_PREFIX}${near}?`);
}
