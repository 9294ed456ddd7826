import { UsageError } from '../core/errors.ts';
import { yamlText, type YamlValue } from '../core/yaml-text.ts';
import { NAME_RULES } from './names.ts';
import type { ObjectRef, SetRef } from './types.ts';

/** One rule of a Role. */
export interface Rule {
  /** The API group; '' for the core group. */
  readonly group: string;
  /** The resource's plural. */
  readonly resource: string;
  /** The object names to which the rule is limited; undefined for all. */
  readonly names?: readonly string[];
  readonly verbs: readonly Verb[];
}

export type Verb = 'create' | 'delete' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A rule, and the namespace in which it applies. */
export interface Grant {
  /** Undefined if the rule applies to the whole cluster. */
  readonly namespace: string | undefined;
  readonly rule: Rule;
}

export type RbacSubject =
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'User'; readonly name: string };

/**
 * The permissions for watching this object or set. A single object needs only its watch, which reports absence too. A
 * set is listed if the server does not mark the end of the initial events, and a list or watch of a whole namespace
 * cannot use resourceNames.
 */
export function watchRule(ref: ObjectRef | SetRef): Rule {
  const { group, resource } = ref;
  if ('name' in ref) return { group, resource, names: [ref.name], verbs: ['watch'] };
  return { group, resource, verbs: ['list', 'watch'] };
}

/** An object of rbac.authorization.k8s.io/v1, to be printed. */
type RbacObject = Readonly<Record<string, YamlValue>>;

const GROUP = 'rbac.authorization.k8s.io';

/**
 * A Role and binding per namespace of the grants, a ClusterRole and binding for cluster-scoped ones; with as few rules
 * as possible.
 * @param names names of the created objects; a cluster-scoped name must be unique in the whole cluster
 */
export function rolesFor(
  grants: readonly Grant[],
  subject: RbacSubject,
  names: { readonly role: string; readonly clusterRole: string },
): RbacObject[] {
  const named = [...new Set(grants.flatMap(({ namespace }) => namespace ?? []))].toSorted();
  const isOfCluster = grants.some(({ namespace }) => namespace === undefined);
  return [...named, ...(isOfCluster ? [undefined] : [])].flatMap((namespace) => {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role';
    const name = namespace === undefined ? names.clusterRole : names.role;
    const metadata = namespace === undefined ? { name } : { name, namespace };
    const rules = fewest(grants.filter((grant) => grant.namespace === namespace).map(({ rule }) => rule));
    const apiVersion = `${GROUP}/v1`;
    return [
      { apiVersion, kind, metadata, rules: rules.map(asData) },
      {
        apiVersion,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: GROUP, kind, name },
        subjects: [subject.kind === 'User' ? { ...subject, apiGroup: GROUP } : { ...subject }],
      },
    ];
  });
}

/** The objects as documents for `kubectl apply -f -`. */
export function rolesYaml(objects: readonly RbacObject[]): string {
  return objects.map((object) => yamlText(object, () => undefined)).join('---\n');
}

function asData({ group, resource, names, verbs }: Rule): YamlValue {
  const named = names === undefined ? {} : { resourceNames: names };
  return { apiGroups: [group], resources: [resource], ...named, verbs };
}

/** The same permissions in as few rules as possible: merged by name and by verbs, without redundant rules. */
function fewest(rules: readonly Rule[]): Rule[] {
  const resources = [...new Set(rules.map((rule) => `${rule.resource}.${rule.group}`))];
  return resources.flatMap((each) => {
    const [first, ...more] = rules.filter((rule) => `${rule.resource}.${rule.group}` === each);
    if (first === undefined) return [];
    const { group, resource } = first;
    const all = [first, ...more];
    const ofAll = verbsOf(all.filter(({ names }) => names === undefined));
    const byVerbs = new Map<string, string[]>();
    for (const name of new Set(all.flatMap(({ names = [] }) => names))) {
      const verbs = verbsOf(all.filter(({ names }) => names?.includes(name))).filter((verb) => !ofAll.includes(verb));
      if (verbs.length > 0) byVerbs.set(verbs.join(), [...(byVerbs.get(verbs.join()) ?? []), name]);
    }
    const named = [...byVerbs].map(([verbs, names]) => ({ group, resource, names, verbs: verbs.split(',') as Verb[] }));
    return ofAll.length === 0 ? named : [{ group, resource, verbs: ofAll }, ...named];
  });
}

function verbsOf(rules: readonly Rule[]): Verb[] {
  return [...new Set(rules.flatMap(({ verbs }) => verbs))].toSorted();
}

/**
 * The account for bindings. No default: `default` is shared by all Pods of the namespace without an account, which
 * would all get its permissions.
 * @throws UsageError if it is missing or invalid
 */
export function namedAccount(option: string | undefined): string {
  if (option === undefined)
    throw new UsageError("--service-account is missing: name the Pod's own, whose permissions no other Pod gets");
  if (!NAME_RULES.subdomain.is.test(option))
    throw new UsageError(`--service-account: '${option}' is not a valid Kubernetes name`);
  return option;
}
