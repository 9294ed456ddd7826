/**
 * What costs much to load, and what a run that doesn't touch it need not pay. Others are in node's snapshot; `stream` is a
 * class, which is extended.
 */
const COSTLY = new Set(
  'child_process crypto dns fs/promises http http2 https net readline sqlite stream/consumers stream/promises stream/web timers/promises tls tty v8 worker_threads zlib'
    .split(' ')
    .flatMap((name) => [name, `node:${name}`]),
);

/**
 * A bundle asks for its builtins in its first lines; this gives it a stand-in for a costly one, which loads it when it is
 * first looked into. To look into it at once, as some libraries do, is as good as ever.
 * @param load gives node's own module
 */
export function lazyBuiltin(id: string, load: (id: string) => unknown): unknown {
  if (!COSTLY.has(id)) return load(id);
  let loaded: object | undefined;
  const real = () => (loaded ??= load(id) as object);
  return new Proxy(Object.create(null) as object, {
    get: (_, key) => Reflect.get(real(), key) as unknown,
    set: (_, key, value) => Reflect.set(real(), key, value),
    has: (_, key) => Reflect.has(real(), key),
    ownKeys: () => Reflect.ownKeys(real()),
    // All are called configurable: a proxy may not tell of others that its own target lacks.
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(real(), key);
      return found && { ...found, configurable: true };
    },
  });
}
