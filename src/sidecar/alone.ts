import { ended } from '../core/abort.ts';
import type { Context } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import type { PreparedComponent } from './components/component.ts';
import { serveComponents, type ServedAt } from './serve.ts';
import type { ComponentStatus } from './status/document.ts';

/**
 * A resident helper without kolla-sidecar: a sidecar with a single component. It serves the same endpoints, but its
 * component is not restarted: since a failure affects no other component, it ends the process, and the kubelet restarts
 * the container.
 * @param whenDone whether to exit when the component is done, or to keep serving until the signal
 * @returns the component's exit code
 * @throws the component's error; the signal's reason; ConfigError as serveComponents()
 */
export async function runAlone(
  prepared: PreparedComponent,
  whenDone: 'end' | 'stay',
  at: ServedAt,
  context: Pick<Context, 'signal' | 'log' | 'inherited'>,
): Promise<ExitCode> {
  const { signal, log } = context;
  const { component } = prepared;
  const { name, holdsStartup } = component;
  const running: ComponentStatus = {
    name,
    state: 'running',
    since: Date.now(),
    holdsStartup,
    starts: 1,
    failures: 0,
    problem: null,
    retryAt: null,
  };
  let status = running;
  await using server = await serveComponents([prepared], () => [status], at, context);
  signal.addEventListener('abort', () => server.drain(), { once: true });
  if (signal.aborted) server.drain();
  const code = await component.run({ signal, log });
  if (code !== ExitCode.ok || whenDone === 'end') return code;
  status = { ...running, state: 'done', since: Date.now() };
  log.info('staying until SIGTERM');
  await ended(signal);
  throw signal.reason;
}
