/**
 * `node bench/bare-bulk.ts URL FILE INDEX`: sends the JSON documents of a file, one per line, in bulk requests as large
 * and as concurrent as those of kolla-log-ship, and does nothing else: this shows how much the server can take. Then it waits
 * to be stopped, so that its CPU time can be read.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

const REQUEST_BYTES = 960 * 1024;
const CONCURRENCY = 2;
const ID_DIGITS = 9;

const [, , url = '', file = '', index = ''] = process.argv;
const agent = new Agent({ keepAlive: true });
const bodies = bodiesOf(readFileSync(file, 'utf8').trimEnd().split('\n'));

await Promise.all(Array.from({ length: CONCURRENCY }, lane));
setInterval(() => {}, 2 ** 30);

function bodiesOf(documents: readonly string[]): Buffer[] {
  const made = [];
  let body = '';
  for (const [nth, document] of documents.entries()) {
    const id = `AZqH1yk2Zr${nth.toString(36).padStart(ID_DIGITS, '0')}`;
    body += `{"create":{"_index":"${index}","_id":"${id}"}}\n${document}\n`;
    if (body.length < REQUEST_BYTES && nth + 1 < documents.length) continue;
    made.push(Buffer.from(body));
    body = '';
  }
  return made;
}

async function lane(): Promise<void> {
  for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) await post(body);
}

async function post(body: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson', 'content-length': body.length };
  const path = `${url}/_bulk?filter_path=errors,items.*.status`;
  const sent = request(path, { method: 'POST', agent, headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const reply = await text(response);
  if (!reply.startsWith('{"errors":false')) throw new Error(`status ${response.statusCode}: ${reply.slice(0, 500)}`);
}
