/**
 * kolla-init: what a container needs before its service starts.
 *
 *   options -> dependencies parsed (a typo must not cost half an hour) -> config.json's files in place, the CA store, its
 *   command in /run/kolla for kolla_start -> dependencies ready -> one line, exit 0
 *
 * Fails as its parts do: 64 a dependency that can't be read, 65 a wrong config.json, 69 a failed Job, 75 the deadline, 77
 * the API server or the system refuses, 143 SIGTERM. Everything may run again: what is right is left alone.
 */
import { command, type Helper } from '../../cli/command.ts';
import { formatDuration } from '../../core/duration.ts';
import { ExitCode } from '../../core/errors.ts';
import { putInPlace } from '../../config/index.ts';
import { certificateCheckToWrite, configOptions, prepareCertificates } from './files.ts';
import { WAIT_NOTES } from '../../wait/index.ts';
import { checkCommand } from './check.ts';
import { OPTIONS } from './options.ts';
import { planCommand } from './plan.ts';
import { rbacCommand } from './rbac.ts';
import { leaveRunCommand } from './run-command.ts';
import { checkTimeout, dependenciesOf, waitFor } from './waits.ts';
import { watchCommand } from './watch.ts';

const main = command({
  summary: "Puts config.json's files in place, then waits for what the service needs.",
  description:
    'For an init container. Everything is validated before the first file is touched; each file is replaced whole, and not at ' +
    'all when it is right. Every change of a dependency is one line, with a summary each 30 s.',
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
      does: 'without an API server: servers that answer, and a file that must go within 5 minutes',
    },
    {
      line: 'kolla-init --config-dir ./config --root ./tree --wait http://127.0.0.1:5000/v3',
      does: "on a developer's machine, into a directory that exists: mkdir tree",
    },
  ],
  async run({ options }, context) {
    const began = performance.now();
    const { signal, log } = context;
    checkTimeout(options.timeout);
    const dependencies = dependenciesOf(options.wait);
    const applied = await putInPlace(
      { ...(await configOptions(options, context)), validate: certificateCheckToWrite(options) },
      { signal, log },
    );
    prepareCertificates(options, applied?.sources ?? [], { signal, log });
    if (applied !== undefined) await leaveRunCommand(options.root, applied.command, log);
    if (dependencies.length > 0) await waitFor(dependencies, { ...options, timeoutMs: options.timeout }, context);
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

export const init: Helper = {
  name: 'kolla-init',
  summary: "Puts config.json's files in place, then waits for what the service needs.",
  main,
  commands: { check: checkCommand, plan: planCommand, rbac: rbacCommand, watch: watchCommand },
};

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}
