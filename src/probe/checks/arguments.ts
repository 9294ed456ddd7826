import { UsageError } from '../../core/errors.ts';
import type { ProcessQuery } from '../../process/procfs/index.ts';

export const PROCESS_OPTION = {
  flag: 'process',
  type: 'string',
  env: 'KOLLA_PROBE_PROCESS',
  help: 'name of the program or interpreted script',
  example: 'memcached',
} as const;

export const PATTERN_OPTION = {
  flag: 'pattern',
  type: 'boolean',
  env: 'KOLLA_PROBE_PATTERN',
  help: 'interpret the name as a regular expression over command lines',
  example: 'true',
} as const;

/**
 * @throws UsageError for an empty name, or an invalid pattern
 */
export function processQuery(word: string, name: string, isPattern: boolean): ProcessQuery {
  if (name.trim() === '') throw new UsageError(`${word}: the process's name is empty`);
  try {
    if (isPattern) RegExp(name.trim());
  } catch (cause) {
    // Node's message differs from that of kolla-core.
    throw new UsageError(`${word}: '${name.trim()}' is not a regular expression`, { cause });
  }
  return { name, isPattern };
}

/** Parses operands as port numbers. Throws UsageError naming the check and the operand. */
export function portsOf(word: string, operands: readonly string[]): number[] {
  if (operands.length === 0) throw new UsageError(`${word}: PORT is missing`);
  return operands.map((text) => {
    const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
    if (port < 1 || port > 65_535) throw new UsageError(`${word}: '${text}' is not a port from 1 to 65535`);
    return port;
  });
}
