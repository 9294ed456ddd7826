import { isHttpUrl } from '../../../core/http-url.ts';
import { UsageError } from '../../../core/errors.ts';
import { INTERFACES, type IdentityService, type Interface } from '../../../catalog/index.ts';

/** A desired entry of Keystone's catalogue. */
export interface WantedService {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly endpoints: readonly WantedEndpoint[];
}

export interface WantedEndpoint {
  readonly interface: Interface;
  readonly region: string;
  readonly url: string;
}

/** URL templates of an interface: `TEMPLATE` for every service, `NAME=TEMPLATE` for one. */
export type Templates = Readonly<Record<Interface, readonly string[]>>;

const PLACEHOLDERS = ['service', 'name', 'type', 'interface', 'region', 'port', 'path'] as const;
/** Placeholders that Keystone expands, in both notations. */
const KEYSTONES_OWN = /[%$]\((\w+)\)s/g;

/**
 * The entries with their URLs. Interfaces without a template have no URLs; their existing endpoints are not changed.
 * @param service name of the service, for `{service}`
 * @throws UsageError for an invalid or missing template
 */
export function wantedServices(
  service: string,
  entries: readonly IdentityService[],
  templates: Templates,
  regions: readonly string[],
): WantedService[] {
  checkNames(entries, templates);
  const wanted = entries.map((entry) => ({
    name: entry.name,
    type: entry.type,
    description: entry.description,
    endpoints: INTERFACES.flatMap((name) =>
      regions.flatMap((region) => {
        const template = templateOf(templates[name], entry.name);
        const path = entry.endpoints[name];
        if (template === undefined) return [];
        if (path === undefined) throw new UsageError(`--${name}-url: ${entry.name} has no ${name} endpoint`);
        const values = {
          service,
          name: entry.name,
          type: entry.type,
          interface: name,
          region,
          port: String(path.port),
          path: path.path,
        };
        return [{ interface: name, region, url: urlOf(template, values, `--${name}-url`) }];
      }),
    ),
  }));
  checkApart(wanted, templates, regions);
  return wanted;
}

/** Whether two URLs are the same for Keystone, where `%(tenant_id)s` and `$(project_id)s` are equivalent. */
export function isSameUrl(a: string, b: string): boolean {
  const plain = (url: string) =>
    url.replaceAll(KEYSTONES_OWN, (_, key: string) => `%(${key === 'tenant_id' ? 'project_id' : key})s`);
  return plain(a) === plain(b);
}

function templateOf(given: readonly string[], name: string): string | undefined {
  const all = given.map(divided);
  return (all.findLast((one) => one.name === name) ?? all.findLast((one) => one.name === undefined))?.template;
}

function divided(word: string): { readonly name: string | undefined; readonly template: string } {
  const { name, template = word } = /^(?<name>[\w.-]+)=(?<template>.*)$/.exec(word)?.groups ?? {};
  return { name, template };
}

function urlOf(
  template: string,
  values: Readonly<Record<(typeof PLACEHOLDERS)[number], string>>,
  flag: string,
): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const value = (values as Readonly<Record<string, string>>)[key];
    if (value !== undefined) return value;
    throw new UsageError(
      `${flag}: '{${key}}' in ${template} is none of ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`,
    );
  });
  const probe = filled.replaceAll(KEYSTONES_OWN, 'x');
  if (!isHttpUrl(probe)) throw new UsageError(`${flag}: '${filled}' is not an http or https URL`);
  // If only a host is given, the service's own path is appended.
  const isHostAlone = !template.includes('{path}') && /^https?:\/\/[^/]+\/?$/.test(filled);
  return isHostAlone ? filled.replace(/\/$/, '') + values.path : filled;
}

function checkNames(entries: readonly IdentityService[], templates: Templates): void {
  const names = entries.map(({ name }) => name);
  if (names.length > 0 && INTERFACES.every((one) => templates[one].length === 0)) {
    throw new UsageError(
      'no URLs for the endpoints: set --public-url and --internal-url, or skip them with --skip endpoints',
    );
  }
  for (const one of INTERFACES) {
    const stray = templates[one]
      .map((word) => divided(word).name)
      .find((name) => name !== undefined && !names.includes(name));
    if (stray !== undefined) throw new UsageError(`--${one}-url: no entry '${stray}'; there is ${names.join(', ')}`);
  }
}

/** Rejects templates that result in one URL for several entries or regions: clients would reach the wrong service. */
function checkApart(wanted: readonly WantedService[], templates: Templates, regions: readonly string[]): void {
  for (const one of INTERFACES) {
    const urls = wanted.flatMap(({ endpoints }) => endpoints).filter((endpoint) => endpoint.interface === one);
    if (new Set(urls.map(({ url }) => url)).size === urls.length) continue;
    const what =
      regions.length > 1
        ? 'several regions, or of several entries: put {region}, {port} or {path}'
        : 'several entries: put {port} or {path}';
    throw new UsageError(
      `--${one}-url ${templates[one].join(' ')}: the same URL for endpoints of ${what} into it, or give NAME=URL for each`,
    );
  }
}
