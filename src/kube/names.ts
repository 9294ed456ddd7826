/** Name rules of Kubernetes, in the words of the API server (RFC 1123). */
export const NAME_RULES = {
  /** Of a namespace or container. */
  label: {
    is: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    /** The first invalid character. */
    stray: /[^a-z0-9-]/,
    most: 63,
    has: "a-z, 0-9, '-'",
  },
  /** Of a Pod, a ServiceAccount and most other objects. */
  subdomain: {
    is: /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/,
    stray: /[^a-z0-9.-]/,
    most: 253,
    has: "a-z, 0-9, '-', '.'",
  },
} as const;
