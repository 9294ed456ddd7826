/** So many names of a kind in a namespace have a watch each. */
export const NAMES_WITH_OWN_WATCH = 8;

/** @param own the namespace that is meant where a dependency gives none */
export type Demands = (kind: string, namespace: string, own: string) => Demand;

/** What is asked for of one kind in one namespace by all waits together. */
interface Demand {
  readonly names: ReadonlySet<string>;
  readonly selectors: ReadonlySet<string>;
}

/** What one wait asks for. */
interface Wanted {
  readonly kind: string;
  readonly namespace: string | undefined;
  /** Undefined where labels choose. */
  readonly name: string | undefined;
  readonly labels: readonly string[];
}

/** What all waits together ask for of one kind in one namespace, which decides how they share their watches. */
export function demandsOf(objects: readonly Wanted[]): Demands {
  return (kind, namespace, own) => {
    const alike = objects.filter(
      (each) => each.kind === kind && (namespace === '' || (each.namespace ?? own) === namespace),
    );
    return {
      names: new Set(alike.flatMap(({ name }) => (name === undefined ? [] : [name]))),
      selectors: new Set(alike.flatMap(({ name, labels }) => (name === undefined ? [labels.join(',')] : []))),
    };
  };
}

/** Whether a wait has a watch of one object by its name, which a Role can allow by resourceNames. */
export function isByName(
  { name, isAlone }: { readonly name: string | undefined; readonly isAlone: boolean },
  { names }: Demand,
): boolean {
  return name !== undefined && (isAlone || names.size <= NAMES_WITH_OWN_WATCH);
}

/**
 * Whether an object's labels satisfy all requirements, as a label selector of the API would: `app=x`, `app!=x`, `app`,
 * `!app`.
 */
export function matches(
  requirements: readonly string[],
  labels: Readonly<Record<string, string>> | null | undefined,
): boolean {
  return requirements.every((requirement) => {
    const [, not = '', key = '', unequal, value] = /^(!?)([^=!]+)(?:(!?)=(.*))?$/.exec(requirement) ?? [];
    const found = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (value === undefined) return (found !== undefined) === (not === '');
    return (found === value) === (unequal === '');
  });
}
