import { UsageError } from '../../core/errors.ts';

/** Port numbers as operands. Throws UsageError that names the check and the word. */
export function portsOf(word: string, operands: readonly string[]): number[] {
  if (operands.length === 0) throw new UsageError(`${word}: PORT is missing`);
  return operands.map((text) => {
    const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
    if (port < 1 || port > 65_535) throw new UsageError(`${word}: '${text}' is not a port from 1 to 65535`);
    return port;
  });
}
