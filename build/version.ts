/**
 * `node build/version.ts [VERSION]`: sets the version in package.json, and states package.json's version wherever the
 * sources, charts and pages have it. A test and `make release` fail if one differs.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './bundle.ts';

/** Files that state the version. */
const FILES = [
  'README.md',
  'package-lock.json',
  'src/core/version.ts',
  'images/Containerfile',
  'images/kolla/*.j2',
  'k8s/globals.yml',
  'k8s/{charts,examples,operator}/**/*.{md,yaml}',
  'docs/{how-to,reference,start}/*.md',
  'docs/evidence/image-sizes.md',
];
/** A version, with no other pre-releases: in an image's tag the image's kind follows the version. */
const ANY = String.raw`\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?`;
/** The text before the version, by kind of statement. */
const BEFORE = [
  String.raw`^ *"name": "kolla-pod",\n *"version": "`,
  String.raw`\bconst VERSION = '`,
  String.raw`^version: `,
  String.raw`^appVersion: "`,
  String.raw`\{ name: kolla-pod, version: `,
  String.raw`\brepository: kolla-pod, tag: `,
  '`kollaPod\\.image\\.tag` \\| string \\| `"',
  String.raw`\bkolla-pod(?:/charts/[\w-]+)?:`,
  String.raw`--version `,
  String.raw`\bkolla-(?:init|probe|pod) (?=\d)`,
  String.raw`\bcharts/[\w$-]+-`,
  String.raw`\bdist/release/`,
  String.raw`\bkolla-pod-`,
  String.raw`\bto chart [a-z-]+-`,
].map((before) => new RegExp(`(?<=${before})${ANY}`, 'gm'));
/** A version with escaped dots, as in the expected output of an example. */
const ESCAPED =
  /(?<=\bkolla-(?:init |probe |pod |pod(?:\/charts\/[\w-]+)?:))\d+\\\.\d+\\\.\d+(?:-(?:alpha|beta|rc)\\\.\d+)?/g;

export const VERSION_FORM: RegExp = new RegExp(`^${ANY}$`);

/** Version of package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The text with that version in each statement. */
export function stated(text: string, version: string): string {
  const plain = BEFORE.reduce((all, pattern) => all.replaceAll(pattern, version), text);
  return plain.replaceAll(ESCAPED, version.replaceAll('.', String.raw`\.`));
}

/** The files that state the version, with their text. */
export function files(): Map<string, string> {
  const names = FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).toSorted();
  return new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]));
}

/** Files whose statements differ from the version, with the text they should have. */
export function stale(version: string): Map<string, string> {
  return new Map(
    [...files()].flatMap(([file, text]) => {
      const right = stated(text, version);
      return right === text ? [] : [[file, right] as const];
    }),
  );
}

if (import.meta.main) {
  const [version = packageVersion()] = process.argv.slice(2);
  if (VERSION_FORM.test(version)) {
    const file = join(ROOT, 'package.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/(?<=^ {2}"version": ")[^"]*/m, version));
    for (const [name, right] of stale(version)) {
      writeFileSync(join(ROOT, name), right);
      console.log(name);
    }
  } else {
    console.error(`'${version}' is not a version such as 1.2.3 or 1.2.3-rc.1`);
    process.exitCode = 64;
  }
}
