import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import { podsOf } from '../install.ts';
import type { Stage } from '../stage.ts';

/** Where the cloud's logs are. */
export const INDEX = 'flog-*';
const PAGE = 5000;

interface Document {
  readonly Payload: string;
  readonly programname: string;
  readonly parse_error?: string;
  readonly kubernetes: { readonly pod_name: string };
}

interface Scrolled {
  readonly _scroll_id: string;
  readonly hits: { readonly hits: readonly { readonly _source: Document }[] };
}

/**
 * Every line of every Pod's log files is in Elasticsearch exactly once, and parsed. Logging continues: the files' initial lines
 * must arrive, and the index must never have more than the files do afterwards.
 * @param cut names of Pods with lines that were cut, which need not be parsed
 * @returns the figures
 */
export async function assertLogsShipped(stage: Stage, cut?: RegExp): Promise<string> {
  const pods = (await podsOf(stage)).filter(({ status }) => {
    return status.initContainerStatuses?.some(({ name, state }) => name === 'kolla-sidecar' && state.running);
  });
  const names = pods.map(({ metadata }) => metadata.name);
  assert.ok(names.length > 0);
  const before = await linesInFiles(stage, names);
  const documents = await until('every line to be indexed', async (saw) => {
    const found = await documentsOf(stage);
    const shipped = linesByPod(found);
    const late = names.filter((name) => (shipped.get(name) ?? 0) < (before.get(name) ?? 0));
    saw(late.map((name) => `${name}: ${shipped.get(name)} of ${before.get(name)}`));
    return late.length === 0 ? found : undefined;
  });
  const [shipped, after] = [linesByPod(documents), await linesInFiles(stage, names)];
  const twice = names.filter((name) => (shipped.get(name) ?? 0) > (after.get(name) ?? 0));
  assert.deepEqual(twice, [], twice.map((name) => `${name}: ${shipped.get(name)} of ${after.get(name)}`).join(', '));
  const isCut = ({ kubernetes }: Document) => cut?.test(kubernetes.pod_name) === true;
  const unparsed = documents.filter((one) => one.parse_error !== undefined && !isCut(one));
  const programs = new Set(documents.map(({ programname }) => programname));
  const examples = unparsed
    .slice(0, 10)
    .map(({ programname, Payload: text }) => `${programname}: ${text.slice(0, 200)}`);
  assert.deepEqual(examples, []);
  const lines = names.reduce((sum, name) => sum + (shipped.get(name) ?? 0), 0);
  return `${lines} lines of ${names.length} Pods, ${documents.length} documents of ${programs.size} programs, 0 unparsed`;
}

async function linesInFiles(stage: Stage, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const script = 'set -o pipefail; shopt -s globstar nullglob; cat /dev/null /var/log/kolla/**/*.log | wc --lines';
    counts.set(name, Number(await stage.kubectl(['exec', name, '--', 'bash', '-c', script])));
  }
  return counts;
}

function linesByPod(documents: readonly Document[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { Payload: text, kubernetes } of documents)
    counts.set(kubernetes.pod_name, (counts.get(kubernetes.pod_name) ?? 0) + text.split('\n').length);
  return counts;
}

/** All documents, page by page. */
async function documentsOf({ elasticsearch }: Stage): Promise<Document[]> {
  await elasticsearch.refresh();
  const fields = ['Payload', 'programname', 'parse_error', 'kubernetes.pod_name'];
  const found: Document[] = [];
  let page = await elasticsearch.request('POST', `/${INDEX}/_search?scroll=2m`, { size: PAGE, _source: fields });
  for (;;) {
    assert.equal(page.status, 200, JSON.stringify(page.body).slice(0, 500));
    const { _scroll_id: id, hits } = page.body as Scrolled;
    if (hits.hits.length === 0) return found;
    found.push(...hits.hits.map(({ _source: document }) => document));
    page = await elasticsearch.request('POST', '/_search/scroll', { scroll: '2m', scroll_id: id });
  }
}
