import type { Destination } from './destinations.ts';

/** A webhook that has nothing to send and no problem. */
export function destinationOf(changed: Partial<Destination> = {}): Destination {
  return {
    id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d01',
    revision: 1,
    name: 'Control room',
    is_on: true,
    secrets: 1,
    config: { kind: 'webhook', url: 'https://hooks.example/lookout' },
    units: 'metric',
    time_zone: 'UTC',
    announces: ['opened'],
    all_alarms: false,
    own_receivers: false,
    group_s: 0,
    notices_an_hour: null,
    switched_off: null,
    problem: null,
    last_arrived_at: null,
    next_try_at: null,
    waiting: 0,
    waiting_since: null,
    given_up: 0,
    ...changed,
  };
}
