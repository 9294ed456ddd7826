import { suggestion } from '../../core/nearest.ts';
import { codeOf, messageOf, reasonOf } from '../../core/errors.ts';
import { bytesOf, readContent } from '../../fs/content.ts';

/** A password from its mounted file, and the file of config.json that contains it. */
export interface Password {
  readonly name: string;
  /** The mounted file, as a source in config.json. */
  readonly source: string;
  /** The Secret and its key, for messages. */
  readonly secret?: string | undefined;
  readonly key?: string | undefined;
  /** Location in kolla-pod.yaml. */
  readonly place: string;
}

/** A content with passwords filled in, and the values of those passwords. */
export interface Filled {
  readonly content: Buffer;
  readonly values: readonly string[];
}

/** Escapes a password for the syntax around it. Throws RangeError if the syntax cannot represent it. */
type Form = (password: string) => string;

/** The chart library's kolla-pod.passwordAs has the same table; a test compares the two. */
const FORMS: Readonly<Record<string, Form>> = {
  url: (password) => encodeURIComponent(password).replaceAll(/[!'()*]/g, percentEncoded),
  oslo: without(/[$ "']/, '$, quotes or spaces, which oslo.config would change'),
  rabbitmq: without(/[# ']/, '#, single quotes or spaces, which would end it in rabbitmq.conf'),
  sql: (password) => password.replaceAll('\\', String.raw`\\`).replaceAll("'", "''"),
  quoted: (password) => password.replaceAll(/[\\"]/g, String.raw`\$&`),
};

const PLACEHOLDER = /\$\(password:([^\s():]+)(?::([^\s():]*))?\)/g;

/**
 * A file's content with each $(password:NAME) and $(password:NAME:FORM) replaced; every other byte stays.
 * @param passwords all passwords of this file
 * @param locate returns the path at which a source is mounted
 * @throws RangeError with every problem and its place, and no value
 */
export function fillPasswords(
  content: Buffer,
  passwords: readonly Password[],
  locate: (source: string) => string,
): Filled {
  const problems = new Set<string>();
  const values = new Map<string, string>();
  for (const password of passwords) attempt(password.place, () => values.set(password.name, read(password, locate)));
  const unused = new Set(passwords);
  // One character per byte preserves invalid UTF-8. A single pass is made, since a password may look like a
  // placeholder.
  const filled = content.toString('latin1').replaceAll(PLACEHOLDER, (text, name: string, form: string | undefined) => {
    const password = passwords.find((one) => one.name === name);
    if (password === undefined) problems.add(`${text} is not listed under overlays.passwords for this file`);
    else {
      unused.delete(password);
      attempt(password.place, () => (text = written(values.get(name) ?? '', password, form)));
    }
    return Buffer.from(text, 'utf8').toString('latin1');
  });
  for (const { place, name } of unused) problems.add(`${place}: the file has no $(password:${name})`);
  if (problems.size > 0) throw new RangeError([...problems].join('; '));
  return { content: Buffer.from(filled, 'latin1'), values: [...values.values()] };

  function attempt(place: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.add(`${place}: ${error.message}`);
    }
  }
}

function read(password: Password, locate: (source: string) => string): string {
  const path = locate(password.source);
  const bytes = contentAt(path, password);
  const value = bytes.toString('utf8');
  const described = `the password ${password.name} (${originOf(password)})`;
  if (value === '') throw new RangeError(`${described} is empty; give it a value`);
  if (!Buffer.from(value, 'utf8').equals(bytes)) throw new RangeError(`${described} is not UTF-8`);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F]/.test(value))
    throw new RangeError(
      `${described} has a line break or another control character; write it without, by printf %s instead of echo`,
    );
  return value;
}

function contentAt(path: string, password: Password): Buffer {
  try {
    return bytesOf(readContent(path));
  } catch (cause) {
    const code = codeOf(cause);
    if (code === undefined) throw cause;
    const why = code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${reasonOf(cause)})`;
    throw new RangeError(`the password ${password.name}: ${why}; mount ${originOf(password)} there`, { cause });
  }
}

function originOf({ secret, key, source }: Password): string {
  if (secret === undefined) return key === undefined ? `the file ${source}` : `the key ${key}`;
  return key === undefined ? `the Secret ${secret}` : `key ${key} of the Secret ${secret}`;
}

function written(value: string, password: Password, form: string | undefined): string {
  if (form === undefined || value === '') return value;
  const write = Object.hasOwn(FORMS, form) ? FORMS[form] : undefined;
  if (write === undefined)
    throw new RangeError(
      `$(password:${password.name}:${form}): there is no form '${form}'${suggestion(form, Object.keys(FORMS))}`,
    );
  try {
    return write(value);
  } catch (error) {
    throw new RangeError(`the password ${password.name} (${originOf(password)}) ${messageOf(error)}`, { cause: error });
  }
}

function without(unfit: RegExp, what: string): Form {
  return (password) => {
    if (unfit.test(password)) throw new RangeError(`must not contain ${what}; use another`);
    return password;
  };
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
