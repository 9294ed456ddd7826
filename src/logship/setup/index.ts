/**
 * `kolla-log-ship setup`: prepares a server before the first line is shipped.
 *
 *   options -> desired state as data: an index template and a retention policy (resources.ts, mappings.ts)
 *     -> read the current state -> plan the differences (plan.ts) -> let the server simulate the template
 *     -> show the plan, and unless --dry-run apply it -> ask the server whether that template applies
 *
 * Idempotent. Resources carry our mark; resources without it are not changed unless --force is given. Nothing is
 * written before everything was read and simulated. `--saved-objects` contacts no server: it prints objects to import
 * into Kibana or OpenSearch Dashboards (saved-objects/). Errors: options (64), files (65), a server without a needed
 * feature or with templates of higher priority (69), permission denied (77), timeout (75).
 */
import { command } from '../../cli/command.ts';
import { SETUP_OPTIONS } from './settings.ts';

export const setup = command({
  summary: 'Creates the index template and retention policy, or prints dashboards to import.',
  description:
    'Creates an index template with mappings for the shipped fields, for daily indices or (with ' +
    '--data-stream) a data stream, and with --keep a policy that deletes old ones. Up-to-date resources ' +
    'are left unchanged. Resources of the same name created by another client are not ' +
    'changed without --force. With --saved-objects it contacts no server but prints an index pattern, ' +
    'searches and an OpenStack overview to import.',
  operands: [],
  options: SETUP_OPTIONS,
  examples: [
    {
      line: 'kolla-log-ship setup --url http://elasticsearch:9200 --keep 14d --dry-run',
      does: 'show the changes on a server, without making them',
    },
    {
      line: 'kolla-log-ship setup --saved-objects dashboards',
      does: 'print the overview for OpenSearch Dashboards as NDJSON',
    },
  ],
  async run(input, context) {
    const { runSetup } = await import('./run.ts'); // not needed for shipping
    return await runSetup(input, context);
  },
});
