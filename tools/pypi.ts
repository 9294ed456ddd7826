import { createHash } from 'node:crypto';

const INDEX = 'https://pypi.org/simple';
const DEADLINE_MS = 10 * 60_000;

/** A file of the Python package index. PIP_INDEX_URL selects another index, as for pip. */
export interface PypiFile {
  readonly project: string;
  readonly file: string;
  /** The hash in hexadecimal; a file with a different hash is rejected. */
  readonly sha256: string;
}

/**
 * The file's bytes, from the index's page (PEP 503). Throws an Error with the file name if it is missing or its hash
 * differs.
 */
export async function pypiFile({ project, file, sha256 }: PypiFile): Promise<Uint8Array> {
  const page = new URL(`${(process.env['PIP_INDEX_URL'] ?? INDEX).replace(/\/$/, '')}/${project}/`);
  const html = await (await get(page)).text();
  const href = [...html.matchAll(/<a [^>]*href="([^"]+)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .find((link) => new URL(link, page).pathname.endsWith(`/${file}`));
  if (href === undefined) throw new Error(`${page.href} has no ${file}`);
  const bytes = new Uint8Array(await (await get(new URL(href, page))).arrayBuffer());
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`${file} of ${page.host} has SHA-256 ${found}, not ${sha256}`);
  return bytes;
}

async function get(url: URL): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
  if (!response.ok) throw new Error(`${url.origin}${url.pathname}: status ${response.status}`);
  return response;
}
