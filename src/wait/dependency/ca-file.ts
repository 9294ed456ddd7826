import { readFileSync } from 'node:fs';
import { ConfigError, reasonOf } from '../../core/errors.ts';

/** @throws ConfigError for an unreadable CA bundle, for which it would be futile to wait */
export function checkCaFile(file: string | undefined): void {
  if (file === undefined) return;
  try {
    readFileSync(file);
  } catch (cause) {
    throw new ConfigError(`--ca-file ${file}: ${reasonOf(cause)}`, { cause });
  }
}
