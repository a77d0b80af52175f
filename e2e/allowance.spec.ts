import type { APIRequestContext } from '@playwright/test';
import type { LiveAnswer } from '#lib/api/live-answer.ts';
import { type Bbox, bboxCovers, formatBbox } from '#lib/geo/bbox.ts';
import { cookieOf } from './driver/api-answers.ts';
import { expect, test } from './lookout-test.ts';
import type { OperatorAccount } from './running/operators.ts';

const MINUTE = 120;
const POLLS = 150;

const BOBS_VIEW: Bbox = { west: 5, south: 45, east: 11, north: 48 };

/** No request covers two of them. */
function placeOf(index: number): string {
  const [west, south] = [-178 + (index % 11) * 31, -72 + Math.floor(index / 11) * 9];
  return [west, south, west + 1, south + 1].join(',');
}

test('One operator’s 150 new places at once spend a part of the minute, and the others are served at once', async ({
  playwright,
  startOwn,
}) => {
  const lookout = await startOwn({
    operators: ['alice', 'bob'],
    service: { options: ['--allowance', `${MINUTE},20000`] },
  });
  // Signing in ends the browser's earlier session.
  const browserOf = async (index: number) => {
    const browser = await playwright.request.newContext();
    await cookieOf(browser, lookout, lookout.operators[index] as OperatorAccount);
    return browser;
  };
  const [alice, bob] = [await browserOf(0), await browserOf(1)];
  const poll = async (browser: APIRequestContext, page: string, bbox: string) => {
    const answer = await browser.get(`${lookout.url}/api/live?bbox=${bbox}&page=${page}`);
    expect(answer.status()).toBe(200);
    return (await answer.json()) as LiveAnswer;
  };

  const answers: LiveAnswer[] = [];
  for (let from = 0; from < POLLS; from += 10) {
    const ten = Array.from({ length: 10 }, (_, index) => poll(alice, `page-${from + index}`, placeOf(from + index)));
    answers.push(...(await Promise.all(ten)));
  }
  // Half of the minute beyond its reserve, and what is worked off meanwhile.
  expect((await lookout.service.requests()).length).toBeLessThan(MINUTE / 2);

  const waiting = answers.flatMap(({ layers: { adsb } }) => (adsb?.reason === 'waits_its_turn' ? [adsb] : []));
  expect(waiting.length).toBeGreaterThan(POLLS / 2);
  const began = Date.parse(answers[0]?.as_of ?? '');
  for (const { state, until, records } of waiting) {
    expect([state, records]).toEqual(['waiting', []]);
    expect(Date.parse(until ?? '')).toBeGreaterThan(began);
  }

  await lookout.service.forgetRequests();
  const boxesAsked = async () => (await lookout.service.requests()).map(({ query }) => bboxOf(query));
  const pollOfBob = async () => {
    const { layers } = await poll(bob, 'map', formatBbox(BOBS_VIEW));
    return [layers.rid?.state, layers.adsb?.state, (layers.adsb?.records.length ?? 0) > 0];
  };
  await expect.poll(pollOfBob).toEqual(['fresh', 'fresh', true]);
  // Alice's requests that ran before, and their successors.
  const [, second] = (await boxesAsked()).flatMap((box, index) => (coversBob(box) ? [index] : []));
  expect(second).toBeLessThan(10);

  const { layers: shared } = await poll(alice, 'map', '6,46,10,47');
  expect(shared.adsb).toMatchObject({ state: 'fresh', reason: null });
  expect(await boxesAsked()).not.toContain('6,46,10,47');
  for (const browser of [alice, bob]) await browser.dispose();
});

/** One request may cover a place of Alice's as well. */
function coversBob(bbox: string | null): boolean {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = (bbox ?? '')
    .split(',')
    .map(Number);
  return bboxCovers({ west, south, east, north }, BOBS_VIEW);
}

function bboxOf(query: string): string | null {
  return new URLSearchParams(query).get('bbox');
}
