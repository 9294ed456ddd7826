/** What the services logged about a failed operation: its object's UUID -> lines in Elasticsearch, of the whole cloud. */
import { INDEX } from '../checks/logs.ts';
import type { Stage } from '../stage.ts';
import type { Row, Sample } from './load.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const LINES = 40;
/** Logs of requests say nothing about a reason. */
const ACCESS = ['HTTP/1.1', 'returned with HTTP', 'GET http'];

interface Line {
  readonly '@timestamp': string;
  readonly Payload: string;
  readonly log_level?: string;
  readonly kubernetes: { readonly pod_name: string };
}

/** @returns a text per failed sample that names an object, its lines in order of time */
export async function tracesOf({ elasticsearch }: Stage, rows: readonly Row[]): Promise<string[]> {
  const traces: string[] = [];
  for (const { what, failed } of rows)
    for (const sample of failed) {
      const id = UUID.exec(sample.saw)?.[0];
      if (id === undefined) continue;
      const { body } = await elasticsearch.request('POST', `/${INDEX}/_search`, {
        size: LINES,
        sort: [{ '@timestamp': 'asc' }],
        query: {
          bool: {
            must: { match_phrase: { Payload: id } },
            must_not: ACCESS.map((text) => ({ match_phrase: { Payload: text } })),
          },
        },
      });
      const { hits } = body as { hits: { hits: { _source: Line }[] } };
      traces.push([titleOf(what, sample), ...hits.hits.map(({ _source }) => lineOf(_source))].join('\n  '));
    }
  return traces;
}

function titleOf(what: string, { at, saw }: Sample): string {
  return `${what} at ${new Date(at * 1000).toISOString()}: ${saw}`;
}

function lineOf({ '@timestamp': at, Payload: text, log_level: level = '', kubernetes }: Line): string {
  return `${at} ${kubernetes.pod_name} ${level} ${text.slice(0, 400)}`;
}
