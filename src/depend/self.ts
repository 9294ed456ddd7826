/**
 * The container that we are, from /proc/self/mountinfo: the kubelet mounts a file of a folder that is named after Pod and
 * container as the termination log. Undefined outside of Kubernetes, and where a sandbox hides what is mounted.
 */
export function ownContainer(mountinfo: string): { readonly podUid: string; readonly name: string } | undefined {
  const [, podUid, name] = /\/pods\/([^/ ]+)\/containers\/([^/ ]+)\/[^/ ]+ \//.exec(mountinfo) ?? [];
  return podUid === undefined || name === undefined ? undefined : { podUid, name };
}
