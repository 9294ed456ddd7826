import { defined } from '../../core/defined.ts';
import { ChildError } from '../../core/errors.ts';
import type { Effects } from '../plan/plan.ts';
import { lineOfSteps } from './line-of-steps.ts';
import { findListed, type Reader } from './listing.ts';
import { whyNotDone, type Site } from './recorded.ts';
import { shownUrl } from './shown-url.ts';
import { filledSteps, type ListedDone, type Task, type Words } from './task.ts';

/** A current and a desired value. `before` is undefined if there is no current value yet. */
interface ToolField {
  readonly name: string;
  readonly before?: string;
  readonly after: string;
}

/** The changes of a task. They are printed, so they contain no secrets. */
export interface ToolChange {
  readonly action: 'create' | 'update';
  readonly kind: 'tool';
  /** The task's name. */
  readonly name: string;
  readonly fields: readonly ToolField[];
  /** Input that is missing. */
  readonly lacks?: string;
}

/** A change, and the steps that make it. */
export interface ToDo {
  readonly change: ToolChange;
  readonly steps: Task['steps'];
}

/**
 * The pending tasks of the service's own commands, without running them or taking the lock. Objects that a tool cannot
 * list before there is a schema count as missing.
 * @param reader undefined if there is no database yet
 * @throws as findListed, except for a tool that fails
 */
export async function planTool(
  tasks: readonly Task[],
  site: Site,
  reader: Reader | undefined,
  effects: Effects,
): Promise<ToolChange[]> {
  const changes: ToolChange[] = [];
  for (const task of tasks) {
    if (reader === undefined) {
      changes.push(creation(task, 'there is no database yet').change);
      continue;
    }
    try {
      const todo = await toDo(task, site, reader, effects);
      if (todo !== undefined) changes.push(todo.change);
    } catch (error) {
      if (!(error instanceof ChildError)) throw error;
      changes.push(creation(task, error.message).change);
    }
  }
  return changes;
}

/**
 * The changes of one task; undefined if there are none.
 * @throws as findListed
 */
export async function toDo(task: Task, site: Site, reader: Reader, effects: Effects): Promise<ToDo | undefined> {
  const { done } = task;
  if ('once' in done) {
    const why = await whyNotDone(reader.session, task, done, site);
    return why === undefined ? undefined : creation(task, why);
  }
  const there = await findListed(task, done, reader, effects);
  if (there === undefined) return creation(task, undefined);
  const fields = differing(done, there);
  if (fields.length === 0) return undefined;
  const is = Object.keys(done.listed.is).map((group) => ({ name: group, after: there[group] ?? '' }));
  return {
    change: { action: 'update', kind: 'tool', name: task.name, fields: [...is, ...fields] },
    steps: filledSteps(done.update, { ...task.settings, ...there }),
  };
}

function creation(task: Task, why: string | undefined): ToDo {
  const { done, name, steps, shown, lacks } = task;
  const values: Words = 'wanted' in done ? { ...done.listed.is, ...done.wanted } : shown;
  const fields = [
    { name: 'run', after: lineOfSteps(steps) },
    ...Object.entries(values).map(([each, value]) => ({ name: each, after: shownUrl(value) })),
    ...(why === undefined ? [] : [{ name: 'why', after: why }]),
  ];
  return {
    change: { action: 'create', kind: 'tool', name, fields, ...defined({ lacks }) },
    steps,
  };
}

/** Differences between the tool's listing and the configuration. If two URLs look equal, their passwords differ. */
function differing({ wanted }: ListedDone, there: Words): ToolField[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const before = there[name] ?? '';
    if (before === value) return [];
    const [was, is] = [shownUrl(before), shownUrl(value)];
    return [
      was === is
        ? { name: `${name} password`, before: 'another', after: 'as configured' }
        : { name, before: was, after: is },
    ];
  });
}
