/** Kubernetes' rules for names (RFC 1123), worded as by the API server. */
export const NAME_RULES = {
  /** The rule for namespaces and containers. */
  label: {
    is: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    /** The first invalid character. */
    stray: /[^a-z0-9-]/,
    most: 63,
    has: "a-z, 0-9, '-'",
  },
  /** The rule for Pods, ServiceAccounts and most other objects. */
  subdomain: {
    is: /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/,
    stray: /[^a-z0-9.-]/,
    most: 253,
    has: "a-z, 0-9, '-', '.'",
  },
} as const;
