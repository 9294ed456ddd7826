/** The CustomResourceDefinitions of the Gateway API, which its Go module contains: a real schema for examples of Gateways. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { goEnv } from '../../tools/go-program.ts';
import { must } from '../../tools/process.ts';

const MODULE = 'sigs.k8s.io/gateway-api@v1.4.0';
const SUM = 'h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=';
/** The channel of a usual controller. */
const CHANNEL = 'config/crd/standard';

/** A directory of manifests. Cached. */
export async function gatewayApi(): Promise<string> {
  return await cached('gateway-api', [MODULE, SUM], async (directory) => {
    const env = { ...process.env, ...goEnv() };
    const printed = await must('go', ['mod', 'download', '-json', MODULE], { cwd: directory, env });
    const { Dir, Sum } = JSON.parse(printed) as { Dir: string; Sum: string };
    if (Sum !== SUM) throw new Error(`${MODULE} has the digest ${Sum}, not ${SUM}`);
    await cp(join(Dir, CHANNEL), directory, { recursive: true });
  });
}

/** Tested by downloading it. */
export const canUseGatewayApi: Capability = async () => {
  try {
    await gatewayApi();
    return undefined;
  } catch (error) {
    return `the Gateway API can't be downloaded here: ${messageOf(error)}`;
  }
};
