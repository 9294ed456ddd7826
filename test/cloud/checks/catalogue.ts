import assert from 'node:assert/strict';
import { chartNames } from '../../../build/charts.ts';
import { SERVICES, type Service } from '../../../src/catalog/index.ts';
import type { Client } from '../client.ts';

/** Options that oslo.config gives to every program, before the subcommand. */
const COMMON = new Set(['--config-file', '--log-file']);
const SEPARATOR = '=== ';

/** Every command of the catalogue's services that run here exists in this release, with its options, by the tool's own help. */
export async function assertCommandsExist(client: Client): Promise<string> {
  const running = SERVICES.filter(({ name }) => chartNames().includes(name));
  const commands = new Map(running.flatMap((service) => commandsOf(service)).map((argv) => [argv.join(' '), argv]));
  assert.ok(commands.size > 0);
  const helps = await helpsOf(client, [...commands.values()]);
  const problems = [...commands].flatMap(([line, argv]) => {
    const { code, text } = helps.get(line) ?? { code: -1, text: 'no help' };
    if (code !== 0) return [`${line}: ${text.trim().slice(-200)}`];
    const options = argv.filter((word) => word.startsWith('--') && !COMMON.has(word));
    return options.filter((option) => !text.includes(option)).map((option) => `${line}: has no ${option}`);
  });
  assert.deepEqual(problems, []);
  return `${commands.size} commands of ${running.length} services exist with their options`;
}

/** A service's commands without `test`, and without Django's, whose help needs the settings of Horizon's Pod. */
function commandsOf({ migration, tool = [], keys = [] }: Service): (readonly string[])[] {
  return [
    ...Object.values(migration.phases).flatMap((steps) => steps.map(({ argv }) => argv)),
    ...tool.flatMap(({ steps, done }) => [
      ...steps.map(({ argv }) => argv),
      ...('listed' in done ? [done.listed.argv, ...done.update.map(({ argv }) => argv)] : []),
    ]),
    ...keys.flatMap(({ reencrypt }) => (reencrypt === undefined ? [] : [reencrypt])),
  ].filter(([program]) => program !== 'test' && !program?.endsWith('/python'));
}

/** The help of each command, by its command line. An exec costs seconds, so all commands run in one shell. */
async function helpsOf(
  client: Client,
  commands: readonly (readonly string[])[],
): Promise<ReadonlyMap<string, { readonly code: number; readonly text: string }>> {
  // --help reads neither placeholders nor files that this Pod does not have, so both become /dev/null.
  const words = (argv: readonly string[]) =>
    argv.map((word) => (/^\{|^\/etc\//.test(word) ? '/dev/null' : word)).map((word) => `'${word}'`);
  const script = commands.map((argv) => {
    return `text=$(${words(argv).join(' ')} --help 2>&1); echo "${SEPARATOR}$?"; echo "$text"`;
  });
  const parts = (await client.exec('bash', '-c', script.join('\n'))).split(new RegExp(`^${SEPARATOR}`, 'm')).slice(1);
  assert.equal(parts.length, commands.length);
  return new Map(
    commands.map((argv, index) => {
      const [code = '', ...lines] = (parts[index] ?? '').split('\n');
      return [argv.join(' '), { code: Number(code), text: lines.join('\n') }];
    }),
  );
}
