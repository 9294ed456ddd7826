import { randomBytes } from 'node:crypto';
import { firstBytes } from '../cli/first-bytes.ts';
import { NAME_RULES } from './names.ts';
import { collectionPath } from './path.ts';

/** What an Event says of a Pod. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  /** In capitals and without blanks, for who filters by it. */
  readonly reason: string;
  /** What was done, as the API asks for it; in the same form. */
  readonly action: string;
  readonly note: string;
}

/** Whom it is about. Without the uid, `kubectl describe pod` does not find it. */
export interface EventPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The API server takes no longer one. */
const NOTE_BYTES = 1024;

/** Where Events of a namespace are created: `create events.events.k8s.io` is all that it asks for. */
export function eventsPath(namespace: string): string {
  return collectionPath({ group: 'events.k8s.io', version: 'v1', resource: 'events', namespace });
}

/** The object to create, of events.k8s.io/v1. @param controller our name, as it stands beside the Event */
export function eventBody(pod: EventPod, { type, reason, action, note }: PodEvent, controller: string): object {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    // As the kubelet names its own; generateName may not end with the dot.
    metadata: { name: `${beginOf(pod.name)}.${randomBytes(8).toString('hex')}`, namespace: pod.namespace },
    // Its MicroTime has six digits.
    eventTime: new Date().toISOString().replace(/Z$/, '000Z'),
    reportingController: controller,
    reportingInstance: pod.name.slice(0, 128),
    regarding: { apiVersion: 'v1', kind: 'Pod', ...pod },
    type,
    reason,
    action,
    note: firstBytes(note, NOTE_BYTES),
  };
}

/** So that the whole is a name too. */
function beginOf(name: string): string {
  return name.slice(0, NAME_RULES.subdomain.most - 17).replace(/[^a-z0-9]+$/, '');
}
