import 'server-only';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Incident, IncidentAnswer, IncidentEntry, OneIncident } from '#lib/api/watching/incidents.ts';

/** The material of the documents of a sealed file. */
export interface SealedMaterial {
  readonly incident: Incident;
  readonly sealed: { readonly by: string; readonly atMs: number };
  readonly notes: readonly IncidentEntry[];
  readonly answer: IncidentAnswer;
  readonly alarms: readonly Alarm[];
  /** Added by hand, with remarks. */
  readonly pins: Pick<OneIncident, 'added' | 'tracks'>;
  /** As in `watched.csv`, without its header. */
  readonly watched: readonly (readonly string[])[];
  readonly publicPem: string;
  /** The rows of `positions.csv`, a piece at a time. */
  readonly positions: () => AsyncIterable<Uint8Array>;
}
