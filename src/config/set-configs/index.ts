/**
 * kolla_set_configs, as called by Kolla's images.
 *
 *   config.yaml or config.json -> read with Python's semantics -> validate -> all steps in Kolla's order, on a model of
 *   the file system (tree, changes) -> settle: the model is written to disk
 *   --check: the same reading, then each file is compared with its source
 *
 * Every error that Kolla's tool would hit at any step is found on the model: the exit code is the same, and nothing has
 * been touched. Writing fails only for system errors; every file is then old or new. Exit codes are Kolla's: 0 success,
 * 1 named errors, 2 others. Log lines are Kolla's too (lines). Intended differences are listed in
 * docs/reference/kolla-contract.md.
 */
import { bugText, codeOf, messageOf } from '../../core/errors.ts';
import { Changes, type Maker } from './changes.ts';
import { checkConfig } from './check.ts';
import { SetConfigsError } from '../failure/failure.ts';
import type { Lines } from './lines.ts';
import { loadConfig } from './load.ts';
import { refuseMountPoints } from './mount-points.ts';
import { Owners } from './owners.ts';
import { settle } from './settle.ts';
import { carryOut } from './steps.ts';
import { isMapping } from '../python/values.ts';
import { slipsIn } from '../read/slips.ts';
import { Tree } from '../tree/tree.ts';
import { validateConfig } from './validate.ts';

export { parseCommandLine } from './command-line.ts';
export { createLines } from './lines.ts';

export interface SetConfigsOptions {
  /** Root directory instead of `/`. Never an option of the command, which runs through sudo. */
  readonly root: string;
  readonly check: boolean;
  /** Value of KOLLA_CONFIG_STRATEGY. */
  readonly strategy: string | undefined;
  readonly maker: Maker;
}

/** Installs everything, or checks it. Returns Kolla's exit code; errors are in the log lines. */
export async function setConfigs(options: SetConfigsOptions, lines: Lines): Promise<0 | 1 | 2> {
  let settling = false;
  try {
    using tree = new Tree(options.root);
    const value = await loadConfig(tree, lines);
    lines.info('Validating config file');
    // Kolla's tool ignores such a section silently.
    for (const slip of isMapping(value) ? slipsIn(value) : []) lines.warning(slip);
    const document = validateConfig(value);
    const work = { changes: new Changes(tree, options.maker), owners: Owners.of(tree), lines };
    if (options.check) {
      checkConfig(work, document);
      return 0;
    }
    carryOut(work, document, options.strategy);
    refuseMountPoints(tree);
    settling = true;
    lines.flush();
    settle(tree, lines);
    return 0;
  } catch (error) {
    return report(error, lines, options.check ? '' : settling ? SETTLING : UNTOUCHED);
  } finally {
    lines.flush();
  }
}

const SETTLING = ' Every file is wholly old or wholly new; run it again once that is fixed.';
const UNTOUCHED = ' Nothing was touched.';

function report(error: unknown, lines: Lines, touched: string): 0 | 1 | 2 {
  if (error instanceof SetConfigsError && error.failure !== 'Unexpected error') {
    lines.error(`${error.failure}: ${error.message}`);
    return error.exitCode as 0 | 1;
  }
  const isOurs = !(error instanceof SetConfigsError) && codeOf(error) === undefined;
  const text = isOurs ? bugText(error) : messageOf(error);
  lines.error(`Unexpected error:\n${text}.${touched}`);
  return 2;
}
