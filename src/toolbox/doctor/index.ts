import { command, sectionOf, type Command } from '../../cli/command.ts';
import { ExitCode } from '../../core/errors.ts';
import { outputOption } from '../../cli/output-option.ts';
import { table } from '../../cli/table.ts';
import { paint, type Terminal } from '../../core/terminal.ts';
import type { Finding } from './finding.ts';

/** Reports what this Pod or machine has and lacks for each helper. */
export function doctorOf(names: readonly string[]): Command {
  return command({
    summary: "Checks this Pod or machine for each helper's requirements, and suggests fixes.",
    description: 'Writes nothing, sends no credentials and prints no secret. Exit code 1 if something is missing.',
    operands: [{ name: 'HELPER', help: "check only this helper's requirements", optional: true, values: names }],
    options: [outputOption('KOLLA_POD_DOCTOR_OUTPUT', 'table')],
    examples: [
      { line: 'kolla-pod doctor', does: 'in a Pod: kubectl exec POD -- kolla-pod doctor' },
      { line: 'kolla-pod doctor init -o json', does: "kolla-init's requirements, as JSON" },
    ],
    async run({ operands: [name], options }, { stdout, terminal, signal, inherited }) {
      // The environment itself is examined here; it is not read as options.
      const machine = { root: '', env: inherited, uid: process.getuid?.() ?? 0, signal };
      // Loaded lazily: no other command uses the network.
      const { examine } = await import('./examine.ts');
      const all = await examine(machine);
      const findings = name === undefined ? all : all.filter(({ helpers }) => helpers.some((h) => isNamed(h, name)));
      stdout(options.output === 'json' ? `${JSON.stringify(findings, undefined, 2)}\n` : report(findings, terminal));
      return findings.some(({ state }) => state === 'lacks') ? ExitCode.no : ExitCode.ok;
    },
  });
}

const ALL_HELPERS = 4;
const STYLE = { ok: 'green', note: 'yellow', lacks: 'red' } as const;

function report(findings: readonly Finding[], terminal: Terminal): string {
  const rows = findings.flatMap(({ what, state, detail, fix, helpers }) => [
    [paint(terminal, STYLE[state], state), what, detail],
    ...(fix === undefined ? [] : [['', paint(terminal, 'dim', `for ${shortNames(helpers)}`), `Fix: ${fix}`]]),
  ]);
  return table(terminal, ['', 'WHAT', 'FOUND'], rows);
}

function shortNames(helpers: readonly string[]): string {
  return helpers.length === ALL_HELPERS ? 'all' : helpers.map((helper) => helper.replace(/^kolla-/, '')).join(', ');
}

function isNamed(helper: string, word: string): boolean {
  return helper === word || sectionOf({ name: helper }) === word;
}
