// The doctor: one check for each thing that an administrator can put right. The command, whether Lookout runs or not, and
// the page of admins share the checks. A check changes nothing, names no secret, and takes a bounded time.
import 'server-only';
import { DOCTOR_CHECKS, type DoctorCheck, type Finding } from '#lib/api/operation/doctor-answer.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../machine.ts';

/** A finding of a check, which names it. */
export type Said = Omit<Finding, 'check'>;
export type Checks = Partial<Record<DoctorCheck, () => readonly Said[] | Promise<readonly Said[]>>>;

/** Longer than each wait within a check. */
const CHECK_MS = 6 * SECOND_MS;

export function fine(found: string): Said {
  return { state: 'ok', found, remedy: null };
}

/** @param remedy one correction; `null` where `found` says what to do */
export function wrong(found: string, remedy: string | null = null): Said {
  return { state: 'wrong', found, remedy };
}

export function unknown(found: string, remedy: string | null = null): Said {
  return { state: 'unknown', found, remedy };
}

/** Runs the checks together. Never rejects: a check that fails or takes too long is `unknown`. */
export async function examine(checks: Checks, defect: (error: unknown) => void): Promise<readonly Finding[]> {
  const found = DOCTOR_CHECKS.map(async (check) => {
    const run = checks[check];
    if (!run) return [];
    const examined = Promise.resolve()
      .then(run)
      .catch((error: unknown) => {
        defect(error);
        return [unknown('This could not be examined: the check itself failed', 'Report it with the line in the log.')];
      });
    const said = (await withinMs(examined, CHECK_MS)) ?? [unknown(`This took longer than ${CHECK_MS / SECOND_MS} s`)];
    return said.map((each) => ({ check, ...each }));
  });
  return (await Promise.all(found)).flat();
}
