import { ConfigError, FILE_WORDS, isSystemError, KollaError, reasonOf } from '../core/errors.ts';
import { camelCase, type Option } from './option.ts';

/**
 * For a file that an option names and that cannot be used: adds what it should hold, and the ways to name another. Any
 * other error is returned as it is.
 * @param values of these options, by their names in camel case
 */
export function explainFile(
  error: unknown,
  options: readonly Option[],
  values: Readonly<Record<string, unknown>>,
): unknown {
  const cause = causeOf(error);
  if (cause === undefined) return error;
  const isKnown = error instanceof KollaError;
  const text = isKnown ? error.message : '';
  for (const option of options.filter(({ type }) => type === 'path')) {
    const value = values[camelCase(option.flag)];
    const file = [value].flat().find((one) => typeof one === 'string' && one !== option.default && one.length > 1);
    if (typeof file !== 'string' || !(text.includes(file) || isBelow(cause.path, file))) continue;
    const hint = `expected ${option.help.replace(/ \(default: .*\)$/, '')}, named by ${waysOf(option)}`;
    if (!isKnown)
      return new ConfigError(`cannot use ${cause.path ?? file}: ${reasonOf(cause)}; ${hint}`, { cause: error });
    if (!text.includes(hint)) error.message = `${text}; ${hint}`;
    return error;
  }
  return error;
}

function waysOf({ flag, env, secret }: Option): string {
  return secret ? env : `--${flag} or ${env}`;
}

/** The system's error about a file, which an error or one of its causes is. */
function causeOf(error: unknown): NodeJS.ErrnoException | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (isSystemError(at) && Object.hasOwn(FILE_WORDS, at.code ?? '')) return at;
  return undefined;
}

function isBelow(path: string | undefined, top: string): boolean {
  return path === top || path?.startsWith(`${top}/`) === true;
}
