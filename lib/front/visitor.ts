/** The headers of a request that tell who sent it. */
export interface Visitor {
  /** The header `Cookie`. */
  readonly cookies: string;
  readonly host: string;
}
