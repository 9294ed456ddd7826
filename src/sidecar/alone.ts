import { once } from 'node:events';
import type { Context } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import type { PreparedRole } from './role.ts';
import { serveComponents, type ServedAt } from './serve.ts';
import type { RoleStatus } from './status/document.ts';

/**
 * A helper that stays resident by itself: a sidecar of this one component. What answers is the same as in kolla-sidecar; but
 * nothing restarts it here, since its failure takes no other down: it ends the process, and the kubelet starts that again.
 * @param whenDone whether the end of a component that is done is the end of all, or goes on answering until the signal
 * @returns the component's own exit code
 * @throws what the component throws; the signal's reason; ConfigError as serveComponents() does
 */
export async function runAlone(
  component: PreparedRole,
  whenDone: 'end' | 'stay',
  at: ServedAt,
  context: Pick<Context, 'signal' | 'log' | 'inherited'>,
): Promise<ExitCode> {
  const { signal, log } = context;
  const { role } = component;
  const { name, holdsStartup } = role;
  const running: RoleStatus = {
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
  await using server = await serveComponents([component], () => [status], at, context);
  signal.addEventListener('abort', () => server.drain(), { once: true });
  if (signal.aborted) server.drain();
  const code = await role.run({ signal, log });
  if (code !== ExitCode.ok || whenDone === 'end') return code;
  status = { ...running, state: 'done', since: Date.now() };
  log.info('staying until SIGTERM');
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
