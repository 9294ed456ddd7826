import { UnavailableError } from '../../core/errors.ts';
import { reasonOf, type Api, type Reply } from './api.ts';
import { at, type JsonObject } from './mappings/json.ts';
import { MARK } from './mappings/mappings.ts';
import type { Resource } from './resources.ts';
import type { SetupSettings } from './settings.ts';

/** The action that is planned for one resource. */
export interface Step {
  readonly resource: Resource;
  readonly action: 'create' | 'update' | 'unchanged';
  readonly before: JsonObject | undefined;
  /** The path of the request that writes the resource. */
  readonly path: string;
}

/**
 * Reads the current state and compares. Writes nothing.
 * @throws UnavailableError if the server lacks the feature, or another tool created the resource
 */
export async function plan(api: Api, wanted: readonly Resource[], { force }: { force: boolean }): Promise<Step[]> {
  const steps: Step[] = [];
  for (const resource of wanted) steps.push(await stepOf(api, resource, force));
  return steps;
}

async function stepOf(api: Api, resource: Resource, force: boolean): Promise<Step> {
  const { what, name, path } = resource;
  const reply = await api.request('GET', path);
  const before = reply.status === 200 ? resource.current(reply.body) : undefined;
  if (reply.status !== 200 && (reply.status !== 404 || isNoHandler(reply))) throw notThere(api, resource, reply);
  if (before === undefined) {
    if (reply.status === 200) throw strange(api, resource, reply);
    return { resource, action: 'create', before, path };
  }
  if (!resource.isOurs(before)) {
    if (!force)
      throw new UnavailableError(
        `${api.name} has an ${what} '${name}' that kolla-log-ship did not create: --dry-run --force ` +
          'shows what would change, --force replaces it, and another --index-prefix or --data-stream ' +
          'leaves it alone',
      );
  } else if (resource.isRight(before)) {
    return { resource, action: 'unchanged', before, path };
  }
  return { resource, action: 'update', before, path: path + (resource.overwrite?.(reply.body) ?? '') };
}

/**
 * Writes the differences in order. Each is read back: a 2xx may come from a proxy, or from a server whose nodes have not
 * confirmed the change.
 */
export async function apply(api: Api, steps: readonly Step[]): Promise<void> {
  for (const { action, path, resource } of steps) {
    if (action === 'unchanged') continue;
    const reply = await api.request('PUT', path, resource.body);
    if (reply.status >= 300)
      throw new UnavailableError(`${api.name} rejects the ${resource.what} '${resource.name}': ${reasonOf(reply)}`);
    const stored = await api.request('GET', resource.path);
    const now = stored.status === 200 ? resource.current(stored.body) : undefined;
    if (now !== undefined && resource.isRight(now) && at(reply.body, 'acknowledged') !== false) continue;
    throw new UnavailableError(
      `${api.name} answered the ${resource.what} '${resource.name}' with ${reasonOf(reply)}, and ` +
        `${now === undefined || !resource.isRight(now) ? 'has not stored it' : 'not all of its nodes have confirmed it'}: ` +
        'check that this is the server itself, and run this again',
    );
  }
}

/** Whether the server reports an unknown path. */
function isNoHandler(reply: Reply): boolean {
  return /no handler found|Incorrect HTTP method|Unsupported HTTP method/i.test(JSON.stringify(reply.body));
}

function notThere(api: Api, { what, name, needs }: Resource, reply: Reply): Error {
  if (needs === undefined || !isNoHandler(reply)) return strange(api, { what, name }, reply);
  return new UnavailableError(
    `--keep needs ${needs}, which ${api.name} does not have: leave --keep out and remove old indices another way, or ` +
      `name the server's kind with --to (${reasonOf(reply)})`,
  );
}

/** The response may come from a proxy or from another kind of server. */
function strange(api: Api, { what, name }: Pick<Resource, 'what' | 'name'>, reply: Reply): Error {
  return new UnavailableError(`${api.name} does not return its ${what} '${name}': ${reasonOf(reply)}`);
}

/**
 * Lets the server simulate the template: an unknown mapping or setting, or another tool's template with the same
 * patterns and priority, is reported before anything is written.
 */
export async function checkTemplate(api: Api, settings: SetupSettings, steps: readonly Step[]): Promise<void> {
  const step = steps.find(({ resource }) => resource.what === 'index template');
  if (step === undefined || step.action === 'unchanged') return;
  const { body } = step.resource;
  // The template that is replaced still exists and must not count as a competitor.
  const replaced = step.before === undefined ? -1 : Number(step.before['priority'] ?? 0);
  const tried: JsonObject = replaced < 0 ? body : { ...body, priority: Math.max(settings.priority, replaced) + 1 };
  const reply = await api.request('POST', simulation(settings), tried);
  if (reply.status >= 300)
    throw new UnavailableError(`${api.name} rejects the index template '${settings.name}': ${reasonOf(reply)}`);
  throwUnlessOurs(api, settings, reply.body);
}

/** Checks that a new index gets the stored template. */
export async function checkWinner(api: Api, settings: SetupSettings): Promise<void> {
  const reply = await api.request('POST', simulation(settings));
  if (reply.status >= 300)
    throw new UnavailableError(`${api.name} does not report which template applies: ${reasonOf(reply)}`);
  throwUnlessOurs(api, settings, reply.body);
}

function simulation({ sample }: SetupSettings): string {
  return `/_index_template/_simulate_index/${encodeURIComponent(sample)}`;
}

function throwUnlessOurs(api: Api, { pattern, priority }: SetupSettings, body: unknown): void {
  if (at(body, 'template', 'mappings', '_meta', 'managed_by') === MARK) return;
  throw new UnavailableError(
    `at ${api.name} another index template takes precedence for ${pattern}: raise --priority, which is ` +
      `${priority}, or remove the other`,
  );
}
