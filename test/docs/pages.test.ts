/** Checks the pages' content: valid shell, existing options, links without dead ends. */
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { commandOf, sectionOf, type Helper } from '../../src/cli/command.ts';
import { COMMON_OPTIONS } from '../../src/cli/common-options.ts';
import { parseValue } from '../../src/cli/option.ts';
import { splitWords } from '../../src/cli/parse.ts';
import { all } from '../../src/toolbox/index.ts';
import { run } from '../../tools/process.ts';
import { blocksOf, commandsOf, type Block, type Command, type Page } from './page.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** README and every page that is written by hand. */
const pages = await Promise.all(
  globSync(['README.md', 'docs/{start,how-to,concepts,reference}/*.md'], { cwd: ROOT })
    .filter((file) => file !== 'docs/reference/cli.md')
    .toSorted()
    .map(async (file) => ({ name: file.slice(0, -3), text: await readFile(join(ROOT, file), 'utf8') })),
);
const makefile = await readFile(join(ROOT, 'Makefile'), 'utf8');

/** Programs in examples other than ours. test/integration/docs.test.ts runs the commands of kubectl. */
const OTHERS = new Set(
  '. ./publish.sh aa-status apparmor_parser cat cd ceph cosign cp curl docker echo export git grep helm install jq k3s kill kind kolla-ansible kolla-genpwd kubectl ls make minikube mkdir openssl pip printf python3 rbd scp sed sha256sum skopeo ssh tail tar tee umask wait'.split(
    ' ',
  ),
);

/** The pages with blocks in one of these languages, each with its blocks. */
function pagesWith(...languages: string[]): [page: Page, blocks: Block[]][] {
  return pages
    .map((page): [Page, Block[]] => [page, blocksOf(page).filter(({ language }) => languages.includes(language))])
    .filter(([, blocks]) => blocks.length > 0);
}

for (const [page, blocks] of pagesWith('sh', 'bash'))
  test(`${page.name}.md: its shell blocks are valid, and their commands exist`, async () => {
    for (const { text, line } of blocks) {
      const { code, stderr } = await run('bash', ['-n'], { input: text });
      assert.equal(code, 0, `line ${line}: ${stderr}`);
      for (const command of commandsOf(text)) checkCommand(command, `line ${line}`);
    }
  });

for (const [page, blocks] of pagesWith('yaml', 'json'))
  test(`${page.name}.md: its YAML and JSON are valid`, () => {
    for (const { language, text, line } of blocks) {
      if (language === 'yaml') assert.doesNotThrow(() => loadAll(text), `line ${line}`);
      else assert.doesNotThrow(() => JSON.parse(text) as unknown, `line ${line}`);
    }
  });

test('pages have examples in shell and YAML', () => {
  for (const language of ['sh', 'yaml']) assert.notDeepEqual(pagesWith(language), [], language);
});

/** Every page that users read, by path from the repository root. */
const written = globSync(['*.md', 'docs/**/*.md', 'k8s/**/*.md'], { cwd: ROOT }).toSorted();

for (const page of written)
  test(`${page}: its links lead to existing files and headings`, async () => {
    for (const { target, file, anchor } of linksOf(page, await readFile(join(ROOT, page), 'utf8'))) {
      assert.ok(existsSync(file), target);
      // The page about the command line is generated.
      if (anchor === undefined || file.endsWith('/cli.md')) continue;
      assert.ok(anchorsIn(await readFile(file, 'utf8')).has(anchor), target);
    }
  });

test('README.md leads to the index, and the index to every page', async () => {
  const leadsTo = async (page: string) =>
    linksOf(page, await readFile(join(ROOT, page), 'utf8')).map(({ file }) => relative(ROOT, file));
  assert.ok((await leadsTo('README.md')).includes('docs/README.md'));
  const indexed = new Set([...(await leadsTo('docs/README.md')), 'docs/README.md']);
  const unlisted = written.filter((page) => /^docs\/(?!adr\/|evidence\/)/.test(page) && !indexed.has(page));
  assert.deepEqual(unlisted, []);
});

interface Link {
  readonly target: string;
  readonly file: string;
  readonly anchor: string | undefined;
}

/** The links of a page into this repository. */
function linksOf(page: string, text: string): Link[] {
  const prose = text.replaceAll(/^( *)```[^]*?^\1```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { target, anchor, file: join(ROOT, path === '' ? page : join(dirname(page), path)) };
    });
}

function checkCommand({ words: [path = '', ...words], line }: Command, place: string): void {
  // A release's binaries are in the bin/ of their archive.
  const program = path.replace(/^kolla-pod-\S+\/bin\//, '');
  const helper = all().find(({ name }) => name === program);
  if (helper !== undefined) return checkHelper(helper, words, `${place}: ${line}`);
  if (/(?:^|\/)node$/.test(program)) return checkScript(words, place);
  assert.ok(OTHERS.has(program), `${place}: ${program} is not known`);
  const image = program === 'docker' ? words.findIndex((word) => /^kolla-pod:\d/.test(word)) : -1;
  if (words[0] === 'run' && image !== -1)
    return checkCommand({ words: ['kolla-pod', ...words.slice(image + 1)], line }, place);
  if (program !== 'make') return;
  for (const target of words.filter((word) => !word.includes('=')))
    assert.match(makefile, new RegExp(`^${target}:`, 'm'), `${place}: make ${target}`);
}

/** Checks arguments of node: the file exists, and a helper run from source accepts its arguments. */
function checkScript(words: readonly string[], place: string): void {
  const [file = '', ...rest] = words.filter((word) => word !== '--test');
  assert.ok(existsSync(join(ROOT, file)), `${place}: ${file}`);
  if (file === 'build/from-source.ts') checkCommand({ words: rest, line: rest.join(' ') }, place);
}

function checkHelper(helper: Helper, words: readonly string[], place: string): void {
  const [first = '', ...rest] = words;
  // Options that every helper accepts before any command.
  if (['--help', '--version'].includes(words.at(-1) ?? '')) return;
  const other = helper.others?.find((each) => sectionOf(each) === first);
  if (other !== undefined) return checkHelper(other, rest, place);
  const named = commandOf(helper, first);
  const command = named ?? helper.main;
  assert.ok(command, place);
  const options = [...command.options, ...COMMON_OPTIONS];
  const split = () => splitWords(named === undefined ? words : rest, options, command.child !== undefined);
  assert.doesNotThrow(split, place);
  for (const [flag, values] of split().flags) {
    const option = options.find((each) => each.flag === flag);
    for (const value of values) assert.doesNotThrow(() => option && parseValue(option, value), place);
  }
}

/** The anchors that GitHub generates from headings. */
function anchorsIn(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll('`', '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}
