import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import { type StorageProblem, storageFailureText } from './storage-problem.ts';

/** As of a file, or `lost`: PostgreSQL cannot be reached, or refuses writes until a standby is promoted. */
export type DatabaseProblem = StorageProblem | 'lost';

const RETRY_AFTER_S = 5;

/**
 * The database failed. The message tells an administrator what to do. Nothing was changed, except that a change which fails as `lost` may
 * have been made.
 */
export class DatabaseFailure extends Error {
  readonly kind: DatabaseProblem;

  constructor(kind: DatabaseProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** For an operator whose request needs the database. */
export function databaseRefusal({ kind }: DatabaseFailure): ApiError {
  return kind === 'lost' ? lostRefusal() : new ApiError('storage_failed', storageFailureText(kind));
}

/** While the database cannot be reached. */
export function lostRefusal(): ApiError {
  return new ApiError(
    'database_lost',
    'Lookout’s database cannot be reached: changes and sign-in are not available. Try again in a few seconds.',
    RETRY_AFTER_S,
  );
}

/** @throws ApiError for a failure of the database */
export async function orRefuse<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof DatabaseFailure ? databaseRefusal(error) : error;
  }
}
