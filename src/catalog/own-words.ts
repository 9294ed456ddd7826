/** Common parts of the schemas of a custom service. */
import * as v from 'valibot';
import { documented } from '../core/documented.ts';
import { isMapping } from '../core/mapping.ts';

export const Text = v.pipe(
  v.string((issue) => `must be a string, but is ${issue.received}`),
  v.minLength(1, 'is empty'),
  v.check((text) => !text.includes('\0'), 'contains a NUL character'),
);
const Word = v.pipe(
  v.union([v.string(), v.number()], (issue) => `must be a word, but is ${issue.received}`),
  v.transform(String),
  v.check((text) => !text.includes('\0'), 'contains a NUL character'),
);
export const AbsolutePath = v.pipe(Text, v.startsWith('/', 'must be an absolute path'));
/** valibot's record would accept a list, with indexes as keys. */
export const Mapping = v.custom<Record<string, unknown>>(
  isMapping,
  (issue) => `must be a mapping, but is ${issue.received}`,
);

/** An option in the service's configuration. */
export const ConfigOption = v.strictObject({ section: Text, key: Text });

/** A list whose items have this schema. */
export function ListOf<S extends v.GenericSchema>(item: S): v.ArraySchema<S, string> {
  return v.array(item, 'must be a list');
}

const NOT_A_CODE = 'must be an exit code from 0 to 255';
const Code = v.pipe(
  v.number(NOT_A_CODE),
  v.check(isCode, NOT_A_CODE),
  v.metadata({ type: 'integer', minimum: 0, maximum: 255 }),
);

/** An exit code as a key. */
export const CodeKey = v.pipe(
  v.string(),
  v.check((text) => /^\d{1,3}$/.test(text) && isCode(Number(text)), NOT_A_CODE),
  v.metadata({ pattern: String.raw`^\d{1,3}$` }),
);

/** A command line. */
export const Argv = v.pipe(
  v.array(Word, (issue) => `must be a list of words (no shell reads them), but is ${issue.received}`),
  v.check((words) => words[0] !== undefined && words[0] !== '', 'has no program'),
  v.transform((words) => words as [string, ...string[]]),
  v.metadata({ minItems: 1, description: 'command line, run without a shell' }),
);

export const VariableName = v.pipe(Text, v.regex(/^[A-Za-z_]\w*$/, 'is not a name of an environment variable'));

/** A regular expression. */
export const Expression = v.pipe(
  Text,
  v.check(isExpression, 'is not a regular expression'),
  v.metadata({ format: 'regex' }),
);

/** One step of a service's own tool. */
export const Step = v.strictObject({
  argv: Argv,
  directory: v.optional(documented(AbsolutePath, 'container it runs in')),
  again: v.optional(
    documented(v.array(Code, 'must be a list of exit codes'), 'exit codes for partial progress: run it again'),
  ),
  codes: v.optional(documented(v.pipe(Mapping, v.record(CodeKey, Text)), 'meaning of other exit codes')),
  afterwards: v.optional(
    documented(
      v.strictObject({
        what: documented(Text, 'a noun phrase'),
        begins: documented(Expression, 'line that it prints before'),
        fails: documented(Expression, 'line about a part that failed'),
        later: documented(Text, 'how to do it later'),
      }),
      'what it does once the schema is complete; a failure of that is a warning',
    ),
  ),
});

function isCode(code: number): boolean {
  return Number.isInteger(code) && code >= 0 && code <= 255;
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(text).source !== '';
  } catch {
    return false;
  }
}
