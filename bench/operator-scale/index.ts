/**
 * `node bench/operator-scale/index.ts [--print]`: the cost of kolla-operator with many services. COUNTS=12,200 services,
 * MINUTES=5 at rest, ROUNDS=3 of changes of all; --print writes docs/evidence/operator-scale.md.
 *
 *   site.ts: a control plane, an API server that only the operator uses, kwok's node, a small chart
 *     -> operator.ts: the built kolla-operator with the permissions that it prints, and Helm
 *   counts -> phases.ts: create services, rest, change one, change all; until their status says so, by a watch
 *     -> CPU and memory from /proc; requests from the API server's audit log (audit.ts) -> page.ts
 *
 * Nothing is judged. Exit code 69 if the parts can't be built here.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { firstLacking } from '../../tools/capability.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { commitNow } from '../../tools/commit.ts';
import { canRunControlPlane } from '../../test/cluster/kubernetes/index.ts';
import { canRunKwok } from './kwok.ts';
import { pageOf } from './page.ts';
import { measure } from './phases.ts';
import { openSite } from './site.ts';

const PAGE = fileURLToPath(new URL('../../docs/evidence/operator-scale.md', import.meta.url));
const COUNTS = (process.env['COUNTS'] || '12,200').split(',').map(Number);
const MINUTES = Number(process.env['MINUTES'] || 5);
const ROUNDS = Number(process.env['ROUNDS'] || 3);

const missing = await firstLacking([canRunControlPlane, canRunHelm, canRunKwok]);
if (missing === undefined) {
  const commit = await commitNow();
  await using site = await openSite();
  const say = (text: string) => console.error(`  ${text}`);
  const scales = await measure(site, { counts: COUNTS, minutes: MINUTES, rounds: ROUNDS, say });
  const page = pageOf(scales, { commit, minutes: MINUTES });
  if (process.argv.includes('--print')) writeFileSync(PAGE, page);
  process.stdout.write(page);
} else {
  console.error(`not run on this machine: ${missing}`);
  process.exitCode = 69;
}
