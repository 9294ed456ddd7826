import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { ListenAddress } from '../../net/address.ts';
import type { Route, Routes } from '../../net/http/router.ts';
import { DOOR_FILE, openDoor, writeDoorFile } from '../kolla/index.ts';

/** Where Kolla's shims ask, once they are told. */
export interface ShimDoor extends AsyncDisposable {
  readonly routes: Routes;
  /**
   * Writes the door file, by which the shims of this pod find us. Where none was asked for and there is no place for it, they
   * run the binary, as without a server.
   * @throws ConfigError for a file that was asked for
   */
  tell(at: ListenAddress, log: Log): Promise<void>;
}

/** What listens there hears 127.0.0.1. Where we don't, somebody else of the host's network may. */
const ASKED: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '::']);

/** @param file where it was asked for, else the usual place */
export function openShimDoor(file: string | undefined): ShimDoor {
  const end = new AbortController();
  const door = openDoor({ signal: end.signal });
  const route: Route = { kind: 'raw', handle: (request, response) => void door.answer(request, response) };
  let written: AsyncDisposable | undefined;
  return {
    routes: { '/kolla/': route },
    async tell({ host, port }, log) {
      const path = file ?? DOOR_FILE;
      if (host !== undefined && !ASKED.has(host)) {
        const why = `Kolla's healthcheck names ask 127.0.0.1, where nobody answers with an address of its own (${host})`;
        if (file !== undefined) throw new ConfigError(`--door-file: ${why}: leave it out of --listen`);
        log.debug(`no ${path}: ${why}`);
        return;
      }
      try {
        written = await writeDoorFile({ port, token: door.token, proof: door.proof }, path);
      } catch (cause) {
        const why = `cannot write ${path}: ${messageOf(cause)}`;
        if (file !== undefined) throw new ConfigError(`--door-file: ${why}`, { cause });
        // Only a folder that somebody has mounted for it shows that shims were meant.
        if (existsSync(dirname(path)))
          log.warn(`${why}; Kolla's healthcheck names run the binary instead of asking us`);
        else log.debug(why);
      }
    },
    async [Symbol.asyncDispose]() {
      end.abort(new Error('the server has ended'));
      await written?.[Symbol.asyncDispose]();
    },
  };
}
