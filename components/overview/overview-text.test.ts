import { expect, test } from 'vitest';
import { overviewHour } from '#lib/client/overview/overview.fixture.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import { bandsText } from '#lib/model/height-band-text.ts';
import { heightChoices, type OverviewQuestion, overviewSentence } from './overview-text.ts';

const question: OverviewQuestion = {
  layer: 'rid',
  band: '-30,30-60,60-120',
  counted: 'references',
  span: 24,
  times: 'night',
  where: 'around LSZH',
};
const received = overviewHour(0, { watched_s: 3600, positions: 12, references: 2 });
const nothing = overviewHour(0, { watched_s: 3600 });
const simulated = overviewHour(0, {
  watched_s: 3600,
  simulated: { positions: 3, references: 1, references_error: null },
});
const unwatched = overviewHour(0);
const said = (hours: Parameters<typeof overviewSentence>[1], change: Partial<OverviewQuestion> = {}) =>
  overviewSentence({ ...question, ...change }, hours, 'metric');

test('names what, where, when, and in how many watched hours', () => {
  const about = 'Drones below 120 m above ground around LSZH, last night 20–06: ';
  expect(said([received, received, received, ...Array(7).fill(nothing)])).toBe(
    `${about}received in 3 of 10 watched hours.`,
  );
  expect(said([received, nothing, unwatched])).toBe(
    `${about}received in 1 of 2 watched hours. 1 of 3 hours were not watched.`,
  );
  expect(said([{ ...received, watched_s: 1200, partly_s: 2400 }, { ...nothing, partly_s: 1200 }, unwatched])).toBe(
    `${about}received in 1 of 2 watched hours. Only partly watched for 1 h. 1 of 3 hours were not watched.`,
  );
});

test('a span of days has nights or working hours of these days', () => {
  expect(said([received], { span: 168 })).toContain(', the last 7 nights 20–06: ');
  expect(said([received], { span: 720, times: 'work' })).toContain(', working hours 08–18 of the last 30 days: ');
  expect(said([received], { times: 'work' })).toContain(', working hours 08–18 of the last working day: ');
});

test('nothing received and not watched are different answers, and simulated traffic is apart', () => {
  expect(said([nothing], { band: undefined })).toMatch(/: nothing received in 1 watched hour\.$/);
  expect(said([unwatched, unwatched])).toMatch(/: not watched\.$/);
  expect(said([simulated])).toMatch(/: nothing received in 1 watched hour\. Only simulated traffic was received\.$/);
  expect(said([simulated], { counted: 'simulated', band: undefined })).toBe(
    'Simulated drones around LSZH, last night 20–06: received in 1 of 1 watched hour.',
  );
});

test('heights that are added up are one range, and every band can be chosen', () => {
  expect(bandsText('adsb', '1000-3000,-1000', 'metric', true)).toBe('below 3\u202f000 m altitude');
  expect(bandsText('rid', '-30,60-120', 'metric', false)).toBe('below 30 m and 60 m to 120 m');
  expect(bandsText('rid', '120-,unknown', 'metric', true)).toBe('from 120 m above ground and of unknown height');
  for (const layer of ['rid', 'adsb'] as const) {
    const reachable = new Set(heightChoices(layer).flatMap((ids) => ids.split(',')));
    expect(reachable).toEqual(new Set(HEIGHT_BANDS[layer].map(({ id }) => id)));
  }
});
