/** The directory where Kolla mounts a container's configuration. */
export const CONFIG_DIR = '/var/lib/kolla/config_files';

/** What is logged if nothing there is to be installed. */
export function withoutFiles(directory: string): string {
  return `no config.json in ${directory}: no files to install`;
}
