/**
 * What the services logged about a failed operation or request: its object's UUID, or what its service and Keystone complained
 * about at that time -> lines in Elasticsearch, of the whole cloud.
 */
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

/** Lines this long before and after a request, in seconds. */
const AROUND = 5;
const COMPLAINTS = ['WARNING', 'ERROR', 'CRITICAL'];

/** @returns a text per failed sample, its lines in order of time */
export async function tracesOf({ elasticsearch }: Stage, rows: readonly Row[]): Promise<string[]> {
  const traces: string[] = [];
  for (const { what, failed } of rows)
    for (const sample of failed) {
      const id = UUID.exec(sample.saw)?.[0];
      const { body } = await elasticsearch.request('POST', `/${INDEX}/_search`, {
        size: LINES,
        sort: [{ '@timestamp': 'asc' }],
        query: { bool: id === undefined ? complaintsOf(what, sample) : aboutObject(id) },
      });
      const { hits } = body as { hits: { hits: { _source: Line }[] } };
      traces.push([titleOf(what, sample), ...hits.hits.map(({ _source }) => lineOf(_source))].join('\n  '));
    }
  return traces;
}

function aboutObject(id: string): object {
  return {
    must: { match_phrase: { Payload: id } },
    must_not: ACCESS.map((text) => ({ match_phrase: { Payload: text } })),
  };
}

function complaintsOf(service: string, { at, seconds }: Sample): object {
  const time = (second: number) => new Date(second * 1000).toISOString();
  const refused = [401, 404, 500, 503].map((status) => ({ match_phrase: { Payload: `status: ${status}` } }));
  return {
    filter: { range: { '@timestamp': { gte: time(at - AROUND), lte: time(at + seconds + AROUND) } } },
    must: { bool: { should: [service, 'keystone'].map((name) => ({ prefix: { 'kubernetes.pod_name': name } })) } },
    should: [...COMPLAINTS.map((level) => ({ match: { log_level: level } })), ...refused],
    minimum_should_match: 1,
  };
}

function titleOf(what: string, { at, saw }: Sample): string {
  return `${what} at ${new Date(at * 1000).toISOString()}: ${saw}`;
}

function lineOf({ '@timestamp': at, Payload: text, log_level: level = '', kubernetes }: Line): string {
  return `${at} ${kubernetes.pod_name} ${level} ${text.slice(0, 400)}`;
}
