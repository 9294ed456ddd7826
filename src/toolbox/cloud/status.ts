import { command } from '../../cli/command.ts';
import { outputOption } from '../../cli/output-option.ts';
import { CLOUD_OPTIONS } from './options.ts';

/** Shows a cloud on one screen, from the objects of kolla-operator. */
export const status = command({
  summary: 'Shows the services of a cloud: release, state, and what each waits for.',
  description:
    'Reads the OpenStack and OpenStackService objects of kolla-operator once. Exit code 1 if a service is not ready.',
  operands: [],
  options: [outputOption('KOLLA_POD_STATUS_OUTPUT', 'table'), ...CLOUD_OPTIONS],
  examples: [
    { line: 'kolla-pod status -n openstack', does: 'the cloud in this namespace' },
    { line: 'kolla-pod status --context kind-kind', does: 'in another cluster of the kubeconfig' },
    { line: 'kolla-pod status -o json', does: 'as JSON, for programs' },
  ],
  async run({ options }, context) {
    // Loaded lazily: no other command but upgrade uses the API server.
    const { showStatus } = await import('./show.ts');
    return await showStatus(options, context);
  },
});
