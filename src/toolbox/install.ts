import { isSea } from 'node:sea';
import { isAbsolute, normalize, resolve } from 'node:path';
import { command, type Command, type Helper } from '../cli/command.ts';
import { ExitCode, UsageError } from '../core/errors.ts';
import { install } from './install/index.ts';
import { PLACE } from './install/layout.ts';

/** Copies the binary and its names into a shared volume. */
export function installOf(helpers: () => readonly Helper[]): Command {
  return command({
    summary: 'Copies the binary and its names into a folder that containers share.',
    description:
      "For images that don't have them: an init container runs this, and the service's container mounts the same volume. " +
      'Whatever interrupts it, each file is whole or not there; what is there already is left alone. In DIR then lie ' +
      "`kolla-pod`, `bin/` with its names, `kolla-bin/` with Kolla's healthcheck names as scripts, and `rootless-bin/` with sudo.",
    operands: [{ name: 'DIR', help: 'where the shared volume is mounted here' }],
    options: [
      {
        flag: 'at',
        type: 'path',
        env: 'KOLLA_POD_INSTALL_AT',
        help: 'where the service sees the folder, if elsewhere',
        example: PLACE,
      },
      {
        flag: 'from',
        type: 'path',
        env: 'KOLLA_POD_INSTALL_FROM',
        help: 'the executable to copy, instead of this one',
        example: '/dist/kolla-pod',
      },
    ],
    examples: [
      { line: 'kolla-pod install /opt/kolla-pod', does: 'in an init container' },
      {
        line: 'kolla-pod install /shared --at /opt/kolla-pod',
        does: 'the service mounts the volume elsewhere',
      },
    ],
    async run({ operands: [folder = ''], options: { at, from } }, { signal, log }) {
      if (folder === '' || /[\n\0]/.test(folder)) throw new UsageError('install: DIR is not a path');
      if (at !== undefined && (!isAbsolute(at) || /[\n\0]/.test(at)))
        throw new UsageError(`install: --at ${JSON.stringify(at)} is not an absolute path`);
      // Run from source, the executable is node.
      if (from === undefined && !isSea())
        throw new UsageError('install: this is not the binary; name one with --from FILE');
      const place = at ?? resolve(folder);
      await install(
        {
          folder: resolve(folder),
          source: from ?? process.execPath,
          names: helpers().map(({ name }) => name),
          place: normalize(place).replace(/(?<=.)\/+$/, ''),
        },
        signal,
        log,
      );
      return ExitCode.ok;
    },
  });
}
