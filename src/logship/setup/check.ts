import { UnavailableError } from '../../core/errors.ts';
import { reasonOf, type Api } from './api.ts';
import { at, type JsonObject } from './json.ts';
import { MARK } from './mappings.ts';
import type { Step } from './plan.ts';
import type { SetupSettings } from './settings.ts';

/**
 * Lets the server try the template without keeping it: a mapping or setting that it does not know, or a template of
 * somebody else for the same names with the same priority, is told before anything is written.
 */
export async function checkTemplate(api: Api, settings: SetupSettings, steps: readonly Step[]): Promise<void> {
  const step = steps.find(({ resource }) => resource.what === 'index template');
  if (step === undefined || step.action === 'unchanged') return;
  const { body } = step.resource;
  // The one that it replaces is still there, and is not what it must win over.
  const replaced = step.before === undefined ? -1 : Number(step.before['priority'] ?? 0);
  const tried: JsonObject = replaced < 0 ? body : { ...body, priority: Math.max(settings.priority, replaced) + 1 };
  const reply = await api.request('POST', simulation(settings), tried);
  if (reply.status >= 300)
    throw new UnavailableError(`${api.name} would not take the index template '${settings.name}': ${reasonOf(reply)}`);
  throwUnlessOurs(api, settings, reply.body);
}

/** Whether the template that is there now is the one that a new index gets. */
export async function checkWinner(api: Api, settings: SetupSettings): Promise<void> {
  const reply = await api.request('POST', simulation(settings));
  if (reply.status >= 300)
    throw new UnavailableError(`${api.name} does not tell which template counts: ${reasonOf(reply)}`);
  throwUnlessOurs(api, settings, reply.body);
}

function simulation({ sample }: SetupSettings): string {
  return `/_index_template/_simulate_index/${encodeURIComponent(sample)}`;
}

function throwUnlessOurs(api: Api, { pattern, priority }: SetupSettings, body: unknown): void {
  if (at(body, 'template', 'mappings', '_meta', 'managed_by') === MARK) return;
  throw new UnavailableError(
    `at ${api.name} another index template wins for ${pattern}: raise --priority, which is ${priority}, or remove the other`,
  );
}
