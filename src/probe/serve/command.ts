import { command } from '../../cli/command.ts';
import { SERVE_OPTIONS } from './options.ts';

export const serveCommand = command({
  summary: 'Asks the checks of kolla-pod.yaml all the time, and answers httpGet probes.',
  description:
    'Each check of the section `checks` is asked once a period; a probe is answered from what is known and never waits. ' +
    '/startupz, /livez and /readyz say one word, /metrics is for Prometheus; reasons are shown within the pod and by kubectl port-forward. ' +
    'Ends at SIGTERM: /readyz is 503 at once.',
  operands: [],
  options: SERVE_OPTIONS,
  examples: [
    { line: 'kolla-probe serve', does: 'the checks of /etc/kolla-pod/kolla-pod.yaml, on port 9808' },
    {
      line: 'kolla-probe serve --config kolla-pod.yaml --listen 127.0.0.1:9808',
      does: 'on one address',
    },
  ],
  async run({ options }, context) {
    // Lazy: a probe that is asked once needs no server.
    const { runServe } = await import('./run.ts');
    return await runServe(options, context);
  },
});
