/**
 * Content added to a file of config.json that its source lacks: values of one Pod in files shared by all (replicas have one
 * ConfigMap, but my_ip and wsrep_node_address differ), and passwords kept in separate Secrets.
 *
 *   `overlays:` of kolla-pod.yaml -> schema (every problem at once) -> names looked up in the allowed environment, or among
 *   this network's addresses (addresses.ts) -> an Overlay, which turns a source's content into what is installed: $(NAME)
 *   replaced, INI keys set, then passwords
 *
 * The path of a password: key of a Secret -> file mounted by the kubelet -> read at each apply, so a watch gets the new one ->
 * $(password:NAME) in the text, escaped for its form (in a URL, in SQL, ...) -> the installed file. It passes through no
 * argument, variable or message. Passwords are filled in last, in one pass: nothing in a password is replaced.
 *
 * Fails with 65 before any change: an unknown key, a name that is not set or not allowed, a value with more than one
 * line, a file that is not for oslo.config, a password that is missing or not representable at its place. Messages contain
 * names and places, never a value.
 */
import { normalize } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { sentence } from '../../core/nearest.ts';
import { isCredential } from '../../core/credential.ts';
import { addressIn } from './addresses.ts';
import { namesIn, valueIn, valuesIn, type Names } from './expand.ts';
import { setOsloOption, type OsloSetting } from './ini.ts';
import { CONFIG_DIR } from '../read/config-dir.ts';
import { sourcePath } from '../read/sources.ts';
import type { Overlay } from './overlay.ts';
import { fillPasswords } from './passwords.ts';
import { parseOverlays, type OverlaySection } from './schema.ts';

export { holdsSecret, type Overlay } from './overlay.ts';

/**
 * The overlay defined by a file. Undefined if the section is missing or empty.
 * @param file name of the file that contains the section, for messages
 * @param section the value of `overlays:`
 * @param environment where names are looked up, if they are allowed
 * @param configDir actual mount point of Kolla's CONFIG_DIR
 * @throws ConfigError with every problem and its place
 */
export function makeOverlay(
  file: string,
  section: unknown,
  environment: NodeJS.ProcessEnv,
  configDir: string = CONFIG_DIR,
): Overlay | undefined {
  const parsed = validated(file, section);
  if (parsed === undefined) return undefined;
  const { ini, text } = parsed;
  const locate = (source: string) => sourcePath(source, configDir);
  const passwords = parsed.passwords.map((item, i) => ({ ...item, place: `overlays.passwords[${i}]` }));
  const problems: string[] = [];
  const addresses = Object.entries(parsed.addresses).map(([name, network]) => {
    try {
      return [name, addressIn(network)] as const;
    } catch (error) {
      problems.push(`overlays.addresses.${name}: ${messageOf(error)}`);
      // One problem is enough: a value that uses the name is no second one.
      return [name, network] as const;
    }
  });
  const allowed = new Set([...parsed.allow, ...Object.keys(parsed.addresses)]);
  const names: Names = { allowed, environment: { ...environment, ...Object.fromEntries(addresses) }, used: new Set() };
  const settings = ini.map((item, i) => {
    const place = `overlays.ini[${i}]`;
    try {
      return { ...item, place, names: namesIn(item.value), value: valueIn(item.value, names) };
    } catch (error) {
      problems.push(`${place}.value: ${messageOf(error)}`);
      return { ...item, place, names: [], value: '' };
    }
  });
  if (problems.length > 0) throw new ConfigError(`${file}: ${sentence(problems)} Nothing was touched.`);
  const replaced = new Map(text.map((item, i) => [item.file, `overlays.text[${i}]`]));
  const files = new Map(
    [...[...settings, ...passwords].map((one) => [one.file, one.place] as const), ...replaced].map(([path, place]) => [
      path,
      `${file}: ${place}`,
    ]),
  );
  if (files.size === 0) return undefined;
  const used = new Map<string, readonly string[]>();
  const filled = new Map<string, readonly string[]>();
  return {
    files,
    used,
    passwordFiles: new Set(passwords.map((one) => one.file)),
    sources: passwords.map(({ source }) => locate(source)),
    get secrets() {
      const named = [...used.values()].flat().filter(isCredential);
      return [...named.flatMap((name) => environment[name] ?? []), ...[...filled.values()].flat()];
    },
    apply(dest, content) {
      const path = normalize(dest);
      const own = settings.filter((one) => one.file === path);
      const inText = replaced.get(path);
      const expanding: Names = { ...names, used: new Set(own.flatMap((one) => one.names)) };
      const expanded = inText === undefined ? content : at(`${file}: ${inText}`, () => valuesIn(content, expanding));
      if (files.has(path)) used.set(path, [...expanding.used].toSorted());
      const set = own.reduce((done, one) => at(`${file}: ${one.place}`, () => settled(done, one)), expanded);
      const secret = passwords.filter((one) => one.file === path);
      if (secret.length === 0) return set;
      return at(file, () => {
        const { content: whole, values } = fillPasswords(set, secret, locate);
        filled.set(path, values);
        return whole;
      });
    },
  };
}

/**
 * The environment variables that a file's overlays may need, for the Pod spec: those used in INI values, and all
 * allowed ones if $(NAME) is replaced in files that are not available here.
 * @throws ConfigError as makeOverlay, except for unset variables
 */
export function overlayNames(file: string, section: unknown): string[] {
  const parsed = validated(file, section);
  if (parsed === undefined) return [];
  const inText = parsed.text.length > 0 ? parsed.allow : [];
  const all = new Set([...parsed.ini.flatMap(({ value }) => namesIn(value)), ...inText]);
  return [...all].filter((name) => !(name in parsed.addresses)).toSorted();
}

function validated(file: string, section: unknown): OverlaySection | undefined {
  if (section === undefined || section === null) return undefined;
  const parsed = parseOverlays(section);
  if ('problems' in parsed) throw new ConfigError(`${file}: ${sentence(parsed.problems)} Nothing was touched.`);
  return parsed;
}

/** Sets an option. The error for a file that oslo.config cannot parse names overlays.text as the alternative. */
function settled(content: Buffer, setting: OsloSetting): Buffer {
  try {
    return setOsloOption(content, setting);
  } catch (cause) {
    throw new RangeError(`${messageOf(cause)}; it is not a file for oslo.config: list it under overlays.text instead`, {
      cause,
    });
  }
}

function at(place: string, work: () => Buffer): Buffer {
  try {
    return work();
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(`${place}: ${error.message}`, { cause: error }) : error;
  }
}
