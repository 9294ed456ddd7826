/** Proves by trying that this machine can have a part. The reason why not, or undefined when it can. */
export type Capability = () => Promise<string | undefined>;
