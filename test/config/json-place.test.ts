import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOfMistake } from '../../src/config/read/json-place.ts';

/** Whether V8 reports that more text could complete this one; it reports a position only for some errors. */
function couldGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError;
    return message.startsWith('Unexpected end') || Number(/at position (\d+)/.exec(message)?.[1]) === beginning.length;
  }
}

/** The position of the first character that V8 accepts in no continuation, in the words of `placeOfMistake`. */
function placeByV8(text: string): string {
  const broken = Array.from({ length: text.length + 1 }, (_, length) => length).find(
    (length) => !couldGoOn(text.slice(0, length)),
  );
  if (broken === undefined) return 'it ends too early';
  const before = text.slice(0, broken - 1).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

const WHOLE = [
  '{"a": [1, -2.5e+3, "x\\u00fcy\\n"], "b": {"c": null}, "d": [], "e": {}}',
  '[true,\n false,\t"", 0, 10]',
];
const STRANGE = [
  '',
  '"',
  '\\',
  ',',
  ':',
  '{',
  '}',
  '[',
  ']',
  '0',
  '7',
  '.',
  'e',
  '-',
  '+',
  'u',
  'n',
  'x',
  ' ',
  '\n',
  '\0',
];

test("the position of a syntax error equals V8's, for every changed, inserted or deleted character", () => {
  for (const whole of WHOLE)
    for (let at = 0; at <= whole.length; at++)
      for (const strange of STRANGE)
        for (const length of [0, 1, whole.length]) {
          const text = whole.slice(0, at) + strange + whole.slice(at + length);
          const problem = placeOfMistake(text);
          // The comma is named, not what follows it.
          if (problem.startsWith('a comma before')) continue;
          const place = problem
            .replace(/^it is empty$|^it ends too early:.*/, 'it ends too early')
            .replace(/^.* (?=line )/, '');
          assert.equal(place, placeByV8(text), JSON.stringify(text));
        }
});

for (const [text, expected] of [
  ['{"a": [1,\n 2,\n]}', 'a comma before ] in line 2, column 3'],
  ['{"a": 1 , }', 'a comma before } in line 1, column 9'],
  ['\uFEFF{}', 'it begins with a byte order mark: save it as UTF-8 without one'],
  [' \n', 'it is empty'],
  ['{\n"a": [1', 'it ends too early: [ of line 2 is not closed'],
  ['{"a" 1}', 'a colon is missing in line 1, column 6'],
  ['{a: 1}', 'a key without quotes in line 1, column 2'],
  ["{'a': 1}", '\' in place of " in line 1, column 2'],
  ['{"a": 1 "b": 2}', 'a comma is missing in line 1, column 9'],
  ['{"a": "x\n"}', 'a line break or tab within quotes in line 1, column 9'],
  ['{"a": 1, // c\n"b": 2}', 'a comment, which JSON does not have, in line 1, column 10'],
  ['{"a": 1}}', 'look at line 1, column 9'],
] as const)
  test(`a mistake is named: ${JSON.stringify(text)}`, () => assert.equal(placeOfMistake(text), expected));
