/**
 * Watches over a long time, with the intervals of a real cluster: `make soak`.
 *
 *   no events for three and a half minutes -> no log line, no new connection
 *   the API server frozen for 120 s, one watch connected directly, one through an address that moves to another server
 *     -> both resume
 *
 * Prints each observation with its time and writes them to docs/evidence/soak-api-server.md; fails if a watch misses a
 * change.
 */
import { writeFileSync } from 'node:fs';
import { connectKube } from '../../src/kube/index.ts';
import { startForwarder } from '../../test/cluster/forwarder.ts';
import { canRunControlPlane, startControlPlane } from '../../test/cluster/kubernetes/index.ts';
import { commitNow } from '../../tools/commit.ts';
import { fileLimit } from '../../test/support/file-limit.ts';
import { account, follow, NAMESPACE, serviceAccount, type Following } from '../../test/integration/kube-support.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** More than twice the idle limit, so that only bookmarks can have kept the connection. */
const QUIET_MS = 210_000;
const FROZEN_MS = 120_000;
const SEEN_MS = 60_000;

const missing = await canRunControlPlane();
if (missing === undefined) await soak();
else console.log(`not run on this machine: ${missing}`);

async function soak(): Promise<void> {
  const rows: string[] = [];
  const tell = (what: string, seen: string) => {
    console.log(`${what}: ${seen}`);
    rows.push(`| ${what} | ${seen} |`);
  };
  await using cluster = await startControlPlane();
  await using another = await cluster.addApiServer();
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  await cluster.kubectl(['create', 'namespace', NAMESPACE]);
  const token = await serviceAccount(cluster, 'reader', 'get,list,watch');
  await kubectl('create', 'configmap', 'soak', '--from-literal=x=0');
  const change = (x: number) =>
    kubectl(
      `--server=${another.server}`,
      'patch',
      'configmap',
      'soak',
      '--type=merge',
      `--patch={"data":{"x":"${x}"}}`,
    );
  await using address = await startForwarder(cluster.apiServer.port);
  await using there = await account({ port: cluster.apiServer.port, ca: cluster.ca }, token);
  await using floating = await account({ port: address.port, ca: cluster.ca }, token);
  using client = await connectKube(there.source);
  using moving = await connectKube(floating.source);
  await using direct = follow(client, 'soak');
  await using moved = follow(moving, 'soak');
  const sees = (watch: Following, x: number) => {
    fileLimit((FROZEN_MS + SEEN_MS) / 60_000);
    return watch.until(`change ${x}`, (seen) => seen.at(-1) === `x=${x}`);
  };
  await Promise.all([sees(direct, 0), sees(moved, 0)]);

  await sleep(QUIET_MS);
  const words = [...direct.seen, ...moved.seen].filter((text) => text !== 'x=0');
  if (words.length > 0 || address.connections() > 1)
    throw new Error(`a quiet watch was not left alone: ${words.join()}`);
  tell(`nothing happens for ${QUIET_MS / 1000} s`, `no word, ${address.connections()} connection`);

  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  cluster.apiServer.freeze();
  address.target = another.port;
  await change(1);
  const late = setTimeout(() => cluster.apiServer.thaw(), FROZEN_MS);
  try {
    await sees(moved, 1);
    tell('a floating address moves, the old server is frozen', `the change was seen after ${seconds()} s`);
    await sees(direct, 1);
    tell(`the API server is frozen for ${FROZEN_MS / 1000} s`, `the change was seen after ${seconds()} s`);
    console.log(direct.seen.map((text) => `  ${text}`).join('\n'));
  } finally {
    clearTimeout(late);
    cluster.apiServer.thaw();
  }
  await change(2);
  await Promise.all([sees(direct, 2), sees(moved, 2)]);
  tell('and after all that', 'both see the next change');
  const commit = await commitNow();
  writeFileSync('docs/evidence/soak-api-server.md', pageOf(commit, rows));
}

function pageOf(commit: string, rows: readonly string[]): string {
  const head = [
    '# A watch as it is in a cluster, with nothing made shorter',
    '',
    `Printed by \`make soak\` at commit ${commit}.`,
  ];
  return [...head, '', '| what | seen |', '|---|---|', ...rows, ''].join('\n');
}
