import { freePort } from '../../../tools/port.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';
import type { Stages } from './stage.ts';

export const PROBE: Stages = {
  'kolla-probe tcp mariadb:3306': async (_, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    return { replace: { 'mariadb:3306': `127.0.0.1:${port}` } };
  },
  'kolla-probe tcp [::1]:11211 --timeout 300ms': async () => {
    const replace = { '[::1]:11211': `127.0.0.1:${await freePort()}` };
    return { replace, code: 1, stderr: /ECONNREFUSED/ };
  },
  'kolla-probe http http://127.0.0.1:5000/v3': async (_, stack) => {
    const { port } = stack.use(await listenHttp((_request, response) => void response.end()));
    return { replace: { '127.0.0.1:5000': `127.0.0.1:${port}` } };
  },
  'kolla-probe http http://127.0.0.1:9292/ --status 300': async (_, stack) => {
    const { port } = stack.use(await listenHttp((_request, response) => void response.writeHead(300).end()));
    return { replace: { '127.0.0.1:9292': `127.0.0.1:${port}` } };
  },
};
