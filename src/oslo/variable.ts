/** An option of oslo.config. */
export interface OsloPlace {
  readonly section: string;
  readonly key: string;
}

/** Whether it is an oslo.config file: only these have variables for their options. */
export function isForOslo(file: string | undefined): file is string {
  return file !== undefined && !isYaml(file);
}

/** Whether a file is YAML, by its extension. */
export function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

/**
 * The environment variable by which oslo.config overrides an option. Undefined if it would be lost: a shell drops names
 * with characters other than letters, digits and `_`.
 */
export function osloVariable({ section, key }: OsloPlace): string | undefined {
  const name = `OS_${section}__${key}`.toUpperCase();
  return /^\w+$/.test(name) ? name : undefined;
}

/** The same, if it is set in that environment, even to an empty value. */
export function setVariable(place: OsloPlace, env: NodeJS.ProcessEnv): string | undefined {
  const name = osloVariable(place);
  return name !== undefined && env[name] !== undefined ? name : undefined;
}
