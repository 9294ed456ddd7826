import type { Random } from './random.ts';

/** Values that mean something else in YAML 1.1 if they are not quoted: 0600 is a number. */
const PLAIN = /^[\w./-]+$/;

/** A document as YAML: block style, sometimes flow style, and unquoted values if possible. */
export function yamlOf(random: Random, document: object): string {
  return `${block(random, document, '')}\n`;
}

function block(random: Random, value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0 && !random.chance(0.1))
    return value.map((one) => `${indent}- ${block(random, one, `${indent}  `).trimStart()}`).join('\n');
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .map(
        ([key, one]) =>
          `${indent}${key}:${nested(one) ? '\n' : ' '}${block(random, one, nested(one) ? `${indent}  ` : '')}`,
      )
      .join('\n');
  return indent + scalar(random, value);
}

function nested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function scalar(random: Random, value: unknown): string {
  const isPlain = typeof value === 'string' && PLAIN.test(value) && !/^[-.]/.test(value);
  return isPlain && random.chance(/^\d/.test(value) ? 0.02 : 0.7) ? value : JSON.stringify(value);
}
