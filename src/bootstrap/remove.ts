import { command, type Command } from '../cli/command.ts';
import { ExitCode } from '../cli/errors.ts';
import type { Planned } from './change.ts';
import { converge, settledPlan } from './converge.ts';
import { diffText } from './diff.ts';
import { BOOTSTRAP_OPTIONS } from './options.ts';
import { withParts } from './with-parts.ts';

/** Removes what kolla-bootstrap made for a service and nobody else can be using; shows it first, and needs to be told. */
export const remove: Command = command({
  summary: "Removes a service's accounts, endpoints and queue, once told --yes.",
  description:
    'Without --yes it shows what would go, and ends with 1. Removed are the endpoints of the region, services that have none ' +
    "left, the service's accounts; its RabbitMQ account and virtual host where no other has a part in them and nobody is " +
    'connected, with all queues. Roles, projects, domains and the virtual host / stay.',
  operands: [{ name: 'SERVICE', help: 'one of `kolla-pod catalogue`, or of kolla-pod.yaml' }],
  options: [
    ...BOOTSTRAP_OPTIONS,
    {
      flag: 'yes',
      type: 'boolean',
      env: 'KOLLA_BOOTSTRAP_YES',
      help: 'remove it',
      example: 'true',
    },
  ],
  examples: [
    { line: 'kolla-bootstrap delete glance', does: 'what would go' },
    { line: 'kolla-bootstrap delete glance --skip queue --yes', does: 'out of Keystone' },
  ],
  async run(input, context) {
    const { stdout, terminal, log } = context;
    return await withParts(input, context, 'remove', async (parts, effects) => {
      const found: Planned[] = [];
      // What others find last goes first.
      const backwards = parts.toReversed().map((part) => ({ name: part.name, plan: () => part.planRemoval() }));
      for (const part of backwards) found.push(...(await settledPlan(part, effects)));
      if (found.length === 0) log.info('nothing to remove');
      if (!input.options.yes) {
        stdout(diffText(found, terminal));
        if (found.length > 0) log.info('nothing was removed: that takes --yes');
        return found.length === 0 ? ExitCode.ok : ExitCode.no;
      }
      for (const part of backwards) await converge(part, effects);
      return ExitCode.ok;
    });
  },
});
