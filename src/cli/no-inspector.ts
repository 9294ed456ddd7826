/**
 * On SIGUSR1 Node opens its inspector on the loopback address, where any process in the Pod, or on the node with
 * hostNetwork, could read the environment and passwords. An empty handler prevents that, and the signal has its default
 * action again in the program we exec. Node's --disable-sigusr1 would leave the signal blocked for that program.
 */
export function keepInspectorClosed(): void {
  process.on('SIGUSR1', () => {});
}
