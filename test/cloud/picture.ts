import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start, tied } from '../../tools/process.ts';
import { kubeBinary } from '../cluster/kubernetes/index.ts';
import { startBrowser } from '../integration/browser.ts';
import { NAMESPACE, type Stage } from './stage.ts';

const FILE = join(fileURLToPath(new URL('../../', import.meta.url)), 'docs/images/status.png');
const STATUS_PORT = 9808;

/** Takes docs/images/status.png: a Pod's status page as Debian's chromium renders it. */
export async function takePicture(stage: Stage, pod: string): Promise<void> {
  const access = ['--kubeconfig', stage.node.kubeconfig, '--namespace', NAMESPACE];
  const words = ['kubectl', ...access, 'port-forward', `pod/${pod}`, `:${STATUS_PORT}`];
  await using forward = await start(...tied(await kubeBinary(), words), { keepOutput: true, throwAway: true });
  const [said] = (await once(forward.child.stdout ?? forward.child, 'data')) as [Buffer];
  const port = /127\.0\.0\.1:(\d+)/.exec(said.toString())?.[1] ?? '';
  await using browser = await startBrowser();
  const page = await browser.open(`http://127.0.0.1:${port}/`, {
    viewport: { width: 960, height: 700 },
    colorScheme: 'light',
  });
  await page.getByText('live', { exact: true }).waitFor();
  await page.evaluate('document.fonts.ready');
  const picture = await page.screenshot({ fullPage: true, animations: 'disabled' });
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, picture);
}
