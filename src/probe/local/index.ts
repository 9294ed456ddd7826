/**
 * Questions about this pod's own processes and sockets, for the checks and for Kolla's names alike.
 *
 *   process name, ports or path -> Question -> sockets of this network namespace that are on those ports (platform/proc)
 *     -> none is as wanted: unhealthy, whoever has them
 *     -> processes of that name -> whose the sockets are: healthy, unhealthy with what was seen, or unseen with the fix
 *
 * From a sidecar the sockets of the whole pod are seen, but processes of other containers only with shareProcessNamespace,
 * and their descriptors only as the same user or root. Where that leaves the answer open it is `unseen`, never a guess.
 */
export { processQuestion } from './process.ts';
export { portQuestion, type PortQuery } from './port.ts';
export { socketQuestion, type SocketQuery } from './unix-socket.ts';
export { fileAgeQuestion, type FileAgeQuery } from './file-age.ts';
