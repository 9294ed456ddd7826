import type { Dependency } from './dependency.ts';
import type { Demands } from './sharing.ts';

/** What all dependencies together ask for of one kind in one namespace, which decides how they share their watches. */
export function demandsOf(dependencies: readonly Dependency[]): Demands {
  return (kind, namespace, own) => {
    const alike = dependencies
      .filter((dependency) => dependency.form === 'object')
      .filter(
        (dependency) => dependency.kind === kind && (namespace === '' || (dependency.namespace ?? own) === namespace),
      );
    return {
      names: new Set(alike.flatMap(({ name }) => (name === undefined ? [] : [name]))),
      selectors: new Set(alike.flatMap(({ name, labels }) => (name === undefined ? [labels.join(',')] : []))),
    };
  };
}
