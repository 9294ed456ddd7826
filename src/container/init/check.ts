/**
 * kolla-init check: compares the installed files with config.json.
 *
 *   kolla-init's plan, including overlays -> compared with the disk -> differences on stdout
 *
 * Writes nothing. 0 no difference; 1 differences, summarized on stderr; 65 config.json, kolla-pod.yaml or a CA
 * certificate is invalid.
 */
import { dirname, join } from 'node:path';
import { command } from '../../cli/command.ts';
import { ExitCode, reasonOf } from '../../core/errors.ts';
import { outputOption } from '../../cli/output-option.ts';
import type { Difference, Show } from '../../config/check/index.ts';
import { makePlan } from '../../config/index.ts';
import { certificateCheck, configNeeded, configOptions } from './files.ts';
import { FILE_OPTIONS } from './options.ts';
import { followAt, mayWriteIn } from '../../fs/access.ts';
import { readRegular } from '../../fs/content.ts';
import { ROOTLESS_RUN_COMMAND, RUN_COMMAND } from '../start/index.ts';

/** Number of paths that the last line names; stdout has all of them. */
const NAMED_MAX = 3;

export const checkCommand = command({
  summary: 'Shows how installed files differ from config.json; writes nothing.',
  description:
    'Exits with 1 if a file is missing or differs in content, mode or owner. Text files are shown as a ' +
    'diff. Possible secrets (files that are not world-readable, and values of options such as password) are ' +
    'shown as digests, keyed with a random key per run.',
  operands: [],
  options: [...FILE_OPTIONS, outputOption('KOLLA_INIT_CHECK_OUTPUT', 'text')],
  examples: [
    { line: 'kolla-init check', does: 'in a container: compare its configuration with the ConfigMap' },
    {
      line: 'kolla-init check --config-dir ./config --root ./tree -o json',
      does: "on a developer's machine, as one JSON object",
    },
  ],
  async run({ options }, context) {
    const { signal, log, stdout, terminal } = context;
    const settings = await configOptions(options, context);
    const validate = certificateCheck(options);
    const planned = await makePlan(
      { ...settings, validate, mustExist: configNeeded(options), onlyCompare: true },
      { signal, log },
    );
    const { createShow, findDifferences, renderDifferences } = await import('../../config/check/index.ts');
    const show = createShow(settings.overlay);
    const differences = planned === undefined ? [] : await findDifferences(planned.plan, show, signal);
    if (planned !== undefined) {
      const aboutCommand = await compareCommand(planned.root, planned.loaded.document.command, show);
      if (aboutCommand !== undefined) differences.push(aboutCommand);
    }
    const config = planned?.loaded.file ?? null;
    const compared = planned?.plan.steps.length ?? 0;
    const same = differences.length === 0;
    if (options.output === 'json') stdout(`${JSON.stringify({ config, same, compared, differences })}\n`);
    else stdout(renderDifferences(differences, terminal));
    if (planned === undefined) return ExitCode.ok;
    if (same) log.info(`no differences: the files of ${config} are installed (${compared} compared)`);
    else log.warn(`different from ${config}: ${named(differences)}`);
    return same ? ExitCode.ok : ExitCode.no;
  },
});

function named(differences: readonly Difference[]): string {
  const paths = differences.map(({ path }) => path);
  const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : '';
  return paths.slice(0, NAMED_MAX).join(', ') + more;
}

const LINE_END = Buffer.from('\n');

/**
 * Compares config.json's command with the one left by kolla-init in a volume, or by kolla_set_configs as root.
 * Undefined if they are equal, or if there is no such command.
 */
export async function compareCommand(root: string, wanted: string, show: Show): Promise<Difference | undefined> {
  for (const dest of [ROOTLESS_RUN_COMMAND, RUN_COMMAND]) {
    const path = join(root, dest);
    const subject = { path, entry: 'command' };
    const found = read(path);
    if (found instanceof Error) {
      if (found.code !== 'ENOENT') return { ...subject, is: `not readable (${reasonOf(found)})` };
      if (dest === ROOTLESS_RUN_COMMAND && isVolume(dirname(path))) return { ...subject, is: 'missing' };
      continue;
    }
    if (found.equals(Buffer.from(wanted))) return undefined;
    // Both texts end with a newline, so that neither is reported as missing one.
    const sides = { actual: Buffer.concat([found, LINE_END]), wanted: Buffer.from(`${wanted}\n`), isPrivate: false };
    return { ...subject, content: await show({ dest, ...sides }) };
  }
  return undefined;
}

/** Whether kolla-init would write the command to the directory: it does not do so without permission. */
function isVolume(directory: string): boolean {
  return followAt(directory)?.isDirectory() === true && mayWriteIn(directory);
}

function read(path: string): Buffer | NodeJS.ErrnoException {
  try {
    return readRegular(path);
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}
