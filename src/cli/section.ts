import { COMMON_OPTIONS } from './common-options.ts';
import { sectionOf, type Command, type Helper } from './command.ts';
import type { FileOptions, PodFile } from './file.ts';
import type { Option, Values } from './option.ts';
import { resolveOptions } from './parse.ts';

/** What tells a helper's section, and what may stand in it. */
type Section = Pick<Helper, 'name' | 'commands' | 'main' | 'elsewhere'>;

/**
 * The options that kolla-pod.yaml sets for a command of a helper.
 * @param name the command's; '' for what the helper does without one
 */
export async function fileOptionsOf(
  helper: Section,
  name: string,
  command: Pick<Command, 'options'>,
  file: string,
): Promise<FileOptions> {
  // Lazy, because a probe that runs every ten seconds and has no such file needs no YAML.
  const { readFileOptions } = await import('./file.ts');
  const path = name === '' ? [sectionOf(helper)] : [sectionOf(helper), name];
  const commands = [...Object.keys(helper.commands), ...(helper.elsewhere ?? [])];
  const siblings = [...commands, ...(helper.main?.options ?? []).map(({ flag }) => flag)];
  return readFileOptions(file, path, siblings, COMMON_OPTIONS, command.options);
}

/**
 * What a command would be given by the environment and its section of kolla-pod.yaml, for who runs it without a command
 * line.
 * @param options the command's own table
 * @throws UsageError or ConfigError with the place
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
