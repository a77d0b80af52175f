export interface Visitor {
  readonly cookies: string;
  readonly host: string;
}
