import { isUtf8 } from 'node:buffer';
import { isCredential } from '../../core/credential.ts';
import { osloLines } from '../../oslo/ini.ts';
import type { ConfigFile } from './collect.ts';
import { LINE_RULES, linesOf } from './line-rules.ts';

export interface Verdict {
  readonly isSecret: boolean;
  /** For people; never with a word of the file's content. */
  readonly why: string;
}

/**
 * Whether a file belongs into a Secret. In this order: what its name says; what its lines say, one rule after the other;
 * and a file that can't be looked through (no text, or of a form that has no names for its values) is one unless
 * config.json lets everybody read it. When in doubt, a Secret: that costs nothing but a right to read it.
 */
export function judge({ path, bytes, entries }: ConfigFile): Verdict {
  if (path.split('/').some(isCredential)) return { isSecret: true, why: 'its name speaks of a key, password or token' };
  const text = isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined;
  // Of what is no text, the parts that are; in UTF-16 each second byte is a NUL.
  const readable = text ?? bytes.toString('latin1').replaceAll('\0', '');
  for (const [i, line] of linesOf(readable).entries()) {
    const rule = LINE_RULES.find(({ finds }) => finds(line));
    if (rule !== undefined) return { isSecret: true, why: `line ${i + 1}: ${rule.what}` };
  }
  if (text !== undefined && hasNames(path, text))
    return { isSecret: false, why: 'nothing in it looks like a credential' };
  const form = text === undefined ? 'it is no text' : 'a form without names for its values';
  // What config.json lets others read in the container, no other Pod of the namespace needs to be kept from.
  const isOpen = entries.length > 0 && entries.every(({ perm }) => perm !== undefined && (perm & 0o004) !== 0);
  if (isOpen)
    return { isSecret: false, why: `${form}, but config.json lets all read it, and nothing looks like a credential` };
  const owner = entries.length === 0 ? 'does not say who may read it' : 'lets only its owner read it';
  return { isSecret: true, why: `${form}, and config.json ${owner}` };
}

/** Forms in which each value stands under a name that the rules have seen; and certificates, of which nothing is left. */
function hasNames(path: string, text: string): boolean {
  if (text.trim() === '' || onlyCertificates(text)) return true;
  const json = jsonOf(text);
  // A list has no names for its items, and looks like a header of INI.
  if (json !== undefined) return typeof json === 'object' && json !== null && !Array.isArray(json);
  return isIni(text) || (/\.ya?ml$/.test(path) && isMapping(text));
}

/** Sections first, then options: a line with a divider alone may be anything. */
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

/** YAML of which every line is a key, an item below one, or a comment. */
function isMapping(text: string): boolean {
  const trimmed = text.split('\n').map((line) => line.trim());
  const lines = trimmed.filter((line) => !/^(?:#.*|---)?$/.test(line));
  const key = /^(?:- )?["']?[\w.:/-][\w.:/ -]*["']?:(?:\s.*)?$/;
  return key.test(lines[0] ?? '') && lines.every((line) => line.startsWith('- ') || key.test(line));
}
