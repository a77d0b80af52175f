import 'server-only';
import { type Kysely, sql } from 'kysely';
import { DatabaseFailure } from '../database-failure.ts';
import type { MakesTables } from './table-form.ts';

export function moveCommand(args: string): string {
  return `npm run move -- ${args}`;
}

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

export const makesMoveTables: MakesTables = ({ text, integer, end }) => [
  `create table move (
    id ${integer} primary key,
    move ${text} not null,
    state ${text} not null,
    other ${text} not null,
    at_ms ${integer} not null
  ) ${end}`,
];

/** @returns why Lookout must not use this database, and what to run */
export function moveProblem(
  where: string,
  { state, other, at_ms }: Omit<MoveTables['move'], 'id' | 'move'>,
): string | undefined {
  if (state === 'filling')
    return `${where} is half moved: the move from ${other} has not ended, and nothing of it is here. Run it again to its end (${moveCommand('--to …')}, with the settings of ${other}). To give it up, run ${moveCommand('--undo')} with the settings of ${where}.`;
  if (state === 'moved')
    return `${where} was moved to ${other} at ${new Date(at_ms).toISOString()}: this is the old copy, which would send its alarms and spend its account a second time. Use the settings of ${other}. If that copy is given up and never starts again, run ${moveCommand('--undo')} with the settings of ${where}: everything since the move is lost then.`;
  return undefined;
}

/** @throws DatabaseFailure */
export async function requireUnmoved<Tables>(query: Kysely<Tables>, where: string): Promise<void> {
  const { rows } = await sql<MoveTables['move']>`select state, other, at_ms from move`.execute(query);
  const problem = rows[0] && moveProblem(where, rows[0]);
  if (problem !== undefined) throw new DatabaseFailure('denied', problem);
}
