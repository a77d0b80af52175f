import 'server-only';
import type { Migration } from './migration.ts';

/** Permits that expect a flight: since when positions are compared, the first that fits, and the decision after the end. */
export const expectedFlights: Migration = {
  name: '0013-expected-flights',
  statements: ({ text, integer }) => [
    `alter table permit add column flight_since_ms ${integer}`,
    `alter table permit add column received_ms ${integer}`,
    `alter table permit add column flight_due_ms ${integer}`,
    `alter table permit add column watched ${text}`,
    `create index permit_flight on permit (flight_due_ms)`,
  ],
};
