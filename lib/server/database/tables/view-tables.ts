import 'server-only';

/** `owner` is an operator's id, and '' without sign-in. */
export interface ViewTables {
  readonly view: {
    readonly id: string;
    readonly owner: string;
    readonly name: string;
    readonly query: string;
    readonly shared: 0 | 1;
    readonly owner_name: string;
  };
  readonly start_view: { readonly owner: string; readonly view_id: string };
  readonly overlay: {
    readonly id: string;
    readonly owner: string;
    readonly name: string;
    readonly shared: 0 | 1;
    readonly owner_name: string;
    readonly packed: string;
  };
}
