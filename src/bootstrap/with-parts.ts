import type { Context, Input } from '../cli/command.ts';
import { UsageError, type ExitCode } from '../cli/errors.ts';
import { suggestion } from '../cli/nearest.ts';
import { knownServices } from '../services/known.ts';
import type { Part } from './change.ts';
import type { Effects } from './effects.ts';
import type { BOOTSTRAP_OPTIONS } from './options.ts';
import { prepare, type Purpose } from './parts.ts';

/** Prepares a service's parts for a command, gives it the time that it may take, and keeps secrets out of its errors. */
export async function withParts(
  { operands: [name = ''], options }: Input<typeof BOOTSTRAP_OPTIONS>,
  context: Context,
  purpose: Purpose,
  work: (parts: readonly Part[], effects: Effects) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { signal, log, podFile } = context;
  const services = await knownServices(podFile);
  const service = services.find((known) => known.name === name);
  if (service === undefined) {
    const names = services.map((known) => known.name);
    throw new UsageError(`no service '${name}'${suggestion(name, names)}`);
  }
  const timeoutMs = options.timeout;
  const effects: Effects = { signal, log, timeoutMs, deadline: AbortSignal.timeout(timeoutMs) };
  using prepared = await prepare(service, options, context, effects, purpose);
  const { parts, redact } = prepared;
  try {
    return await work(parts, effects);
  } catch (error) {
    // What a server says may quote what it was sent.
    if (error instanceof Error) {
      error.message = redact(error.message);
      error.stack = redact(error.stack ?? '');
    }
    throw error;
  }
}
