import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium as playwright, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { chromium, CHROMIUM_ARGS, pageFonts } from '../cluster/chromium.ts';
import { privateDirectory } from '../../tools/directory.ts';

/** A private browser that records its pages' errors. */
export interface OwnBrowser extends AsyncDisposable {
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** Errors and warnings on the console of every page, exceptions in its scripts, and requests to other hosts. */
  readonly complaints: readonly string[];
}

/**
 * Starts chromium with a private profile and fonts.
 * @param limitMs for each start, page and wait, 0 for none: a test file has its watchdog
 */
export async function startBrowser(limitMs = 30_000): Promise<OwnBrowser> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('browser'));
  const { path, env } = await chromium();
  const fonts = join(directory.path, 'fonts.conf');
  await mkdir(join(directory.path, 'cache'));
  await writeFile(
    fonts,
    `<?xml version="1.0"?><fontconfig>${[...(await pageFonts()), '/usr/share/fonts'].map((each) => `<dir>${each}</dir>`).join('')}<cachedir>${join(directory.path, 'cache')}</cachedir></fontconfig>`,
  );
  const browser: Browser = await playwright.launch({
    executablePath: path,
    args: [...CHROMIUM_ARGS],
    chromiumSandbox: false,
    timeout: limitMs,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: directory.path,
      FONTCONFIG_FILE: fonts,
      TMPDIR: directory.path,
      ...env,
    },
  });
  stack.defer(() => browser.close());
  const complaints: string[] = [];
  const kept = stack.move();
  return {
    complaints,
    async open(url, options = {}) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(limitMs);
      context.setDefaultNavigationTimeout(limitMs);
      const page = await context.newPage();
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => void complaints.push(`thrown: ${error.message}`));
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== new URL(url).origin && !request.url().startsWith('data:'))
          complaints.push(`asked others: ${request.url()}`);
      });
      await page.goto(url);
      return page;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
