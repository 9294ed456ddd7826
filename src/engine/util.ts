import type { parseArgs as Parse, ParseArgsConfig } from 'node:util';

/** Node's parseArgs. Its replacement is initialized only if there are arguments. */
export function parseArgs(config: ParseArgsConfig): Pick<ReturnType<typeof Parse>, 'values' | 'positionals'> {
  if (config.args?.length === 0) return { values: {}, positionals: [], ...(config.tokens && { tokens: [] }) };
  const { parseArgs: parse } = require('@pkgjs/parseargs') as { readonly parseArgs: typeof Parse };
  return parse(config);
}

const ESCAPES = String.raw`[\u001B\u009B](?:\[[0-?]*[ -/]*[@-~]|[\]P][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\^_])?`;
const PATTERN = new RegExp(ESCAPES, 'g');

/** Removes a terminal's escape sequences, like Node's function. */
export function stripVTControlCharacters(text: string): string {
  return text.replaceAll(PATTERN, '');
}
