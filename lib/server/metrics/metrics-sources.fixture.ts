import { destinationOf } from '#lib/api/outputs/destination.fixture.ts';
import type { Destination } from '#lib/api/outputs/destinations.ts';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import { localInstant } from '#lib/time/instant.ts';
import { patientSupervisor } from '../supervision/supervisor.fixture.ts';
import type { MetricsSources } from './metrics.ts';

const window = { remaining: null, reserved: 0, size: null, resets_at: '2026-11-22T12:01:00Z' };
export const LAYER_STATUS = { state: 'ok', reason: null, since: null, until: null, reception: null } as const;

export const STATUS: StatusAnswer = {
  as_of: '2026-11-22T12:00:30Z',
  has_allowance: true,
  minute: window,
  day: window,
  spent_today: 0,
  pace_per_minute: null,
  paused_until: null,
  used_up_until: null,
  key_refused: false,
  layers: { rid: LAYER_STATUS, adsb: LAYER_STATUS },
  viewers: 0,
  areas: [],
  servers: null,
};

/** The sources of one server without operators, zones and destinations, at `STATUS.as_of`. */
export function metricsSources(changed: Partial<MetricsSources> = {}): MetricsSources {
  return {
    status: { read: async () => STATUS },
    history: { loads: { running: 0, waiting: 0 } },
    kept: () => ({ past: 0, trails: 0 }),
    client: { waiting: { live: 0, history: 0 }, inFlight: 0 },
    sessions: undefined,
    machineClock: { steps: 0, lastStep: undefined },
    audit: { waiting: 0 },
    servers: undefined,
    database: { failure: undefined },
    supervisor: patientSupervisor(),
    operators: () => null,
    watched: async () => [],
    destinations: async () => [],
    lastBackup: () => undefined,
    receivers: undefined,
    wallNow: () => localInstant(Date.parse(STATUS.as_of)),
    ...changed,
  };
}

export function destination(name: string, changed: Partial<Destination> = {}): Destination {
  const config = { kind: 'webhook', url: 'https://hooks.example/secret-path' } as const;
  return destinationOf({ id: crypto.randomUUID(), name, config, ...changed });
}
