import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../src/cli/command.ts';
import { COMMON_OPTIONS } from '../../src/cli/common-options.ts';
import { commandHelp, helperHelp } from '../../src/cli/help.ts';
import type { Option } from '../../src/cli/option.ts';
import { flagOf } from '../../src/cli/option-help.ts';
import { all, pod } from '../../src/toolbox/index.ts';
import { runHelper } from '../support/helper.ts';

const wide = { isTerminal: true, color: false, width: 300 };

const PAGES = all().flatMap((helper) =>
  commandsOf(helper).map(([name, command]) => ({
    at: `${helper.name} ${name}`.trim(),
    helper,
    command,
    page: (isWhole: boolean) => commandHelp(helper, name, command, wide, { isWhole }),
  })),
);

test('no option exceeds 100 columns on a wider terminal', () => {
  for (const { at, command, page } of PAGES) {
    const examples = new Set(command.examples.flatMap(({ line, does }) => [`  ${line}`, `  # ${does}`]));
    const [, ...lines] = page(true).split('\n');
    for (const line of lines.filter((each) => !examples.has(each))) assert.ok(line.length <= 100, `${at}: ${line}`);
  }
});

test("an option's help is a phrase of at most ten words, then its default", () => {
  for (const { at, command } of PAGES)
    for (const { flag, help, details } of [...command.options, ...COMMON_OPTIONS] as readonly Option[]) {
      const [phrase = '', ...rest] = help.split(/ (?=\(default: )/);
      assert.ok(phrase.split(/\s+/).length <= 10, `${at} --${flag}: ${phrase}`);
      assert.ok(
        rest.every((part) => /^\(default: [^()]+\)$/.test(part)),
        `${at} --${flag}: ${help}`,
      );
      assert.doesNotMatch(phrase, /\. |\.$|[;:]$|^(?:how|what|where|who|which|whether)\b/i, `${at} --${flag}`);
      assert.match(details ?? 'A sentence.', /\.$/, `${at} --${flag}`);
    }
});

test("an option's help takes at most two lines of 100 columns, and no bracket is broken", () => {
  for (const { at, command, page } of PAGES) {
    const lines = page(true).split('\n');
    for (const option of command.options) {
      const source = lines.findIndex((line) => new RegExp(`\\[env: ${option.env}[\\],]`).test(line));
      assert.match(lines[source] ?? '', /^ {30}\[env: [^\]]+\](?: \[file: [^\]]+\])?$/, `${at} --${option.flag}`);
      const flag = lines.findLastIndex((line, i) => i < source && line.startsWith(`  ${flagOf(option)}`));
      const isBeside = (lines[flag] ?? '').length > 30;
      const help = lines.slice(isBeside ? flag : flag + 1, source);
      assert.ok(flag >= 0 && help.length >= 1 && help.length <= 2, `${at} --${option.flag}: ${help.join('|')}`);
    }
  }
});

test('--help-all shows every option, and --help all but the rarely used ones', () => {
  for (const { at, helper, command, page } of PAGES.filter((each) => !each.helper.takesNoOptions)) {
    const hidden = command.options.filter(({ isRare }) => isRare);
    for (const { env } of command.options) assert.ok(page(true).includes(`[env: ${env}`), `${at} ${env}`);
    for (const { env, isRare } of command.options)
      assert.equal(new RegExp(`\\[env: ${env}[\\],]`).test(page(false)), !isRare, `${helper.name} ${at} ${env}`);
    assert.equal(page(false).includes(`more option`), hidden.length > 0, at);
    assert.ok(!page(true).includes('--help-all'), at);
  }
});

test('options are in groups, and no flag is in two groups', () => {
  for (const { at, page } of PAGES) {
    const titles = page(true)
      .split('\n')
      .filter((line) => /^[A-Z][\w ]*$/.test(line));
    assert.equal(new Set(titles).size, titles.length, `${at}: ${titles.join(', ')}`);
  }
});

test('kolla-bootstrap --help is much shorter than --help-all', async () => {
  const [usual, whole] = await Promise.all([
    runHelper('kolla-bootstrap', ['--help']),
    runHelper('kolla-bootstrap', ['--help-all']),
  ]);
  assert.deepEqual([usual.code, whole.code], [0, 0]);
  assert.ok(usual.stdout.split('\n').length < whole.stdout.split('\n').length * 0.6);
  assert.match(usual.stdout, /^\d+ more options: kolla-bootstrap --help-all$/m);
});

test('environment variable and file key are in brackets, after the help', async () => {
  const { stdout } = await runHelper('kolla-init', ['--help'], { env: { COLUMNS: '100' } });
  assert.match(stdout, /--timeout DURATION .*\(default 30m\)\n +\[env: KOLLA_INIT_TIMEOUT\] \[file: init\.timeout\]\n/);
});

test('kolla-pod help leads to every helper and its commands', async () => {
  assert.equal((await runHelper('kolla-pod', ['help'])).stdout, helperHelp(pod, { ...wide, width: 80 }));
  assert.match((await runHelper('kolla-pod', ['help', 'probe', 'tcp'])).stdout, /^kolla-probe tcp HOST:PORT/);
  const { code, stderr } = await runHelper('kolla-pod', ['man', 'nova']);
  assert.equal(code, 64);
  assert.match(stderr, /unknown helper 'nova'; try .*init.*probe/);
});
