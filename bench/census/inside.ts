/** The part of the census inside the namespaces: prints the rows as JSON. Run by namespace.ts. */
import { messageOf } from '../../src/core/errors.ts';
import { isKollaName } from '../../src/probe/kolla/index.ts';
import { allProbes, type ServiceProbe } from '../../src/catalog/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { openCheckRunner, type CheckRunner } from './ask.ts';
import { SUBSTITUTES, REAL, SPECIAL, type Subject } from './subjects.ts';
import type { Row, Seen } from './row.ts';
import { standIns, type StandIn } from './stand-in.ts';
import { planOf, type Plan, type State } from './states.ts';
import { startWorld } from './world.ts';

await using directory = await privateDirectory('census');
const { path } = directory;
const make = await standIns(path);
await using ask = await openCheckRunner(path);
const probes = allProbes();
const rows = new Map<string, Row>();

{
  await using full = await make({ name: 'full' });
  await using other = await make({ name: 'somebody-else' });
  const plans = probes.map((probe, index) => [probe, planOf(substituted(probe), index)] as const);
  const ports = plans
    .flatMap(([{ declared = '' }]) => /^healthcheck_port .* (\d+)$/.exec(declared)?.[1] ?? [])
    .map(Number);
  const all = new Set(ports.flatMap((port) => [port, port * 10].filter((one) => one <= 65_535)));
  await using _ = await startWorld([...all], full);
  for (const [probe, plan] of plans)
    if (plan !== undefined && !(probe.container in REAL) && !(probe.container in SPECIAL))
      rows.set(probe.container, await rowOf(probe, () => planned(probe, plan, other)));
}
for (const probe of probes) {
  const subject = SPECIAL[probe.container] ?? REAL[probe.container];
  if (subject !== undefined) rows.set(probe.container, await rowOf(probe, () => looked(probe, subject)));
}
process.stdout.write(JSON.stringify(probes.map(({ container }) => rows.get(container))));

/** A failure is reported in its own row. */
async function rowOf(probe: ServiceProbe, look: () => Promise<Partial<Row>>): Promise<Row> {
  const { service, container, declared = '', readiness, liveness } = probe;
  const row = { service, container, declared, readiness, liveness };
  try {
    return { ...row, ...(await look()) };
  } catch (error) {
    return { ...row, skipped: messageOf(error) };
  }
}

/** A stand-in in two states. */
async function planned(
  probe: ServiceProbe,
  { looks, well, unwell, isDead }: Plan,
  other: StandIn,
): Promise<Partial<Row>> {
  const see = async (state: State): Promise<Seen> => {
    await using stack = new AsyncDisposableStack();
    stack.defer(() => other.does(['close']));
    await other.does(...(state.otherDoes ?? []));
    if (state.does !== undefined) {
      const standIn = stack.use(await make(looks));
      await standIn.does(...state.does);
      if (state.isFrozen) process.kill(standIn.pid, 'SIGSTOP');
    }
    return await seen(substituted(probe), state.state, ask);
  };
  return { well: await see(well), unwell: await see(unwell), isDead };
}

/** A subject with its own healthy and unhealthy states. */
async function looked(probe: ServiceProbe, subject: Subject): Promise<Partial<Row>> {
  const missing = await subject.capability?.();
  if (missing !== undefined) return { skipped: missing };
  await using one = await subject.start({ make, directory: path });
  const { readiness = probe.readiness, liveness = probe.liveness } = one;
  const changed = { ...substituted(probe), readiness: readiness.replaceAll('/usr/bin/', `${path}/bin/`), liveness };
  const well = await seen(changed, one.well, ask, one.env);
  const unwell = await one.fail();
  return { readiness, well, unwell: await seen(changed, unwell, ask, one.env), isDead: subject.isDead };
}

async function seen(probe: ServiceProbe, state: string, by: CheckRunner, env?: NodeJS.ProcessEnv): Promise<Seen> {
  const isKolla = isKollaName(probe.declared?.split(' ')[0] ?? '');
  // Sequential, because each check sees the processes of the others.
  const byName = isKolla ? await by.declared(probe.declared ?? '') : undefined;
  const readiness = await by.native(probe.readiness, env);
  const liveness = await by.native(probe.liveness);
  return { state, declared: byName, readiness, liveness };
}

/** The declared check, with values that kolla-ansible has no default for. */
function substituted(probe: ServiceProbe): ServiceProbe {
  const declared = Object.entries(SUBSTITUTES).reduce(
    (text, [word, value]) => text.replaceAll(word, value),
    probe.declared ?? '',
  );
  return { ...probe, declared };
}
