import { isUtf8 } from 'node:buffer';
import { defined } from '../../core/defined.ts';
import { ConfigError } from '../../core/errors.ts';
import { MAX_BYTES, type ConfigFile } from './collect.ts';
import { fileName, keyName, slug, versionOf } from './names.ts';
import type { Secrecy } from './secrecy.ts';
import type { YamlValue } from '../../core/yaml-text.ts';
import { CONFIG_DIR } from '../../config/read/config-dir.ts';

/**
 * Characters that do not survive as text. The API server reads applied objects as YAML, including JSON: it folds
 * U+0085, U+2028 and U+2029 as line ends even within quotes, and rejects other control characters.
 */
// eslint-disable-next-line no-control-regex
const NO_TEXT = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/;

/** A ConfigMap or a Secret, with its files. */
export interface ConfigObject {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly immutable: boolean;
  /** Content; base64 for a Secret. */
  readonly data: Readonly<Record<string, string>>;
  /** Binary files of a ConfigMap, base64-encoded. */
  readonly binaryData: Readonly<Record<string, string>>;
  readonly items: readonly Item[];
}

/** The path of a key in the volume. */
interface Item {
  readonly key: string;
  readonly path: string;
  /** Set only if an entry of config.json keeps the mode of the source. */
  readonly mode?: number;
}

export interface ObjectOptions {
  readonly name: string;
  readonly namespace: string | undefined;
  /** `rolling`: immutable objects with the version in their names. `live`: objects with fixed names. */
  readonly reload: 'rolling' | 'live';
  readonly bundle: 'file' | 'service';
}

interface Judged {
  readonly file: ConfigFile;
  readonly verdict: Secrecy;
}

/** The objects for files, in the files' order. Throws ConfigError if one exceeds Kubernetes' limit. */
export function objectsOf(files: readonly Judged[], options: ObjectOptions): ConfigObject[] {
  const kindOf = ({ verdict }: Judged) => (verdict.isSecret ? 'Secret' : 'ConfigMap');
  if (options.bundle === 'file') return files.map((one) => objectOf(kindOf(one), [one.file], options));
  return (['ConfigMap', 'Secret'] as const).flatMap((kind) => {
    const some = files.filter((one) => kindOf(one) === kind).map(({ file }) => file);
    return some.length === 0 ? [] : [objectOf(kind, some, options)];
  });
}

function objectOf(
  kind: ConfigObject['kind'],
  files: readonly ConfigFile[],
  { name, namespace, reload, bundle }: ObjectOptions,
): ConfigObject {
  checkSize(kind, files);
  const isLive = reload === 'live';
  const [{ path } = { path: '' }] = files;
  const ofFile = bundle === 'service' ? [] : [isLive ? fileName(path) : slug(path)];
  const isText = ({ bytes }: ConfigFile) => kind === 'ConfigMap' && isUtf8(bytes) && !NO_TEXT.test(bytes.toString());
  const entry = (file: ConfigFile, encoding: 'utf8' | 'base64') => [keyName(file.path), file.bytes.toString(encoding)];
  const texts = files.filter(isText);
  const others = files.filter((file) => !isText(file)).map((file) => entry(file, 'base64'));
  const encoded = Object.fromEntries(others) as Record<string, string>;
  return {
    kind,
    metadata: {
      name: [name, ...ofFile, ...(isLive ? [] : [versionOf(files)])].join('-'),
      ...defined({ namespace }),
      labels: {
        'app.kubernetes.io/managed-by': 'kolla-pod',
        'app.kubernetes.io/instance': name,
        // The charts' label for objects that are kept after they are replaced.
        ...(!isLive && { 'kolla-pod/versioned': 'true' }),
      },
    },
    immutable: !isLive,
    data: kind === 'Secret' ? encoded : Object.fromEntries(texts.map((file) => entry(file, 'utf8'))),
    binaryData: kind === 'Secret' ? {} : encoded,
    items: files.map(itemOf),
  };
}

function itemOf({ path, mode, entries }: ConfigFile): Item {
  const keepsMode = entries.some(({ perm }) => perm === undefined);
  return { key: keyName(path), path, ...(keepsMode && { mode }) };
}

function checkSize(kind: ConfigObject['kind'], files: readonly ConfigFile[]): void {
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size <= MAX_BYTES) return;
  const largest = files.toSorted((a, b) => b.bytes.length - a.bytes.length)[0];
  throw new ConfigError(
    `one ${kind} for all files would have ${size} bytes, and the limit is ${MAX_BYTES} (1 MiB); the ` +
      `largest is ${largest?.path} with ${largest?.bytes.length}: --bundle file gives each its own`,
  );
}

/** The volume's name, as in the output of kolla-init plan, whose volume it replaces. */
const VOLUME = 'config-files';

/**
 * The projected volume with every file at its path, so that kolla-init finds each `source`, and the init container's
 * mount: the directory itself, since a subPath mount is never updated.
 */
export function mountsOf(objects: readonly ConfigObject[]): YamlValue {
  return {
    volumes: [{ name: VOLUME, projected: { sources: objects.map(sourceOf) } }],
    volumeMounts: [{ name: VOLUME, mountPath: CONFIG_DIR, readOnly: true }],
  };
}

/** An object as a source of the volume; without items if every key is the path of its file. */
function sourceOf({ kind, metadata: { name }, items }: ConfigObject): YamlValue {
  const isPlain = items.every(({ key, path, mode }) => key === path && mode === undefined);
  const source = isPlain ? { name } : { name, items: items.map((item) => ({ ...item })) };
  return kind === 'Secret' ? { secret: source } : { configMap: source };
}
