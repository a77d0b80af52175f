import { localInstant } from '#lib/time/instant.ts';
import { Supervisor } from './supervisor.ts';

/** Throws a defect, so that a test fails with it. */
export function strictSupervisor(): Supervisor {
  const log = {
    warn: () => undefined,
    error(details: { readonly reason: string }) {
      if (details.reason === 'defect') throw new Error('a part of the server failed', { cause: details });
    },
  };
  return new Supervisor({ now: () => localInstant(Date.now()), log });
}

/** Keeps what fails. */
export function patientSupervisor(now = () => localInstant(Date.now())): Supervisor {
  return new Supervisor({ now, log: { warn: () => undefined, error: () => undefined } });
}
