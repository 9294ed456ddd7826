/** Work that build/rehearse.ts does for a helper because `main` works on `/` and cannot run in a build. */
export const REHEARSED: Readonly<Record<string, readonly string[]>> = {
  kolla_set_configs: [`export { createLines, setConfigs } from './src/config/set-configs/index.ts';`],
  kolla_start: [
    `export { createLines, setConfigs } from './src/config/set-configs/index.ts';`,
    `export { copyCaCertificates } from './src/container/start/index.ts';`,
    `export { findProgram } from './src/process/exec/index.ts';`,
  ],
  healthcheck_port: inProc('connectedQuestion'),
  healthcheck_listen: inProc('listenQuestion'),
  healthcheck_socket: inProc('kollaSocketQuestion'),
};

/**
 * Exports for a command of Kolla that reads /proc. It is rehearsed with a fake /proc, since the machine's processes
 * must not affect the cache.
 */
function inProc(question: string): string[] {
  return [
    `export { ${question} as questionIn } from './src/probe/kolla/port.ts';`,
    `export { runKolla } from './src/probe/kolla/run.ts';`,
  ];
}
