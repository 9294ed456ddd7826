import { ConfigError, UsageError } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';
import { asOslo } from '../../oslo/value.ts';
import { redactor } from '../../core/redact.ts';
import type { ConfigOption, Service, Step, ToolTask } from '../../catalog/index.ts';
import { configured, variableOf, wordsOf, type ConfigSources } from '../server/service-config.ts';
import type { Source } from '../server/target.ts';
import { findVariables, type VariableSources } from './find-variables.ts';
import type { ToolOptions } from './options.ts';
import { passwordsIn } from './shown-url.ts';
import { filled, filledArgv, filledSteps, type ListedDone, type RecordedDone, type Task, type Words } from './task.ts';

/** Where the values of a task come from. */
export interface TaskSources extends ToolOptions, ConfigSources, VariableSources {
  /** The locked databases whose URLs are passed to the tool. They take precedence over the configuration's URLs. */
  readonly sources: readonly Source[];
}

/**
 * The service's tasks with their values. Contacts neither a server nor the tool.
 * @throws UsageError for an unknown setting; ConfigError for an option that is not set, or for an unreadable file
 */
export async function findTasks(service: Service, from: TaskSources): Promise<Task[]> {
  const { tool = [], migration } = service;
  const set = settingsOf(from.set, tool, service.name);
  const valueAt = configuration(service, from);
  const found: Task[] = [];
  for (const { name, steps, settings = {}, variables = [], throwawayKeys = [], done } of tool) {
    const words: Words = { ...settings, ...ownOf(set, settings) };
    const { shown, secrets, lacks } = findVariables(variables, from);
    const environment: Record<string, string> = { ...shown, ...secrets };
    let filledDone: ListedDone | RecordedDone;
    if ('listed' in done) {
      const { holds, ...listed } = done.listed;
      const wanted: Record<string, string> = {};
      for (const [group, place] of Object.entries(holds)) {
        wanted[group] = await valueAt(place);
        // The tool must write the values that we look for, and neither a single node of the cluster nor a temporary
        // account.
        const variable = variableOf(service.configFile, place);
        if (variable !== undefined) environment[variable] = asOslo(wanted[group]);
      }
      const is = Object.fromEntries(Object.entries(listed.is).map(([group, text]) => [group, filled(text, words)]));
      filledDone = {
        listed: { ...listed, argv: filledArgv(listed.argv, words), is },
        update: done.update,
        wanted,
      };
    } else {
      const covers = variables.length === 0 && isWithin(steps, migration.phases.all);
      filledDone = { ...done, within: covers ? migration.phases.all : undefined };
    }
    const wanted = 'wanted' in filledDone ? Object.values(filledDone.wanted) : [];
    const urls = wanted.flatMap((url) => [url, asOslo(url)]);
    const hidden = [...Object.values(secrets), ...urls.filter((url) => passwordsIn(url).length > 0)];
    found.push({
      name,
      steps: filledSteps(steps, words),
      environment,
      shown,
      secrets,
      throwawayKeys,
      lacks,
      settings: words,
      done: filledDone,
      redact: redactor([...hidden, ...urls.flatMap(passwordsIn)]),
    });
  }
  return found;
}

/** Whether a migration contains these command lines. */
function isWithin(steps: readonly Step[], all: readonly Step[]): boolean {
  const lines = new Set(all.map(({ argv }) => JSON.stringify(argv)));
  return steps.every(({ argv }) => lines.has(JSON.stringify(argv)));
}

function settingsOf(words: readonly string[], tool: readonly ToolTask[], service: string): Record<string, string> {
  const known = tool.flatMap(({ settings = {} }) => Object.keys(settings));
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      const [name, value] = [word.slice(0, at), word.slice(at + 1)];
      if (at < 1 || value === '') throw new UsageError(`--set: '${word}' is not NAME=VALUE`);
      if (!known.includes(name)) {
        const hint = known.length === 0 ? ': it has none' : suggestion(name, known);
        throw new UsageError(`--set: ${service} has no setting '${name}'${hint}`);
      }
      return [name, value];
    }),
  );
}

function ownOf(set: Words, settings: Words): Words {
  return Object.fromEntries(Object.entries(set).filter(([name]) => Object.hasOwn(settings, name)));
}

/** Reads an option of the service, as it is passed to the tool or as the service would read it. */
function configuration(service: Service, { sources, ...from }: TaskSources): (place: ConfigOption) => Promise<string> {
  return async (place) => {
    const variable = variableOf(service.configFile, place);
    const source = sources.find(({ variables }) => variable !== undefined && variables.includes(variable));
    if (source !== undefined) return source.url;
    const why = `has ${wordsOf(place)}; or leave its own commands out with --skip tool`;
    const { value, place: where } = await configured(service, [place], from, why);
    if (value === undefined) throw new ConfigError(`${where} is not set`);
    return value;
  };
}
