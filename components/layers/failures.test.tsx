import { expect, test } from 'vitest';
import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

const SINCE = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
const UNTIL = upstreamInstant(Date.UTC(2026, 10, 21, 12, 6, 1));

/** A new reason without a text does not compile. */
const SENTENCES: Readonly<Record<FailureReason, string>> = {
  key_refused: 'key refused by the service since 12:04:31Z',
  layer_not_approved: 'this account has no live access to this layer',
  allowance_used_up: 'paused by the account’s allowance until 12:06:01Z',
  share_used_up:
    'your share of today’s requests for the past is used up; the rest is kept for other operators until 12:06:01Z',
  service_busy: 'service busy since 12:04:31Z',
  service_unreachable: 'no answer from the service since 12:04:31Z',
  service_timeout: 'no timely answer from the service since 12:04:31Z',
  answer_unreadable: 'unreadable answer from the service since 12:04:31Z',
  answer_too_large: 'oversized answer from the service since 12:04:31Z',
  request_rejected: 'defective request from Lookout, rejected by the service since 12:04:31Z',
  storage_failed: 'full or failing disk of Lookout’s server, so nothing is requested since 12:04:31Z',
  database_lost: 'the database of Lookout does not answer, so nothing is requested since 12:04:31Z',
  no_writer:
    'none of Lookout’s servers sends requests at present; another one takes over within seconds since 12:04:31Z',
  outside_lookback: 'outside the account’s history since 12:04:31Z',
};

async function showTraffic() {
  const page = await showPage();
  const { screen, receives } = page;
  await screen.findByTestId('chip-adsb');
  receives(recordsNow([{}, { longitude: 8.5 }]), { rid: {} });
  const state = (layer: 'rid' | 'adsb') => screen.getByTestId(`layer-state-${layer}`);
  const rows = () => document.querySelectorAll('tr[data-ref]').length;
  await expect.poll(() => state('adsb').textContent).toMatch(/^Aircraft: up to date, read \d+ s ago$/);
  await expect.poll(rows).toBe(2);
  return { ...page, state, rows };
}

test('each failure has its sentence; positions stay and age, an empty layer claims no empty sky, and both recover', async () => {
  const { receives, screen, state, rows } = await showTraffic();
  for (const [reason, sentence] of Object.entries(SENTENCES) as [FailureReason, string][]) {
    const common = { reason, failingSince: SINCE, until: UNTIL };
    const { withRecords, without } = FAILURES[reason].state;
    const read = { fetchedAt: addMs(upstreamInstant(Date.now()), -70_000) };
    receives([], { adsb: { ...common, ...read, state: withRecords }, rid: { ...common, state: without } });
    await expect
      .poll(() => state('adsb').textContent)
      .toMatch(new RegExp(`^Aircraft: ${sentence}, showing positions read 7\\d s ago$`));
    expect(state('rid').textContent).toBe(`Drones: ${sentence}, nothing to show`);
    for (const layer of ['adsb', 'rid'] as const)
      expect(state(layer).parentElement?.dataset.tone, reason).toMatch(/^(warning|bad)$/);
    expect([rows(), screen.getByTestId('count-adsb').textContent], reason).toEqual([2, '2']);
    expect(screen.queryByTestId('count-rid'), reason).toBeNull();
    expect(document.body.textContent, reason).not.toContain('No aircraft positions received');
    receives([], { rid: {} });
    await expect.poll(() => state('adsb').textContent).toMatch(/^Aircraft: up to date, read \d+ s ago$/);
    expect(state('rid').textContent, reason).toBe('No drone positions received in this view');
  }
});

test('a service that has not answered for a while is one red line over the map; a refresh that fails once is none', async () => {
  const { receives, screen, state } = await showTraffic();
  const line = () => screen.queryByTestId('layer-failures')?.textContent;
  const failing = (forMs: number) => ({
    state: 'stale' as const,
    reason: 'service_unreachable' as const,
    fetchedAt: addMs(upstreamInstant(Date.now()), -forMs),
    failingSince: addMs(upstreamInstant(Date.now()), -forMs),
  });
  receives([], { adsb: failing(2000), rid: {} });
  await expect.poll(() => state('adsb').textContent).toMatch(/no answer from the service since/);
  expect(line()).toBeUndefined();
  receives([], { adsb: failing(60_000), rid: { ...failing(60_000), state: 'failed' } });
  await expect.poll(line).toMatch(/^Aircraft: no answer from the service since [\d:]+Z, showing positions/);
  expect(line()).toMatch(/Drones: no answer from the service since [\d:]+Z, nothing to show\.$/);
  receives([], { adsb: { state: 'denied', reason: 'layer_not_approved', failingSince: SINCE }, rid: {} });
  await expect.poll(line).toBeUndefined();
});

test('one layer without access leaves the other one up to date', async () => {
  const { receives, state } = await showTraffic();
  receives([], { rid: { state: 'denied', reason: 'layer_not_approved' } });
  await expect.poll(() => state('rid').textContent).toMatch(/^Drones: this account has no live access to this layer/);
  expect(state('adsb').textContent).toMatch(/^Aircraft: up to date/);
});

test.each([
  ['an unreadable record', { unreadable: 1 }, '1 record unreadable'],
  ['pages that do not end', { partial: true, reason: 'pages_endless' }, 'incomplete: not every page was read'],
  ['pages that break off', { partial: true, reason: 'pages_interrupted' }, 'incomplete: not every page was read'],
] as const)(
  '%s: counted or called incomplete as long as it lasts, and the rest is up to date',
  async (_, broken, caveat) => {
    const { receives, state, rows } = await showTraffic();
    receives([], { adsb: broken, rid: {} });
    await expect
      .poll(() => state('adsb').textContent)
      .toMatch(new RegExp(`^Aircraft: up to date, read \\d+ s ago · ${caveat}$`));
    expect(state('rid').textContent).toBe('No drone positions received in this view');
    expect(rows()).toBe(2);
    receives([], { rid: {} });
    await expect.poll(() => state('adsb').textContent).toMatch(/^Aircraft: up to date, read \d+ s ago$/);
  },
);

test('a server that does not answer ages the positions, says so once, and recovers with its next answer', async () => {
  const { receives, lookout, screen, state, rows } = await showTraffic();
  lookout.feed.lose('unreachable');
  const notice = await screen.findByTestId('notice-unreachable');
  expect(notice.textContent).toMatch(/^Lookout’s own server does not answer\. Last update \d+ s ago\.$/);
  expect(state('adsb').textContent).toMatch(/^Aircraft: not refreshed, showing positions read \d+ s ago$/);
  expect(rows()).toBe(2);
  receives([], { rid: {} });
  await expect.poll(() => screen.queryByTestId('notice-unreachable')).toBeNull();
  expect(state('adsb').textContent).toMatch(/^Aircraft: up to date/);
});
