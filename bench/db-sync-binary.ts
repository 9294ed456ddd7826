import { fileURLToPath } from 'node:url';

/** The built binary, as in an image. */
export const DB_SYNC = fileURLToPath(new URL('../dist/bin/kolla-db-sync', import.meta.url));
