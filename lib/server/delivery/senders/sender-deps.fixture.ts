import { SENT_AT } from '#lib/outputs/notice.fixture.ts';
import { AreaReads } from '../../live/area-reads.ts';
import type { Guard } from '../guard.ts';
import type { DestinationZones } from '../zone-states.ts';
import type { SenderDeps } from './sender.ts';

const NO_ZONES: DestinationZones = { read: async () => [], onChange: () => () => undefined };

export function depsOf(guard: Guard, zones = NO_ZONES, publicOrigin?: string): SenderDeps {
  return {
    guard,
    publicOrigin,
    now: () => SENT_AT,
    log: { warn: () => undefined, error: () => undefined },
    zones: { of: () => zones },
    reads: new AreaReads(),
    vapid: async () => ({ publicKey: '', privateKey: '' }),
  };
}
