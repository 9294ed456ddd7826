import { isUtf8 } from 'node:buffer';
import { codeOf, reasonOf } from '../../core/errors.ts';
import { placeOfMistake } from '../read/json-place.ts';
import { CONFIG_DIR } from '../read/config-dir.ts';
import { SetConfigsError, unexpected } from '../failure/failure.ts';
import type { Lines } from './lines.ts';
import type { Tree } from '../tree/tree.ts';
import { parsePythonYaml } from '../python/yaml.ts';

/**
 * config.yaml or else config.json, with Python's semantics. Never from another path: an environment variable for the
 * path allowed privilege escalation (CVE-2022-38060). Throws exit code 1 if it is unreadable or malformed.
 */
export async function loadConfig(tree: Tree, lines: Lines): Promise<unknown> {
  const yaml = `${CONFIG_DIR}/config.yaml`;
  const isYaml = tree.stat(yaml) !== undefined;
  const file = isYaml ? yaml : `${CONFIG_DIR}/config.json`;
  lines.info(`Loading config file at ${file}`);
  const bytes = readBytes(tree, file);
  // For a small file, a TextDecoder would cost more than everything else.
  const content = isUtf8(bytes) ? bytes.toString() : undefined;
  const invalid = (why: string) => new SetConfigsError('InvalidConfig', `Invalid json file found at ${file}: ${why}`);
  if (isYaml) {
    if (content === undefined) throw unexpected(`${file} is not UTF-8`);
    return await parsePythonYaml(file, content);
  }
  if (content === undefined) throw invalid('it is not UTF-8');
  const json = parsed(content) ?? parsed(withoutOddNumbers(content));
  if (json === undefined) throw invalid(placeOfMistake(withoutOddNumbers(content)));
  return json;
}

function readBytes(tree: Tree, file: string): Buffer {
  try {
    return tree.read(file);
  } catch (cause) {
    const isMissing = codeOf(cause) === 'ENOENT';
    const why = isMissing ? 'it does not exist; mount the configuration there' : reasonOf(cause);
    throw new SetConfigsError('InvalidConfig', `Could not read file ${file}: ${why}`, { cause });
  }
}

/** Python's json accepts NaN and the infinities. Numbers of the same length stand in for them. */
function withoutOddNumbers(content: string): string {
  return content.replaceAll(ODD_NUMBERS, (token) => (token.startsWith('"') ? token : '1'.padEnd(token.length)));
}

const ODD_NUMBERS = /"(?:[^"\\]|\\[^])*"|-?Infinity|NaN/g;

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
