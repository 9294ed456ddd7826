/** Results of node:util's parseArgs for command lines, on either engine. */
import { parseArgs } from 'node:util';

const LINES = [
  [],
  ['--level', 'debug', '-v'],
  ['--level=debug', '--', '--verbose'],
  ['--no-verbose', '--unknown=1', '-x'],
  ['-vl', 'warn', 'operand', '-'],
  ['--level', '--verbose', ''],
] as const;

/** Tokens in JSON form. */
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
