import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { yamlProblem } from '../../src/core/yaml-problem.ts';

for (const [text, expected] of [
  ['password: *hunter2', /^unidentified alias \(1:\d+\)$/],
  ['password: !hunter2 x', /^unknown scalar tag \(1:\d+\)$/],
  ['password: !<hunter2> x', /^unknown scalar tag \(1:\d+\)$/],
  ['password: !hunter2! x', /\(1:\d+\)$/],
  ['user: root\npassword: "hunter2\n', /^the quote of line 2 is not closed$/],
  ['{a: 1, hunter2: 2, b c: {d: [1,,2]}}', /\(\d:\d+\)$/],
  ['a: [hunter2', /^\[ of line 1 is not closed$/],
  ['a: [1, 2\nhunter2: 3\n', /^\[ of line 1 is not closed$/],
  ['a:\n  b: {c: [hunter2}\n', /^\[ of line 2 is not closed$/],
  ['a: "hunter2 # [", b: {\nc: 2', /\(1:\d+\)$/],
  ["a: don't [hunter2\nb: {c: 1\nd: 2\n", /^\{ of line 2 is not closed$/],
  ['\thunter2: x\n', /^line 1 begins with a tab$/],
  ['a:\n  \t- hunter2\n', /^line 2 begins with a tab$/],
  ['password: hunter2: x', /\(1:\d+\)$/],
] as const)
  test(`invalid YAML is described without its text: ${JSON.stringify(text)}`, () => {
    let problem = '';
    try {
      load(text);
    } catch (error) {
      problem = yamlProblem(error);
    }
    assert.match(problem, expected);
    assert.doesNotMatch(problem, /hunter2|\n/);
  });

test('a punctuation mark is named', () => {
  const reason = "expected ':' after a mapping key";
  assert.equal(yamlProblem({ reason, mark: { line: 2, column: 3 } }), 'expected a colon after a mapping key (3:4)');
});

test('another error keeps its first line', () => {
  assert.equal(yamlProblem(new Error('no such file\nmore')), 'no such file');
});
