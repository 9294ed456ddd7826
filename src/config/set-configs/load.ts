import { isUtf8 } from 'node:buffer';
import { messageOf } from '../../core/errors.ts';
import { CONFIG_DIR } from '../read.ts';
import { SetConfigsError, unexpected } from '../failure.ts';
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
  const content = decode(bytes);
  if (isYaml) {
    if (content === undefined) throw unexpected(`${file} is not UTF-8`);
    return await parsePythonYaml(file, content);
  }
  const value = content === undefined ? undefined : parsePythonJson(content);
  if (value === undefined) throw new SetConfigsError('InvalidConfig', `Invalid json file found at ${file}`);
  return value;
}

function readBytes(tree: Tree, file: string): Buffer {
  try {
    return tree.read(file);
  } catch (cause) {
    throw new SetConfigsError('InvalidConfig', `Could not read file ${file}: ${messageOf(cause)}`, { cause });
  }
}

/** The text; undefined if it is not UTF-8. For a small file, a TextDecoder would cost more than everything else. */
function decode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** Parses JSON like Python's json, which accepts NaN and the infinities. Undefined if it is not JSON. */
function parsePythonJson(content: string): unknown {
  return parsed(content) ?? parsed(content.replaceAll(ODD_NUMBERS, (token) => (token.startsWith('"') ? token : ' 1 ')));
}

const ODD_NUMBERS = /"(?:[^"\\]|\\[^])*"|-?Infinity|NaN/g;

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
