import { SENT_AT } from '#lib/outputs/notice/notice.fixture.ts';
import type { Guard } from '../guard/guard.ts';
import type { DestinationZones } from '../zone-states/zone-states.ts';
import type { SenderDeps } from './sender.ts';

const NO_ZONES: DestinationZones = { read: async () => [], onChange: () => () => undefined };

export function destinationOf(guard: Guard, zones = NO_ZONES): SenderDeps {
  return {
    ...{ guard, source: 'lookout', now: () => SENT_AT, log: { warn: () => undefined, error: () => undefined } },
    ...{ destinationId: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d01', zones },
  };
}
