import { readFileSync } from 'node:fs';

/** Which container this is. */
export interface OwnContainer {
  readonly podUid: string;
  readonly name: string;
}

/**
 * The container that we are, from /proc/self/mountinfo: the kubelet mounts a file of a folder that is named after Pod and
 * container as the termination log. Undefined outside of Kubernetes, and where a sandbox hides what is mounted.
 */
export function containerIn(mountinfo: string): OwnContainer | undefined {
  const [, podUid, name] = /\/pods\/([^/ ]+)\/containers\/([^/ ]+)\/[^/ ]+ \//.exec(mountinfo) ?? [];
  return podUid === undefined || name === undefined ? undefined : { podUid, name };
}

/** The same, read from /proc; undefined too where that is not what it is on Linux. */
export function ownContainer(): OwnContainer | undefined {
  try {
    return containerIn(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return undefined;
  }
}
