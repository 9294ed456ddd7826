import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import { suggestion } from '../../core/nearest.ts';
import { loadFile } from '../../core/yaml.ts';
import type { FormatRule } from './index.ts';
import { ownFormats } from './own.ts';

/**
 * The formats of the YAML file of `--formats`, under its key `formats:`, as rules for their files. Loaded by import(): without such a
 * file a start needs no YAML.
 * @param root the log root, to which globs are relative
 * @throws ConfigError with the file and every problem's place
 */
export function ownFormatsIn(file: string, root: string): FormatRule[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`--formats: ${messageOf(cause)}`, { cause });
  }
  const content = loadFile(file, text);
  if (!isMapping(content)) throw new ConfigError(`${file}: is not a mapping with formats:`);
  for (const key of Object.keys(content))
    if (key !== 'formats') throw new ConfigError(`${file}: ${key}: no such key${suggestion(key, ['formats'])}`);
  return ownFormats(file, content['formats'], resolve(root));
}
