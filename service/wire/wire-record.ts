import type { Mode } from '#lib/contract/operation.ts';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { isLabel, RECEIVED_BY, type ReceivedBy } from '#lib/contract/wire-position.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import {
  type Observation,
  REPORTED_FIELDS,
  REPORTED_LABELS,
  REPORTED_NAMES,
  type ReportedName,
  ttlMs,
} from '../sources/observation.ts';

/**
 * Makes the API's record of an observation. Unreported values are null, but live ADS-B sends `unknown` for an emergency
 * state (Position: emergency_state).
 */
export function wireRecord(mode: Mode, reference: string, observation: Observation): WirePosition {
  const record: WirePosition = {
    public_track_id: reference,
    observed_at: formatInstant(observation.observedAt),
    longitude: observation.lon,
    latitude: observation.lat,
    track_kind: observation.layer === 'adsb' ? 'adsb_aircraft' : 'drone',
    simulated: observation.simulated,
    test_broadcast: observation.testBroadcast,
    ...reportedFields(observation),
  };
  const receivedBy = receivedByOf(observation);
  if (receivedBy !== undefined) record[RECEIVED_BY] = receivedBy;
  if (mode === 'live') {
    if (observation.layer === 'adsb') record.emergency_state ??= 'unknown';
    record.stale_after = formatInstant(addMs(observation.observedAt, ttlMs(observation.layer)));
  }
  return record;
}

function receivedByOf({ relayedBy, isElsewhereToo }: Observation): ReceivedBy | undefined {
  if (relayedBy !== undefined) return 'other';
  return isElsewhereToo ? 'both' : undefined;
}

type ReportedField = (typeof REPORTED_FIELDS)[ReportedName]['wire'];

function reportedFields(observation: Observation): Pick<WirePosition, ReportedField> {
  const fields: { [Field in ReportedField]?: Observation[ReportedName] } = {};
  for (const name of REPORTED_NAMES) fields[REPORTED_FIELDS[name].wire] = observation[name];
  // A past with other writers may have any text.
  for (const name of REPORTED_LABELS) {
    const label = observation[name];
    if (label !== null && !isLabel(label)) fields[REPORTED_FIELDS[name].wire] = null;
  }
  return fields as Pick<WirePosition, ReportedField>;
}
