import 'server-only';
import { ApiError } from '../http/api-error.ts';
import { SharedStoreFailure } from './shared-store-failure.ts';

/** After so long it is back, if it is back at all. */
const RETRY_AFTER_S = 5;

/** For the person who cannot be served until the servers' shared store answers again. */
function sharedStoreRefusal(): ApiError {
  return new ApiError(
    'shared_store_failed',
    'The servers’ shared store does not answer, so nobody can sign in or out or change anything. Try again in a few seconds.',
    RETRY_AFTER_S,
  );
}

/** @throws ApiError for a failure of the shared store */
export async function orRefuse<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof SharedStoreFailure ? sharedStoreRefusal() : error;
  }
}
