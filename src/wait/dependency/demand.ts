/** Maximum number of names, of one kind in a namespace, that have their own watches. */
export const NAMES_WITH_OWN_WATCH = 8;

/**
 * @param own the default namespace
 */
export type Demands = (kind: string, namespace: string, own: string) => Demand;

/** The combined demand of all waits for one kind in one namespace. */
interface Demand {
  readonly names: ReadonlySet<string>;
  readonly selectors: ReadonlySet<string>;
}

/** What one wait demands. */
interface Wanted {
  readonly kind: string;
  readonly namespace: string | undefined;
  /** Undefined for a label selector. */
  readonly name: string | undefined;
  readonly labels: readonly string[];
}

/** The combined demand of all waits per kind and namespace, which decides how watches are shared. */
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

/** Whether a wait watches a single object by name, which a Role can allow with resourceNames. */
export function isByName(
  { name, isAlone }: { readonly name: string | undefined; readonly isAlone: boolean },
  { names }: Demand,
): boolean {
  return name !== undefined && (isAlone || names.size <= NAMES_WITH_OWN_WATCH);
}

/** Whether an object's labels match all requirements of a label selector: `app=x`, `app!=x`, `app`, `!app`. */
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
