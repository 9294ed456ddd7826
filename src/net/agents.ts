import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from 'node:https';
import { Socket, type TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Address } from './dial/address.ts';
import { dial } from './dial/dial.ts';
import { dialProxy, dialThrough } from './proxy.ts';

/** Of a request, in addition to Node's options: the proxy through which it is sent. */
export interface ProxyOption {
  readonly proxy?: URL | undefined;
}

type Options = ClientRequestArgs & ProxyOption & Pick<TcpNetConnectOpts, 'keepAlive' | 'keepAliveInitialDelay'>;
interface Layers {
  /** Opens a connection through a proxy. */
  readonly through: (proxy: URL, to: Address, signal: AbortSignal) => Promise<Socket>;
  /** The connection that the agent gets, such as TLS on the socket. */
  readonly layer: (socket: Socket) => Duplex;
}
type Callback = (error: Error | null, stream: Duplex) => void;

/** Of an agent, in addition to Node's options: the timeout of the lookup and the connection. */
interface DialTimeout {
  readonly connectMs?: number;
}

const CONNECT_MS = 30_000;

/** Node's agent for http://, whose connections dial() opens. destroy() also ends the opening of connections. */
export class DialingHttpAgent extends HttpAgent {
  readonly #connectMs: number;

  constructor({ connectMs = CONNECT_MS, ...options }: AgentOptions & DialTimeout = {}) {
    super(options);
    this.#connectMs = connectMs;
  }

  override createConnection(options: ClientRequestArgs, callback: Callback): undefined {
    void open(this, options, this.#connectMs, callback, {
      // The request names its server itself.
      through: (proxy, _to, signal) => dialProxy(proxy, signal),
      layer: (socket) => socket,
    });
  }
}

/** The same for https://. */
export class DialingHttpsAgent extends HttpsAgent {
  readonly #connectMs: number;

  constructor({ connectMs = CONNECT_MS, ...options }: HttpsAgentOptions & DialTimeout = {}) {
    super(options);
    this.#connectMs = connectMs;
  }

  override createConnection(options: ClientRequestArgs, callback: Callback): undefined {
    const secure = (socket: Socket) => super.createConnection({ ...options, socket } as ClientRequestArgs)!;
    void open(this, options, this.#connectMs, callback, { through: dialThrough, layer: secure });
  }
}

/** Never rejects. */
async function open(
  agent: HttpAgent,
  options: Options,
  connectMs: number,
  onStream: Callback,
  { through, layer }: Layers,
): Promise<void> {
  const { host, port, proxy, keepAlive, keepAliveInitialDelay } = options;
  const over = new AbortController();
  const late = setTimeout(() => over.abort(new Error(`no connection in ${connectMs / 1000} s`)), connectMs);
  // Stands for the connection meanwhile: it counts among maxSockets, and the agent's destroy() closes it.
  const place = new Socket().once('close', () => over.abort(new Error('the agent is closed')));
  const places = ((agent.sockets as Record<string, Socket[]>)[agent.getName(options)] ??= []);
  places.push(place);
  let stream: Duplex = new Socket();
  let failure: unknown;
  try {
    const to = { host: host ?? 'localhost', port: Number(port) };
    const socket = await (proxy === undefined ? dial(to, over.signal) : through(proxy, to, over.signal));
    // Keepalive is set here, because TLS on an open connection does not pass it on.
    stream = socket.setNoDelay(true).setKeepAlive(keepAlive, keepAliveInitialDelay);
    stream = layer(socket);
  } catch (error) {
    failure = error;
  }
  clearTimeout(late);
  places.splice(places.indexOf(place), 1);
  // A failure is that of a connection: for an error in place of one, the agent would not serve the requests in its queue.
  onStream(null, stream);
  if (failure !== undefined) stream.destroy(failure as Error);
}
