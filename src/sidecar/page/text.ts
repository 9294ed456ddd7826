/**
 * The status page as one text: page.html with its style and scripts. In the binary this module contains that text
 * (build/text-modules.ts); from the sources it is assembled here, so that both are equal.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Page } from '../status/routes.ts';

/** Files in dependency order, because they form one script in the page. */
const SCRIPTS = ['format', 'dom', 'model', 'rows', 'plot', 'texts', 'sections', 'stream', 'main'] as const;

const DIRECTORY = import.meta.dirname;

/** A file's JavaScript. Node calls its function experimental once per process, which is no news for who runs the sources. */
function javascriptOf(name: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(readFileSync(join(DIRECTORY, 'client', `${name}.ts`), 'utf8'));
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** One file of the page's script, with imports and exports removed. */
function plain(name: string): string {
  return javascriptOf(name)
    .replaceAll(/^import\b[^;]*;$/gm, '')
    .replaceAll(/^export /gm, '')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();
}

function assembled(): Page {
  const style = `\n${readFileSync(join(DIRECTORY, 'page.css'), 'utf8')}`;
  const script = `\n'use strict';\n(() => {\n${SCRIPTS.map((name) => plain(name)).join('\n')}\n})();\n`;
  const html = readFileSync(join(DIRECTORY, 'page.html'), 'utf8')
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script>${script}</script>`);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

export const PAGE: Page = assembled();
