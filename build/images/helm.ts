/**
 * Helm's modules with their licences. A Go module states no licence in a field, so it is recognized by its text; an
 * unknown one is an error, because it must be reviewed before it is shipped.
 */
import type { GoModule } from '../../tools/go-modules.ts';
import { helmModules } from '../../tools/helm.ts';
import type { Target } from '../base.ts';
import { licenceText, type BundledPackage } from './bundled.ts';

const NO_ENDORSEMENT = 'Neither the names? of|may not be used to endorse';
/** Sentences of licences, with spaces for all white space. */
const LICENCES: Readonly<Record<string, RegExp>> = {
  'Apache-2.0': /Apache License,? Version 2\.0/,
  'BSD-2-Clause': new RegExp(`Redistribution and use in source and binary forms(?![^]*(?:${NO_ENDORSEMENT}))`),
  'BSD-3-Clause': new RegExp(`Redistribution and use in source and binary forms[^]*(?:${NO_ENDORSEMENT})`),
  ISC: /Permission to use, copy, modify, and(?:\/or)? distribute this software/,
  MIT: /Permission is hereby granted, free of charge/,
  'MPL-2.0': /Mozilla Public License,? version 2\.0/i,
};

/** Helm's own module first. @throws Error for a module without a known licence */
export async function helmPackages(arch: Target['arch']): Promise<BundledPackage[]> {
  return await Promise.all((await helmModules(arch)).map(packageOf));
}

async function packageOf({ path, version, directory }: GoModule): Promise<BundledPackage> {
  const text = await licenceText(directory);
  // The specification of package URLs demands lower case.
  const purl = `pkg:golang/${path.toLowerCase()}@${encodeURIComponent(version)}`;
  return { name: path, version, licence: licencesIn(path, text), text, sha512: undefined, purl };
}

/** An SPDX expression of all licences in a text. */
export function licencesIn(path: string, text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  const found = Object.entries(LICENCES).flatMap(([id, sentence]) => (sentence.test(line) ? [id] : []));
  if (found.length === 0) throw new Error(`the licence of the Go module ${path} is not a known one`);
  return found.join(' AND ');
}
