import { basename, dirname, relative } from 'node:path';
import type { Segment } from './progress.ts';
import { EventTime } from './parse/event-time.ts';
import { parseOslo } from './parse/oslo.ts';
import type { Zone } from './parse/zone.ts';

/** One line on its way to the server. */
export interface Document {
  readonly index: string;
  readonly id: string;
  /** JSON, on one line. */
  readonly source: string;
  readonly segment: Segment;
}

/** What every document of this pod carries. */
export interface Origin {
  readonly hostname: string;
  readonly pod: string | undefined;
  readonly namespace: string | undefined;
  readonly node: string | undefined;
}

/** Folders under the log root that are not OpenStack services: Kolla gives their lines no Logger. */
const INFRASTRUCTURE = new Set(['haproxy', 'letsencrypt', 'libvirt', 'mariadb', 'openvswitch', 'rabbitmq', 'valkey']);

/** The fields that depend on the file alone, as the end of a JSON object: `,"Hostname":"c1",...}`. */
export function fileFields(path: string, root: string, origin: Origin): string {
  const inRoot = relative(root, path);
  const [folder = ''] = inRoot.startsWith('..') ? [basename(dirname(path))] : inRoot.split('/');
  const kubernetes = { pod_name: origin.pod, namespace_name: origin.namespace, host: origin.node };
  const fields = {
    Hostname: origin.hostname,
    Logger: INFRASTRUCTURE.has(folder) ? undefined : `openstack.${folder}`,
    programname: basename(path).replace(/\.log$/, ''),
    kubernetes: Object.values(kubernetes).some((value) => value !== undefined) ? kubernetes : undefined,
  };
  return `,${JSON.stringify(fields).slice(1)}`;
}

/** A line with its fields and its time, before it has an id. */
export interface Parsed {
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  /** Of the event, in UTC: `2026-11-20`. */
  readonly day: string;
}

/** From lines of one file to the JSON that is indexed. */
export class LineParser {
  readonly #time: EventTime;
  readonly #fileFields: string;

  constructor(zone: Zone, fields: string) {
    this.#time = new EventTime(zone);
    this.#fileFields = fields;
  }

  /** @param lastTimeMs the time of the last dated line, which a line without one takes */
  parse(line: string, lastTimeMs: number): Parsed {
    const fields = parseOslo(line);
    const readMs = fields?.['Timestamp'] === undefined ? NaN : this.#time.read(fields['Timestamp']);
    const isDated = !Number.isNaN(readMs);
    const timeMs = isDated ? readMs : lastTimeMs;
    const timestamp = new Date(timeMs).toISOString();
    const own = JSON.stringify(fields !== undefined && isDated ? fields : { Payload: line });
    return {
      source: `{"@timestamp":"${timestamp}",${own.slice(1, -1)}${this.#fileFields}`,
      timeMs,
      day: timestamp.slice(0, 10),
    };
  }
}
