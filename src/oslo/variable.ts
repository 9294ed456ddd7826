/** An option in oslo.config. */
export interface OsloPlace {
  readonly section: string;
  readonly key: string;
}

/** Whether the file is an oslo.config file: only options of such files can be set by environment variables. */
export function isForOslo(file: string | undefined): file is string {
  return file !== undefined && !isYaml(file);
}

/** Whether a file is YAML, according to its suffix. */
export function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

/**
 * The environment variable that overrides an option in oslo.config. Undefined if a shell would drop it because its name
 * has characters other than letters, digits and `_`.
 */
export function osloVariable({ section, key }: OsloPlace): string | undefined {
  const name = `OS_${section}__${key}`.toUpperCase();
  return /^\w+$/.test(name) ? name : undefined;
}

/** The variable, if it is set in that environment, even to an empty value. */
export function setVariable(place: OsloPlace, env: NodeJS.ProcessEnv): string | undefined {
  const name = osloVariable(place);
  return name !== undefined && env[name] !== undefined ? name : undefined;
}
