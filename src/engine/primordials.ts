/* eslint-disable typescript/unbound-method -- each is given its `this` here */
/**
 * The primordials used by @pkgjs/parseargs. Its own copy wraps every method of the engine, which takes longer than the
 * rest of the start.
 */
const { apply, call } = Function.prototype;
type Method = (this: never, ...given: never[]) => unknown;
const uncurried = (method: Method): unknown => call.bind(method);
const applied = (method: Method): unknown => apply.bind(method);

export const ArrayIsArray = Array.isArray;
export const ArrayPrototypeFind = uncurried(Array.prototype.find);
export const ArrayPrototypeForEach = uncurried(Array.prototype.forEach);
export const ArrayPrototypeIncludes = uncurried(Array.prototype.includes);
export const ArrayPrototypeJoin = uncurried(Array.prototype.join);
export const ArrayPrototypeMap = uncurried(Array.prototype.map);
export const ArrayPrototypePush = uncurried(Array.prototype.push);
export const ArrayPrototypePushApply = applied(Array.prototype.push);
export const ArrayPrototypeShift = uncurried(Array.prototype.shift);
export const ArrayPrototypeSlice = uncurried(Array.prototype.slice);
export const ArrayPrototypeUnshiftApply = applied(Array.prototype.unshift);
export const ObjectCreate = Object.create;
export const ObjectEntries = Object.entries;
export const ObjectFreeze = Object.freeze;
export const ObjectPrototypeHasOwnProperty = uncurried(Object.prototype.hasOwnProperty);
export const StringPrototypeCharAt = uncurried(String.prototype.charAt);
export const StringPrototypeIncludes = uncurried(String.prototype.includes);
export const StringPrototypeIndexOf = uncurried(String.prototype.indexOf);
export const StringPrototypeSlice = uncurried(String.prototype.slice);
export const StringPrototypeStartsWith = uncurried(String.prototype.startsWith);
