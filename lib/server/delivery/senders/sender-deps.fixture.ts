import { SENT_AT } from '#lib/outputs/notice/notice.fixture.ts';
import type { Guard } from '../guard/guard.ts';
import type { SenderDeps } from './sender.ts';

export function destinationOf(guard: Guard): SenderDeps {
  return { guard, now: () => SENT_AT, log: { warn: () => undefined, error: () => undefined } };
}
