import { COMMON_OPTIONS } from './common-options.ts';
import { sectionOf, type Command, type Helper } from './command.ts';
import type { FileOptions, PodFile } from './file.ts';
import type { Option, Values } from './option.ts';
import { resolveOptions } from './parse.ts';

/** The parts of a helper that define its section and the valid keys. */
interface Section extends Pick<Helper, 'name' | 'commands' | 'elsewhere'> {
  readonly main?: Pick<Command, 'options'>;
}

/**
 * The options set by kolla-pod.yaml for a command of a helper.
 * @param name of the command; '' for the helper without one
 */
export async function fileOptionsOf(
  helper: Section,
  name: string,
  command: Pick<Command, 'options'>,
  file: string,
): Promise<FileOptions> {
  // Loaded lazily: a probe that runs every ten seconds without such a file needs no YAML parser.
  const { readFileOptions } = await import('./file.ts');
  const path = name === '' ? [sectionOf(helper)] : [sectionOf(helper), name];
  const commands = [...Object.keys(helper.commands), ...(helper.elsewhere ?? [])];
  const siblings = [...commands, ...(helper.main?.options ?? []).map(({ flag }) => flag)];
  return readFileOptions(file, path, siblings, COMMON_OPTIONS, command.options);
}

/**
 * The options of a command from the environment and its section of kolla-pod.yaml, for running it without a command
 * line.
 * @param options the command's table
 * @throws UsageError or ConfigError with the source
 */
export async function optionsOf<const O extends readonly Option[]>(
  helper: Section,
  name: string,
  options: O,
  env: NodeJS.ProcessEnv,
  podFile: PodFile | undefined,
): Promise<Values<O>> {
  const file = podFile && (await fileOptionsOf(helper, name, { options }, podFile.file));
  return resolveOptions(options, { flags: new Map(), operands: [], child: [] }, env, file) as Values<O>;
}
