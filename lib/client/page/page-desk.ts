import * as z from 'zod/mini';
import { liveAddress } from '#lib/api/address-state.ts';
import { parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { AlarmSound } from '../alarms/alarm-sound.ts';
import { localStore, sessionStore } from '../browser/storage.ts';
import { browserNow, ServerClock } from '../live/server-clock.ts';
import { ValueStore } from '../value-store.ts';
import { addressOfAlarms, type Desk } from './desk.tsx';
import { StoredPreferences } from './preferences.ts';

/**
 * The desk of a page without the map.
 * @param asOf the service's time when the page was rendered
 */
export function makePageDesk(
  operator: string | undefined,
  asOf: string,
): { readonly desk: Desk; readonly start: () => () => void } {
  const clock = new ServerClock({ monotonicMs: () => performance.now(), wallNow: browserNow });
  const at = parseInstant(asOf);
  if (at !== undefined) clock.sync(at, sinceAnswerMs());
  const now = new ValueStore<UpstreamInstant | undefined>(clock.now());
  const preferences = new StoredPreferences({ local: localStore, session: sessionStore }, operator);
  const desk: Desk = {
    preferences,
    sound: new AlarmSound(window),
    now,
    presumedNow: () => clock.presumedNow(),
    openAlarms: () => window.location.assign(addressOfAlarms(liveAddress(lastMapAddress().slice(1)))),
  };
  const start = () => {
    const stop = preferences.store(window);
    const ticking = setInterval(() => now.set(clock.now()), SECOND_MS);
    return () => {
      clearInterval(ticking);
      stop();
    };
  };
  return { desk, start };
}

/** The time since the server's answer arrived, in which the page was loaded. */
function sinceAnswerMs(): number {
  const [navigation] = performance.getEntriesByType('navigation');
  if (!navigation || !('responseStart' in navigation)) return 0;
  return Math.max(0, performance.now() - Number(navigation.responseStart));
}

const MAP_ADDRESS_KEY = 'lookout.map-address';

/** Keeps what the map of this window shows, for the way back. */
export function keepMapAddress(): void {
  sessionStore.write(MAP_ADDRESS_KEY, window.location.search);
}

/** The map as it was shown last in this window. */
export function lastMapAddress(): string {
  return `/${sessionStore.read(MAP_ADDRESS_KEY, z.string().check(z.startsWith('?'))) ?? ''}`;
}
