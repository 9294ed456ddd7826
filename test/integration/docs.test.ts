/**
 * Runs the snippets of the pages in PAGES: objects in a server-side dry run, parts of a Pod within one, values with
 * their chart, and the kubectl and Helm commands.
 */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { packageChart } from '../../build/charts.ts';
import { PASSWORDS, rendering } from '../charts/support.ts';
import { canRunHelm, helm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { blocksOf, commandsOf, readPages } from '../docs/page.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';

type Mapping = Readonly<Record<string, unknown>>;

interface Example {
  readonly place: string;
  readonly text: string;
  readonly document: Mapping;
}

const pages = await readPages();
const noHelm = await canRunHelm();
const examples: Example[] = pages.flatMap((page) =>
  blocksOf(page)
    .filter(({ language }) => language === 'yaml')
    .flatMap(({ text, line }) =>
      loadAll(text).map((document) => ({ place: `${page.name}.md:${line}`, text, document: document as Mapping })),
    ),
);
/** Fields of a Pod; `volumeMounts` belong to a container. */
const POD_KEYS = new Set(['volumes', 'volumeMounts', 'initContainers', 'containers', 'securityContext']);
const isObject = ({ document }: Example) => 'kind' in document;
const isPart = ({ document }: Example) => Object.keys(document).every((key) => POD_KEYS.has(key));
const chartOf = ({ text }: Example) => /^# values of ([\w-]+)\n/.exec(text)?.[1];
const isGlobals = ({ text }: Example) => text.startsWith('# globals.yml\n');

test('every YAML block is tested', () => {
  const others = examples.filter((each) => !isObject(each) && !isPart(each) && !chartOf(each) && !isGlobals(each));
  assert.deepEqual(
    others.map(({ place }) => place),
    [],
  );
  assert.ok(examples.length > 10);
});

describe('values of the pages', { skip: noHelm ?? false }, () => {
  for (const example of examples.filter((each) => chartOf(each) !== undefined || isGlobals(each)))
    test(`the chart accepts ${example.place}`, async () => {
      const chart = chartOf(example) ?? 'keystone';
      await using charts = await rendering(chart);
      // The chart does not generate this password, so it must be given.
      const logs = ['--set', 'global.passwords.elasticsearch_password=x'];
      assert.ok((await charts.render(example.document, logs)).all.length > 0);
    });
});

/** Pages whose commands depend on the previous ones, or on a registry: run by test/aio, test/e2e and test/build/release.test.ts. */
const RUN_ELSEWHERE: ReadonlySet<string> = new Set(['start/quickstart', 'start/aio', 'start/kind', 'how-to/releases']);

/** Its commands of kubectl all run on a node, also those on objects of the Gateway API, which this cluster does not have. */
const ON_A_NODE = 'start/kind';

describe('objects and commands of the pages', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: SharedControlPlane;
  let directory: Directory;
  before(async () => {
    cluster = await sharedControlPlane();
    directory = await privateDirectory('docs');
    // The namespace of the pages, which no other file uses.
    await cluster.createNamespace('openstack');
    const node = { apiVersion: 'v1', kind: 'Node', metadata: {} };
    for (const name of ['node1', 'node2', 'node3', 'node4', 'node5'])
      await cluster.kubectl(['create', '--filename=-'], JSON.stringify({ ...node, metadata: { name } }));
    await mkdir(join(directory.path, 'bin'));
    const words = (await kubectlWords(cluster)).map((word) => `'${word}'`).join(' ');
    await writeFile(join(directory.path, 'bin/kubectl'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  });
  after(async () => {
    await directory?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });
  const dryRun = (document: object) =>
    cluster.kubectl(['create', '--dry-run=server', '--namespace=openstack', '--filename=-'], JSON.stringify(document));

  for (const example of examples.filter(isObject))
    test(`the API server accepts ${example.place}`, async () => {
      await dryRun(example.document);
    });

  for (const { place, document } of examples.filter((each) => !isObject(each) && isPart(each)))
    test(`the API server accepts a Pod with ${place}`, async () => {
      const { volumeMounts = [], ...spec } = document;
      const container = { name: 'c', image: 'none.test/c:1', volumeMounts };
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [container], ...spec },
      };
      assert.match(await dryRun(pod), /pod\/p created/);
    });

  test("Helm runs the pages' commands for each chart", { skip: noHelm ?? false }, async () => {
    packageChart('keystone', join(directory.path, 'dist/charts'));
    await writeFile(
      join(directory.path, 'passwords.yml'),
      JSON.stringify({ global: { passwords: PASSWORDS, kollaPod: { image: { reference: 'r.example/kolla-pod:1' } } } }),
    );
    const others = pages.filter(({ name }) => !RUN_ELSEWHERE.has(name));
    const blocks = others.flatMap(blocksOf).filter(({ language }) => language === 'sh');
    // helm test needs a node: test/e2e/release.test.ts.
    const told = blocks
      .flatMap(({ text }) => commandsOf(text))
      .filter(({ words: [program, verb] }) => program === 'helm' && verb !== 'test');
    assert.ok(told.length >= 3);
    for (const { words } of told) {
      const args = words.slice(1).map((word) => word.replace(/^(?=dist\/|passwords\.yml$)/, `${directory.path}/`));
      const { code, stdout, stderr } = await helm(directory.path, args, cluster.kubeconfig);
      assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
    }
  });

  for (const page of pages.filter(({ name }) => name !== ON_A_NODE))
    test(`kubectl knows the commands in ${page.name}.md`, async () => {
      for (const { text, line } of blocksOf(page).filter(({ language }) => language === 'sh'))
        for (const { words } of commandsOf(text).filter(({ words: [program] }) => program === 'kubectl')) {
          const said = await tried(words.slice(1), join(directory.path, 'bin/kubectl'));
          assert.doesNotMatch(said, MISTAKE, `line ${line}: ${words.join(' ')}`);
        }
    });
});

/** Errors in the command line itself. A missing object is not one: this cluster is empty. */
const MISTAKE =
  /unknown (?:command|flag|shorthand)|flag needs|invalid argument|Invalid value|must (?:specify|provide)|is required|are required|resource type|see .* --help/i;

/** Runs the command as a dry run and returns its stderr. */
async function tried(words: readonly string[], kubectl: string): Promise<string> {
  const changes = ['apply', 'create', 'delete', 'drain', 'label', 'taint', 'patch'].some((verb) =>
    words.includes(verb),
  );
  const dry = changes && !words.some((word) => word.startsWith('--dry-run')) ? ['--dry-run=server'] : [];
  const at = words.includes('--') ? words.indexOf('--') : words.length;
  const all = [...words.slice(0, at), ...dry, ...words.slice(at)];
  // Port forwards and waits run forever.
  const timeout = ['--request-timeout=5s'];
  const { stderr } = await run('timeout', ['20', kubectl, ...timeout, ...all], { input: '' });
  return stderr.trim();
}

/** The command line that precedes the arguments of kubectl. */
async function kubectlWords({ kubeconfig }: SharedControlPlane): Promise<string[]> {
  const { kubectlBinary } = await import('../cluster/kubernetes/index.ts');
  return [await kubectlBinary(), '--kubeconfig', kubeconfig];
}
