import { osloOption } from './ini.ts';
import { setVariable, type OsloPlace } from './variable.ts';

/** Matches `$$` or a reference to an option. Any other `$` is literal. */
const DOLLAR = /\$(?:\$|(?<bare>[_a-z][._a-z0-9]*)|\{(?<braced>[_a-z][._a-z0-9]*)\})/giu;

interface Written {
  readonly text: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * An option as the service reads it, with the environment variable taking precedence over the file: `$$` and `\$` are
 * an escaped `$`, and `$name`, `$group.name` and `${name}` refer to another option.
 * @returns undefined if neither the variable nor the file sets the option
 * @throws RangeError if oslo.config would reject it, or reads it from elsewhere; the message never contains a part of
 * the value
 */
export function osloValue(text: string, place: OsloPlace, env: NodeJS.ProcessEnv): string | undefined {
  return filledIn({ text, env }, place, []);
}

/** The value, escaped so that oslo.config reads it unchanged. `$$` would be wrong after a backslash. */
export function asOslo(value: string): string {
  return value.replaceAll('$', () => String.raw`\$`);
}

function filledIn({ text, env }: Written, place: OsloPlace, above: readonly string[]): string | undefined {
  const variable = setVariable(place, env);
  const found = variable === undefined ? osloOption(text, place.section, place.key) : env[variable];
  if (found === undefined) return undefined;
  const name = variable ?? `[${place.section}] ${place.key}`;
  if (above.includes(name)) throw new RangeError(`${name} refers to itself`);
  const escaped = found.replaceAll(String.raw`\$`, () => '$$');
  return escaped.replaceAll(DOLLAR, (...match) => {
    const { bare, braced } = match.at(-1) as { readonly bare?: string; readonly braced?: string };
    const reference = bare ?? braced;
    if (reference === undefined) return '$';
    for (const other of placesOf(reference, place.section)) {
      const value = filledIn({ text, env }, other, [...above, name]);
      if (value !== undefined) return value;
    }
    // The text after `$` may be part of a password.
    throw new RangeError(
      `no option is set of the name that follows the $ in ${name}: set it, or write $$ for a plain $`,
    );
  });
}

/** Where oslo.config looks up a referenced name, in this order. */
function placesOf(reference: string, section: string): OsloPlace[] {
  const dot = reference.indexOf('.');
  const group = dot === -1 ? section : reference.slice(0, dot);
  const first = { section: group, key: reference.slice(dot + 1) };
  const global = { section: 'DEFAULT', key: reference };
  // DEFAULT cannot be referenced as a group.
  return dot !== -1 && group === global.section ? [global] : [first, global];
}
