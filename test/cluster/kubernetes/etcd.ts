/** Injects faults into the etcd of a control plane, through its HTTP gateway. */
export interface Etcd {
  /** Address: `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly pid: number;
  /** Compacts all history, so that watches from an earlier version must restart. */
  compact(): Promise<void>;
}

export function etcdAt(url: string, pid: number): Etcd {
  const ask = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd: ${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  return {
    url,
    pid,
    compact: async () => {
      const key = Buffer.from('/').toString('base64');
      const { header } = (await ask('/v3/kv/range', { key })) as { header: { revision: string } };
      await ask('/v3/kv/compaction', { revision: header.revision, physical: true });
    },
  };
}
