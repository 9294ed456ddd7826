import { basename } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { check } from '../ask/check.ts';

/** Checks that a program exits with 0. The only check that starts a process: any other is cheaper. */
export const command = check({
  word: 'command',
  summary: 'Checks that a program exits with code 0.',
  description:
    'Runs the arguments after -- without a shell. No other check starts a process. All that the program starts ends ' +
    'with it, at the deadline at the latest. On failure its last line on stderr, or else on stdout, is the reason.',
  operands: [],
  child: 'COMMAND',
  options: [],
  examples: [
    { line: 'kolla-probe command -- virsh version --daemon', does: "healthy if libvirt's daemon responds" },
    { line: 'kolla-probe command --timeout 5s -- ovsdb-client list-dbs', does: 'with a longer deadline' },
  ],
  async prepare({ child: [program, ...words] }, { inherited: env }) {
    if (program === undefined) throw new UsageError('command: the program is missing: give it after --');
    const { runBounded } = await import('../local/run-bounded.ts');
    return {
      // Without arguments: messages with the subject are logged, and arguments may contain secrets.
      subject: `command ${basename(program)}`,
      hosts: [],
      ask: (signal) => runBounded(program, words, { env, signal }),
    };
  },
});
