/**
 * Results of Helm that depend only on its arguments and the files named by them, kept below the cache's root:
 *
 *   Helm's binary, arguments, every byte of the chart and of the values -> SHA-256 -> exit code, stdout, stderr
 *
 * Only a call that is known to be pure is kept; any other runs Helm. Not pure: an option that is not listed here, a chart
 * that is packed, a template function that depends on time, randomness, DNS or the cluster.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheRoot } from './cache.ts';
import type { Finished } from './process.ts';

/** Position of the chart among the non-option arguments, by command; it is the last of them. */
const CHART_AT: Readonly<Record<string, number>> = { template: 1, lint: 0 };
const FILE_OPTIONS = new Set(['--values']);
/** Options whose value is plain text. */
const TEXT_OPTIONS = new Set(['--namespace', '--kube-version', '--set', '--show-only']);
const SWITCHES = new Set(['--strict', '--skip-tests']);

const COMMENT = /\{\{-?\s*\/\*[\s\S]*?\*\/\s*-?\}\}/g;
const ACTION = /\{\{[\s\S]*?\}\}/g;
// `lookup` is pure: without a cluster it finds nothing.
const IMPURE =
  /\b(?:now|ago|date\w*|htmlDate\w*|toDate|rand[A-Z]\w*|uuidv4|gen[A-Z]\w*|buildCustomCert|htpasswd|bcrypt|encryptAES|shuffle|getHostByName)\b/;

/** Placeholder for Helm's directory in cached results: its name differs between runs. */
const HERE = '\0here\0';
const DAY_MS = 24 * 60 * 60_000;
const UNUSED_MS = 14 * DAY_MS;

interface HelmCall {
  readonly binary: string;
  /** Helm's own directory. */
  readonly directory: string;
  readonly args: readonly string[];
}

let hasPruned = false;

/**
 * The result of a call, from the cache if the inputs are the same.
 * @param execute runs Helm
 * @param root directory of cached results
 */
export async function keptResult(
  call: HelmCall,
  execute: () => Promise<Finished>,
  root: string = join(cacheRoot(), 'helm-results'),
): Promise<Finished> {
  const key = keyOf(call);
  if (key === undefined) return await execute();
  const place = join(root, `${key}.json`);
  const kept = await read(place);
  if (kept !== undefined) return withTexts(kept, (text) => text.replaceAll(HERE, call.directory));
  const made = await execute();
  // A file that changed while Helm ran may have been read before or after the change.
  if (keyOf(call) === key)
    await keep(
      place,
      withTexts(made, (text) => text.replaceAll(call.directory, HERE)),
    );
  return made;
}

/** A hash of all inputs of the result; undefined if not all of them are known. */
export function keyOf({ binary, directory, args }: HelmCall): string | undefined {
  const paths = inputsOf(args);
  if (paths === undefined || !paths.every((path) => existsSync(path))) return undefined;
  // The program's path in the cache contains a hash of its sources and build flags.
  const build = statSync(binary);
  const hash = createHash('sha256').update(
    JSON.stringify([binary, build.size, build.mtimeMs, ...args]).replaceAll(directory, HERE),
  );
  for (const [name, content] of paths.flatMap((path) => filesBelow(path, ''))) {
    if (/\.t(?:ar\.)?gz$/.test(name) || isImpure(content)) return undefined;
    hash.update(`\0${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Files and directories that Helm reads for these arguments; undefined for a call not known to be pure. */
function inputsOf([command = '', ...args]: readonly string[]): string[] | undefined {
  const positional: string[] = [];
  const files: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [, option, given] = /^(--[\w-]+)(?:=([\s\S]*))?$/.exec(args[i]!) ?? [];
    if (option === undefined) positional.push(args[i]!);
    else if (SWITCHES.has(option)) continue;
    else if (!FILE_OPTIONS.has(option) && !TEXT_OPTIONS.has(option)) return undefined;
    else {
      const value = given ?? args[++i] ?? '';
      if (FILE_OPTIONS.has(option)) files.push(value);
    }
  }
  const at = CHART_AT[command];
  return at === undefined || positional.length !== at + 1 ? undefined : [positional[at]!, ...files];
}

/** All files of a tree by relative path, in a fixed order; a file yields itself. */
function filesBelow(path: string, name: string): [name: string, content: Buffer][] {
  if (!statSync(path).isDirectory()) return [[name, readFileSync(path)]];
  return readdirSync(path)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .flatMap((child) => filesBelow(join(path, child), `${name}/${child}`));
}

/** Whether a template has an impure function. Values count as templates: a chart may render them with `tpl`. */
function isImpure(content: Buffer): boolean {
  if (!content.includes('{{')) return false;
  const actions = content.toString().replaceAll(COMMENT, '').match(ACTION) ?? [];
  return actions.some((action) => IMPURE.test(action));
}

function withTexts({ code, stdout, stderr }: Finished, change: (text: string) => string): Finished {
  return { code, stdout: change(stdout), stderr: change(stderr) };
}

async function read(place: string): Promise<Finished | undefined> {
  const entry = statSync(place, { throwIfNoEntry: false });
  if (entry === undefined) return undefined;
  const now = new Date();
  if (now.getTime() - entry.mtimeMs > DAY_MS) await utimes(place, now, now);
  return JSON.parse(await readFile(place, 'utf8')) as Finished;
}

/** Writes a result atomically, because another process may read the file. */
async function keep(place: string, result: Finished): Promise<void> {
  const root = dirname(place);
  await mkdir(root, { recursive: true });
  if (!hasPruned) await prune(root);
  hasPruned = true;
  const beside = join(root, `.${randomUUID()}`);
  await writeFile(beside, JSON.stringify(result));
  await rename(beside, place);
}

/** Removes results unused for this long, and leftovers of killed runs. */
export async function prune(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const place = join(root, name);
    // Another process may have removed or renamed the file meanwhile.
    const entry = statSync(place, { throwIfNoEntry: false });
    if (entry !== undefined && Date.now() - entry.mtimeMs > UNUSED_MS) await rm(place, { force: true });
  }
}
