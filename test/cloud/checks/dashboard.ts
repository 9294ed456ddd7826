import assert from 'node:assert/strict';
import { startBrowser } from '../../integration/browser.ts';
import type { Account } from '../client.ts';
import { temporaryServer, type World } from '../operations/operation.ts';

const HORIZON_PORT = 8080;

/** A user logs in to Horizon with a browser, and finds the server in the list. */
export async function assertDashboard(world: World, admin: Account): Promise<string> {
  await using server = await temporaryServer(world, 'in-the-dashboard');
  await using browser = await startBrowser();
  const url = `http://127.0.0.1:${await world.stage.reach('horizon', HORIZON_PORT)}`;
  const page = await browser.open(`${url}/auth/login/`);
  await page.fill('#id_username', admin['OS_USERNAME'] ?? '');
  await page.fill('#id_password', admin['OS_PASSWORD'] ?? '');
  await Promise.all([page.waitForURL((to) => !to.pathname.startsWith('/auth/')), page.click('#loginBtn')]);
  await page.goto(`${url}/project/instances/`);
  const row = page.locator(`[data-object-id="${server.id}"]`);
  await row.waitFor();
  assert.match(await row.innerText(), /in-the-dashboard[^]*Active/);
  return 'the server is listed as Active';
}
