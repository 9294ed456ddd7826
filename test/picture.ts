/** Takes docs/images/status.png: the status page with sample data, as Debian's chromium shows it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { startBrowser } from './integration/browser.ts';
import { keystoneAtNight, serveSample } from './sidecar/status-sample.ts';

const FILE = 'docs/images/status.png';

const { files, checks, ...rest } = keystoneAtNight(Date.now());
// Few, so that the picture is small.
await using sample = await serveSample({ ...rest, files: files.slice(0, 3), checks: checks.slice(0, 3) });
await using browser = await startBrowser();
const page = await browser.open(sample.url, { viewport: { width: 960, height: 700 }, colorScheme: 'light' });
await page.getByText('live', { exact: true }).waitFor();
await page.evaluate('document.fonts.ready');
const picture = await page.screenshot({ fullPage: true, animations: 'disabled' });
await mkdir('docs/images', { recursive: true });
await writeFile(FILE, picture);
console.log(`${FILE}: ${picture.byteLength} bytes`);
