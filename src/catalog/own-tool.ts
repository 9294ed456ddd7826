import * as v from 'valibot';
import { documented } from '../core/documented.ts';
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
  otherwise: v.optional(documented(ListOf(VariableName), 'alternative places')),
  default: v.optional(Text),
  secret: v.optional(Flag),
  url: v.optional(Flag),
  required: v.optional(Flag),
});
const GROUPS = 'by the names of the groups of line';
const Groups = v.pipe(Mapping, v.record(v.string(), Text));
const Listed = v.pipe(
  v.strictObject({
    argv: Argv,
    line: documented(
      v.pipe(Text, v.check(isPattern, 'is not a regular expression')),
      'regular expression for one item of its output, with named groups',
      { format: 'regex' },
    ),
    is: documented(Groups, `identifies ours, ${GROUPS}`, { minProperties: 1 }),
    not: v.optional(documented(Groups, `excludes others, ${GROUPS}`)),
    sameUrl: v.optional(documented(Text, 'group whose URL also identifies ours, whatever its name')),
    holds: documented(v.pipe(Mapping, v.record(v.string(), ConfigOption)), `options that it must match, ${GROUPS}`),
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
  v.description('command that lists what the tool has created'),
);
const ByListing = v.strictObject({
  listed: Listed,
  update: documented(Steps, 'command when it exists and differs'),
});
const ByRecord = v.strictObject({
  once: documented(v.picklist(['release', 'ever'], "must be 'release' or 'ever'"), 'by our record'),
  fills: v.optional(
    documented(v.pipe(Text, v.regex(/^\w+$/, 'must be the name of a table')), 'table that is empty until then'),
  ),
});
export const DONE_FORMS = [ByListing, ByRecord] as const;
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
      settings: v.optional(
        documented(v.pipe(Mapping, v.record(Setting, Text)), 'default value of {name} in an argument'),
      ),
      variables: v.optional(
        documented(ListOf(Variable), 'values from the environment, or from a file named by NAME_FILE'),
      ),
      throwawayKeys: v.optional(
        documented(
          ListOf(VariableName),
          'variables set to a temporary directory of Fernet keys, for a command that encrypts nothing',
        ),
      ),
      done: documented(Done, 'how completion is detected'),
    }),
  ),
  v.check((tasks) => new Set(tasks.map(({ name }) => name)).size === tasks.length, 'has two entries of one name'),
  v.description('commands of its own tool before the first start, besides the schema, in this order'),
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
