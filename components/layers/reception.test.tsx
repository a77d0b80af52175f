import { expect, test } from 'vitest';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

const SINCE = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
const LOST = { state: 'lost', since: SINCE, receivers: 3, receiving: 0 } as const;
const PARTLY = { state: 'partly', since: SINCE, receivers: 3, receiving: 2 } as const;

async function shownStates() {
  const page = await showPage();
  const { screen } = page;
  const chip = await screen.findByTestId('chip-adsb');
  return {
    ...page,
    chip: () => chip.textContent,
    drones: () => screen.getByTestId('chip-rid').textContent,
    sentence: (layer: 'rid' | 'adsb') => screen.getByTestId(`layer-state-${layer}`),
  };
}

test('lost receivers are a failure in chip and notice, without a count of 0', async () => {
  const { receives, chip, sentence, screen } = await shownStates();
  receives([], { adsb: { state: 'failed', reason: 'receivers_lost', failingSince: SINCE, reception: LOST } });
  await expect.poll(chip).toBe('AircraftAircraftno receiver');
  expect(screen.queryByTestId('count-adsb')).toBeNull();
  expect(sentence('adsb').textContent).toBe('Aircraft: no receiver since 12:04:31Z, nothing to show');
  expect(sentence('adsb').parentElement?.dataset.tone).toBe('bad');
  expect(document.body.textContent).not.toContain('No aircraft positions received');
});

test('positions stay with their count while the receivers are lost', async () => {
  const { receives, chip, sentence } = await shownStates();
  const lost = { state: 'stale', reason: 'receivers_lost', failingSince: SINCE, reception: LOST } as const;
  receives(recordsNow([{}, { longitude: 8.5 }]), { adsb: lost });
  await expect.poll(chip).toBe('AircraftAircraftno receiver22');
  expect(sentence('adsb').textContent).toBe('Aircraft: no receiver since 12:04:31Z, showing the last positions');
  receives([], { adsb: { reception: { ...LOST, state: 'ok', receiving: 3 } } });
  await expect.poll(() => sentence('adsb').textContent).toMatch(/^Aircraft: up to date/);
});

test('one of three receivers is a warning, with the count in words', async () => {
  const { receives, chip, sentence } = await shownStates();
  receives(recordsNow([{}]), { adsb: { reason: 'receivers_partly', partial: true, reception: PARTLY } });
  await expect.poll(chip).toBe('AircraftAircraft1 of 3 down11');
  expect(sentence('adsb').textContent).toMatch(/ · incomplete: one of three receivers is down since 12:04:31Z$/);
  expect(sentence('adsb').parentElement?.dataset.tone).toBe('warning');
});

test('a layer without any receiver is neutral, in the map, the table and the nearest drones', async () => {
  const { receives, drones, sentence, screen, lookout } = await shownStates();
  const none = { state: 'none', since: undefined, receivers: 0, receiving: 0 } as const;
  lookout.myPosition.state.set({ kind: 'known', lon: 8.4, lat: 46.9, accuracyM: 5, at: localInstant(Date.now()) });
  receives([], { rid: { state: 'unequipped', reason: 'not_equipped', reception: none } });
  await expect.poll(drones).toBe('DronesDronesno receiver');
  expect(sentence('rid').textContent).toBe('No drone receiver');
  expect(sentence('rid').parentElement?.dataset.tone).toBe('neutral');
  const strip = await screen.findByTestId('my-position');
  await expect.poll(() => strip.textContent).toContain('No drone receiver.');
  expect(document.body.textContent).not.toMatch(/No drone (is|positions) received/);
});
