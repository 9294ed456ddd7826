import { once } from 'node:events';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { json } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { must } from '../../tools/process.ts';
import type { Login, Reply, SearchServer } from './search-server.ts';

export interface RequesterOptions {
  /**
   * Arguments that run a process in the server's network, which sends the requests; by default this process sends them.
   */
  readonly launcher?: readonly string[];
  readonly login?: Login;
}

/** Sends requests of tests to a server, as its administrator. A non-text body is sent as JSON. */
export function requester(url: string, { launcher = [], login }: RequesterOptions): SearchServer['request'] {
  return async (method, path, body) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return launcher.length === 0
      ? await ask(url + path, method, text, login)
      : await askThere(launcher, { url: url + path, method, body: text });
  };
}

async function ask(url: string, method: string, text?: string, login?: Login): Promise<Reply> {
  const auth = login === undefined ? {} : { auth: `${login.user}:${login.password}`, ca: login.ca };
  const headers = { 'content-type': 'application/json', ...(text && { 'content-length': Buffer.byteLength(text) }) };
  // Each request has its own connection, because a killed server leaves dead ones behind.
  const sent = (url.startsWith('https:') ? secure : plain)(url, { method, headers, agent: false, ...auth });
  sent.end(text);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode ?? 0, body: await json(reply) };
}

const FETCH = `
const { url, method, body } = JSON.parse(process.argv[1]);
const headers = { 'content-type': 'application/json' };
const reply = await fetch(url, { method, headers, body });
console.log(JSON.stringify({ status: reply.status, body: await reply.json() }));`;

async function askThere(launcher: readonly string[], input: object): Promise<Reply> {
  const [program = '', ...args] = launcher;
  const words = [...args, process.execPath, '--input-type=module', '-e', FETCH, JSON.stringify(input)];
  return JSON.parse(await must(program, words)) as Reply;
}
