import * as v from 'valibot';
import { AbsolutePath, Mapping, Text, Word } from './own-words.ts';

const NOT_A_CODE = 'must be an exit code from 0 to 255';
const Code = v.pipe(v.number(NOT_A_CODE), v.check(isCode, NOT_A_CODE));

/** An exit code as a key. */
export const CodeKey = v.pipe(
  v.string(),
  v.check((text) => /^\d{1,3}$/.test(text) && isCode(Number(text)), NOT_A_CODE),
);

/** A command line. */
export const Argv = v.pipe(
  v.array(Word, (issue) => `must be a list of words (no shell reads them), but is ${issue.received}`),
  v.check((words) => words[0] !== undefined && words[0] !== '', 'names no program'),
  v.transform((words) => words as [string, ...string[]]),
);

/** One step of a service's own tool. */
export const Step = v.strictObject({
  argv: Argv,
  folder: v.optional(AbsolutePath),
  again: v.optional(v.array(Code, 'must be a list of exit codes')),
  codes: v.optional(v.pipe(Mapping, v.record(CodeKey, Text))),
});

export const STEP_KEYS = ['argv', 'folder', 'again', 'codes'];

function isCode(code: number): boolean {
  return Number.isInteger(code) && code >= 0 && code <= 255;
}
