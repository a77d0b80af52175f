import 'server-only';

export interface ReadAccessTables {
  readonly read_token: {
    readonly id: string;
    readonly digest: string;
    readonly name: string;
    /** Separated by commas. */
    readonly scopes: string;
    /** `W,S,E,N` */
    readonly area: string | null;
    readonly altitude_as: string | null;
    readonly made_ms: number;
    readonly made_by: string;
    readonly ends_ms: number | null;
    readonly used_ms: number | null;
  };
}
