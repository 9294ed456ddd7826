import { hasMagic } from '../tree/glob.ts';
import { SetConfigsError, unexpected } from '../failure/failure.ts';
import { whyMisplaced } from '../read/slips.ts';
import { isMapping, isTrue, mappings, text, typeName, type Mapping } from '../python/values.ts';

/**
 * Kolla's initial validation, with its leniency: other keys are not checked. Returns the document. Throws exit code 1
 * for errors Kolla reports and exit code 2 for those it crashes on.
 */
export function validateConfig(value: unknown): Mapping {
  const hasCommand = Array.isArray(value) || typeof value === 'string' ? value.includes('command') : isMapping(value);
  if (Array.isArray(value) || typeof value === 'string' ? hasCommand : !isMapping(value))
    throw unexpected(`the configuration must be a mapping, but is ${typeName(value)}`);
  const document: Mapping = isMapping(value) ? value : {};
  if (!Object.hasOwn(document, 'command')) throw invalid('Config is missing required "command" key');
  for (const [i, entry] of mappings(document, 'config_files').entries()) {
    if (!Object.hasOwn(entry, 'source') || !Object.hasOwn(entry, 'dest')) {
      const missing = ['source', 'dest'].filter((key) => !Object.hasOwn(entry, key));
      throw invalid(`Config is missing required keys: ${missing.join(', ')} (config_files[${i}])`);
    }
    const owned = Object.hasOwn(entry, 'owner') && Object.hasOwn(entry, 'perm');
    if (!owned && !isTrue(entry['preserve_properties'] ?? false))
      throw invalid(`Config needs preserve_properties or owner and perm (config_files[${i}])`);
  }
  for (const section of ['directories', 'files']) validatePaths(document, section);
  return document;
}

const PATH_KEYS = ['path', 'owner', 'perm'];

function validatePaths(document: Mapping, section: string): void {
  for (const [i, entry] of mappings(document, section).entries()) {
    const missing = PATH_KEYS.filter((key) => !Object.hasOwn(entry, key));
    const misplaced = whyMisplaced(entry);
    if (missing.length > 0)
      throw invalid(
        `${section} config is missing required keys: ${missing.join(', ')} (${section}[${i}]` +
          `${misplaced === undefined ? '' : ` ${misplaced}`})`,
      );
    const empty = PATH_KEYS.find((key) => entry[key] === null);
    if (empty !== undefined) throw invalid(`${section} config key "${empty}" must not be null (${section}[${i}])`);
    const path = text(entry['path'], `${section}[${i}].path`);
    if (hasMagic(path)) throw invalid(`${section} config does not support glob paths: ${path}`);
  }
}

function invalid(message: string): SetConfigsError {
  return new SetConfigsError('InvalidConfig', message);
}
