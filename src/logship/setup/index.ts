/**
 * `kolla-log-ship setup`: what a server should know before the first line comes.
 *
 *   options -> what is wanted, as data: an index template and a policy for retention (resources.ts, mappings.ts)
 *     -> read what is there -> plan what differs (plan.ts) -> let the server try the template
 *     -> show the plan, and unless --dry-run make it so -> ask the server whether that template is the one that counts
 *
 * Run again it changes nothing. What it makes carries our mark, and what is there without that mark is left alone unless
 * --force is given. Nothing is written before everything was read and tried. `--saved-objects` asks no server: it prints what
 * Kibana or OpenSearch Dashboards import (saved-objects/).
 * What can fail: options (64), files (65), a server without what retention needs, or whose own templates win (69), a refusal (77),
 * no answer in time (75).
 */
import { command } from '../../cli/command.ts';
import { SETUP_OPTIONS } from './settings.ts';

export const setup = command({
  summary: 'Creates the index template and retention policy, or prints dashboards to import.',
  description:
    'Creates an index template with mappings for the shipped fields, for daily indices or with ' +
    '--data-stream for a data stream, and with --keep a policy that deletes old ones. Resources that are ' +
    'up to date are left unchanged. Resources of the same name that another client created are not ' +
    'changed without --force. With --saved-objects it contacts no server: it prints an index pattern, ' +
    'searches and an OpenStack overview to import.',
  operands: [],
  options: SETUP_OPTIONS,
  examples: [
    {
      line: 'kolla-log-ship setup --url http://elasticsearch:9200 --keep 14d --dry-run',
      does: 'show what a server would get, and change nothing',
    },
    {
      line: 'kolla-log-ship setup --saved-objects dashboards',
      does: 'print the overview for OpenSearch Dashboards as NDJSON',
    },
  ],
  async run(input, context) {
    const { runSetup } = await import('./run.ts'); // shipping has no use for it
    return await runSetup(input, context);
  },
});
