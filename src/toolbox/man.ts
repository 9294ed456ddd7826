import { command, sectionOf, type Command, type Helper } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import { manPage } from './roff.ts';

/** Prints a manual page, for man(1). */
export function manOf(helpers: () => readonly Helper[], names: readonly string[]): Command {
  return command({
    summary: "Prints a helper's manual page, for man(1).",
    operands: [{ name: 'HELPER', help: 'whose; kolla-pod without one', optional: true, values: names }],
    options: [],
    examples: [
      { line: 'kolla-pod man probe', does: 'to read it: kolla-pod man probe | man -l -' },
      { line: 'kolla-pod man', does: 'what kolla-pod itself can tell' },
    ],
    run({ operands: [word = 'kolla-pod'] }, { stdout }) {
      const helper = helpers().find((one) => one.name === word || sectionOf(one) === word);
      if (helper !== undefined) stdout(manPage(helper));
      return Promise.resolve(ExitCode.ok);
    },
  });
}
