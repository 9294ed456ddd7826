import { join } from 'node:path';

/**
 * Helm's environment. HELM_* of this process belong to the user's own Helm: they name plugins, which are programs, or another
 * cluster, driver or namespace.
 */
export function environment(directory: string, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(inherited).filter(([name]) => !name.startsWith('HELM_'));
  return {
    ...Object.fromEntries(others),
    HOME: directory,
    HELM_CACHE_HOME: join(directory, 'cache'),
    HELM_CONFIG_HOME: join(directory, 'config'),
    HELM_DATA_HOME: join(directory, 'data'),
    HELM_DRIVER: 'secret',
    // Not a directory: also what is in our own one is no plugin.
    HELM_PLUGINS: '/dev/null',
  };
}
