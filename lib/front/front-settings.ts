/** The part of the configuration that the front needs. */
export interface FrontSettings {
  /** True where operators use https. */
  readonly tls: boolean;
  /** Whether the host's subdomains are reached by https alone as well. */
  readonly hstsSubdomains: boolean;
  readonly mapStyle: { readonly origins: readonly string[] } | undefined;
  /** Addresses, ranges, or `loopback`: whose word is taken for who sent a request. */
  readonly trustedProxies: readonly string[];
}
