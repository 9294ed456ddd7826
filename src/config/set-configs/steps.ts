import { configFile, copyConfigFile } from './config-file.ts';
import { handleDefaults } from './defaults.ts';
import { SetConfigsError, unexpected } from '../failure/failure.ts';
import { ForeignLinkError, naming } from '../tree/links.ts';
import { handlePermission } from './permissions.ts';
import { dirname, mappings, text, type Mapping } from '../python/values.ts';
import { systemError } from '../tree/tree.ts';
import type { Work } from './work.ts';

const RUN_COMMAND = '/run_command';
/** Tells later starts with COPY_ONCE that everything is in place. */
export const CONFIGURED = '/configured';

/** All steps of a KOLLA_CONFIG_STRATEGY, in Kolla's order. Throws exit code 1 for an unknown strategy. */
export function carryOut(work: Work, document: Mapping, strategy: string | undefined): void {
  const { changes, lines } = work;
  lines.info(`Kolla config strategy set to: ${strategy ?? 'None'}`);
  if (strategy !== 'COPY_ALWAYS' && strategy !== 'COPY_ONCE')
    throw new SetConfigsError('InvalidConfig', 'KOLLA_CONFIG_STRATEGY is not set properly');
  if (strategy === 'COPY_ONCE' && changes.tree.stat(CONFIGURED) !== undefined)
    throw new SetConfigsError('ImmutableConfig', 'The config strategy prevents copying new configs');
  createDirectories(work, document);
  createFiles(work, document);
  handleDefaults(work, document);
  copyConfig(work, document);
  for (const [i, entry] of mappings(document, 'permissions').entries())
    handlePermission(work, entry, `permissions[${i}]`);
  if (strategy !== 'COPY_ONCE') return;
  if (changes.tree.lstat(CONFIGURED) !== undefined)
    throw systemError(
      'EEXIST',
      CONFIGURED,
      'exists: the configuration was copied before, and KOLLA_CONFIG_STRATEGY is COPY_ONCE',
    );
  changes.write(CONFIGURED, Buffer.alloc(0), 0o600);
}

function createDirectories(work: Work, document: Mapping): void {
  if (!Object.hasOwn(document, 'directories')) return;
  work.lines.info('Creating directories');
  for (const [i, entry] of mappings(document, 'directories').entries()) {
    const path = text(entry['path'], `directories[${i}].path`);
    naming(`directories[${i}].path`, () => makeDirectory(work, path));
    handlePermission(work, entry, `directories[${i}]`);
  }
}

function makeDirectory({ changes }: Work, path: string): void {
  try {
    changes.makeDirectories(path);
  } catch (cause) {
    if (cause instanceof ForeignLinkError) throw cause;
    throw unexpected(`Can't create destination directory (${path})`, { cause });
  }
}

function createFiles(work: Work, document: Mapping): void {
  if (!Object.hasOwn(document, 'files')) return;
  work.lines.info('Creating files');
  const { tree } = work.changes;
  for (const [i, entry] of mappings(document, 'files').entries()) {
    const path = text(entry['path'], `files[${i}].path`);
    const found = tree.lstat(path);
    if (found?.kind === 'link') throw unexpected(`Path is a symbolic link, expected regular file (${path})`);
    if (found?.kind === 'directory') throw unexpected(`Path is a directory, expected file (${path})`);
    const parent = dirname(path);
    if (parent !== '' && !tree.isDirectory(parent)) throw unexpected(`Parent directory does not exist (${parent})`);
    if (found === undefined) naming(`files[${i}].path`, () => void work.changes.write(path, Buffer.alloc(0)));
    handlePermission(work, entry, `files[${i}]`);
  }
}

function copyConfig(work: Work, document: Mapping): void {
  if (Object.hasOwn(document, 'config_files')) {
    work.lines.info('Copying service configuration files');
    for (const [i, entry] of mappings(document, 'config_files').entries())
      naming(`config_files[${i}].dest`, () => copyConfigFile(work, configFile(entry, `config_files[${i}]`)));
  }
  work.lines.info('Writing out command to execute');
  const written = work.changes.write(RUN_COMMAND, Buffer.from(text(document['command'], 'command')), 0o644);
  work.changes.setMode(written, 0o644);
}
