import { translate, type Dependency, type EntrypointVariables, type Translated } from '../../../src/wait/index.ts';

const NOTHING: EntrypointVariables = {
  service: undefined,
  jobs: undefined,
  jobsJson: undefined,
  daemonset: undefined,
  container: undefined,
  podJson: undefined,
  socket: undefined,
  customResource: undefined,
  config: undefined,
  podName: 'me',
  namespace: 'base',
};

export interface Read extends Translated {
  readonly warnings: readonly string[];
}

/** The dependencies that these variables define, in namespace `base` and Pod `me`. */
export function read(given: Partial<EntrypointVariables>, isLenient = false): Read {
  const warnings: string[] = [];
  const translated = translate({ ...NOTHING, ...given }, { isLenient, warn: (message) => warnings.push(message) });
  return { ...translated, warnings };
}

/** Names as they appear in the log: `Job a in namespace base`. */
export function texts(dependencies: readonly Dependency[]): string[] {
  return dependencies.map(({ text }) => text);
}
