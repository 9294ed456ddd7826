import { newCounts, type FileState } from '../../../src/logship/report/counts.ts';
import type { DestinationState } from '../../../src/logship/report/view.ts';

/** The state of a healthy destination, with overrides. */
export function destination(other: Partial<DestinationState> = {}): DestinationState {
  return {
    name: 'elasticsearch-es-9200',
    lagBytes: 0,
    lagSeconds: 0,
    counts: newCounts(),
    outage: undefined,
    checkpointAgeMs: 0,
    waiting: 0,
    memoryBytes: 0,
    dropped: 0,
    fileStates: () => [],
    ...other,
  };
}

/** The state of a file that was read completely, with overrides. */
export function file(other: Partial<FileState> = {}): FileState {
  return {
    path: '/var/log/kolla/nova/nova-api.log',
    lines: 0,
    bytes: 0,
    unread: 0,
    left: 0,
    leftOfFormer: 0,
    ...other,
  };
}
