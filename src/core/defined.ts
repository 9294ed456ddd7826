type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The object without undefined values: `{ ...defined({ port }) }` has no key `port` if it is undefined. */
export function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}
