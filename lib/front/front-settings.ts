export interface FrontSettings {
  readonly tls: boolean;
  /** Subdomains use https alone, too. */
  readonly hstsSubdomains: boolean;
  readonly mapStyle: { readonly origins: readonly string[] } | undefined;
  readonly trustedProxies: readonly string[];
}
