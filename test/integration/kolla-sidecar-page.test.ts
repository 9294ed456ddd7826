import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { canRunChromium } from '../cluster/chromium.ts';
import { startBrowser, type OwnBrowser } from './browser.ts';
import { LEAST_CONTRAST, type Contrast } from './contrast.ts';
import { sidecarSite } from './kolla-sidecar-support.ts';
import { keystoneAtNight, manyThings, serveSample, type Sample } from '../sidecar/status-sample.ts';

const skip = (await canRunChromium()) ?? false;
const SCHEMES = ['light', 'dark'] as const;

describe('the status page in a browser', { skip }, () => {
  let browser: OwnBrowser;
  let sample: Sample;
  const stack = new AsyncDisposableStack();

  before(async () => {
    browser = stack.use(await startBrowser(0));
    sample = stack.use(await serveSample(keystoneAtNight(Date.now())));
  });
  after(() => stack.disposeAsync());

  test('shows every state: components, checks, waits, migration, shipping, configuration, the rejected version', async () => {
    const page = await opened();
    const text = await page.innerText('body');
    for (const part of [
      'keystone-5d4f8c7b9-x2x7q',
      'openstack · on control-1',
      'Needs a look: 1 check unhealthy; configuration refused',
      'wsrep_local_state is Donor/Desynced',
      'says hello: 10.11.6-MariaDB',
      'expand of expand, migrate, contract',
      'the schema is ready',
      'lines go to elasticsearch at https://elasticsearch:9200',
      "config_files[2].perm: '06OO' is not an octal mode",
      '..2026_11_21_02_14_07.3350122187',
      '/etc/keystone/domains/keystone.heat.conf',
      'failed 2 times',
    ])
      assert.ok(text.includes(part), `${part} is not in: ${text}`);
    assert.equal(await page.locator('#checks .row').first().locator('.name').innerText(), 'database', 'problems first');
    assert.match(
      (await page.locator('#shipping svg').first().getAttribute('aria-label')) ?? '',
      /behind: .* at most 2\.\d MB/,
    );
  });

  test('shows a change in place without a reload, and announces the new summary to screen readers', async () => {
    const page = await opened();
    const other = await page.locator('#checks .row').nth(1).elementHandle();
    change((now) => ({
      ...now,
      checks: now.checks.map((row) =>
        row.name === 'api' ? { ...row, state: 'unhealthy', reason: 'status 503' } : row,
      ),
      waits: [],
      refusals: [],
    }));
    await page.getByText('status 503').waitFor();
    assert.match(await page.innerText('#verdict'), /2 checks unhealthy/);
    assert.equal(await page.locator('#verdict').getAttribute('aria-live'), 'polite');
    assert.equal(await page.locator('#waits').isVisible(), false);
    assert.equal(await page.locator('#refusals .row').count(), 0);
    assert.ok(await other?.evaluate((row) => row.isConnected), 'rows that stay are not re-created');
  });

  test('text from other programs is never markup', async () => {
    change((now) => ({
      ...now,
      checks: now.checks.map((row) => ({
        ...row,
        state: 'unhealthy',
        reason: '<img src=x onerror="window.was=1"><script>window.was=1</script>',
      })),
    }));
    const page = await opened();
    await page.getByText('<img src=x onerror=').first().waitFor();
    assert.equal(await page.evaluate('window.was'), undefined);
    assert.equal(await page.locator('main img, main script').count(), 0);
  });

  test('shows 1,000 files and 200 checks, problems first, and filters them', async (t) => {
    change(() => manyThings(Date.now(), 1000, 200, 3));
    const began = performance.now();
    const page = await opened();
    await page.waitForFunction("document.querySelectorAll('#files .row').length === 1000");
    t.diagnostic(`all rows after ${Math.round(performance.now() - began)} ms`);
    assert.equal(await page.locator('#checks .row').count(), 200);
    assert.deepEqual(
      await page
        .locator('#checks .row .name')
        .allInnerTexts()
        .then((names) => names.slice(0, 4)),
      ['check-197', 'check-198', 'check-199', 'check-0'],
    );
    const typed = performance.now();
    await page.fill('#filter', 'part-99');
    await page.waitForFunction("document.querySelectorAll('#files .row').length === 11");
    t.diagnostic(`filtered after ${Math.round(performance.now() - typed)} ms`);
    assert.equal(await page.innerText('#found'), '11 of 1\u2009202');
    await page.fill('#filter', '');
    await page.check('#problems');
    assert.equal(await page.locator('#checks .row').count(), 3);
    assert.equal(await page.locator('#files .row').count(), 0);
  });

  test('everything is usable by keyboard, with a visible focus', async () => {
    change(() => manyThings(Date.now(), 1000, 200, 3));
    const page = await opened();
    await page.waitForFunction("document.querySelectorAll('#checks .row').length === 200");
    const at = () => page.evaluate<string>('document.activeElement?.id || document.activeElement?.className');
    await page.keyboard.press('Tab');
    assert.equal(await at(), 'skip');
    await page.keyboard.press('Enter');
    assert.equal(await at(), 'main');
    await page.keyboard.press('/');
    assert.equal(await at(), 'filter');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    assert.equal(outline, 'solid');
    await page.keyboard.type('check-199');
    assert.equal(await page.locator('#checks .row').count(), 1);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#checks .row').count(), 200);
    await page.keyboard.press('Tab');
    assert.equal(await at(), 'problems');
    await page.keyboard.press('Space');
    assert.equal(await page.locator('#checks .row').count(), 3);
  });

  for (const colorScheme of SCHEMES)
    test(`every text has a contrast of at least 4.5, ${colorScheme}`, async () => {
      sample.document = keystoneAtNight(Date.now());
      const page = await opened({ colorScheme });
      const { least, seen } = await page.evaluate<Contrast>(LEAST_CONTRAST);
      assert.ok(seen > 80, `only ${seen} texts`);
      assert.ok(least.ratio >= 4.5, `${least.ratio.toFixed(2)}: ${least.text}`);
    });

  test('a phone of 360 px scrolls vertically only', async () => {
    const page = await opened({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  });

  test('respects prefers-reduced-motion', async () => {
    const page = await opened({ reducedMotion: 'reduce' });
    change((now) => ({ ...now, checks: now.checks.map((row) => ({ ...row, state: 'unknown' })) }));
    await page.locator('#checks .row.wait').first().waitFor();
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
  });

  test('has landmarks and titles, no console errors, and no requests to other hosts', async () => {
    const page = await opened();
    for (const role of ['banner', 'main', 'search'] as const) assert.equal(await page.getByRole(role).count(), 1, role);
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
    assert.ok((await page.getByRole('region').count()) >= 5);
    assert.equal(await page.title(), 'keystone-5d4f8c7b9-x2x7q · kolla-sidecar');
    assert.deepEqual(browser.complaints, []);
  });

  test('polls if no events arrive', async () => {
    await using own = await startBrowser(0);
    const page = await own.open('about:blank');
    await page.route('**/events**', (route) => route.abort());
    await page.goto(sample.url);
    await page.getByText('polling every 5 s').waitFor();
    change((now) => ({ ...now, about: { ...now.about, pod: 'another-pod' } }));
    await page.getByRole('heading', { level: 1, name: 'another-pod' }).waitFor();
  });

  test('shows a killed and restarted sidecar as soon as it responds', async () => {
    await using site = await sidecarSite('page');
    await mkdir(join(site.path, 'empty'));
    const gone = join(site.path, 'empty/hold');
    await site.write({
      sidecar: { component: ['probe', 'waits'] },
      checks: { self: { run: `tcp 127.0.0.1:${site.port}`, period: '1s' } },
      init: { wait: [`file:${gone}`] },
    });
    const first = await site.start();
    await using own = await startBrowser(0);
    const page = await own.open(`http://127.0.0.1:${site.port}/`);
    await page.getByText('Not ready yet: waiting for 1 dependency').waitFor();
    first.running.child.kill('SIGKILL');
    await first.running.ended;
    await page.getByText('retrying').waitFor();
    await writeFile(gone, '');
    const second = await site.start();
    await using _ = second.running;
    await page.getByText('All well').waitFor();
    assert.match(await page.innerText('#waits'), /1 of 1 met/);
  });

  async function opened(options: Parameters<OwnBrowser['open']>[1] = {}): Promise<Page> {
    const page = await browser.open(sample.url, options);
    await page.getByText('live', { exact: true }).waitFor();
    await page.locator('#components .row').first().waitFor();
    return page;
  }

  function change(how: (now: Sample['document']) => Sample['document']): void {
    sample.document = how(sample.document);
  }
});
