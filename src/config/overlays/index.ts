/**
 * Values of one pod in files that all pods share: replicas have one ConfigMap, but my_ip and wsrep_node_address differ.
 *
 *   `overlays:` of kolla-pod.yaml -> schema (every problem at once) -> names looked up in the allowed environment -> an
 *   Overlay, which turns the content that config.json puts in place into this pod's: $(NAME) replaced, INI keys set
 *
 * Fails with 65 before anything is touched: an unknown key, a name that is not set or not allowed, a value that is no
 * line, a file that is not for oslo.config. Says names and places, never a value: it may come from a Secret.
 */
import { ConfigError, messageOf } from '../../core/errors.ts';
import { sentence } from '../../core/nearest.ts';
import { isCredential } from '../../core/credential.ts';
import { namesIn, valueIn, valuesIn, type Names } from './expand.ts';
import { setOsloOption, type OsloSetting } from './ini.ts';
import { normalPath, type Overlay } from './overlay.ts';
import { parseOverlays, type OverlaySection } from './schema.ts';

export { DEFAULT_ALLOWED, holdsSecret, type Overlay } from './overlay.ts';

/**
 * The overlay that a file asks for. Undefined when the section is absent or holds nothing.
 * @param file its name, for messages
 * @param section what stands under `overlays:`
 * @param environment where names are looked up, if they are allowed
 * @throws ConfigError with every problem and its place
 */
export function makeOverlay(file: string, section: unknown, environment: NodeJS.ProcessEnv): Overlay | undefined {
  const parsed = validated(file, section);
  if (parsed === undefined) return undefined;
  const { ini, text } = parsed;
  const names: Names = { allowed: new Set(parsed.allow), environment, used: new Set() };
  const problems: string[] = [];
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
    [...settings.map((one) => [one.file, one.place] as const), ...replaced].map(([path, place]) => [
      path,
      `${file}: ${place}`,
    ]),
  );
  if (files.size === 0) return undefined;
  const used = new Map<string, readonly string[]>();
  return {
    files,
    used,
    get secrets() {
      return [...used.values()]
        .flat()
        .filter(isCredential)
        .flatMap((name) => environment[name] ?? []);
    },
    apply(dest, content) {
      const path = normalPath(dest);
      const own = settings.filter((one) => one.file === path);
      const inText = replaced.get(path);
      const expanding: Names = { ...names, used: new Set(own.flatMap((one) => one.names)) };
      const expanded = inText === undefined ? content : at(`${file}: ${inText}`, () => valuesIn(content, expanding));
      if (files.has(path)) used.set(path, [...expanding.used].toSorted());
      return own.reduce((done, one) => at(`${file}: ${one.place}`, () => settled(done, one)), expanded);
    },
  };
}

/**
 * The names of the environment that a file's overlays may need, for a Pod spec that gives them: those that INI values name and,
 * where $(NAME) is replaced in files that are not at hand, all that are allowed.
 * @throws ConfigError as makeOverlay does, but for what is not set
 */
export function overlayNames(file: string, section: unknown): string[] {
  const parsed = validated(file, section);
  if (parsed === undefined) return [];
  const inText = parsed.text.length > 0 ? parsed.allow : [];
  return [...new Set([...parsed.ini.flatMap(({ value }) => namesIn(value)), ...inText])].toSorted();
}

function validated(file: string, section: unknown): OverlaySection | undefined {
  if (section === undefined || section === null) return undefined;
  const parsed = parseOverlays(section);
  if ('problems' in parsed) throw new ConfigError(`${file}: ${sentence(parsed.problems)} Nothing was touched.`);
  return parsed;
}

/** A file that isn't oslo.config's may still have its $(NAME) replaced. */
function settled(content: Buffer, setting: OsloSetting): Buffer {
  try {
    return setOsloOption(content, setting);
  } catch (cause) {
    throw new RangeError(`${messageOf(cause)}; it is no file for oslo.config: list it under overlays.text instead`, {
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
