/** What node:util's parseArgs makes of a command line, by whatever engine runs it. */
import { parseArgs } from 'node:util';

const LINES = [
  [],
  ['--level', 'debug', '-v'],
  ['--level=debug', '--', '--verbose'],
  ['--no-verbose', '--unknown=1', '-x'],
  ['-vl', 'warn', 'operand', '-'],
  ['--level', '--verbose', ''],
] as const;

/** Tokens as JSON has them. */
export function results(): unknown {
  return LINES.map((args) => {
    const options = { level: { type: 'string', short: 'l' }, verbose: { type: 'boolean', short: 'v' } } as const;
    const found = parseArgs({ args: [...args], strict: false, tokens: true, allowPositionals: true, options });
    return JSON.parse(JSON.stringify([found.tokens, found.values, found.positionals])) as unknown;
  });
}

export function main(): Promise<number> {
  process.stdout.write(JSON.stringify(results()));
  return Promise.resolve(0);
}
