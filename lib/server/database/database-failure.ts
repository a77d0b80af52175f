import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import { type StorageProblem, storageFailureText } from './storage-problem.ts';

/** `lost`: PostgreSQL cannot be reached, or refuses writes until a standby is promoted. */
export type DatabaseProblem = StorageProblem | 'lost';

const RETRY_AFTER_S = 5;

/** The message tells an administrator what to do. Nothing was changed, except perhaps if `lost`. */
export class DatabaseFailure extends Error {
  readonly kind: DatabaseProblem;

  constructor(kind: DatabaseProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** A statement met other tables than those that the start found. */
export function misfitText(where: string, because: string): string {
  return `${where} has other tables than this Lookout needs (${because}). Its data was left as it is: start Lookout again, which compares them and says what to do.`;
}

export function databaseRefusal({ kind }: DatabaseFailure): ApiError {
  if (kind === 'lost') return lostRefusal();
  if (kind === 'in-use') return new ApiError('database_busy', storageFailureText(kind), RETRY_AFTER_S);
  return new ApiError('storage_failed', storageFailureText(kind));
}

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
