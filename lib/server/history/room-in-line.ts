import 'server-only';
import { ApiError } from '../http/api-error.ts';
import { RUNNING_MAX, WAITING_MAX } from '../ports/load-lines.ts';

/** @throws ApiError where so many loads of an operator are running or in line that there is no room for another */
export function requireRoomInLine(loads: number): void {
  if (loads < RUNNING_MAX + WAITING_MAX) return;
  throw new ApiError(
    'too_many_loads',
    `${RUNNING_MAX} of your loads are running and ${WAITING_MAX} wait in line: end one of them, or wait until one has ended.`,
  );
}
