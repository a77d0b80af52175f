import 'server-only';
import { type Kysely, sql } from 'kysely';
import { commandText } from '#lib/commands/command-text.ts';
import { DatabaseFailure } from './database-failure.ts';
import { moves } from './migrations/0006-moves.ts';
import { madeMigrations } from './schema.ts';
import type { MoveTables } from './tables/move-tables.ts';

/** @returns why Lookout must not use this database, and what to run */
export function moveProblem(
  where: string,
  { state, other, at_ms }: Pick<MoveTables['move'], 'state' | 'other' | 'at_ms'>,
): string | undefined {
  if (state === 'filling')
    return `${where} is half moved: the move from ${other} has not ended, and nothing of it is here. Run it again (${commandText('move', '--to …')}) with the settings of ${other}. To give it up, run ${commandText('move', '--undo')} with the settings of ${where}.`;
  if (state === 'moved')
    return `${where} was moved to ${other} at ${new Date(at_ms).toISOString()}: this is the old copy, which would send its alarms and spend its account a second time. Use the settings of ${other}. If that copy is given up and never starts again, run ${commandText('move', '--undo')} with the settings of ${where}: everything since the move is lost then.`;
  return undefined;
}

/** @throws DatabaseFailure */
export async function requireUnmoved(query: Kysely<unknown>, where: string): Promise<void> {
  if (!(await madeMigrations(query)).includes(moves.name)) return;
  const { rows } = await sql<MoveTables['move']>`select state, other, at_ms from move`.execute(query);
  const problem = rows[0] && moveProblem(where, rows[0]);
  if (problem !== undefined) throw new DatabaseFailure('denied', problem);
}
