import { setFlagsFromString } from 'node:v8';

/**
 * Has the collector look at old objects when they are a quarter more than before. By default it waits for tens of megabytes
 * first: what waits for an acknowledgement grows old by then, and our memory would be twice what we need.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=25');
}
