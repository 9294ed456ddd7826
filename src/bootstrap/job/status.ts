import { command } from '../../cli/command.ts';
import { outputOption } from '../../cli/output-option.ts';
import { OWN_OPTIONS } from '../index.ts';
import { PLACE_OPTIONS, showStatus } from '../../migrate/index.ts';
import { serviceNamedIn } from './job.ts';

/** Prints what was recorded in the service's database: by kolla-bootstrap, and by kolla-db-sync. */
export const statusCommand = command({
  summary: 'Shows who is at work on the service, or was last, and how each part and each migration went.',
  description:
    "As it is recorded in the service's database: `bootstrap:...` are parts that had something to do, `tool:...` the service's own commands. " +
    'What is there now, `plan` shows. Exit code 1 when nothing was ever recorded.',
  operands: [{ name: 'SERVICE', help: 'one of `kolla-pod catalogue`, or of kolla-pod.yaml' }],
  options: [...PLACE_OPTIONS, ...OWN_OPTIONS, outputOption('KOLLA_BOOTSTRAP_OUTPUT', 'table')],
  examples: [
    { line: 'kolla-bootstrap status glance', does: 'a table' },
    { line: 'kolla-bootstrap status glance -o json', does: 'one JSON object' },
  ],
  async run({ operands: [name = ''], options }, context) {
    return await showStatus(await serviceNamedIn(name, context), options, context);
  },
});
