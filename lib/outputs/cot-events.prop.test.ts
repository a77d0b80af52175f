import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { addMs, epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { ALARM_ENDS } from '#lib/zones/alarm.ts';
import { plainRecord } from '../api/arbitrary-record.fixture.ts';
import { alarmOf } from '../client/alarms/alarm.fixture.ts';
import { anyPosition } from '../codec/arbitrary-position.fixture.ts';
import { alarmEvent, noticeEvent, noticeEvents, pingEvent, positionEvent } from './cot-events.ts';
import { noticeOf } from './notice.fixture.ts';
import type { Notice } from './notice.ts';
import { readEvent } from './read-event.fixture.ts';

const HOSTILE = [
  '\r\n',
  '\u0000',
  ']]>',
  '<',
  '&amp;',
  '"',
  '\u001B[2J',
  '\uD800',
  '\uFFFE',
  '\u0085',
  '\u2028',
  '</event>',
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
);
const allowedInXml = (text: string) =>
  text.replaceAll(/[^\t\n\r\u0020-\u007E\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
const MEASURES_MAX = 10_000_000;
/** Four-digit years; the upstream's measures are bounded before. */
const receivedPosition = anyPosition.filter(
  ({ observedAt, staleAfter, altitudeM = 0, heightAglM = 0, speedMps = 0, headingDeg = 0 }) =>
    [observedAt, staleAfter ?? observedAt].every((each) => isBetween(epochMs(each), Date.UTC(1000), Date.UTC(9999))) &&
    [altitudeM, heightAglM, speedMps, headingDeg].every((each) => isBetween(each, -MEASURES_MAX, MEASURES_MAX)),
);
const isBetween = (value: number, least: number, most: number) => value > least && value < most;

const at = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const alarm = alarmOf(1);
const words = { title: 'Airfield: entered', body: 'A drone entered.', at };

describe('a CoT event', () => {
  test('keeps every text, without what XML forbids', () => {
    fc.assert(
      fc.property(anyText, anyText, (title, body) => {
        for (const xml of [alarmEvent(alarm, { title, body, at }), noticeEvent('id', { title, body, at })]) {
          const { callsign, remarks } = readEvent(xml);
          expect(remarks ?? '').toBe(allowedInXml(body));
          expect(callsign).toBe(allowedInXml(title.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()));
          expect(callsign).not.toMatch(/\p{Cc}/u);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be absent
          expect(xml).not.toMatch(/[\u0000-\u001F]|<!\[CDATA|\]\]>/);
          expect(xml.match(/<\/event>/g)).toHaveLength(1);
        }
      }),
    );
  });

  test('of a position asks for a trail only where that was chosen', () => {
    expect(positionEvent(plainPosition)).not.toContain('bread_crumbs');
    expect(positionEvent(plainPosition, true)).toContain('<__bread_crumbs enabled="1"/>');
    expect(readEvent(positionEvent(plainPosition, true)).attributes).toEqual(
      readEvent(positionEvent(plainPosition)).attributes,
    );
  });

  test('of a position follows the public schema, and is neutral without a height', () => {
    fc.assert(
      fc.property(receivedPosition, (position) => {
        const { attributes, point } = readEvent(positionEvent(position));
        expect(attributes.uid).toBe(allowedInXml(position.ref));
        expect(attributes.type).toMatch(/^a-n-A/);
        expect(attributes.time).toBe(formatInstant(position.observedAt));
        expect(attributes.start).toBe(attributes.time);
        if (position.staleAfter) expect(attributes.stale).toBe(formatInstant(position.staleAfter));
        expect([point.hae, point.ce, point.le]).toEqual(['9999999', '9999999', '9999999']);
        expect(Number(point.lat)).toBeCloseTo(position.lat, 5);
        expect(Number(point.lon)).toBeCloseTo(position.lon, 5);
      }),
    );
  });

  test('tags simulated and test positions in callsign and remarks', () => {
    fc.assert(
      fc.property(receivedPosition, (position) => {
        const { callsign, remarks, attributes } = readEvent(positionEvent(position));
        for (const text of [callsign, remarks]) {
          expect(/^(SIM )/.test(text ?? '') || /^SIM\n/.test(text ?? '')).toBe(position.simulated);
          expect(/^(SIM )?TEST\b/.test(text ?? '')).toBe(position.testBroadcast);
        }
        expect(attributes.how).toBe(position.simulated ? 'm-s' : 'm-r');
      }),
    );
  });
});

describe('a CoT position', () => {
  test('names the field of each height, and claims no datum', () => {
    const { remarks } = readEvent(positionEvent({ ...plainPosition, altitudeM: 480.04, heightAglM: 0 }));
    expect(remarks).toBe(
      'Aircraft RX-A-0000000000000001, not identified\nheight_agl_m: 0 m above ground, estimated\naltitude_m: 480 m, no datum',
    );
  });

  test('has a track element only with both course and speed', () => {
    const trackOf = (headingDeg: number | undefined, speedMps: number | undefined) =>
      readEvent(positionEvent({ ...plainPosition, headingDeg, speedMps })).detail.track;
    expect(trackOf(90, 0)).toEqual({ course: '90', speed: '0' });
    expect(trackOf(359.97, 12.345)).toEqual({ course: '0', speed: '12.35' });
    expect(trackOf(undefined, 10)).toBeUndefined();
    expect(trackOf(90, undefined)).toBeUndefined();
    expect(readEvent(positionEvent({ ...plainPosition, speedMps: 10 })).remarks).toContain('speed_mps: 10');
  });

  test('without stale_after is stale at the same age as on the map', () => {
    const { attributes } = readEvent(positionEvent({ ...plainPosition, staleAfter: undefined }));
    expect(attributes.stale).toBe(formatInstant(addMs(plainPosition.observedAt, 60_000)));
  });
});

describe('a CoT alarm', () => {
  test('links its track, by the uid and type of the track’s own events', () => {
    const { detail, attributes } = readEvent(alarmEvent(alarm, words));
    const track = readEvent(positionEvent({ ...plainPosition, ref: alarm.track as string, kind: 'drone' }));
    expect(detail.link).toEqual({ uid: track.attributes.uid, type: track.attributes.type, relation: 'p-p' });
    expect(attributes).toMatchObject({ uid: alarm.id, type: 'b-a', stale: '2026-11-22T12:00:00.000Z' });
  });

  test('is cancelled only by an end that was seen', () => {
    const typeOf = (ended: Alarm['ended']) =>
      readEvent(alarmEvent({ ...alarm, state: 'ended', ended }, words)).attributes.type;
    expect(ALARM_ENDS.filter((ended) => typeOf(ended) === 'b-a-o-can')).toEqual([
      'left',
      'hours_over',
      'rule_changed',
      'zone_removed',
      'resumed',
    ]);
    const { detail } = readEvent(alarmEvent({ ...alarm, state: 'ended', ended: 'left' }, words));
    expect(detail.emergency).toEqual({ cancel: 'true' });
  });

  test('is at the last position that decided, or without one at the centre of its zone', () => {
    const pointOf = (evidence: Alarm['evidence']) =>
      readEvent(alarmEvent({ ...alarm, evidence }, words, { lon: 8.25, lat: 46.5 })).point;
    expect(pointOf([plainRecord, { ...plainRecord, longitude: 8.6 }])).toMatchObject({ lat: '47.5', lon: '8.6' });
    expect(pointOf([])).toMatchObject({ lat: '46.5', lon: '8.25', ce: '9999999' });
  });
});

describe('a notice', () => {
  const eventsOf = (changed: Partial<Notice>) =>
    noticeEvents(noticeOf(changed), at)
      .split(/(?<=<\/event>)/)
      .map(readEvent);

  test('is one event for each of its alarms, and one for those that are not listed', () => {
    const alarms = [alarmOf(1, { simulated: true, test: true }), alarmOf(2)];
    const all = eventsOf({ alarms, more: 41, zones: 2 });
    expect(all.map(({ attributes }) => attributes.uid)).toEqual([alarmOf(1).id, alarmOf(2).id, noticeOf().id]);
    expect(all[0]?.callsign).toBe('SIM · TEST · Drone 00001 in Runway 14/32');
    expect(all[0]?.remarks).toMatch(/^SIM · TEST\n/);
    expect(all[0]?.attributes.how).toBe('m-s');
    expect(all[1]?.callsign).not.toContain('SIM');
    expect(all[2]?.callsign).toContain('42 more');
    expect(eventsOf({ alarms })).toHaveLength(2);
  });

  test('that is a trial says so', () => {
    const [trial, ...others] = eventsOf({ type: 'trial', alarms: [], zones: 0, link: null });
    expect(others).toEqual([]);
    expect(trial?.callsign).toMatch(/^TRIAL/);
    expect(trial?.remarks).toContain('there is no alarm');
  });
});

test('a ping follows the public schema', () => {
  expect(readEvent(pingEvent(at)).attributes.type).toBe('t-x-c-t');
});
