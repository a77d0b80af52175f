import { type PostgresTarget, readPostgresTarget } from '../postgres/postgres-target.ts';
import type { CommandArguments } from './read-arguments.ts';

/** The database of --store; adds a problem, which does not repeat a password, if it is not one. */
export function readStore(given: CommandArguments): PostgresTarget | undefined {
  const text = given.value('store', { parse: (text) => text, instead: '' });
  if (text === undefined) return undefined;
  try {
    return readPostgresTarget(text);
  } catch (problem) {
    given.problems.push(`--store: ${(problem as Error).message}`);
    return undefined;
  }
}
