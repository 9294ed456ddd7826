import { RELEASES } from '../../catalog/index.ts';
import { command } from '../../cli/command.ts';
import { CLOUD_OPTIONS } from './options.ts';

/** Sets the release of a cloud. */
export const upgrade = command({
  summary: 'Upgrades a cloud to another release, through kolla-operator.',
  description:
    'Sets spec.release of the only OpenStack object in the namespace; kolla-operator does the rest. To stop an upgrade, ' +
    'set the release back.',
  operands: [{ name: 'RELEASE', help: 'OpenStack release', values: RELEASES }],
  options: [
    {
      flag: 'dry-run',
      type: 'boolean',
      env: 'KOLLA_POD_UPGRADE_DRY_RUN',
      help: 'only print each step, in order',
      example: 'true',
    },
    {
      flag: 'watch',
      type: 'boolean',
      env: 'KOLLA_POD_UPGRADE_WATCH',
      help: 'wait until all services are ready',
      details: 'Logs each change. Exits with 69 when a service is degraded; the operator still retries it.',
      example: 'true',
    },
    ...CLOUD_OPTIONS,
  ],
  examples: [
    { line: 'kolla-pod upgrade 2026.1 --dry-run -n openstack', does: 'the steps, without a change' },
    { line: 'kolla-pod upgrade 2026.1 --watch -n openstack', does: 'upgrade, and follow it' },
  ],
  async run({ operands: [release = ''], options }, context) {
    const { runUpgrade } = await import('./run-upgrade.ts');
    return await runUpgrade(release, options, context);
  },
});
