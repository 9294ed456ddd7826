import { isMapping } from '../../core/mapping.ts';
import { MalformedError } from '../shape/shape.ts';
import type { Comparison, Operand, Step } from './parse.ts';

/**
 * The values that steps lead to in an object, in document order; none for a missing field.
 * @throws MalformedError if a filter compares values of different types, as kubectl does
 */
export function findValues(steps: readonly Step[], object: unknown): readonly unknown[] {
  let values: readonly unknown[] = [object];
  for (const step of steps) values = values.flatMap((value) => follow(step, value));
  return values;
}

function follow(step: Step, value: unknown): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return isMapping(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'wildcard':
      return childrenOf(value);
    case 'recursive':
      return containersIn(value);
    case 'index':
      return listOf(value).slice(step.index, step.index === -1 ? undefined : step.index + 1);
    case 'slice':
      return listOf(value)
        .slice(step.start, step.end)
        .filter((_, i) => i % step.step === 0);
    case 'union':
      return step.of.flatMap((each) => follow(each, value));
    case 'filter':
      return listOf(value).filter((item) => holds(step, item));
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isMapping(value) ? Object.values(value) : [];
}

/** A value and all in it that have children, parents first. Not by recursion: an object may be nested deeper than the stack. */
function containersIn(value: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    const children = childrenOf(next);
    if (children.length === 0) continue;
    found.push(next);
    for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i]);
  }
  return found;
}

function holds({ left, compare }: Step & { kind: 'filter' }, item: unknown): boolean {
  const lefts = operandOf(left, item);
  if (compare === undefined) return lefts.length > 0;
  const rights = operandOf(compare.right, item);
  if (lefts.length === 0 || rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1) throw new MalformedError('malformed: a filter compares several values');
  return compared(compare.operator, lefts[0], rights[0]);
}

function operandOf(operand: Operand, item: unknown): readonly unknown[] {
  return 'literal' in operand ? [operand.literal] : findValues(operand.steps, item);
}

function compared(operator: Comparison['operator'], a: unknown, b: unknown): boolean {
  const isOrder = operator !== '==' && operator !== '!=';
  if (typeof a !== typeof b || a === null || typeof a === 'object' || (isOrder && typeof a === 'boolean'))
    throw new MalformedError(`malformed: a filter compares ${typeNameOf(a)} with ${typeNameOf(b)}`);
  const [x, y] = [a, b] as [string, string];
  switch (operator) {
    case '==':
      return x === y;
    case '!=':
      return x !== y;
    case '<':
      return x < y;
    case '<=':
      return x <= y;
    case '>':
      return x > y;
    case '>=':
      return x >= y;
  }
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
