import { afterEach, expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { ApiClient } from '#testing/api-client.ts';
import { eventually } from '#testing/eventually.ts';
import { type LookoutHere, type LookoutHereSetting, startLookoutHere } from '#testing/lookout-here.ts';
import { fetchAs } from '#testing/page-at-lookout.ts';
import { showPage } from '#testing/shown-page.tsx';

const DAY = 200_000;

let lookout: LookoutHere;
afterEach(() => lookout.stop());

async function showAllowance(setting: LookoutHereSetting = {}) {
  const service = { options: ['--tracks', '60,20', '--allowance', `600,${DAY}`] };
  lookout = await startLookoutHere({ service, ...setting });
  const client = new ApiClient(lookout);
  const live = async () => (await client.ask('GET', '/api/live?bbox=7,46,10,48&page=map')).json().layers;
  const page = await showPage({ others: fetchAs(client) });
  const { screen, user } = page;
  page.receives([]);
  await user.click(screen.getByRole('tab', { name: 'Allowance' }));
  const text = (id: string) => screen.queryByTestId(id)?.textContent ?? '';
  return {
    live,
    text,
    receives: page.receives,
    problems: () => screen.queryByRole('list', { name: 'Access problems' })?.textContent ?? '',
    canCheck: () => screen.queryByRole('button', { name: /check again now/i }) !== null,
    leftToday: () => Number(/^[\d\s]+/.exec(text('allowance-day-left'))?.[0].replace(/\s/g, '') || Number.NaN),
    clicks: (name: RegExp) => user.click(screen.getByRole('button', { name })),
    /** Reads live positions as a map does, and the status as a visible page does. */
    watchesUntil: (check: () => unknown) =>
      eventually(async () => {
        await live();
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
        await check();
      }),
  };
}

test('The allowance tab shows what the service counted', async () => {
  const { watchesUntil, text, leftToday } = await showAllowance();
  await watchesUntil(() => expect(text('area-adsb')).toMatch(/1 viewer · 1 request per refresh · every 1 s/));
  await watchesUntil(() => expect(text('area-adsb')).toMatch(/read \d s ago · not yet due: in 1 s/));
  await watchesUntil(() => expect(text('allowance-minute-left')).toMatch(/^\d+ of \d+ left$/));
  const before = leftToday();
  expect(before).toBeLessThan(DAY);
  expect(before).toBeGreaterThanOrEqual(DAY - lookout.service.requests().length - 1);
  await watchesUntil(() => expect(leftToday()).toBeLessThan(before));
});

test('A layer without access is checked again when the operator asks for it, and not twice in a minute', async () => {
  const { watchesUntil, text, canCheck, clicks } = await showAllowance();
  lookout.service.breakWith({ kind: 'status', status: 403, operation: 'live_rid' });
  await watchesUntil(() => expect(canCheck()).toBe(true));
  const requests = () => lookout.service.requestsFor('live_rid').length;
  expect(requests()).toBe(1);
  await clicks(/check again now/i);
  await eventually(() => expect(text('recheck-rid')).toMatch(/^Check requested at/));
  await watchesUntil(() => expect(requests()).toBe(2));
  // While it is checked, it is not listed.
  await watchesUntil(() => expect(canCheck()).toBe(true));
  await clicks(/check again now/i);
  await eventually(() => expect(text('recheck-rid')).toMatch(/again at \d\d:\d\d:\d\dZ/));
  await watchesUntil(() => expect(requests()).toBe(2));
});

test('A day that a header calls used up is the layer’s reason, and is checked when an admin asks for it', async () => {
  const { watchesUntil, live, problems, clicks, receives, text } = await showAllowance({ staysInDay: true });
  lookout.service.breakWith({ kind: 'allowance', per_day: '0' });
  await watchesUntil(() => expect(problems()).toContain('today’s allowance is used up'));
  await eventually(async () => {
    const { rid, adsb } = await live();
    // Both: no request is under way, whose header could call the day used up after the check.
    for (const { state, reason } of [rid, adsb])
      expect({ state, reason }).toEqual({ state: 'limited', reason: 'allowance_used_up' });
    const { state, reason, until } = adsb;
    receives([], { adsb: { state, reason, until: upstreamInstant(Date.parse(until)) } });
  });
  await eventually(() =>
    expect(text('layer-state-adsb')).toMatch(/^Aircraft: paused by the account’s allowance until/),
  );
  lookout.service.mend();
  const requests = () => lookout.service.requests().length;
  const before = requests();
  for (let poll = 0; poll < 3; poll++) await live();
  expect(requests()).toBe(before);
  await clicks(/check again now ?: all layers/i);
  await watchesUntil(() => expect(requests()).toBeGreaterThan(before));
  await watchesUntil(async () => {
    const { adsb } = await live();
    expect({ state: adsb.state, reason: adsb.reason }).toEqual({ state: 'fresh', reason: null });
    expect(problems()).not.toContain('used up');
  });
});
