import { basename, resolve } from 'node:path';
import type { Context } from '../../cli/command.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { printable } from '../../core/log.ts';
import { table } from '../../cli/table.ts';
import { yamlText, type YamlValue } from '../../core/yaml-text.ts';
import { NAME_RULES } from '../../kube/names.ts';
import { collect, isUntaken, type ConfigFile } from './collect.ts';
import { chooser, SAID_PLAIN, type Patterns } from './globs.ts';
import { mountsOf, objectsOf, type ConfigObject, type ObjectOptions } from './objects.ts';
import { judge, type Secrecy } from './secrecy.ts';

const UNFOLDED_COLUMNS = 10_000;

/** Options, named as in the command's table. */
interface PrintOptions extends Patterns, Pick<ObjectOptions, 'namespace' | 'reload' | 'bundle'> {
  readonly name: string | undefined;
  readonly mounts: boolean;
  readonly explain: boolean;
  readonly output: 'yaml' | 'json';
}

/**
 * Prints the objects of a directory, or the mounts, or the reason for each file.
 * @throws UsageError, ConfigError or NotPermittedError before anything is printed
 */
export async function printConfigmaps(dir: string, options: PrintOptions, context: Context): Promise<ExitCode> {
  if (options.mounts && options.explain) throw new UsageError('configmaps: --mounts or --explain, not both');
  const { output, reload, bundle, namespace } = options;
  const name = options.name ?? basename(resolve(dir));
  checkName(options.name === undefined ? "the directory's name (or set --name)" : '--name', name);
  if (namespace !== undefined) checkName('--namespace', namespace);
  const chosen = chooser(options);
  const { signal, log, stdout } = context;
  const files = (await collect(dir, chosen.isExcluded, { signal, log })).map((file) => ({
    file,
    verdict: chosen.saidOf(file.path) ?? judge(file),
  }));
  chosen.checkUsed(dir);
  for (const { file, verdict } of files) warnOfPlain(file, verdict, context);
  const objects = objectsOf(files, { name, namespace, reload, bundle });
  if (options.explain) stdout(explanation(files, objects, context));
  else if (options.mounts) print(mountsOf(objects), output, stdout);
  else if (output === 'json') print({ apiVersion: 'v1', kind: 'List', items: objects.map(asData) }, output, stdout);
  // Printed before each object, so that outputs for several directories can be concatenated.
  else stdout(objects.map((each) => `---\n${yamlText(asData(each), () => undefined)}`).join(''));
  const secrets = objects.filter(({ kind }) => kind === 'Secret').length;
  const count = (all: number, what: string) => `${all} ${what}${all === 1 ? '' : 's'}`;
  log.info(
    `${count(files.length, 'file')}: ${count(objects.length - secrets, 'ConfigMap')}, ${count(secrets, 'Secret')}`,
  );
  return ExitCode.ok;
}

interface Judged {
  readonly file: ConfigFile;
  readonly verdict: Secrecy;
}

function checkName(what: string, name: string): void {
  if (!NAME_RULES.label.is.test(name))
    throw new UsageError(
      `configmaps: ${what}: '${name}' is not a name of at most 63 lower-case letters, digits and dashes`,
    );
}

/** Logs a warning if --plain puts a file with a secret into a ConfigMap. */
function warnOfPlain(file: ConfigFile, { isSecret, why }: Secrecy, { log }: Context): void {
  if (isSecret || why !== SAID_PLAIN) return;
  const found = judge(file);
  if (found.isSecret) log.warn(`${file.path} goes into a ConfigMap because of --plain, although: ${found.why}`);
}

function asData({ kind, metadata, immutable, data, binaryData }: ConfigObject): YamlValue {
  return {
    apiVersion: 'v1',
    kind,
    metadata,
    ...(immutable && { immutable }),
    ...(kind === 'Secret' && { type: 'Opaque' }),
    ...(Object.keys(data).length > 0 && { data }),
    ...(Object.keys(binaryData).length > 0 && { binaryData }),
  };
}

function print(value: YamlValue, output: 'yaml' | 'json', stdout: Context['stdout']): void {
  stdout(output === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : yamlText(value, () => undefined));
}

function explanation(
  files: readonly Judged[],
  objects: readonly ConfigObject[],
  { terminal }: Pick<Context, 'terminal'>,
): string {
  const rows = files.map(({ file, verdict }) => {
    const object = objects.find(({ items }) => items.some(({ path }) => path === file.path));
    const taken = isUntaken(file) ? '; no entry of config.json installs it' : '';
    return [shown(file.path), object?.kind ?? '', object?.metadata.name ?? '', `${verdict.why}${taken}`];
  });
  // One line per file, so that the output can be searched. On a terminal the lines are wrapped.
  return table(
    terminal.isTerminal ? terminal : { ...terminal, width: UNFOLDED_COLUMNS },
    ['FILE', 'KIND', 'NAME', 'WHY'],
    rows,
  );
}

/** A path in printable form: a name may contain control characters or line breaks. */
function shown(path: string): string {
  return /\p{Cc}/u.test(path) ? printable(JSON.stringify(path)) : path;
}
