import { createSocket } from 'node:dgram';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../tools/port.ts';
import { until } from '../../support/until.ts';
import type { Stages } from './stage.ts';

export const LOG_SHIP_ASIDE: Stages = {
  'kolla-log-ship --syslog udp://127.0.0.1:5140 --listen 127.0.0.1:9809': async (directory, stack) => {
    await mkdir(join(directory, 'logs'));
    const [syslog, port] = [await freePort(), await freePort()];
    const socket = createSocket('udp4');
    stack.defer(() => void socket.close());
    const shipped = until('haproxy to be shipped', async () => {
      socket.send('<142>haproxy[12]: a line', syslog, '127.0.0.1');
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
      return (
        /^kolla_log_ship_acknowledged_total\{to="stdout"\} [1-9]/m.test((await metrics?.text()) ?? '') || undefined
      );
    });
    return {
      replace: { '127.0.0.1:5140': `127.0.0.1:${syslog}`, '127.0.0.1:9809': `127.0.0.1:${port}` },
      env: { KOLLA_LOG_SHIP_ROOT: join(directory, 'logs') },
      stopAfter: (async () => void (await shipped))(),
      stdout: /"Payload":"a line","programname":"haproxy"/,
    };
  },
};
