/**
 * A software bill of materials in CycloneDX 1.6 JSON: an image's contents, by package URL.
 *
 *   esbuild's metafile -> npm packages;  process.versions of the embedded node -> its parts;  the base's packages -> Debian's
 *
 * It has no timestamp, and its serial number is derived from its content: the same image has the same bill.
 */
import { createHash } from 'node:crypto';
import { VERSION } from '../../src/core/version.ts';
import type { BasePackage } from './base.ts';
import type { BundledPackage } from './bundled.ts';
import type { OperatorParts } from './operator.ts';

export interface Contents {
  /** The bill's name, such as `kolla-pod-install-amd64`. */
  readonly image: string;
  /** The architecture in the spelling of images. */
  readonly architecture: string;
  /** SHA-256 of the binaries, by name. */
  readonly sums: Readonly<Record<string, string>>;
  readonly packages: readonly BundledPackage[];
  /** Components of the embedded node, with versions. */
  readonly parts: Readonly<Record<string, string | undefined>>;
  readonly base: readonly BasePackage[];
  /** Helm and the charts, in the operator's image. */
  readonly operator?: OperatorParts | undefined;
}

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly [key: string]: unknown;
}

/** Entries of process.versions that are not components: node itself and ABI numbers. */
const NO_PARTS = new Set(['node', 'modules', 'napi']);

/** The bill of materials as text. */
export function sbomOf(contents: Contents): string {
  const { image, architecture, sums, packages, parts, base, operator } = contents;
  const root = {
    type: 'container',
    'bom-ref': image,
    name: image,
    version: VERSION,
  };
  const binaries = Object.entries(sums).map(([name, content]): Component => {
    const purl = `pkg:generic/${name}@${VERSION}?arch=${architecture}`;
    const licenses = [{ license: { id: 'Apache-2.0' } }];
    return {
      type: 'application',
      'bom-ref': purl,
      name,
      version: VERSION,
      purl,
      hashes: [{ alg: 'SHA-256', content }],
      licenses,
    };
  });
  const isNode = ({ name }: BundledPackage) => name.startsWith('node-linux-');
  const node = packages.filter(isNode).map((one) => ({ ...library(one), cpe: cpeOf(one), components: partsOf(parts) }));
  const inside: Component[] = [...packages.filter((one) => !isNode(one)).map(library), ...node];
  const beside = base.map((one) => debian(one, architecture));
  const [helm, ...modules] = operator === undefined ? [] : helmOf(operator);
  const programs = helm === undefined ? [] : [helm];
  const charts = Object.entries(operator?.charts ?? {}).map(([name, content]) => chartOf(name, content));
  const refs = (components: readonly Component[]) => components.map((component) => component['bom-ref']);
  const body = {
    metadata: {
      component: root,
      tools: { components: [{ type: 'application', name: 'kolla-pod build', version: VERSION }] },
    },
    components: [...binaries, ...inside, ...beside, ...programs, ...modules, ...charts],
    dependencies: [
      { ref: root['bom-ref'], dependsOn: refs([...binaries, ...beside, ...programs, ...charts]) },
      ...refs(binaries).map((ref) => ({ ref, dependsOn: refs([...inside, ...beside]) })),
      ...refs(programs).map((ref) => ({ ref, dependsOn: refs(modules) })),
    ],
  };
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
    ...body,
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function library({ name, version, licence, sha512, purl: own }: BundledPackage): Component {
  const purl = own ?? `pkg:npm/${name.replace(/^@/, '%40')}@${encodeURIComponent(version)}`;
  return {
    type: name.startsWith('node-linux-') ? 'platform' : 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [/ (OR|AND|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } }],
    // The hash of the package file in the registry.
    ...(sha512 === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
  };
}

/** Helm with the digest of its binary, then the modules in it. */
function helmOf({ helm, packages }: OperatorParts): Component[] {
  const [program, ...modules] = packages.map(library);
  if (program === undefined) throw new Error('Helm has no modules');
  return [{ ...program, type: 'application', hashes: [sha256(helm)] }, ...modules];
}

function chartOf(name: string, content: Uint8Array): Component {
  return { type: 'file', 'bom-ref': `chart:${name}`, name, version: VERSION, hashes: [sha256(content)] };
}

function sha256(content: Uint8Array): { readonly alg: string; readonly content: string } {
  return { alg: 'SHA-256', content: createHash('sha256').update(content).digest('hex') };
}

/** The name under which vulnerability databases list Node, which is not the npm package's. */
function cpeOf({ version }: BundledPackage): string {
  return `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
}

function partsOf(parts: Contents['parts']): Component[] {
  // Some components are listed without a version if node was built without them.
  const all = Object.entries(parts).filter(([name, version]) => !NO_PARTS.has(name) && version !== '');
  return all.map(([name, version = '']) => {
    const purl = `pkg:generic/${name}@${encodeURIComponent(version)}`;
    return { type: 'library', 'bom-ref': `node:${purl}`, name, version, purl };
  });
}

function debian({ name, version, distribution, release }: BasePackage, architecture: string): Component {
  const id = `pkg:deb/${distribution}/${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  const purl = `${id}?arch=${architecture}&distro=${distribution}-${release}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

/** A UUID of version 8, with custom content. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
