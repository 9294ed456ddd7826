import { readFileSync, realpathSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { codeOf, ConfigError, reasonOf, UsageError } from '../../core/errors.ts';
import { followAt } from '../../fs/access.ts';
import { makeDirectories } from '../../fs/directory.ts';
import { replace } from '../../fs/replacer.ts';
import { Directory } from '../../fs/tree.ts';
import { writeError } from '../../fs/write-error.ts';
import type { FileImage } from '../../fs/write-file.ts';
import { writeInPlace } from '../../fs/write-in-place.ts';

/** Variables that a template may use. */
export type TemplateValues = Readonly<Record<'HOSTNAME' | 'IP' | 'IP_ERLANG', () => string>>;

const ACTION = /\{\{\s*\.(?<name>HOSTNAME|IP|IP_ERLANG)\s*\}\}/y;
const SHOWN_CHARACTERS = 40;

/**
 * Replaces `{{ .NAME }}` in a text, the only documented feature of kubernetes-entrypoint's templates. Throws UsageError
 * with line and column of anything else.
 * @param file for messages
 */
function fillTemplate(text: string, values: TemplateValues, file: string): string {
  let filled = '';
  for (let at = 0; ;) {
    const open = text.indexOf('{{', at);
    if (open === -1) return filled + text.slice(at);
    ACTION.lastIndex = open;
    const found = ACTION.exec(text);
    if (found === null) {
      const before = text.slice(0, open).split('\n');
      const action = /^\{\{[^\n]*?\}\}|^[^\n]*/.exec(text.slice(open))?.[0].slice(0, SHOWN_CHARACTERS);
      throw new UsageError(
        `DEPENDENCY_CONFIG: ${file}, line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: '${action}' is not rendered here; ` +
          'there is {{ .HOSTNAME }}, {{ .IP }} and {{ .IP_ERLANG }}',
      );
    }
    filled += text.slice(at, open) + values[found.groups?.['name'] as keyof TemplateValues]();
    at = ACTION.lastIndex;
  }
}

/** Values of this container. Using an address throws UsageError if INTERFACE_NAME has none. */
export function ownValues(interfaceName: string | undefined): TemplateValues {
  const ip = () => {
    if (interfaceName === undefined)
      throw new UsageError(
        'INTERFACE_NAME is not set, and a template of DEPENDENCY_CONFIG uses its address; set it, as to eth0',
      );
    const all = networkInterfaces();
    const [first] = all[interfaceName] ?? [];
    if (first === undefined)
      throw new UsageError(
        `INTERFACE_NAME: '${interfaceName}' has no address; those that have one are ${Object.keys(all).join(', ')}`,
      );
    return first.address;
  };
  return { HOSTNAME: hostname, IP: ip, IP_ERLANG: () => ip().replaceAll('.', ',') };
}

const NEW_FILE_MODE = 0o666;

/**
 * Renders `TEMPLATES/NAME/NAME` to a path that ends with NAME. The directory is created; the file is replaced
 * atomically, or written in place if only that is permitted; an existing file keeps its mode.
 * @throws ConfigError for an unreadable template, UsageError as fillTemplate(), and system errors
 */
export function renderTemplate(path: string, templates: string, values: TemplateValues): void {
  const source = join(templates, basename(path), basename(path));
  // Latin-1 preserves the bytes of any encoding.
  const text = textOf(source, path);
  const content = Buffer.from(fillTemplate(text, values, source), 'latin1');
  try {
    makeDirectories(dirname(path));
    write(targetOf(path), content);
  } catch (cause) {
    const fix = 'mount a volume there that this user may write';
    throw writeError(`DEPENDENCY_CONFIG: cannot write ${path}`, fix, cause);
  }
}

function textOf(source: string, path: string): string {
  try {
    return readFileSync(source, 'latin1');
  } catch (cause) {
    throw new ConfigError(`DEPENDENCY_CONFIG: cannot read the template of ${path}: ${reasonOf(cause)}`, { cause });
  }
}

/** The target of a link, or the path itself if it does not exist. */
function targetOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The system's errors for a full disk, a quota, and a limit of the file size. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function write(path: string, content: Uint8Array): void {
  const found = followAt(path);
  const image: FileImage =
    found === undefined
      ? { content, mode: NEW_FILE_MODE & ~process.umask(), uid: -1, gid: -1 }
      : { content, mode: found.mode & 0o7777, uid: found.uid, gid: found.gid };
  try {
    replace(path, image);
  } catch (error) {
    // A file mount, or a file in a directory of another user, may still be writable in place. Without room for it, the
    // content would be half old and half new.
    if (found?.isFile() !== true || NO_ROOM.has(codeOf(error) ?? '')) throw error;
    using directory = Directory.open(dirname(path));
    writeInPlace(directory, basename(path), image);
  }
}
