import type { ObjectDependency } from '../dependency.ts';
import { checkName } from '../grammar/names.ts';
import type { Source } from '../grammar/problem.ts';
import { entriesIn, namespaceOf, selectorOf } from './entries.ts';
import { leftOut, type Way } from './leave-out.ts';
import { jobDependency, jobsDependency } from './made.ts';
import { labelsIn, membersIn, textIn } from './members.ts';

/** DEPENDENCY_JOBS_JSON: `[{"name"?, "labels"?, "namespace"?}]`. */
export function jobsIn(source: Source, way: Way, base: string): ObjectDependency[] {
  return entriesIn(source, way, (reading, json) => {
    const members = membersIn(reading, json, ['name', 'labels', 'namespace']);
    const [name, labels] = [textIn(reading, members, 'name'), labelsIn(reading, members, 'labels')];
    const given = textIn(reading, members, 'namespace');
    return () => {
      const namespace = namespaceOf(source, given, base);
      if (name === undefined) return jobsDependency(selectorOf(source, json, labels, 'a Job'), namespace);
      if (labels !== undefined)
        throw leftOut(source, json.column, 'this has a name and labels; one of them says which Job');
      checkName(source, 'a Job', name, 'subdomain');
      return jobDependency(name.value, namespace);
    };
  });
}
