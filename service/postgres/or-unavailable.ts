import { Refusal } from '../http/refusal.ts';
import { PostgresFailure } from './postgres-failure.ts';

/**
 * What was asked of a database for an answer. Rejects with a 503 while the database is lost: that was said when it was lost, and with each
 * request it would fill the log.
 */
export async function orUnavailable<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof PostgresFailure && failure.isLost) throw unavailable();
    throw failure;
  }
}

function unavailable(): Refusal {
  return new Refusal('unavailable', 'Positions are temporarily unavailable: try again later.');
}
