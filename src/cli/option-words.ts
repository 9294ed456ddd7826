import { camelCase, type Option } from './option.ts';

/**
 * The words of a command line that give another of our programs these values. Without secrets, which have no flag: the
 * environment has them.
 */
export function optionWords(options: readonly Option[], values: Readonly<Record<string, unknown>>): string[] {
  return options.flatMap((option) => {
    const { flag, type, secret } = option;
    const value = values[camelCase(flag)];
    if (secret || value === undefined) return [];
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    return all.map((one) => `--${flag}=${String(one)}${type === 'duration' ? 'ms' : ''}`);
  });
}
