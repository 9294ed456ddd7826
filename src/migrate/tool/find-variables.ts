import { ConfigError } from '../../core/errors.ts';
import { isHttpUrl } from '../../core/http-url.ts';
import type { ToolVariable } from '../../catalog/index.ts';
import { readSecretFile } from '../../cli/secret-file.ts';

/** Where the value of a variable may come from. */
export interface VariableSources {
  /** Values of options by the name of their variable (OS_PASSWORD). They take precedence over the environment. */
  readonly given?: Readonly<Record<string, string | undefined>>;
  readonly inherited: NodeJS.ProcessEnv;
}

interface Variables {
  readonly shown: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly lacks: string | undefined;
}

/**
 * Each variable's value: from its own name, or its alternatives, in this order; for each name first from an option,
 * then from the environment, then from the file named by NAME_FILE.
 * @throws ConfigError if a file is unreadable or empty, or a URL is none
 */
export function findVariables(variables: readonly ToolVariable[], from: VariableSources): Variables {
  const shown: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const missing: string[] = [];
  for (const variable of variables) {
    const { name, otherwise = [], secret, required } = variable;
    let value: string | undefined;
    for (const each of [name, ...otherwise]) value ??= valueOf(each, from);
    value ??= variable.default;
    if (variable.url === true && value !== undefined && !isHttpUrl(value))
      throw new ConfigError(`${name}: '${value}' is not an http or https URL such as https://HOST:5000/v3`);
    if (value !== undefined) (secret ? secrets : shown)[name] = value;
    else if (required) missing.push([name, `${name}_FILE`, ...otherwise].join(' or '));
  }
  const lacks = missing.length === 0 ? undefined : `${missing.join(', and ')} must be set`;
  return { shown, secrets, lacks };
}

function valueOf(name: string, { given = {}, inherited }: VariableSources): string | undefined {
  const direct = given[name] || inherited[name];
  if (direct) return direct;
  const file = given[`${name}_FILE`] || inherited[`${name}_FILE`];
  return file ? readSecretFile(file, `${name}_FILE`) : undefined;
}
