import { command } from '../../cli/command.ts';
import { UsageError, messageOf } from '../../cli/errors.ts';
import { parseAddress, type Address } from '../../platform/address.ts';
import { dial } from '../../platform/dial.ts';
import { ask, healthy, TIMEOUT_OPTION, unhealthy } from '../verdict.ts';

/** Does something accept TCP connections at HOST:PORT before the deadline? Says nothing about what accepts them. */
export const tcp = command({
  summary: 'Does something accept TCP connections there?',
  operands: [{ name: 'HOST:PORT', help: 'where; IPv6 addresses in brackets' }],
  options: [TIMEOUT_OPTION],
  examples: [
    { line: 'kolla-probe tcp mariadb:3306', does: 'healthy when something listens on 3306' },
    { line: 'kolla-probe tcp [::1]:11211 --timeout 300ms', does: 'IPv6, and a shorter deadline' },
  ],
  async run({ operands: [target = ''], options }, context) {
    const address = addressOf(target);
    return await ask(`tcp ${target}`, options.timeout, context, async (signal) => {
      const refusal = await dial(address, signal);
      return refusal === undefined ? healthy : unhealthy(refusal);
    });
  },
});

function addressOf(target: string): Address {
  try {
    return parseAddress(target);
  } catch (cause) {
    throw new UsageError(`tcp: ${messageOf(cause)}`, { cause });
  }
}
