/**
 * By SIGUSR1 node opens its inspector on the loopback address, where whoever is in the pod, or with hostNetwork on the node,
 * reads the environment and passwords. Handled by us it does nothing, and the program that we become has its default again.
 * Node's own flag, --disable-sigusr1, would leave the signal blocked for that program.
 */
export function keepInspectorClosed(): void {
  process.on('SIGUSR1', () => {});
}
