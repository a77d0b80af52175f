import 'server-only';
/**
 * - `filling`: the target of a move that has not ended: its other tables are as new.
 * - `filled`: the target of one that has ended.
 * - `moved`: the source of one, whose copy has replaced it.
 */
export type MoveState = 'filling' | 'filled' | 'moved';

export interface MoveTables {
  /** At most one row: the latest move from here or to here. */
  readonly move: {
    readonly id: 1;
    /** The same at the source and the target. */
    readonly move: string;
    readonly state: MoveState;
    /** The other database, without its password. */
    readonly other: string;
    /** By the clock of the machine that ran the command. */
    readonly at_ms: number;
  };
}
