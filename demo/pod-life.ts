import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Terminal } from '../src/core/terminal.ts';
import { freePort } from '../tools/port.ts';
import { startHelper } from './helper-process.ts';
import { writePodFiles, type PodFiles } from './pod-files.ts';
import { chooseDatabase, chooseIndex, chooseKeystone, type Database, type Index } from './servers.ts';
import { countLines, shipLogs, type Shipper } from './scenes/logs.ts';
import { runKeystone, takeToken, untilHealthy } from './scenes/keystone.ts';
import { setUpKeystone, syncSchema } from './scenes/schema.ts';
import type { Story } from './story.ts';
import { drawSvg, drawText } from './timeline.ts';

const PICTURE = 'dist/demo-timeline.svg';

/** Runs a pod's life under `root`. Throws when a step fails. */
export async function tellPodLife(story: Story, root: string, terminal: Terminal): Promise<void> {
  story.shorten.push(root);
  await using servers = new AsyncDisposableStack();
  story.scene('The parts (fetched once, kept in the cache)');
  const keystone = await chooseKeystone(story);
  if (keystone !== undefined) story.shorten.push(keystone.directory);
  const database = await chooseDatabase(story, process.env['MYSQL_URL'], await freePort());
  if (database === undefined) throw new Error('there is no database to show anything with');
  const startIndex = await chooseIndex(story, process.env['ELASTICSEARCH_URL']);

  story.scene('The configuration: config.json as kolla-ansible writes it, put in place without root');
  const files = await writePodFiles(root, {
    databaseHost: database.host,
    databasePort: database.port,
    databaseName: database.name,
    databasePassword: randomUUID(),
  });
  const indexUp = startIndex?.().then((index) => servers.use(index));
  await Promise.race([configure(story, root, files, database, servers), failed(indexUp)]);

  story.scene('The schema: two replicas race, one migrates');
  await syncSchema(story, files, database, keystone);
  if (keystone !== undefined) {
    await setUpKeystone(story, files, keystone);
    story.scene('The service: unhealthy, then healthy, then used');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/v3`;
    await using service = await runKeystone(story, files, keystone, port);
    // Its health from its start on, whenever the index is up.
    const [[shipper, index], endOfHealth] = await Promise.all([
      shipTo(story, root, files, servers, indexUp),
      untilHealthy(story, files, url, service),
    ]);
    await takeToken(story, url);
    endOfHealth();
    await service.stop();

    story.scene('The log: every line once');
    const shipped = await shipper.finish(index && (() => index.count()));
    const written = await countLines(files.logs);
    story.say(
      'kolla-log-ship',
      `Keystone wrote ${written} lines; ${shipped} documents are in ${index ? 'Elasticsearch' : 'stdout'}`,
    );
    if (shipped !== written) throw new Error(`${written} lines were written and ${shipped} shipped`);
  }
  await servers.disposeAsync();
  await draw(story, terminal);
}

/** Ships to the index once it is up, to stdout without one. */
async function shipTo(
  story: Story,
  root: string,
  files: PodFiles,
  servers: AsyncDisposableStack,
  indexUp: Promise<Index> | undefined,
): Promise<[Shipper, Index | undefined]> {
  const index = await indexUp;
  return [servers.use(await shipLogs(story, root, files, index)), index];
}

/** kolla-init starts before the database, logs what it waits for, and then exits. */
async function configure(
  story: Story,
  root: string,
  files: PodFiles,
  database: Database,
  servers: AsyncDisposableStack,
): Promise<void> {
  const ended = story.begin('kolla-init', 'files in place, waits for MariaDB', 'wait');
  const init = await startHelper(story, {
    actor: 'kolla-init',
    name: 'kolla-init',
    args: ['--root', root, '--config-dir', files.configDir, '--wait', `tcp://${database.host}:${database.port}`],
  });
  servers.use(await database.start());
  const code = await init.ended;
  if (code !== 0) throw new Error(`kolla-init exited with code ${code}`);
  ended('ended: the container may start');
}

/** Never resolves; rejects with the promise, which is not awaited yet. */
function failed(promise: Promise<unknown> | undefined): Promise<never> {
  return new Promise((_, reject) => void promise?.catch(reject));
}

async function draw(story: Story, terminal: Terminal): Promise<void> {
  story.scene("The pod's timeline");
  console.log(drawText(story.spans, terminal.width));
  await mkdir('dist', { recursive: true });
  await writeFile(PICTURE, drawSvg("A Keystone pod's life (make demo)", story.spans));
  console.log(`\nAs a picture: ${join(process.cwd(), PICTURE)}`);
}
