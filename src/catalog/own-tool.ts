import * as v from 'valibot';
import { Argv, ListOf, Mapping, ConfigOption, Step, Text, VariableName } from './own-words.ts';

const Name = v.pipe(
  Text,
  v.regex(/^[a-z][a-z0-9-]{0,26}$/, 'is not a name of at most 27 lower-case letters, digits and -'),
);
const Setting = v.pipe(v.string(), v.regex(/^\w+$/, 'is not a name of a setting: letters, digits and _'));
const Flag = v.literal(true, 'must be true or omitted');
const Steps = v.pipe(
  ListOf(Step),
  v.minLength(1, 'has no step'),
  v.transform((steps) => steps as [(typeof steps)[number], ...typeof steps]),
);
const Variable = v.strictObject({
  name: VariableName,
  otherwise: v.optional(ListOf(VariableName)),
  default: v.optional(Text),
  secret: v.optional(Flag),
  url: v.optional(Flag),
  required: v.optional(Flag),
});
const Listed = v.pipe(
  v.strictObject({
    argv: Argv,
    line: v.pipe(Text, v.check(isPattern, 'is not a regular expression')),
    is: v.pipe(Mapping, v.record(v.string(), Text)),
    not: v.optional(v.pipe(Mapping, v.record(v.string(), Text))),
    sameUrl: v.optional(Text),
    holds: v.pipe(Mapping, v.record(v.string(), ConfigOption)),
  }),
  v.check(
    ({ line, is, not = {}, holds, sameUrl }) => {
      const names = groupsOf(line) ?? [];
      const named = [
        ...[is, not, holds].flatMap((each) => Object.keys(each)),
        ...(sameUrl === undefined ? [] : [sameUrl]),
      ];
      return named.every((name) => names.includes(name));
    },
    (issue) =>
      `names a group that line does not have: it has ${(groupsOf(issue.input.line) ?? []).join(', ') || 'none'}`,
  ),
  v.check(({ is }) => Object.keys(is).length > 0, 'has no group in is: then every line would be ours'),
);
const ByListing = v.strictObject({ listed: Listed, update: Steps });
const ByRecord = v.strictObject({
  once: v.picklist(['release', 'ever'], "must be 'release' or 'ever'"),
  fills: v.optional(v.pipe(Text, v.regex(/^\w+$/, 'must be the name of a table'))),
});
// Selected by the present keys, so that a problem is reported for the intended variant.
const Done = v.lazy((input): typeof ByListing | typeof ByRecord =>
  typeof input === 'object' && input !== null && 'listed' in input ? ByListing : ByRecord,
);

/** `tool:` of a service: commands of its own tool, in addition to the schema. */
export const Tool = v.pipe(
  ListOf(
    v.strictObject({
      name: Name,
      summary: Text,
      steps: Steps,
      settings: v.optional(v.pipe(Mapping, v.record(Setting, Text))),
      variables: v.optional(ListOf(Variable)),
      throwawayKeys: v.optional(ListOf(VariableName)),
      done: Done,
    }),
  ),
  v.check((tasks) => new Set(tasks.map(({ name }) => name)).size === tasks.length, 'has two entries of one name'),
);

function isPattern(text: string): boolean {
  return groupsOf(text) !== undefined;
}

/** The names of the expression's groups; undefined for an invalid regular expression. */
function groupsOf(line: string): string[] | undefined {
  try {
    return Object.keys(new RegExp(`${line}|`).exec('')?.groups ?? {});
  } catch {
    return undefined;
  }
}
