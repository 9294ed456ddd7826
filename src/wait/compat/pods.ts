import type { ObjectDependency } from '../dependency.ts';
import type { Source } from '../grammar/problem.ts';
import { entriesIn, namespaceOf, selectorOf } from './entries.ts';
import type { Way } from './leave-out.ts';
import { podDependency } from './made.ts';
import { flagIn, labelsIn, membersIn, textIn } from './members.ts';

/** DEPENDENCY_POD_JSON: `[{"labels", "namespace"?, "requireSameNode"?}]`. */
export function podsIn(source: Source, way: Way, base: string): ObjectDependency[] {
  return entriesIn(source, way, (reading, json) => {
    const members = membersIn(reading, json, ['labels', 'namespace', 'requireSameNode']);
    const [labels, given] = [labelsIn(reading, members, 'labels'), textIn(reading, members, 'namespace')];
    const isOnOwnNode = flagIn(reading, members, 'requireSameNode');
    return () =>
      podDependency(selectorOf(source, json, labels, 'a Pod'), namespaceOf(source, given, base), isOnOwnNode);
  });
}
