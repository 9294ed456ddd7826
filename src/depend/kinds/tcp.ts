import { dial } from '../../platform/dial.ts';
import { endpointsHint } from '../hint.ts';
import { retry } from '../retry.ts';
import type { MakeWaiter } from '../waiter.ts';

/** Waits until something accepts TCP connections there. */
export const tcp: MakeWaiter<'tcp'> = ({ text, address }) => ({
  text,
  hint: () => endpointsHint(address.host),
  async wait(report, signal) {
    await retry((bounded) => dial(address, bounded), report, signal);
    return 'accepts connections';
  },
});
