/** What Kubernetes takes for a name. The API server says the same in its refusals (validation of RFC 1123 names). */
export const NAME_RULES = {
  /** Of a namespace, a container. */
  label: {
    is: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    /** The first character that no such name has. */
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
