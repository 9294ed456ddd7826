import { isUtf8 } from 'node:buffer';
import { isCredential } from '../../core/credential.ts';
import { osloLines } from '../../oslo/ini.ts';
import type { ConfigFile } from './collect.ts';
import { LINE_RULES, linesOf } from './line-rules.ts';

export interface Secrecy {
  readonly isSecret: boolean;
  /** The reason for users, which never contains content of the file. */
  readonly why: string;
}

/**
 * Whether a file belongs in a Secret. In this order: by its name; by its lines, one rule after the other; and an
 * unreadable format (binary, or without names for its values) counts as secret unless config.json makes it
 * world-readable. In case of doubt the file becomes a Secret, which costs only a read permission.
 */
export function judge({ path, bytes, entries }: ConfigFile): Secrecy {
  if (path.split('/').some(isCredential)) return { isSecret: true, why: 'its name suggests a key, password or token' };
  const text = isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined;
  // The parts of a binary file that are text. In UTF-16, every second byte is a NUL.
  const readable = text ?? bytes.toString('latin1').replaceAll('\0', '');
  for (const [i, line] of linesOf(readable).entries()) {
    const rule = LINE_RULES.find(({ finds }) => finds(line));
    if (rule !== undefined) return { isSecret: true, why: `line ${i + 1}: ${rule.what}` };
  }
  if (text !== undefined && hasNames(path, text))
    return { isSecret: false, why: 'nothing in it looks like a credential' };
  const form = text === undefined ? 'it is not text' : 'a format without names for its values';
  // A file that is world-readable in the container need not be hidden from other Pods in the namespace.
  const isOpen = entries.length > 0 && entries.every(({ perm }) => perm !== undefined && (perm & 0o004) !== 0);
  if (isOpen)
    return {
      isSecret: false,
      why: `${form}, but config.json makes it world-readable, and nothing looks like a credential`,
    };
  const owner = entries.length === 0 ? 'does not set its permissions' : 'makes it readable by its owner only';
  return { isSecret: true, why: `${form}, and config.json ${owner}` };
}

/** Formats in which each value has a name that the rules check, and certificates without other lines. */
function hasNames(path: string, text: string): boolean {
  if (text.trim() === '' || onlyCertificates(text)) return true;
  const json = jsonOf(text);
  // The items of a list have no names, and the list looks like an INI header.
  if (json !== undefined) return typeof json === 'object' && json !== null && !Array.isArray(json);
  return isIni(text) || (/\.ya?ml$/.test(path) && isMapping(text));
}

/** Sections must come before options, because a line that contains only a separator may be anything. */
function isIni(text: string): boolean {
  try {
    const first = osloLines(text).find(({ kind }) => kind !== 'blank' && kind !== 'comment');
    return first === undefined || first.kind === 'header';
  } catch {
    return false;
  }
}

function onlyCertificates(text: string): boolean {
  return linesOf(text).every(({ text: line }) => line.trim() === '' || line.startsWith('#'));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is YAML in which every line is a key, an item below a key, or a comment. */
function isMapping(text: string): boolean {
  const trimmed = text.split('\n').map((line) => line.trim());
  const lines = trimmed.filter((line) => !/^(?:#.*|---)?$/.test(line));
  const key = /^(?:- )?["']?[\w.:/-][\w.:/ -]*["']?:(?:\s.*)?$/;
  return key.test(lines[0] ?? '') && lines.every((line) => line.startsWith('- ') || key.test(line));
}
