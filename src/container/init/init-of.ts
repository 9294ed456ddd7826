import { existsSync } from 'node:fs';
import { command, type Command, type Context, type Helper } from '../../cli/command.ts';
import type { Values } from '../../cli/option.ts';
import { formatDuration } from '../../core/duration.ts';
import { ExitCode } from '../../core/errors.ts';
import type { InPlace } from '../../config/index.ts';
import { CONFIG_DIR, withoutFiles } from '../../config/read/config-dir.ts';
import { WAIT_NOTES } from '../../wait/grammar/help.ts';
import { OPTIONS } from './options.ts';
import { checkTimeout, dependenciesOf, waitFor, waitTrust } from './waits.ts';

/**
 * kolla-init with these commands: all of them in kolla-pod, fewer in kolla-core.
 * @param begins called with the options before anything is read or written. Throws if this binary does not support them
 */
export function initOf(
  commands: Readonly<Record<string, Command>>,
  begins: (options: Values<typeof OPTIONS>) => void | Promise<void> = () => {},
): Helper {
  return {
    name: 'kolla-init',
    summary: "Installs the files of config.json, then waits for the service's dependencies.",
    main: mainWith(begins),
    commands,
  };
}

function mainWith(begins: (options: Values<typeof OPTIONS>) => void | Promise<void>): Command {
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
      checkTimeout(options.timeout);
      await begins(options);
      const dependencies = await dependenciesOf(options.wait);
      const trust = waitTrust(options, dependencies);
      const applied = await installed(options, context);
      if (dependencies.length > 0)
        await waitFor(dependencies, { ...options, trust, timeoutMs: options.timeout }, context);
      const files = applied
        ? `${count(applied.written, 'file', 'files')} installed, ${applied.unchanged} unchanged`
        : 'no files';
      const met =
        dependencies.length === 0
          ? 'nothing to wait for'
          : `${count(dependencies.length, 'dependency', 'dependencies')} ready`;
      context.log.info(`ready after ${formatDuration(performance.now() - began)}: ${files}; ${met}`);
      return ExitCode.ok;
    },
  });
}

/** Code for files is loaded only if there may be some: a Pod that only waits does without. */
async function installed(options: Values<typeof OPTIONS>, context: Context): Promise<InPlace | undefined> {
  const { configDir, configJson, allowNoConfig } = options;
  if (configJson === undefined && (allowNoConfig || configDir === CONFIG_DIR) && !existsSync(configDir)) {
    context.log.info(withoutFiles(configDir));
    return undefined;
  }
  const { installFiles } = await import('./install-files.ts');
  return await installFiles(options, context);
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}
