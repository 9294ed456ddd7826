/** An option of oslo.config. */
export interface OsloPlace {
  readonly section: string;
  readonly key: string;
}

/** Whether that is a file for oslo.config: who reads YAML has no variables for its options either. */
export function isForOslo(file: string | undefined): file is string {
  return file !== undefined && !isYaml(file);
}

/** Whether its name says so. */
export function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

/**
 * The variable by which oslo.config takes an option from the environment before its files. Undefined where it would not
 * arrive: a shell passes no name on that is not of letters, digits and `_`.
 */
export function osloVariable({ section, key }: OsloPlace): string | undefined {
  const name = `OS_${section}__${key}`.toUpperCase();
  return /^\w+$/.test(name) ? name : undefined;
}

/** The same, where that environment has it: also an empty one counts. */
export function setVariable(place: OsloPlace, env: NodeJS.ProcessEnv): string | undefined {
  const name = osloVariable(place);
  return name !== undefined && env[name] !== undefined ? name : undefined;
}
