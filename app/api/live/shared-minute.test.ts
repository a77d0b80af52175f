import { expect, onTestFinished, test } from 'vitest';
import type { LiveAnswer } from '#lib/api/live-answer.ts';
import { type Bbox, bboxCovers, formatBbox } from '#lib/geo/bbox.ts';
import { ask } from '#testing/api-requests.ts';
import { startLookoutHere } from '#testing/lookout-here.ts';

const MINUTE = 120;
const POLLS = 150;

const BOBS_VIEW: Bbox = { west: 5, south: 45, east: 11, north: 48 };

/** No request covers two of them. */
function placeOf(index: number): string {
  const [west, south] = [-178 + (index % 11) * 31, -72 + Math.floor(index / 11) * 9];
  return [west, south, west + 1, south + 1].join(',');
}

test('One operator’s 150 new places at once spend a part of the minute, and the others are served at once', async () => {
  const lookout = await startLookoutHere({
    operators: ['alice', 'bob'],
    service: { options: ['--allowance', `${MINUTE},20000`] },
  });
  onTestFinished(lookout.stop);
  const [alice, bob] = [await lookout.signIn('alice'), await lookout.signIn('bob')];
  const poll = async (cookie: string, page: string, bbox: string): Promise<LiveAnswer> => {
    const answer = await ask(`${lookout.url}/api/live?bbox=${bbox}&page=${page}`, { headers: { cookie } });
    expect(answer.status).toBe(200);
    return answer.json();
  };

  const answers: LiveAnswer[] = [];
  for (let from = 0; from < POLLS; from += 10) {
    const ten = Array.from({ length: 10 }, (_, index) => poll(alice, `page-${from + index}`, placeOf(from + index)));
    answers.push(...(await Promise.all(ten)));
  }
  // Half of the minute beyond its reserve, and what is worked off meanwhile.
  expect(lookout.service.requests().length).toBeLessThan(MINUTE / 2);

  const waiting = answers.flatMap(({ layers: { adsb } }) => (adsb?.reason === 'waits_its_turn' ? [adsb] : []));
  expect(waiting.length).toBeGreaterThan(POLLS / 2);
  const began = Date.parse(answers[0]?.as_of ?? '');
  for (const { state, until, records } of waiting) {
    expect([state, records]).toEqual(['waiting', []]);
    expect(Date.parse(until ?? '')).toBeGreaterThan(began);
  }

  lookout.service.forgetRequests();
  const boxesAsked = () => lookout.service.requests().map(({ query }) => new URLSearchParams(query).get('bbox'));
  const pollOfBob = async () => {
    const { layers } = await poll(bob, 'map', formatBbox(BOBS_VIEW));
    return [layers.rid?.state, layers.adsb?.state, (layers.adsb?.records.length ?? 0) > 0];
  };
  await expect.poll(pollOfBob).toEqual(['fresh', 'fresh', true]);
  // Alice's requests that ran before, and their successors.
  const [, second] = boxesAsked().flatMap((box, index) => (coversBob(box) ? [index] : []));
  expect(second).toBeLessThan(10);

  const { layers: shared } = await poll(alice, 'map', '6,46,10,47');
  expect(shared.adsb).toMatchObject({ state: 'fresh', reason: null });
  expect(boxesAsked()).not.toContain('6,46,10,47');
});

/** One request may cover a place of Alice's as well. */
function coversBob(bbox: string | null): boolean {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = (bbox ?? '')
    .split(',')
    .map(Number);
  return bboxCovers({ west, south, east, north }, BOBS_VIEW);
}
