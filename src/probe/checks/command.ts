import { basename } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { check } from '../check.ts';

/** Does a program end with 0? The one check that starts a process: where another one can ask the same, it costs less. */
export const command = check({
  word: 'command',
  summary: 'Does a program end with 0?',
  description:
    'The words after -- are run without a shell, in a process group of their own that is killed at the deadline. The only check ' +
    'that starts a process. Its last line on stderr, or stdout, is the reason when it fails.',
  operands: [],
  child: 'COMMAND',
  options: [],
  examples: [
    { line: 'kolla-probe command -- virsh version --daemon', does: "healthy when libvirt's daemon answers" },
    { line: 'kolla-probe command --timeout 5s -- ovsdb-client list-dbs', does: 'a longer deadline' },
  ],
  async prepare({ child: [program, ...words] }, { inherited: env }) {
    if (program === undefined) throw new UsageError('command: the program is missing: give it after --');
    const { runBounded } = await import('../local/run-bounded.ts');
    return {
      // Not its words: who watches the log need not know what else a program is told.
      subject: `command ${basename(program)}`,
      hosts: [],
      ask: (signal) => runBounded(program, words, { env, signal }),
    };
  },
});
