import { command, type Command, type Helper } from '../../cli/command.ts';
import { formatDuration } from '../../core/duration.ts';
import { ExitCode } from '../../core/errors.ts';
import { putInPlace } from '../../config/index.ts';
import { certificateCheckToWrite, configNeeded, configOptions, prepareCertificates } from './files.ts';
import { WAIT_NOTES } from '../../wait/index.ts';
import { OPTIONS } from './options.ts';
import { leaveRunCommand } from './run-command.ts';
import { checkTimeout, dependenciesOf, waitFor, waitTrust } from './waits.ts';

/**
 * kolla-init with these commands: all of them in kolla-pod, fewer in kolla-core.
 * @param begins called with the dependencies before anything is read or written. Throws if this binary does not support
 * them
 */
export function initOf(
  commands: Readonly<Record<string, Command>>,
  begins: (waits: readonly string[]) => void = () => {},
): Helper {
  return {
    name: 'kolla-init',
    summary: "Installs the files of config.json, then waits for the service's dependencies.",
    main: mainWith(begins),
    commands,
  };
}

function mainWith(begins: (waits: readonly string[]) => void): Command {
  return command({
    summary: "Installs the files of config.json, then waits for the service's dependencies.",
    description:
      'Runs as an init container. Everything is validated before the first file is written; each file is ' +
      'replaced atomically, unless it is up to date. Logs each change of a dependency, and a summary every ' +
      '30s.',
    operands: [],
    notes: WAIT_NOTES,
    options: OPTIONS,
    examples: [
      {
        line: 'kolla-init --wait job/keystone-db-sync --wait tcp://mariadb:3306 --timeout 10m',
        does: 'in an init container: files, then the Job and the database',
      },
      {
        line: "kolla-init --wait service/mariadb --wait 'pod?label=app=ovs&node=own' --wait 'job/nova-db-sync?release=2026.1'",
        does: 'a Service with a ready endpoint, a ready Pod on this node, the Job of this release',
      },
      {
        line: "kolla-init --wait mysql://mariadb --wait memcached://memcached --wait '!file:/run/kolla/hold?timeout=5m'",
        does: 'without an API server: two servers, and a file that must disappear within 5 minutes',
      },
      {
        line: 'kolla-init --config-dir ./config --root ./tree --wait http://127.0.0.1:5000/v3',
        does: "on a developer's machine, into an existing directory (mkdir tree)",
      },
    ],
    async run({ options }, context) {
      const began = performance.now();
      const { signal, log } = context;
      checkTimeout(options.timeout);
      begins(options.wait);
      const dependencies = dependenciesOf(options.wait);
      const trust = waitTrust(options, dependencies);
      const needed = options.allowNoConfig ? undefined : configNeeded(options);
      const applied = await putInPlace(
        {
          ...(await configOptions(options, context)),
          mustExist: needed && `${needed}, or give --allow-no-config to wait only`,
          validate: certificateCheckToWrite(options),
        },
        { signal, log },
      );
      prepareCertificates(options, applied?.sources ?? [], { signal, log });
      if (applied !== undefined) leaveRunCommand(options.root, applied.command, log);
      if (dependencies.length > 0)
        await waitFor(dependencies, { ...options, trust, timeoutMs: options.timeout }, context);
      const files = applied
        ? `${count(applied.written, 'file', 'files')} installed, ${applied.unchanged} unchanged`
        : 'no files';
      const met =
        dependencies.length === 0
          ? 'nothing to wait for'
          : `${count(dependencies.length, 'dependency', 'dependencies')} ready`;
      log.info(`ready after ${formatDuration(performance.now() - began)}: ${files}; ${met}`);
      return ExitCode.ok;
    },
  });
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}
