import type { parseArgs as Parse, ParseArgsConfig } from 'node:util';

/** As Node's. Its stand-in is made ready only where there are words. */
export function parseArgs(config: ParseArgsConfig): Pick<ReturnType<typeof Parse>, 'values' | 'positionals'> {
  if (config.args?.length === 0) return { values: {}, positionals: [], ...(config.tokens && { tokens: [] }) };
  const { parseArgs: parse } = require('@pkgjs/parseargs') as { readonly parseArgs: typeof Parse };
  return parse(config);
}

const ESCAPES = String.raw`[\u001B\u009B](?:\[[0-?]*[ -/]*[@-~]|[\]P][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\^_])?`;
const PATTERN = new RegExp(ESCAPES, 'g');

/** As Node's: without escape sequences of terminals. */
export function stripVTControlCharacters(text: string): string {
  return text.replaceAll(PATTERN, '');
}
