import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { goProgram } from '../../tools/go-program.ts';

const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));
const BUILD_BYTES = 5e8;

/** The linter of GitHub's workflows, built once into the cache from the modules that its go.sum pins. */
export async function actionlint(): Promise<string> {
  return await goProgram({
    name: 'actionlint',
    directory: DIRECTORY,
    sources: ['actionlint'],
    flags: [],
    room: BUILD_BYTES,
    main: 'github.com/rhysd/actionlint/cmd/actionlint',
  });
}

/** Tested by building it; the build is cached. */
export const canLintWorkflows: Capability = async () => {
  try {
    await actionlint();
    return undefined;
  } catch (error) {
    return `actionlint can't be built here: ${messageOf(error)}`;
  }
};
