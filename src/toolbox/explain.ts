import { constants } from 'node:os';
import { command } from '../cli/command.ts';
import { ExitCode, UsageError } from '../core/errors.ts';
import { EXIT_CODES, SHELL_CODES, type ExitCodeEntry } from '../core/exit-codes.ts';
import { nearest } from '../core/nearest.ts';
import { fold } from '../cli/table.ts';
import { paint, type Terminal } from '../core/terminal.ts';

/** Explains an exit code and the next step. */
export const explain = command({
  summary: 'Explains an exit code and what to do next.',
  operands: [{ name: 'CODE', help: 'exit code, as a number or name', optional: true }],
  options: [],
  examples: [
    { line: 'kolla-pod explain 69', does: 'for an init container that exited with 69' },
    { line: 'kolla-pod explain', does: 'all exit codes' },
  ],
  run({ operands: [word] }, { stdout, terminal }) {
    const entries = word === undefined ? EXIT_CODES : [entryOf(word)];
    stdout(entries.map((entry) => page(entry, terminal)).join('\n'));
    return Promise.resolve(ExitCode.ok);
  },
});

function entryOf(word: string): ExitCodeEntry {
  const entry = [...EXIT_CODES, ...SHELL_CODES].find(({ code, name }) => String(code) === word || name === word);
  if (entry !== undefined) return entry;
  const known = EXIT_CODES.map(({ code, name }) => `${code} (${name})`).join(', ');
  if (/^\d{1,3}$/.test(word) && Number(word) <= 255) return childCode(Number(word), known);
  const near = nearest(
    word,
    EXIT_CODES.map(({ name }) => name),
  );
  throw new UsageError(
    `explain: no exit code '${word}'; ${near === undefined ? `there is ${known}` : `did you mean '${near}'?`}`,
  );
}

/** The entry for a code that is not one of ours, but that of the program that we ran or executed. */
function childCode(code: number, known: string): ExitCodeEntry {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return {
    code,
    name: signal === undefined ? 'not a kolla-pod code' : `killed by ${signal}`,
    means:
      signal === undefined
        ? `Not a kolla-pod code: the program it ran exited ${code}.`
        : `${signal} killed this process, or the program it ran.`,
    next:
      signal === 'SIGKILL'
        ? 'Often the memory limit: kubectl describe pod shows OOMKilled. Otherwise the grace period was exceeded.'
        : `Read that program's own output. Ours are ${known}.`,
  };
}

function page({ code, name, means, next, helpers = {} }: ExitCodeEntry, terminal: Terminal): string {
  const text = (indent: string, words: string) =>
    fold(words, terminal.width - indent.length).map((line) => indent + line);
  const own = Object.entries(helpers).flatMap(([helper, what]) => text('  ', `${helper}: ${what}`));
  return [
    paint(terminal, 'bold', `${code} ${name}`),
    ...text('  ', means),
    ...own,
    ...text('  ', `Next: ${next}`),
    '',
  ].join('\n');
}
