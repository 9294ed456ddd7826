import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { goModules } from '../../tools/go-modules.ts';
import { goProgram } from '../../tools/go-program.ts';

const BUILD_BYTES = 3e9;
/** kwok's own description of what becomes of a Node and its Pods, without delays. */
const STAGES = [
  'node/fast/node-initialize',
  'node/heartbeat/node-heartbeat',
  'pod/fast/pod-ready',
  'pod/fast/pod-delete',
];

/** The command that makes the Pods of all Node objects run, which no kubelet has. */
export async function kwokCommand(kubeconfig: string): Promise<[string, string[]]> {
  const binary = await kwokBinary();
  const [kwok] = await goModules(binary, join(import.meta.dirname, 'kwok'));
  const stages = STAGES.map((name) => `--config=${kwok?.directory}/kustomize/stage/${name}.yaml`);
  return [binary, ['--manage-all-nodes=true', `--kubeconfig=${kubeconfig}`, ...stages]];
}

async function kwokBinary(): Promise<string> {
  return await goProgram({
    name: 'kwok',
    directory: import.meta.dirname,
    sources: ['kwok'],
    flags: [],
    room: BUILD_BYTES,
    main: 'sigs.k8s.io/kwok/cmd/kwok',
  });
}

/** Tested by building it, which is immediate if it is cached. */
export const canRunKwok: Capability = async () => {
  try {
    await kwokBinary();
    return undefined;
  } catch (error) {
    return `kwok can't be built here: ${messageOf(error)}`;
  }
};
