import type { Context, Input } from '../../cli/command.ts';
import { ExitCode } from '../../core/errors.ts';
import { printable } from '../../core/log.ts';
import { paint, type Terminal } from '../../core/terminal.ts';
import { proxyEnvOf } from '../sink/proxy-env.ts';
import { connect } from './api.ts';
import { isObject, isSameValue, pretty, sorted, type Json } from './mappings/json.ts';
import { apply, checkTemplate, checkWinner, plan, type Step } from './plan.ts';
import { wantedResources } from './resources.ts';
import { savedObjects } from './saved-objects/index.ts';
import { setupSettings, type SETUP_OPTIONS } from './settings.ts';

type SetupInput = Pick<Input<typeof SETUP_OPTIONS>, 'options'>;

/** Sets up each server given by the options, or prints saved objects. */
export async function runSetup({ options }: SetupInput, context: Context): Promise<ExitCode> {
  const { stdout, signal, terminal, log, inherited } = context;
  if (options.savedObjects !== undefined) {
    stdout(savedObjects(options.savedObjects, options));
    return ExitCode.ok;
  }
  for (const { server, settings } of setupSettings(options)) {
    using api = connect(server, { log, proxyEnv: proxyEnvOf(inherited), timeoutMs: options.timeout, signal });
    const steps = await plan(api, wantedResources(settings), { force: options.force });
    await checkTemplate(api, settings, steps);
    if (!options.dryRun) {
      await apply(api, steps);
      await checkWinner(api, settings);
    }
    stdout(await reportOf(steps, { server: api.name, form: options.output, dryRun: options.dryRun, terminal }));
    if (!options.dryRun && steps.some(({ action }) => action !== 'unchanged'))
      log.info(`${api.name}: it applies to new indices; existing ones keep their mappings`);
  }
  return ExitCode.ok;
}

interface ReportOptions {
  /** The server's name in messages. */
  readonly server: string;
  readonly form: 'text' | 'json';
  readonly dryRun: boolean;
  readonly terminal: Terminal;
}

const WORDS = {
  create: { done: 'created', planned: 'would create', style: 'green' },
  update: { done: 'updated', planned: 'would update', style: 'yellow' },
  unchanged: { done: 'unchanged', planned: 'unchanged', style: 'dim' },
} as const;

/** The changes, made or planned: one line each, with a diff for an update. */
async function reportOf(steps: readonly Step[], options: ReportOptions): Promise<string> {
  if (options.form === 'json') return `${JSON.stringify(jsonOf(steps, options))}\n`;
  const parts = await Promise.all(steps.map((step) => textOf(step, options)));
  return parts.join('');
}

function jsonOf(steps: readonly Step[], { server, dryRun }: ReportOptions): object {
  const changes = steps.map(({ action, before, resource }) => {
    const { what, name, body } = resource;
    return { what, name, action, before: before ?? null, after: action === 'unchanged' ? (before ?? null) : body };
  });
  return { server, dryRun, changes };
}

async function textOf(
  { action, before, resource }: Step,
  { server, dryRun, terminal }: ReportOptions,
): Promise<string> {
  const { what, name, body } = resource;
  const { done, planned, style } = WORDS[action];
  const title = `${paint(terminal, style, dryRun ? planned : done)} ${what} ${printable(name)} at ${server}\n`;
  if (action === 'unchanged' || (action === 'create' && !dryRun)) return title;
  const after = `${pretty(sorted(body))}\n`;
  if (before === undefined) return title + indented(after.trimEnd().split('\n'));
  const { structuredPatch } = await import('diff');
  const old = `${pretty(sorted(comparable(before, body)))}\n`;
  const { hunks } = structuredPatch('', '', old, after, '', '', { context: 2 });
  return title + indented(hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith('\\'))));
}

/** Values come from a server and must not control the terminal. */
function indented(lines: readonly string[]): string {
  return lines.map((line) => `    ${printable(line)}\n`).join('');
}

/** The current state without the server's defaults. Numbers that the server returns as text are converted. */
function comparable(before: Json | undefined, after: Json | undefined): Json {
  if (isObject(before) && isObject(after)) {
    const kept = Object.entries(before).filter(([key]) => key in after || !FILLED_IN.has(key));
    return Object.fromEntries(kept.map(([key, value]) => [key, comparable(value, after[key])]));
  }
  return isSameValue(before, after) ? (after ?? null) : (before ?? null);
}

const FILLED_IN = new Set(['composed_of', 'hidden', 'allow_custom_routing', 'enabled', 'retry', 'last_updated_time']);
