/**
 * Builtins that are expensive to load and not used by every run. Others are in node's snapshot; `stream` is a class that
 * is extended.
 */
const COSTLY = new Set(
  'child_process crypto dns fs/promises http http2 https net readline sqlite stream/consumers stream/promises stream/web timers/promises tls tty v8 worker_threads zlib'
    .split(' ')
    .flatMap((name) => [name, `node:${name}`]),
);

/**
 * A bundle requires its builtins in its first lines; for an expensive one this returns a proxy that loads it on first
 * access. Libraries that access it immediately work as before.
 * @param load returns node's own module
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
    // All are reported as configurable: a proxy may not report others that its target lacks.
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(real(), key);
      return found && { ...found, configurable: true };
    },
  });
}
