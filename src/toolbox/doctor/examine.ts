import { apiServer, dns, serviceAccount } from './cluster.ts';
import {
  bash,
  configJson,
  downwardApi,
  directories,
  identity,
  kubeletProbes,
  memoryLimit,
  terminationLog,
} from './container.ts';
import type { Check, Finding, Machine } from './finding.ts';

const CHECKS: readonly Check[] = [
  // Measured first, while the process has done nothing but start.
  kubeletProbes,
  identity,
  configJson,
  bash,
  directories,
  terminationLog,
  memoryLimit,
  downwardApi,
  serviceAccount,
  apiServer,
  dns,
];

/** All findings in the order of a Pod's life. */
export async function examine(machine: Machine): Promise<Finding[]> {
  const findings = await Promise.all(CHECKS.map((check) => check(machine)));
  return findings.flat();
}
