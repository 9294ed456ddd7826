import { command } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import { converge, diffText, PARTS, settledPlan, type Planned } from '../provision/index.ts';
import { partEffects } from './look.ts';
import { JOB_OPTIONS } from './options.ts';
import { withJob } from './job.ts';

/**
 * Removes the objects that kolla-bootstrap created for a service and that no other service can be using. It shows them
 * first, and requires confirmation.
 */
export const removeCommand = command({
  summary: "Removes a service's accounts, endpoints and queue, with --yes.",
  description:
    "Without --yes it only shows the objects to remove, and exits with 1. Removes the region's " +
    "endpoints, services without remaining endpoints, the service's accounts, and its RabbitMQ account and virtual " +
    'host with all queues, unless another account uses them or a client is connected. Keeps roles, ' +
    'projects, domains, the virtual host /, keys and the database.',
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: [
    ...JOB_OPTIONS,
    {
      flag: 'yes',
      type: 'boolean',
      env: 'KOLLA_BOOTSTRAP_YES',
      help: 'delete the objects instead of only listing them',
      example: 'true',
    },
  ],
  examples: [
    { line: 'kolla-bootstrap delete glance', does: 'show the objects to remove' },
    { line: 'kolla-bootstrap delete glance --skip queue --yes', does: 'remove those in Keystone' },
  ],
  async run({ operands: [name = ''], options }, context) {
    const { stdout, terminal, log, signal } = context;
    return await withJob(name, options, context, 'remove', async (job) => {
      const effects = partEffects(job, signal);
      using elsewhere = job.open(PARTS, effects);
      const found: Planned[] = [];
      // The parts in reverse order, so that the objects created last are removed first.
      const backwards = elsewhere.parts
        .toReversed()
        .map((part) => ({ name: part.name, plan: () => part.planRemoval() }));
      for (const part of backwards) found.push(...(await settledPlan(part, effects)));
      if (found.length === 0) log.info('nothing to remove');
      if (!options.yes) {
        stdout(diffText(found, terminal));
        if (found.length > 0) log.info('nothing was removed: confirm with --yes');
        return found.length === 0 ? ExitCode.ok : ExitCode.no;
      }
      for (const part of backwards) await converge(part, effects);
      return ExitCode.ok;
    });
  },
});
